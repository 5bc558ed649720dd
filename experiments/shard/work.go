package shard

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/ansatz-lab/ansatz/internal/atomicfile"
	"github.com/ansatz-lab/ansatz/internal/jsonfile"
	"github.com/ansatz-lab/ansatz/internal/lock"
	"github.com/ansatz-lab/ansatz/internal/words"
)

// Worker makes units of a plan. Several workers on any machines may share a folder: each unit is made by one of them.
type Worker struct {
	Plan *Plan
	Job  Job
	Out  string // the folder of the plan
	// Begin, if not nil, is called before a unit is made, and End after it.
	Begin func(u Unit)
	End   func(u Unit, err error)
	// Progress, if not nil, reports the progress of the current unit.
	Progress func(stage string, done, total int)
	// Now, if not nil, replaces [time.Now].
	Now func() time.Time
}

// Run makes the units that are not complete. If some fail, it makes the others and returns a
// [*FailedError]. If ctx ends, or other processes are making some of the units, it returns a
// [*StoppedError].
func (w Worker) Run(ctx context.Context, units []Unit) error {
	var failed []FailedUnit
	stopped := &StoppedError{Out: w.Out, Of: len(units)}
	for _, u := range units {
		err := w.unit(ctx, u)
		if stopped.Interrupts = err != nil && ctx.Err() != nil; stopped.Interrupts {
			break
		}
		if errors.Is(err, lock.ErrHeld) {
			stopped.ByOthers++
		} else if err != nil {
			failed = append(failed, FailedUnit{u, err})
		}
	}
	switch {
	case len(failed) > 0 && !stopped.Interrupts:
		return &FailedError{failed, len(units)}
	case !stopped.Interrupts && stopped.ByOthers == 0:
		return nil
	}
	for _, u := range units { // those behind the last one may be complete since an earlier attempt
		if folder(w.Out).has(u.ID) {
			stopped.Done++
		}
	}
	return stopped
}

// unit makes a unit unless it is complete already.
func (w Worker) unit(ctx context.Context, u Unit) (err error) {
	f := folder(w.Out)
	if f.has(u.ID) {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	l, err := f.lockUnit(u.ID)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Release()) }()
	if f.has(u.ID) { // another process made it before the lock was taken
		return nil
	}
	if w.Begin != nil {
		w.Begin(u)
	}
	err = w.make(ctx, f, u)
	if w.End != nil {
		w.End(u, err)
	}
	if err != nil && ctx.Err() == nil {
		return errors.Join(err, f.writeFailure(u, err))
	}
	return err
}

// make makes a unit whose lock is held.
func (w Worker) make(ctx context.Context, f folder, u Unit) error {
	if info, err := os.Lstat(f.unit(u.ID)); err == nil && !info.IsDir() {
		return inputError("%s: want the folder of a unit or none, found a file or a link: remove it", f.unit(u.ID))
	}
	if err := errors.Join(atomicfile.Sweep(f.unit(u.ID)), atomicfile.MakeFolder(f.scratch(u.ID)),
		atomicfile.SweepAll(f.scratch(u.ID))); err != nil {
		return err
	}
	now := time.Now
	if w.Now != nil {
		now = w.Now
	}
	start := time.Now() // has a monotonic clock
	r := &Receipt{Kind: w.Plan.Kind, Unit: u.ID, Name: u.Name, Maker: w.Plan.Maker,
		Made: now().UTC().Truncate(time.Second)}
	r.Machine, _ = os.Hostname()
	var failed error // the job's own error, not one of writing
	err := atomicfile.WriteFolder(f.unit(u.ID), func(dir string) error {
		var made Made
		if made, failed = w.Job.Make(ctx, u, Room{Dir: dir, Scratch: f.scratch(u.ID),
			Progress: w.progress}); failed != nil {
			return failed
		}
		r.Data, r.Seconds = made.Data, time.Since(start).Seconds()
		return r.write(dir)
	})
	if failed != nil {
		return failed
	}
	if err != nil {
		return err
	}
	// The unit is complete: its checkpoints are no longer needed.
	_ = os.RemoveAll(f.scratch(u.ID))
	_ = os.Remove(f.failed(u.ID))
	return nil
}

func (w Worker) progress(stage string, done, total int) {
	if w.Progress != nil {
		w.Progress(stage, done, total)
	}
}

// failure is the record of a failed unit.
type failure struct {
	Unit  string `json:"unit"`
	Name  string `json:"name"`
	Error string `json:"error"`
}

// writeFailure records why a unit failed, for ansatz status.
func (f folder) writeFailure(u Unit, cause error) error {
	path := f.failed(u.ID)
	if err := atomicfile.MakeFolder(filepath.Dir(path)); err != nil {
		return err
	}
	return writeJSON(path, failure{u.ID, u.Name, cause.Error()})
}

// NoteEnd records, for ansatz status, why the process of a shard, counted from 1, ended before it could record that itself. The
// cause is that of the first unit that is not complete. It returns the cause.
func (p *Plan) NoteEnd(out string, shard int, cause error) error {
	for _, k := range p.Shards[shard-1] {
		if u := p.Units[k]; !folder(out).has(u.ID) {
			return errors.Join(cause, folder(out).writeFailure(u, cause))
		}
	}
	return cause
}

// failure returns why the last attempt at a unit failed, "" if it did not.
func (f folder) failure(id string) string {
	var n failure
	if jsonfile.Read(f.failed(id), jsonfile.Small, &n) != nil {
		return ""
	}
	return n.Error
}

// MadeBy returns an [*InputError] unless m equals the plan's maker: otherwise the units would not be equal to the bit.
func (p *Plan) MadeBy(m Maker) error {
	if m == p.Maker {
		return nil
	}
	return inputError("the plan wants %v, this is %v: results may differ; use the version that planned, or plan "+
		"anew", p.Maker, m)
}

// String describes the maker in words.
func (m Maker) String() string {
	on := m.Backend + " backend"
	if m.Device != "" {
		on += " (" + m.Device + ")"
	}
	return fmt.Sprintf("ansatz %s on the %s with %s", m.Version, on, words.Count(m.Threads, "thread"))
}
