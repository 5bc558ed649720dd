package experiments

import (
	"encoding/json"
	"fmt"

	"github.com/ansatz-lab/ansatz/models"
)

// standing is what the state in a checkpoint has to agree with.
type standing struct {
	perEpoch int // steps of an epoch
	taken    int // steps that the trainer has taken
	layers   []string
}

// standing is that of the session, whose trainer was restored.
func (s *session) standing() standing {
	p := standing{perEpoch: s.batches().Steps(), taken: s.trainer.Steps()}
	for _, l := range s.net.Layers() {
		p.layers = append(p.layers, l.Name)
	}
	return p
}

// readTrainState reads the state that a checkpoint notes. The digest of a checkpoint
// finds damage; whoever makes a file can make its digest, so that what the training
// counts with is looked at here.
func readTrainState(text string, p standing) (s trainState, err error) {
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return trainState{}, fmt.Errorf("its state: %w", err)
	}
	if err := s.check(p); err != nil {
		return trainState{}, fmt.Errorf("its state cannot be gone on from: %w; delete it to begin again", err)
	}
	return s, nil
}

// check reports what in the state is not of such a training.
func (s *trainState) check(p standing) error {
	for i, e := range s.Epochs {
		if e.Epoch != i+1 {
			return fmt.Errorf("epoch %d is in the place of epoch %d", e.Epoch, i+1)
		}
	}
	switch ended := len(s.Epochs); {
	case s.Step < 0 || s.Step > p.perEpoch || s.Step != p.taken-ended*p.perEpoch:
		return fmt.Errorf("%d steps of an epoch of %d, after %d epochs and %d steps in all", s.Step, p.perEpoch, ended, p.taken)
	case s.Best != nil && (s.Best.Epoch < 1 || s.Best.Epoch > ended):
		return fmt.Errorf("epoch %d is the best of %d", s.Best.Epoch, ended)
	case s.Best == nil && ended > 0:
		return fmt.Errorf("none of %d epochs is the best", ended)
	case s.Running.Images < 0 || s.Running.Correct < 0 || s.Running.Correct > s.Running.Images || (s.Running == models.Score{}) != (s.Step == 0):
		return fmt.Errorf("%d of %d images are right after %d steps", s.Running.Correct, s.Running.Images, s.Step)
	}
	return s.checkAnsatz(p)
}

// checkAnsatz holds the tracked ansatz to the steps and the layers of the network.
func (s *trainState) checkAnsatz(p standing) error {
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
	return nil
}
