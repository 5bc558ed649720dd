// Package shard divides work among processes and machines, and merges the results. It does not depend on what is
// computed.
//
// A [Plan] is a file: a list of units, divided into shards. The ID of a unit is a digest of everything that determines
// its result. A [Worker] makes units, each in a folder of its own that is written atomically, with the checksums of
// its files in a receipt. [Merge] combines the units in the order of the plan, so that the result is the same to the
// bit, whatever the number of shards and the order in which they end. [StatusOf] reports the progress, and [Slurm]
// writes the scripts of a cluster.
//
//	OUT/plan.json         the plan
//	OUT/units/ID/         what a unit made, and receipt.json
//	OUT/scratch/ID/       checkpoints of an interrupted unit
//	OUT/failed/ID.json    why a unit failed, until it is made
//	OUT/locks/ID.lock     held by the process that makes the unit
//	OUT/merged.json       what was merged
package shard
