// Package shard divides work among processes and machines, and puts together what they made. It
// knows nothing of what is computed.
//
// A [Plan] is a file: a list of units, divided into shards. The ID of a unit is a digest of
// everything that decides its result. A [Worker] makes units, each in a folder of its own that is
// written whole or not at all, with the checksums of its files in a receipt. [Merge] is a function
// of the units in the order of the plan: the number of shards and the order in which they end
// change no bit of it. [StatusOf] says how far the work is, and [Slurm] writes the scripts of a
// cluster.
//
//	OUT/plan.json         the plan
//	OUT/units/ID/         what a unit made, and receipt.json
//	OUT/scratch/ID/       what an interrupted unit continues from
//	OUT/failed/ID.json    why a unit failed, until it is made
//	OUT/locks/ID.lock     held by the process that makes the unit
//	OUT/merged.json       what was merged
package shard
