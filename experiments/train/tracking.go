package train

import (
	"context"
	"fmt"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report/explorer"
	"github.com/ansatz-lab/ansatz/experiments/similarity"
	"github.com/ansatz-lab/ansatz/models"
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
	// Alignments are those of all statements.
	Alignments []similarity.AlignmentRecord `json:"alignments,omitempty"`
}

// tracking measures the ansatz during a training.
type tracking struct {
	*cnfa.Tracker
	explorer similarity.Explorer
}

// exploredTimes is the largest number of measurements in the page's explorer, besides the first and the last.
const exploredTimes = 20

// newTracking prepares the measurements during a training, in which batch norms use their running
// statistics.
func (t *Training) newTracking() (*tracking, error) {
	set, _, err := t.data.Probes(t.spec.ProbeImages, t.spec.ProbeSplit)
	if err != nil {
		return nil, err
	}
	loader := &data.Loader{Dataset: set, Normalisation: t.data.Normalisation}
	images, err := similarity.OpenExploredImages(context.Background(), loader, set.Len())
	if err != nil {
		return nil, err
	}
	tracker, err := cnfa.NewTracker(context.Background(), t.net, loader, cnfa.Options{
		Images: set.Len(), Initial: t.initial, Seed: t.spec.Seed, Precision: t.Plan.Options.Precision,
		Alignments: trackedStatements(), WeightDecay: &t.spec.WeightDecay, IgnoreLabels: t.net.Classes == 1,
		Backend: t.spec.Backend, Threads: t.spec.Threads, Memory: record.AvailableMemory(),
	})
	if err != nil {
		return nil, err
	}
	return &tracking{tracker, similarity.Explorer{Net: t.net, Seed: t.spec.Seed, Vectors: 4, Values: 24, MaxFilters: 256,
		MaxPatch: 300, Images: images}}, nil
}

// trackIfDue measures the ansatz every spec.Track steps.
func (s *session) trackIfDue(ctx context.Context) error {
	if s.tracker == nil || s.trainer.Steps()%s.spec.Track != 0 {
		return nil
	}
	return s.track(ctx)
}

// track measures the ansatz of the network in its present state, if it is tracked and was not measured at this step.
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
			Layer: l.Name, W: similarity.NewAnsatzRecord(l.Ansatz), Change: similarity.NewAnsatzRecord(l.Change),
			PearsonInit: l.PearsonInit, Alignments: similarity.NewAlignmentRecords(l.Alignments),
		})
	}
	before := 0
	if len(done) > 0 {
		before = done[len(done)-1].Step
	}
	s.state.Ansatz = append(done, p)
	return s.explore(ctx, m, before)
}

// measurements returns the largest number of measurements that the page's explorer keeps.
func (t *Training) measurements() int { return min(t.Steps()/t.spec.Track, exploredTimes) + 2 }

// explore adds a measurement to the page's explorer. Of the previous one, which was made after before steps, it keeps
// only one in every few.
func (s *session) explore(ctx context.Context, m *cnfa.Tracked, before int) (err error) {
	stride := s.spec.Track * max(1, (s.Steps()/s.spec.Track+exploredTimes-1)/exploredTimes)
	if s.state.Explorer != nil && before%stride != 0 {
		s.state.Explorer.DropLast()
	}
	if s.state.Explorer == nil {
		var layers []models.LayerInfo
		for _, l := range m.Layers {
			layers = append(layers, l.LayerInfo)
		}
		measures := append(similarity.Measures("W"), similarity.Measures("W − W₀")...)
		measures = append(measures, similarity.StatementMeasures(m.Layers[0].Alignments)...)
		if s.state.Explorer, err = s.tracker.explorer.Document(layers, measures...); err != nil {
			return err
		}
	}
	var points []explorer.Point
	for _, l := range m.Layers {
		p, err := s.tracker.explorer.Point(ctx, l.LayerResult, true, l.Ansatz, l.Change)
		if err != nil {
			return err
		}
		points = append(points, p)
	}
	at := s.state.Ansatz[len(s.state.Ansatz)-1]
	s.state.Explorer.Add(fmt.Sprintf("step %d, epoch %.3g", at.Step, at.Epoch), points)
	return nil
}
