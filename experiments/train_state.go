package experiments

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ansatz-lab/ansatz/models"
)

// trainState is what a checkpoint holds besides the trainer's state. The random
// numbers need none: they are functions of the seed, the epoch and the step.
type trainState struct {
	Epochs         []EpochRecord // those that have ended
	Step           int           // steps of the current epoch
	Running        models.Score  // of the current epoch
	Seconds        float64       // of the current epoch
	SecondsPerStep float64
	Best           *BestRecord
	Ansatz         []AnsatzPoint
}

// BestRecord is the epoch with the smallest loss, of the validation images or, if
// there are none, of the training images.
type BestRecord struct {
	Epoch int     `json:"epoch"`
	Loss  float64 `json:"loss"`
}

// The notes of a checkpoint.
const (
	specNote  = "spec"
	stateNote = "state"
)

// checkpoint saves everything that the training needs to go on.
func (s *session) checkpoint() error {
	s.state.SecondsPerStep = s.medianStep()
	spec, err := json.Marshal(s.spec)
	if err != nil {
		return err
	}
	state, err := json.Marshal(s.state)
	if err != nil {
		return err
	}
	s.saved = time.Now()
	return models.SaveCheckpoint(s.folder.checkpoint(), s.trainer.State(), map[string]string{specNote: string(spec), stateNote: string(state)})
}

// restore takes up the run in the folder, if there is one; otherwise it begins
// one there.
func (s *session) restore() error {
	if s.folder == nil {
		return nil
	}
	if s.folder.begun == nil {
		return s.folder.begin(s.Training)
	}
	err := s.trainer.Restore(s.folder.begun)
	if err == nil {
		s.state, err = readTrainState(s.folder.notes[stateNote], s.standing())
	}
	if err != nil {
		return &InputError{&models.CheckpointError{Path: s.folder.checkpoint(), Err: err}}
	}
	s.folder.begun = nil // its memory is not needed any more
	return nil
}

// interrupted saves a checkpoint of where the training stands.
func (s *session) interrupted(ctx context.Context) error {
	if s.folder == nil {
		return ctx.Err()
	}
	if err := s.checkpoint(); err != nil {
		return fmt.Errorf("interrupted, and the checkpoint could not be written: %w", err)
	}
	return &InterruptedError{Checkpoint: s.folder.checkpoint()}
}

// diverged says where a training diverged, and what good there is left.
func (s *session) diverged(err error) error {
	where := fmt.Errorf("step %d of epoch %d (%d in all): %w", s.state.Step+1, len(s.state.Epochs)+1, s.trainer.Steps()+1, err)
	if s.folder == nil {
		return where
	}
	_, notes, open := models.OpenCheckpoint(s.folder.checkpoint())
	var last trainState
	if open != nil || json.Unmarshal([]byte(notes[stateNote]), &last) != nil {
		return fmt.Errorf("%w\nThere is no checkpoint yet; the weights before training are in %s", where, s.folder.path(initialFile))
	}
	more := ""
	if len(last.Epochs) > 0 {
		more = fmt.Sprintf(", the weights after epoch %d in %s (--init-weights starts from them)", len(last.Epochs), s.folder.path(lastFile))
	}
	return fmt.Errorf("%w\nThe last good checkpoint is %s, after %d steps of epoch %d%s", where, s.folder.checkpoint(), last.Step, len(last.Epochs)+1, more)
}

// sameRun refuses a checkpoint of a training with other settings.
func sameRun(spec TrainSpec, notes map[string]string, path string) error {
	var begun TrainSpec
	if err := json.Unmarshal([]byte(notes[specNote]), &begun); err != nil {
		return &models.CheckpointError{Path: path, Err: errors.New("it is not of a training: its settings cannot be read")}
	}
	if diff := spec.differences(begun); len(diff) > 0 {
		return &models.CheckpointError{Path: path, Err: fmt.Errorf(
			"it is of a run with other settings: %s; a run goes on with the settings with which it began; give another --out for a new one", strings.Join(diff, "; "))}
	}
	return nil
}

// finish writes the records of a training that has ended.
func (s *session) finish(ctx context.Context) (*TrainRecord, error) {
	if len(s.state.Ansatz) == 0 || s.state.Ansatz[len(s.state.Ansatz)-1].Step != s.trainer.Steps() {
		if err := s.track(ctx); err != nil {
			return nil, err
		}
	}
	s.trainer.Sync()
	s.state.SecondsPerStep = s.medianStep()
	r := s.record()
	if s.state.Step > 0 { // --steps cut an epoch short: one that was not the first is worth evaluating
		e, err := s.evaluateEpoch(ctx, len(s.state.Epochs) > 0)
		if err != nil {
			return nil, err
		}
		r.Epochs = append(r.Epochs, e)
	}
	r.Stopped = cmp.Or(s.stopped, fmt.Sprintf("after %d epochs", len(s.state.Epochs)))
	if s.folder == nil {
		return r, nil
	}
	return r, s.folder.finish(ctx, s, r)
}
