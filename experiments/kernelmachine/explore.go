package kernelmachine

import (
	"fmt"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/report/explorer"
	"github.com/ansatz-lab/ansatz/experiments/similarity"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

// exploredLayer is a layer whose M the explorer of a page shows at every iteration.
type exploredLayer struct {
	explorer.Layer
	// shape is set for images in the order (row, column, channel); nil if the features are in the order of the patch.
	shape      *data.Shape
	metrics    []*rfm.Metric // by iteration
	iterations []IterationRecord
}

const (
	largestExplored = 1600 // the largest size of an M whose eigenvalues the explorer shows
	exploredValues  = 64   // how many of them
)

// explored returns the machine as one layer.
func (r *RFMFit) explored() exploredLayer {
	d := r.metrics[0].Dim()
	l := exploredLayer{Layer: explorer.Layer{Name: "M", Kind: "metric", Filters: d, Patch: []int{d}},
		shape: r.examples.Shape, metrics: r.metrics, iterations: r.Iterations}
	if s := l.shape; s != nil {
		l.Patch = []int{s.Channels, s.Height, s.Width}
	} else {
		l.Columns = r.examples.Features
	}
	return l
}

// explored returns the layers of the machine.
func (r *ConvRFMFit) explored() []exploredLayer {
	var all []exploredLayer
	for k, l := range r.Layers {
		name := "M"
		if len(r.Layers) > 1 {
			name = fmt.Sprintf("M of layer %d", l.Layer)
		}
		all = append(all, exploredLayer{metrics: r.metrics[k], iterations: l.Iterations, Layer: explorer.Layer{Name: name,
			Kind: "metric", Filters: l.Channels * r.Patch * r.Patch, Patch: []int{l.Channels, r.Patch, r.Patch}}})
	}
	return all
}

// exploreMetrics returns what the explorer of a page shows of a machine: at every iteration its scores, the spectra of the
// kernel's M and of the M before it, and their leading eigenvectors. Iteration 0, M = I, has no eigenvectors of its own.
func exploreMetrics(seed uint64, layers ...exploredLayer) (*explorer.Document, error) {
	doc := &explorer.Document{Scores: true, Names: []string{"previous M", "M"}}
	measures := exploredMeasures(layers[0].iterations)
	for _, m := range measures {
		doc.Measures = append(doc.Measures, m.name)
	}
	for k, l := range layers {
		rng := models.Stream(seed, "angles/"+l.Name)
		var before *explorer.Spectrum
		var vectorsBefore *mat.Dense
		for t, it := range l.iterations {
			if k == 0 {
				doc.Times = append(doc.Times, fmt.Sprintf("iteration %d", it.Iteration))
			}
			var p explorer.Point
			for _, m := range measures {
				v := explorer.Value{}
				if x := m.of(it); x != nil {
					v.Value = explorer.Number(*x)
				}
				p.Values = append(p.Values, v)
			}
			if t > 0 {
				s, vectors, err := l.spectrum(l.metrics[t])
				if err != nil {
					return nil, err
				}
				p.CNFM, p.AGOP = before, s
				if vectors != nil && vectorsBefore != nil {
					if err := similarity.RelateVectors(&p, vectorsBefore, vectors, l.metrics[t].Dim(), rng); err != nil {
						return nil, err
					}
				}
				before, vectorsBefore = s, vectors
			}
			l.Points = append(l.Points, p)
		}
		doc.Layers = append(doc.Layers, l.Layer)
	}
	return doc, nil
}

// exploredMeasure is a score of an iteration.
type exploredMeasure struct {
	name string
	of   func(IterationRecord) *float64
}

// exploredMeasures returns the scores that the first iteration has: accuracies or, in a regression, R².
func exploredMeasures(iterations []IterationRecord) []exploredMeasure {
	all := []exploredMeasure{
		{"training accuracy", func(i IterationRecord) *float64 { return i.TrainAccuracy }},
		{"validation accuracy", func(i IterationRecord) *float64 { return i.ValidationAccuracy }},
		{"test accuracy", func(i IterationRecord) *float64 { return i.TestAccuracy }},
	}
	if iterations[0].TrainAccuracy == nil {
		all = []exploredMeasure{
			{"training R²", func(i IterationRecord) *float64 { return i.TrainR2 }},
			{"validation R²", func(i IterationRecord) *float64 { return i.ValidationR2 }},
			{"test R²", func(i IterationRecord) *float64 { return i.TestR2 }},
		}
	}
	var known []exploredMeasure
	for i, m := range all {
		if i == 0 || m.of(iterations[0]) != nil {
			known = append(known, m)
		}
	}
	return known
}

// spectrum returns the spectrum of an M, and its leading eigenvectors as rows. Both are nil for an M that is 0 or too
// large; the eigenvectors are nil for a diagonal M too.
func (l exploredLayer) spectrum(m *rfm.Metric) (*explorer.Spectrum, *mat.Dense, error) {
	d := m.Dim()
	if d > largestExplored || !(m.Trace() > 0) {
		return nil, nil, nil
	}
	ascending, columns, err := backend.EigenSym(m.Dense(), !m.IsDiagonal())
	if err != nil {
		return nil, nil, err
	}
	values := make([]float64, d)
	for i := range values {
		values[i] = max(0, ascending[d-1-i]) // below 0 is rounding
	}
	if m.IsDiagonal() {
		return explorer.NewSpectrum(values, exploredValues, nil), nil, nil
	}
	k := min(record.ShownVectors, d)
	vectors, drawn := mat.NewDense(k, d, nil), mat.NewDense(k, d, nil)
	for i := range k {
		v := mat.Col(nil, d-1-i, columns)
		fixSign(v)
		vectors.SetRow(i, v)
		drawn.SetRow(i, l.inPatchOrder(v))
	}
	return explorer.NewSpectrum(values, exploredValues, drawn), vectors, nil
}

// inPatchOrder returns a vector of the features in the order (channel, row, column).
func (l exploredLayer) inPatchOrder(v []float64) []float64 {
	if l.shape == nil || l.shape.Channels == 1 {
		return v
	}
	out, c := make([]float64, len(v)), l.shape.Channels
	for i, x := range v {
		out[i%c*(len(v)/c)+i/c] = x
	}
	return out
}

// explorerSection returns the section of a page that shows the document.
func explorerSection(doc *explorer.Document) report.Section {
	text := "The slider moves through the iterations: the scores, the eigenvalues of the kernel's M, and its leading " +
		"eigenvectors beside those of the previous M, with the angles between them. M comes from the average gradient outer " +
		"product of the predictor of the iteration before; once it stays the same, the iteration has converged. At iteration " +
		"0 M is I, which has no eigenvectors of its own."
	if len(doc.Layers) > 1 {
		text += " Choose a layer by its box."
	}
	return report.Section{Heading: "Iteration by iteration", ID: "iteration-by-iteration", Text: []string{text},
		Explorer: doc}
}
