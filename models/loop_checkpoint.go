package models

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"strings"
	"time"

	"github.com/ansatz-lab/ansatz/models/weights"
	"gorgonia.org/tensor"
)

// DefaultCheckpointEvery is the default time between two checkpoints.
const DefaultCheckpointEvery = 30 * time.Second

// writingShare is the time between two checkpoints, at least, as a multiple of the time that writing one takes.
const writingShare = 20

// A loop's checkpoint has the State in the note stateNote, and the best weights under their names with the prefix bestPrefix.
const (
	stateNote  = "state"
	bestPrefix = "best/"
)

// savedCheckpoint is the last checkpoint of a loop.
type savedCheckpoint struct {
	exists       bool
	epochs, step int           // position of the training
	at           time.Time     // when the checkpoint was saved or, before the first, the run began
	writing      time.Duration // how long saving took
}

// loopNotes holds the notes of a checkpoint, or the error that occurred when they were made.
type loopNotes struct {
	notes map[string]string
	err   error
}

// notes returns the notes of a checkpoint of the current state.
func (l *Loop) notes() *loopNotes {
	l.Position().SecondsPerStep = l.SecondsPerStep()
	state, err := json.Marshal(l.State)
	if bad := (*json.UnsupportedValueError)(nil); errors.As(err, &bad) {
		err = &NotFiniteError{Tensors: []string{stateNote}}
	}
	if err != nil {
		return &loopNotes{err: &CheckpointError{l.Path, err}}
	}
	notes := map[string]string{stateNote: string(state)}
	maps.Copy(notes, l.Notes)
	return &loopNotes{notes: notes}
}

// Save saves a checkpoint atomically. Without a Path it does nothing.
func (l *Loop) Save() error {
	if l.Path == "" {
		return nil
	}
	start := time.Now()
	err := l.write()
	if bad := (*NotFiniteError)(nil); l.Optional && errors.As(err, &bad) {
		err = nil // the training has diverged, as its next step will say
	} else if err == nil {
		l.saved.exists, l.saved.epochs, l.saved.step = true, l.Epoch(), l.Position().Step
	}
	l.saved.at = time.Now()
	l.saved.writing = l.saved.at.Sub(start)
	return err
}

// write writes the checkpoint.
func (l *Loop) write() error {
	n := l.unended
	if n == nil {
		n = l.notes()
	}
	if n.err != nil {
		return n.err
	}
	state := l.Trainer.State()
	if l.Best != nil {
		own := func(_ Parameter, v *tensor.Dense) *tensor.Dense { return v }
		for name, v := range l.Best.stateDict(own).All() {
			state.Set(bestPrefix+name, v)
		}
	}
	return SaveCheckpoint(l.Path, state, n.notes)
}

// saveIfDue saves a checkpoint if the last one is old enough. By default, saving takes at most about a twentieth of the time.
func (l *Loop) saveIfDue(now time.Time) error {
	every := cmp.Or(l.Every, max(DefaultCheckpointEvery, writingShare*l.saved.writing))
	if l.Path == "" || now.Sub(l.saved.at) < every {
		return nil
	}
	return l.Save()
}

// Saved returns the position of the last checkpoint: the number of epochs that had ended, and the number of steps taken in
// the next one. ok is false if there is no checkpoint.
func (l *Loop) Saved() (epochs, step int, ok bool) {
	return l.saved.epochs, l.saved.step, l.saved.exists
}

// Resume restores the state of the checkpoint at Path and returns true, or returns false if there is none. It returns a
// [*CheckpointError] for a file that is damaged or belongs to another training, and the error of Accept. If the checkpoint
// is Optional, Resume returns false instead for a file that cannot be read or is refused by Accept.
func (l *Loop) Resume() (resumed bool, err error) {
	if l.Path == "" {
		return false, nil
	}
	state, notes, err := OpenCheckpoint(l.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err == nil && l.Accept != nil {
		err = l.Accept(notes)
	}
	switch {
	case err != nil && l.Optional:
		return false, nil
	case err != nil:
		return false, err
	}
	if err := l.restore(state, notes); err != nil {
		return false, &CheckpointError{l.Path, err}
	}
	l.saved.exists, l.saved.epochs, l.saved.step = true, l.Epoch(), l.Position().Step
	return true, nil
}

// restore sets the trainer, the best weights and the State to those of a checkpoint.
func (l *Loop) restore(d *weights.StateDict, notes map[string]string) error {
	state, best, err := l.divide(d)
	if err != nil {
		return err
	}
	if err := l.Trainer.Restore(state); err != nil {
		return err
	}
	l.Best = best
	p := l.Position()
	if err := json.Unmarshal([]byte(notes[stateNote]), l.State); err != nil {
		return fmt.Errorf("its state: %w", err)
	}
	if _, err := p.Check(l.Batches.Steps(), l.Trainer.Steps()); err != nil {
		return fmt.Errorf("training cannot resume from its state: %w; begin again in another folder", err)
	}
	return nil
}

// divide divides the tensors of a checkpoint into the trainer's state and the best
// weights, nil if there are none.
func (l *Loop) divide(d *weights.StateDict) (state *weights.StateDict, best *Network, err error) {
	state = new(weights.StateDict)
	kept := new(weights.StateDict)
	for name, v := range d.All() {
		if parameter, isBest := strings.CutPrefix(name, bestPrefix); isBest {
			kept.Set(parameter, v)
		} else {
			state.Set(name, v)
		}
	}
	if kept.Len() > 0 {
		own := func(_ Parameter, v *tensor.Dense) (*tensor.Dense, error) { return v, nil }
		arch := *l.Trainer.net.Arch
		arch.Prefix, arch.Rename = "", nil // which are for files of others
		if best, err = arch.load(kept, l.Trainer.net.Input, own); err != nil {
			return nil, nil, fmt.Errorf("its best weights: %w", err)
		}
	}
	return state, best, nil
}

// Check returns how many epochs of perEpoch steps have ended in a training that has taken taken steps in all, or an
// error if the position is impossible. The digest of a checkpoint detects damage, but not a forged file.
func (p *Position) Check(perEpoch, taken int) (ended int, err error) {
	before := taken - p.Step // the steps of the epochs that have ended
	switch r := p.Running; {
	case p.Step < 0 || p.Step > perEpoch || before < 0 || before%perEpoch != 0:
		return 0, fmt.Errorf("%d steps of an epoch of %d, after %d steps in all", p.Step, perEpoch, taken)
	case r.Images < 0 || r.Correct < 0 || r.Correct > r.Images || (r == Score{}) != (p.Step == 0):
		return 0, fmt.Errorf("%d of %d images are right after %d steps", r.Correct, r.Images, p.Step)
	}
	return before / perEpoch, nil
}
