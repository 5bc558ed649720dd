// Package job divides the work of commands into units and shards that other processes make.
//
// A command describes its [Work]; [Work.Plan] divides it. [Kinds] opens the job of a plan in another process, and
// [PlanNeeds] estimates the cost of a plan. Package shard makes the units; it does not depend on any command.
package job
