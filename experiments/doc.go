// Package experiments is the registry: it lists the experiments of the five papers and of
// alignment, which later papers are about, and opens the jobs and records of every kind. [All] returns the experiments.
//
// # Where to look
//
//   - What a command does: packages verify, train, kernelmachine, tangent, profile, tabular,
//     datasets, scaling and overview.
//   - What an experiment is, and how claims are judged over seeds: package study.
//   - The experiments themselves: packages papers/cnfapaper, rfmpaper, hyperbfpaper,
//     energypaper, ntkpaper and alignmentpaper, with papers/theory for statements and papers/setups for what they
//     share.
//   - How a page is drawn: package report. What a record is: package record.
//   - How a command opens what its flags name: package input.
//   - What work costs: packages cost, workload and calibrate. How it is divided: packages job
//     and shard. How it goes on after an interruption: package checkpoint, and study.Setting.
//
// The spec of a command is a struct whose zero fields take the defaults that they name. Its New
// function opens what the spec names and finds the user's mistakes, Run computes, and the record
// is a table, a summary in words and a page. Records are JSON; what is not defined, or was not
// measured, is absent there.
package experiments
