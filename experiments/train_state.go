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
	"github.com/ansatz-lab/ansatz/models/weights"
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

// checkpointPath is where checkpoints are written, "" for nowhere.
func (s *session) checkpointPath() string {
	if s.folder != nil {
		return s.folder.checkpoint()
	}
	return s.run.Keep
}

// checkpointIfDue saves a checkpoint if the last is old enough.
func (s *session) checkpointIfDue(now time.Time) error {
	if s.checkpointPath() == "" || now.Sub(s.saved) < cmp.Or(s.run.Every, checkpointInterval(s.saving)) {
		return nil
	}
	return s.checkpoint()
}

// checkpointInterval is the time between two checkpoints that take so long to write:
// what they take is at most a twentieth of it.
func checkpointInterval(saving time.Duration) time.Duration {
	return max(DefaultCheckpointEvery, 20*saving)
}

// keepWhole saves a checkpoint of a training that has ended, if it took long enough.
func (s *session) keepWhole() error {
	if s.run.Keep == "" || len(s.times) == 0 || time.Since(s.began) < s.run.worth {
		return nil
	}
	return s.checkpoint()
}

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
	save := models.SaveCheckpoint
	if s.folder == nil {
		save = keepCheckpoint
	}
	start := time.Now()
	err = save(s.checkpointPath(), s.trainer.State(), map[string]string{specNote: string(spec), stateNote: string(state)})
	s.saved = time.Now()
	s.saving = s.saved.Sub(start)
	return err
}

// restore takes up the run that is there, if there is one; otherwise it begins one.
func (s *session) restore() error {
	if s.folder == nil {
		return s.takeUp()
	}
	if s.folder.begun == nil {
		return s.folder.begin(s.Training)
	}
	err := s.goOn(s.folder.begun, s.folder.notes)
	s.folder.begun = nil // its memory is not needed any more
	return err
}

// takeUp goes on from the checkpoint that was kept, if there is one. One that is
// damaged, or of another training, is not taken: its place is the run's own, and what
// is found does not depend on it.
func (s *session) takeUp() error {
	if s.run.Keep == "" {
		return nil
	}
	state, notes, err := models.OpenCheckpoint(s.run.Keep)
	if err != nil || sameRun(s.spec, notes, s.run.Keep) != nil {
		return nil
	}
	if s.run.resumed != nil {
		s.run.resumed()
	}
	return s.goOn(state, notes)
}

// goOn takes up what a checkpoint holds.
func (s *session) goOn(state *weights.StateDict, notes map[string]string) error {
	err := s.trainer.Restore(state)
	if err == nil {
		s.state, err = readTrainState(notes[stateNote], s.standing())
	}
	if err != nil {
		return &InputError{&models.CheckpointError{Path: s.checkpointPath(), Err: err}}
	}
	return nil
}

// interrupted saves a checkpoint of where the training stands.
func (s *session) interrupted(ctx context.Context) error {
	if s.checkpointPath() == "" {
		return ctx.Err()
	}
	if err := s.checkpoint(); err != nil {
		return &unsavedError{err}
	}
	return &InterruptedError{Checkpoint: s.checkpointPath()}
}

// unsavedError is returned by a run that was stopped and could not save where it stood.
type unsavedError struct{ err error }

func (e *unsavedError) Error() string {
	return "interrupted, and the checkpoint could not be written: " + e.err.Error()
}
func (e *unsavedError) Unwrap() error { return e.err }

// unsaved says whether an error is of such a run.
func unsaved(err error) bool {
	var e *unsavedError
	return errors.As(err, &e)
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
		return r, s.keepWhole()
	}
	return r, s.folder.finish(ctx, s, r)
}
