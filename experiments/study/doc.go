// Package study runs experiments over seeds and judges claims by what they found.
//
// An [Experiment] is a figure or a table of a paper: claims, whose thresholds were written before
// they were measured, and settings for every scale. A [Spec] is its settings, a pointer to a
// struct whose fields can be set from TOML, with a method Run that makes the experiment with one
// seed in a [Setting] and returns an [Outcome]. A [Run] runs it over seeds, keeps each in a
// folder, and returns a [Record] with a [Judgement] for every claim. A [Catalogue] is the
// experiments that a program knows.
//
// [Setting] is also the door to all expensive work, so that a seed that is interrupted can go on:
// [Setting.Train] runs the loop of a training, [Setting.Fit] and [Setting.FitConv] fit kernel
// machines, and [Keep] keeps the value of any other part.
//
// A [Measure] is a number that seeds find and that claims are about: both name the same Go variable.
// [Main] is the command line of a program that runs a catalogue, which [Catalogue.Check] checks
// before anything runs.
//
// Begin with examples/experiment in the repository, which defines and runs an experiment in one
// file.
package study
