package study

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/ansatz-lab/ansatz/experiments/checkpoint"
	"github.com/ansatz-lab/ansatz/experiments/input"
)

// worthKeeping is how long a part of a seed takes that is kept when it has ended.
const worthKeeping = time.Second

// worth is the least time of what is kept.
func (in Setting) worth() time.Duration {
	if in.KeepAll {
		return 0
	}
	return worthKeeping
}

// Keep finds a part of what a seed is after, or takes what was found of it before the
// seed was interrupted. It is kept as package gob does: fields have capitals, and a
// pointer to 0 comes back as nil.
func Keep[T any](in Setting, name string, settings any, find func() (T, error)) (found T, err error) {
	path, err := in.CheckpointPath(name, settings)
	if err != nil {
		return found, err
	}
	if checkpoint.Read(path, &found) {
		in.Attempt.Resume(path)
		return found, nil
	}
	start := time.Now()
	if found, err = find(); err != nil || path == "" || time.Since(start) < in.worth() {
		return found, err
	}
	in.Attempt.keep(path)
	return found, checkpoint.Write(path, found)
}

// CheckpointPath is a path in the folder for what a seed goes on from, "" where nothing is
// kept. What another program made, another backend, another number of threads or other
// settings has another one; data is taken to stay as it is.
func (in Setting) CheckpointPath(name string, settings any) (string, error) {
	if in.Checkpoints == "" {
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
	sum := sha256.Sum256(fmt.Appendf(nil, "%x\n%s\n%d\n%d\n%s\n%s\n", program, input.BackendName(""), threads, in.Seed, name, text))
	if err := os.MkdirAll(in.Checkpoints, 0o777); err != nil {
		return "", &checkpoint.SaveError{Err: err}
	}
	return filepath.Join(in.Checkpoints, fmt.Sprintf("%x", sum[:8])), nil
}

// attempt is one at a seed, which may go on from an earlier one. The zero value is ready
// to use.
type attempt struct {
	mu      sync.Mutex
	made    map[string]bool // paths of what this attempt has kept itself
	resumed bool
}

// Resume notes that what was kept at a path is taken.
func (a *attempt) Resume(path string) {
	if a != nil {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.resumed = a.resumed || !a.made[path]
	}
}

// keep notes that this attempt keeps something at a path.
func (a *attempt) keep(path string) {
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
