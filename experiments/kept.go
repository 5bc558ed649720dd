package experiments

import (
	"time"
)

// worthKeeping is how long a part of a seed takes that is kept when it has ended.
const worthKeeping = time.Second

// worth is the least time of what is kept.
func (in Setting) worth() time.Duration {
	if in.keepAll {
		return 0
	}
	return worthKeeping
}

// keep finds a part of what a seed is after, or takes what was found of it before the
// seed was interrupted. It is kept as package gob does: fields have capitals, and a
// pointer to 0 comes back as nil.
func keep[T any](in Setting, name string, settings any, find func() (T, error)) (found T, err error) {
	path, err := in.keptAt(name, settings)
	if err != nil {
		return found, err
	}
	if readKept(path, &found) {
		in.attempt.take(path)
		return found, nil
	}
	start := time.Now()
	if found, err = find(); err != nil || path == "" || time.Since(start) < in.worth() {
		return found, err
	}
	in.attempt.keep(path)
	return found, writeKept(path, found)
}
