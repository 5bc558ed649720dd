package train

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"syscall"

	"github.com/ansatz-lab/ansatz/experiments/checkpoint"
	"github.com/ansatz-lab/ansatz/models"
)

// trainState is what a checkpoint holds besides the trainer's state. The random
// numbers need none: they are functions of the seed, the epoch and the step.
type trainState struct {
	Epochs []EpochRecord // those that have ended
	models.Position
	Best   *BestRecord
	Ansatz []AnsatzPoint
	Notes  any `json:",omitempty"` // of [Run]
}

// BestRecord is the epoch with the smallest loss, of the validation images or, if
// there are none, of the training images.
type BestRecord struct {
	Epoch int     `json:"epoch"`
	Loss  float64 `json:"loss"`
}

// specNote is the note of a checkpoint that has the settings of the training.
const specNote = "spec"

// explain says what an error that ended the run means for it; of a run that was
// stopped it saves a checkpoint.
func (s *session) explain(ctx context.Context, err error) error {
	var diverged *models.DivergedError
	switch {
	case ctx.Err() != nil:
		return checkpoint.Stop(ctx, &s.loop, err)
	case errors.As(err, &diverged):
		return s.diverged(err)
	case errors.Is(err, syscall.ENOSPC) && s.loop.Path != "":
		return fmt.Errorf("%w\n"+
			"Make room and run the same command again with --resume: what was saved before is whole", err)
	}
	return err
}

// diverged says where a training diverged, and what good there is left.
func (s *session) diverged(err error) error {
	where := fmt.Errorf("step %d of epoch %d (%d in all): %w", s.state.Step+1, len(s.state.Epochs)+1, s.trainer.Steps()+1, err)
	if s.folder == nil {
		return where
	}
	epochs, step, ok := s.loop.Saved()
	if !ok {
		return fmt.Errorf("%w\nThere is no checkpoint yet; the weights before training are in %s", where, s.folder.path(InitialFile))
	}
	more := ""
	if epochs > 0 {
		more = fmt.Sprintf(", the weights after epoch %d in %s (--init-weights starts from them)",
			epochs, s.folder.path(lastFile))
	}
	return fmt.Errorf("%w\nThe last good checkpoint is %s, after %d steps of epoch %d%s",
		where, s.loop.Path, step, epochs+1, more)
}

// checkSettings refuses a checkpoint of a training with other settings.
func (t *Training) checkSettings(notes map[string]string, path string) error {
	var begun Spec
	if err := json.Unmarshal([]byte(notes[specNote]), &begun); err != nil {
		return &models.CheckpointError{Path: path, Err: errors.New("it is not of a training: its settings cannot be read")}
	}
	if diff := t.spec.differences(begun); len(diff) > 0 {
		return &models.CheckpointError{Path: path, Err: fmt.Errorf(
			"it is of a run with other settings: %s; a run goes on with the settings with which it began; give another --out for a new one", strings.Join(diff, "; "))}
	}
	return nil
}

// finish writes the records of a training that has ended.
func (s *session) finish(ctx context.Context) (*Record, error) {
	if len(s.state.Ansatz) == 0 || s.state.Ansatz[len(s.state.Ansatz)-1].Step != s.trainer.Steps() {
		if err := s.track(ctx); err != nil {
			return nil, err
		}
	}
	r := s.record()
	if s.state.Step > 0 { // --steps cut an epoch short: one that was not the first is worth evaluating
		e, err := s.evaluateEpoch(ctx, len(s.state.Epochs) > 0)
		if err != nil {
			return nil, err
		}
		r.Epochs = append(r.Epochs, e)
	}
	r.Stopped = cmp.Or(s.loop.Stopped, fmt.Sprintf("after %d epochs", len(s.state.Epochs)))
	if s.folder == nil {
		return r, nil
	}
	return r, s.folder.finish(ctx, s, r)
}
