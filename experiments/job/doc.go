// Package job divides the work of commands into units and shards that other processes make.
//
// A command describes its [Work]; [Work.Plan] divides it. [Kinds] opens the job of a plan again
// in another process, and [PlanNeeds] says what a plan takes. The units themselves are made by
// package shard, which knows no command.
package job
