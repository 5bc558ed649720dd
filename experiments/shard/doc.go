// Package spread divides work among processes and machines, and puts together what
// they made. It knows nothing of what is computed.
//
// A [Plan] is a file: a list of units, each with an ID that is a digest of all that
// decides what it makes, divided into shards. Workers make units, each in a folder
// of its own that is there whole or not at all, with the checksums of its files in a
// receipt. Merging is a function of the units in the order of the plan: the number
// of shards, and the order in which they end, make no difference to any bit.
//
//	OUT/plan.json         the plan
//	OUT/units/ID/         what a unit made, and receipt.json
//	OUT/scratch/ID/       what a unit that was interrupted goes on from
//	OUT/failed/ID.json    why a unit failed, until it is made
//	OUT/locks/ID.lock     held by the process that makes the unit
//	OUT/merged.json       what was merged
package shard
