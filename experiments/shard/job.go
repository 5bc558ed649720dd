package shard

import "context"

// Job is what the units of a plan are pieces of. A kind of job is a type.
type Job interface {
	// Make makes a unit. What it makes, besides times, is the same every time.
	Make(ctx context.Context, u Unit, room Room) (Made, error)
	// Merge puts together in the folder out what units made, which it finds in
	// their folders, in the order of the plan. It may be done again.
	Merge(ctx context.Context, units []Folder, out string) error
}

// Room is where a unit is made.
type Room struct {
	// Dir is an empty folder, for what is to be kept.
	Dir string
	// Scratch is a folder for what the unit goes on from if it is interrupted. It is
	// there until the unit is whole.
	Scratch string
	// Progress is told how far a stage of the unit is. It is not nil.
	Progress func(stage string, done, total int)
}

// Made is what is to be said of a unit besides what is in its folder.
type Made struct {
	// Data are the digests of what was read, by their names. Units of one plan that
	// read the same name must have read the same.
	Data map[string]string
}

// Folder is a unit with the folder of what it made.
type Folder struct {
	Unit
	Dir string
}
