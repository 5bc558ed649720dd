package train

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"syscall"

	"github.com/ansatz-lab/ansatz/experiments/checkpoint"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/job"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report/explorer"
	"github.com/ansatz-lab/ansatz/internal/words"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/models/weights"
)

// trainState is what a checkpoint stores besides the trainer's state. Random numbers need no state, since they are
// functions of the seed, the epoch and the step.
type trainState struct {
	Epochs []EpochRecord // those that have ended
	models.Position
	Best   *BestRecord
	Ansatz []AnsatzPoint
	// Explorer has some of the measurements of the ansatz, with spectra.
	Explorer *explorer.Document `json:",omitempty"`
	Makers   []job.Maker        `json:",omitempty"` // none in checkpoints of earlier versions
	Notes    any                `json:",omitempty"` // of [Run]
}

// BestRecord is the epoch with the smallest loss, of the validation images or, if
// there are none, of the training images.
type BestRecord struct {
	Epoch int     `json:"epoch"`
	Loss  float64 `json:"loss"`
}

// The keys of a checkpoint's notes for the settings of the training and its inputs.
const (
	specNote   = "spec"
	inputsNote = "inputs"
)

// explainError adds advice for the user to an error that ended the run. If the run was interrupted, it saves a
// checkpoint.
func (s *session) explainError(ctx context.Context, err error) error {
	var diverged *models.DivergedError
	switch {
	case ctx.Err() != nil:
		if s.folder != nil && len(s.state.Epochs) > 0 {
			_ = record.WriteCSVTables(s.folder.dir, s.newRecord()) // for the reader: the checkpoint has it too
		}
		return checkpoint.Stop(ctx, &s.loop, err)
	case errors.As(err, &diverged):
		return s.explainDivergence(err)
	case errors.Is(err, syscall.ENOSPC) && s.loop.Path != "":
		return fmt.Errorf("%w\n"+
			"Make room and run the same command again with --resume: what was saved before is whole", err)
	}
	return err
}

// explainDivergence adds to an error the step at which the training diverged, and the weights that remain.
func (s *session) explainDivergence(err error) error {
	where := fmt.Errorf("step %d of epoch %d (%d in all): %w", s.state.Step+1, len(s.state.Epochs)+1,
		s.trainer.Steps()+1, err)
	if s.folder == nil {
		return where
	}
	epochs, step, ok := s.loop.Saved()
	if !ok {
		return fmt.Errorf("%w\nThere is no checkpoint yet; the weights before training are in %s", where,
			s.folder.path(InitialFile))
	}
	more := ""
	switch {
	case s.written == 0:
	case s.spec.Linearized:
		more = fmt.Sprintf(", the u after epoch %d in %s; a smaller --lr may not diverge", s.written,
			s.folder.path(tangentsName(lastFile)))
	default:
		more = fmt.Sprintf(", the weights after epoch %d in %s (--init-weights starts from them)",
			s.written, s.folder.path(lastFile))
	}
	return fmt.Errorf("%w\nThe last good checkpoint is %s, after %d steps of epoch %d%s",
		where, s.loop.Path, step, epochs+1, more)
}

// checkSettings returns an error for a checkpoint of a training with other settings, images or files.
func (t *Training) checkSettings(notes map[string]string, path string) error {
	var begun Spec
	if err := json.Unmarshal([]byte(notes[specNote]), &begun); err != nil {
		return &models.CheckpointError{
			Path: path, Err: errors.New("it is not of a training: its settings cannot be read"),
		}
	}
	if diff := t.spec.differences(begun); len(diff) > 0 {
		return &models.CheckpointError{Path: path, Err: fmt.Errorf(
			"it is of a run with other settings: %s; a run continues with its own settings; give another --out "+
				"for a new one", strings.Join(diff, "; "))}
	}
	if err := t.checkInputs(notes[inputsNote]); err != nil {
		return &models.CheckpointError{Path: path, Err: err}
	}
	return nil
}

// checkInputs returns an error if images and files are not those with which the training began. Checkpoints of earlier
// versions do not record them.
func (t *Training) checkInputs(note string) error {
	var begun job.Inputs
	if note == "" {
		return nil
	}
	if err := json.Unmarshal([]byte(note), &begun); err != nil {
		return errors.New("what it was trained on cannot be read")
	}
	now, err := t.runInputs()
	if err != nil {
		return err
	}
	if changed := now.Changes(begun); len(changed) > 0 {
		return fmt.Errorf("since the run began %s; restore them, or give another --out for a new run",
			strings.Join(changed, "; "))
	}
	return nil
}

