package train

import (
	"errors"
	"fmt"
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
	for _, l := range s.Net.Layers() {
		p.layers = append(p.layers, l.Name)
	}
	return p
}

// check reports what in the state is not of such a training. The digest of a
// checkpoint finds damage; whoever makes a file can make its digest, so that what the
// training counts with is checked here.
func (s *trainState) check(p standing) error {
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
		return fmt.Errorf("its state cannot be gone on from: %w; delete it to begin again", err)
	}
	return nil
}

// checkEpochs holds the records of the epochs to their places.
func (s *trainState) checkEpochs() error {
	for i, e := range s.Epochs {
		if e.Epoch != i+1 {
			return fmt.Errorf("epoch %d is in the place of epoch %d", e.Epoch, i+1)
		}
	}
	return nil
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
