// Package experiments puts networks, data and measures together into what a
// user asks for, with the conventions under which every number was found.
//
// # Figures and tables of the papers
//
// [Experiments] lists them, [FindExperiment] finds one by its ID. Its [Spec] at a
// [Scale] is a struct of settings, which [Overlay] changes from TOML; an
// [ExperimentRun] runs it with some seeds and keeps each in a folder, whole or not
// at all. An [ExperimentRecord] is what they found: a [Judgement] for every [Claim],
// whose threshold was written before it was run, and tables over the seeds;
// [ExperimentRecord.Values], [ExperimentRecord.Charts] and
// [ExperimentRecord.Matrix] are for what is to be computed or drawn otherwise.
// [Collect] reads records from a folder. The example of the package goes all the way.
//
// # What the commands do
//
// What the command ansatz does is a spec, whose New function opens what it names and
// finds its mistakes, a Run that computes, and a record that is a table, a summary in
// words, and a page of package report: [NewVerification], [NewTraining], [NewRFM],
// [NewHyperBF], [NewConvRFM], [NewTabular], [NewNTK], [NewLinearization] and
// [NewEnergy]. Zero fields of specs take the defaults that they name. Records are
// JSON, and what is not defined, or was not measured, is absent there.
//
// # Errors
//
// [IsInput] tells the mistakes in what was asked for from what went wrong, and
// [Interrupted] what was stopped and can go on.
package experiments
