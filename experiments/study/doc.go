// Package study runs experiments over seeds and judges claims by what they found.
//
// Begin with [Experiment], a figure or a table of a paper. It has claims, whose thresholds were
// written before anything was measured, and a [Spec] for every scale: a pointer to a struct of
// settings, with a method Run that runs the experiment with one seed in a [Setting] and returns an
// [Outcome]. A [Catalogue] is a list of experiments.
//
// [Run] runs an experiment over seeds, keeps each seed in a folder, and returns a [Record] with a
// [Judgement] for every claim, which [Record.Page] draws. [Plan] and [Batch] do this for several
// experiments, and [Catalogue.Collect] reads what they left.
//
// The methods of [Setting] do the expensive work, with checkpoints that an interrupted seed
// continues from: [Setting.Train] runs a training loop, [Setting.Fit] and [Setting.FitConv] fit
// kernel machines, and [Keep] keeps the result of any other part. In a [DryRun] they add up what the
// experiment costs, and do nothing.
//
// A [Measure] is a number that seeds find and that claims are about: both name the same Go variable.
// [Main] is the command line of a program that runs a catalogue, which [Catalogue.Check] checks
// before anything runs. The directory examples/experiment of the repository defines and runs an
// experiment in one file.
package study
