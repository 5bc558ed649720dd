package train

import (
	"context"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/similarity"
)

// AnsatzPoint is the ansatz at every layer after the given number of training steps.
type AnsatzPoint struct {
	Step     int                  `json:"step"`
	Epoch    float64              `json:"epoch"`              // passes over the training images
	Accuracy *float64             `json:"accuracy,omitempty"` // of the probe images; absent for one output
	Layers   []TrackedLayerRecord `json:"layers"`
}

// TrackedLayerRecord is the ansatz at one layer, with W and with W − W₀.
type TrackedLayerRecord struct {
	Layer       string                  `json:"layer"`
	W           similarity.AnsatzRecord `json:"w"`
	Change      similarity.AnsatzRecord `json:"w_minus_w0"`
	PearsonInit *float64                `json:"pearson_init,omitempty"`
}

// newTracker prepares the measurements during a training, in which batch norms use their running
// statistics.
func (t *Training) newTracker() (*cnfa.Tracker, error) {
	set, _, err := t.data.Probes(t.spec.ProbeImages)
	if err != nil {
		return nil, err
	}
	return cnfa.NewTracker(context.Background(), t.net,
		&data.Loader{Dataset: set, Normalisation: t.data.Normalisation}, cnfa.Options{
			Images: set.Len(), Initial: t.initial, Seed: t.spec.Seed, Precision: t.Plan.Options.Precision,
			Backend: t.spec.Backend, Threads: t.spec.Threads, Memory: record.AvailableMemory(),
		})
}

// trackIfDue measures the ansatz after every so many steps.
func (s *session) trackIfDue(ctx context.Context) error {
	if s.tracker == nil || s.trainer.Steps()%s.spec.Track != 0 {
		return nil
	}
	return s.track(ctx)
}

// track measures the ansatz of the network as it is now, if it is tracked and was not measured at
// this step.
func (s *session) track(ctx context.Context) error {
	done := s.state.Ansatz
	if s.tracker == nil || len(done) > 0 && done[len(done)-1].Step == s.trainer.Steps() {
		return nil
	}
	s.reportProgress("measuring")
	s.trainer.Sync()
	m, err := s.tracker.Measure(ctx)
	if err != nil {
		return err
	}
	p := AnsatzPoint{Step: s.trainer.Steps(), Epoch: float64(s.trainer.Steps()) / float64(s.batches().Steps())}
	if s.net.Classes > 1 {
		p.Accuracy = record.Ptr(float64(m.Correct) / float64(m.Images))
	}
	for _, l := range m.Layers {
		p.Layers = append(p.Layers, TrackedLayerRecord{
			Layer: l.Name, W: similarity.NewAnsatzRecord(l.W), Change: similarity.NewAnsatzRecord(l.Change),
			PearsonInit: l.PearsonInit,
		})
	}
	s.state.Ansatz = append(done, p)
	return nil
}