// checkBest returns an [*input.Error] if the best weights are of an epoch after the checkpoint that the resumed run, which
// is to end earlier than the one before, does not reach: it would not write them again.
func (s *session) checkBest() error {
	name := bestFile
	if s.spec.Linearized {
		name = tangentsName(name)
	}
	best, err := weights.Open(s.folder.path(name))
	if err != nil {
		return nil // none yet, or damaged: then the next best replaces it
	}
	epoch, err := strconv.Atoi(best.Metadata()["epoch"])
	if err != nil || epoch <= len(s.state.Epochs) || epoch*s.batches().Steps() <= s.Steps() {
		return nil
	}
	return input.Errorf("%s is of epoch %d, which this run would not reach: give at least --epochs %d, and no fewer --steps",
		s.folder.path(name), epoch, epoch)
}

// finish returns the record of a training that has ended.
func (s *session) finish(ctx context.Context) (*Record, error) {
	if len(s.state.Ansatz) == 0 || s.state.Ansatz[len(s.state.Ansatz)-1].Step != s.trainer.Steps() {
		if err := s.track(ctx); err != nil {
			return nil, err
		}
	}
	r := s.newRecord()
	r.Makers = s.state.Makers
	if s.state.Step > 0 { // --steps ended an epoch early; after the first epoch it is worth evaluating
		e, err := s.evaluateEpoch(ctx, len(s.state.Epochs) > 0)
		if err != nil {
			return nil, err
		}
		r.Epochs = append(r.Epochs, e)
	}
	r.Stopped = cmp.Or(s.loop.Stopped, "after "+words.Count(len(s.state.Epochs), "epoch"))
	if s.folder == nil {
		return r, nil
	}
	return r, s.folder.finish(ctx, s, r)
}

// expectedState holds what the state in a checkpoint must agree with.
type expectedState struct {
	perEpoch int // steps of an epoch
	taken    int // steps that the trainer has taken
	layers   []string
}

// expectedState returns the session's expectations, once its trainer is restored.
func (s *session) expectedState() expectedState {
	p := expectedState{perEpoch: s.batches().Steps(), taken: s.trainer.Steps()}
	for _, l := range s.net.Layers() {
		p.layers = append(p.layers, l.Name)
	}
	return p
}

// check returns an error if the state cannot belong to such a training. A checkpoint's digest reveals damage but not
// forgery, so the numbers that the training relies on are checked here.
func (s *trainState) check(p expectedState) error {
	ended, err := s.Position.Check(p.perEpoch, p.taken)
	switch {
	case err != nil:
	case len(s.Epochs) != ended:
		err = fmt.Errorf("%d epochs have a record, of %d that have ended", len(s.Epochs), ended)
	case s.Best != nil && (s.Best.Epoch < 1 || s.Best.Epoch > ended):
		err = fmt.Errorf("epoch %d is the best of %d", s.Best.Epoch, ended)
	case s.Best == nil && ended > 0:
		err = fmt.Errorf("none of %d epochs is the best", ended)
	default:
		err = errors.Join(s.checkEpochs(), s.checkAnsatz(p))
	}
	if err != nil {
		return fmt.Errorf("it cannot be resumed: %w; begin again in another folder", err)
	}
	return nil
}

// checkEpochs checks that the records of the epochs are in their order.
func (s *trainState) checkEpochs() error {
	for i, e := range s.Epochs {
		if e.Epoch != i+1 {
			return fmt.Errorf("epoch %d is in the place of epoch %d", e.Epoch, i+1)
		}
	}
	return nil
}

// checkAnsatz checks that the tracked ansatz has the steps and the layers of the network.
func (s *trainState) checkAnsatz(p expectedState) error {
	last := -1
	for _, point := range s.Ansatz {
		if point.Step <= last || point.Step > p.taken {
			return fmt.Errorf("the ansatz at step %d after that at step %d, of %d", point.Step, last, p.taken)
		}
		last = point.Step
		if len(point.Layers) != len(p.layers) {
			return fmt.Errorf("the ansatz of %d layers, want %d", len(point.Layers), len(p.layers))
		}
		for i, l := range point.Layers {
			if l.Layer != p.layers[i] {
				return fmt.Errorf("the ansatz of layer %q in the place of %q", l.Layer, p.layers[i])
			}
		}
	}
	if s.Explorer == nil {
		return nil
	}
	if len(s.Ansatz) == 0 {
		return errors.New("an explorer without measurements of the ansatz")
	}
	return s.Explorer.Check(p.layers)
}
