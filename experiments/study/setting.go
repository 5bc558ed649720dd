package study

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/ansatz-lab/ansatz/experiments/checkpoint"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/internal/atomicfile"
)

// Setting is where a seed runs. Of its fields only Seed changes the results. Its methods do the expensive work of an
// experiment, with checkpoints that an interrupted seed continues from: [Setting.Train], [Setting.Fit],
// [Setting.FitConv], and [Keep] for any other part. [Run] sets up the checkpoints.
type Setting struct {
	Seed    uint64
	DataDir string // as in [data.Options]
	Threads int    // 0 stands for all cores
	// Progress, if not nil, is called with a stage of the work and how many of its parts are done.
	Progress func(stage string, done, total int)

	checkpoints string // a folder; "" keeps no checkpoints
	keepAll     bool   // see KeepAll
	attempt     *attempt
	dry         *dryRun // nil unless this is a dry run
}

// Report calls Progress if it is not nil. It ends a dry run that takes too long.
func (in Setting) Report(stage string, done, total int) {
	in.dry.endLate()
	if in.Progress != nil {
		in.Progress(stage, done, total)
	}
}

// WithCheckpoints returns the setting with checkpoints in a folder; "" keeps none.
func (in Setting) WithCheckpoints(dir string) Setting {
	in.checkpoints = dir
	return in
}

// HasCheckpoints reports whether checkpoints are kept.
func (in Setting) HasCheckpoints() bool { return in.checkpoints != "" }

// KeepAll returns the setting with checkpoints of all finished parts. By default a part that took
// less than a second has none.
func (in Setting) KeepAll() Setting {
	in.keepAll = true
	return in
}

// MarkResumed records that the seed continued from what an earlier attempt left at a path.
func (in Setting) MarkResumed(path string) { in.attempt.markResumed(path) }

// worthKeeping is the least computing time of a part whose result is kept in a checkpoint.
const worthKeeping = time.Second

// minTime returns the least computing time of a part whose result is kept in a checkpoint.
func (in Setting) minTime() time.Duration {
	if in.keepAll {
		return 0
	}
	return worthKeeping
}

// Keep returns what find returns, and keeps it in a checkpoint: an interrupted seed that runs again reads it from
// there. Name and settings, which become JSON, tell the part from the others of the seed. The value is encoded by
// package gob: only exported fields are kept, and a pointer to 0 is read as nil.
func Keep[T any](in Setting, name string, settings any, find func() (T, error)) (found T, err error) {
	path, err := in.CheckpointPath(name, settings)
	if err != nil {
		return found, err
	}
	if checkpoint.Read(path, &found) {
		in.MarkResumed(path)
		return found, nil
	}
	start := time.Now()
	if found, err = find(); err != nil || path == "" || time.Since(start) < in.minTime() {
		return found, err
	}
	in.attempt.markMade(path)
	return found, checkpoint.Write(path, found)
}

// CheckpointPath returns a path in the folder of checkpoints for a part of a seed, "" if none are
// kept. It makes the folder. The path depends on the name and the settings of the part, the seed,
// the program, its backend and the number of threads; data files are assumed not to change.
func (in Setting) CheckpointPath(name string, settings any) (string, error) {
	if in.checkpoints == "" {
		return "", nil
	}
	text, err := json.Marshal(settings)
	if err != nil {
		return "", err
	}
	program, err := checkpoint.ProgramDigest()
	if err != nil {
		return "", err
	}
	threads := cmp.Or(in.Threads, runtime.GOMAXPROCS(0))
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%d\n%d\n%s\n%s\n",
		program, input.BackendName(""), threads, in.Seed, name, text))
	if err := atomicfile.MakeFolder(in.checkpoints); err != nil {
		return "", &checkpoint.SaveError{Err: err}
	}
	return filepath.Join(in.checkpoints, fmt.Sprintf("%x", sum[:8])), nil
}

// attempt records whether an attempt at a seed continued from an earlier one. The zero value is ready to use; the
// methods do nothing on nil.
type attempt struct {
	mu      sync.Mutex
	made    map[string]bool // paths of the checkpoints that this attempt wrote
	resumed bool
}

// markResumed records that the checkpoint at a path was read. It counts unless this attempt wrote it.
func (a *attempt) markResumed(path string) {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.resumed = a.resumed || !a.made[path]
}

// markMade records that this attempt writes the checkpoint at a path.
func (a *attempt) markMade(path string) {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.made == nil {
		a.made = map[string]bool{}
	}
	a.made[path] = true
}
