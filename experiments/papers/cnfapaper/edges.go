package cnfapaper

import (
	"context"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/kernelmachine"
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

// EdgesSpec asks whether what convolutional kernel machines learn are edge
// detectors: by the orientation of the eigenvectors of M, and by what M sees in
// photographs (cnfa Figs. 3, 11 and 12).
type EdgesSpec struct {
	Machines    []EdgeMachine          `json:"machines" toml:"machines"` // that read colours
	Photographs setups.PhotographsSpec `json:"photographs" toml:"photographs"`
	// Net, unless its Arch is "", is a network that learns the first machine's
	// images, and is compared with that machine and on the photographs.
	Net     setups.PatchNetworkSpec `json:"net" toml:"net"`
	Images  int                     `json:"images" toml:"images"`   // test images on which it is compared
	Trained []WeightsSpec           `json:"trained" toml:"trained"` // further networks, whose weights are in files
	// Draws is how many rotations the nulls of the orientation have.
	Draws int `json:"draws" toml:"draws"`
}

// EdgeMachine is a machine with the images that it learns. Its name is part of
// those of values and figures.
type EdgeMachine struct {
	Name    string                  `json:"name" toml:"name"`
	Task    setups.PatchTask        `json:"task" toml:"task"`
	Machine setups.PatchMachineSpec `json:"machine" toml:"machine"`
}

// WeightsSpec is a trained network: an architecture, and the file of its weights,
// in the data folder unless the path is whole.
type WeightsSpec struct {
	Arch    string `json:"arch" toml:"arch"`
	Weights string `json:"weights" toml:"weights"`
}

const edgesAbout = "The eigenvectors of M are held to a measure of orientation. Gradients of an eigenvector are taken at the corners between its pixels, and with the eigenvalues λ₁ ≥ λ₂ of the sum of their outer products over corners and channels " +
	"(λ₁ − λ₂)/(λ₁ + λ₂) is the share of its gradient energy that is at one orientation: 1 of an edge or a line of any direction, 0 of a blob or a saddle, not defined of a constant. " +
	"Over the first eight eigenvectors it is averaged with the weights eigenvalue × gradient energy. Random directions are not at 0: the null is M with a random rotation. " +
	"A second control is the second moment of the images' own patches, whose eigenvectors are oriented as well where the images are natural ones: what is above it was learned from labels. " +
	"Of photographs, ‖Mh‖ is correlated with the norm of their gradients, beside the same of M = I. M is that of the last iteration (Algorithm 1), and charts follow it over the iterations: the paper takes the best by test images (Appendix B), and among so few images which is the best is chance. "

// edgeFinding is what came of one machine.
type edgeFinding struct {
	EdgeMachine
	examples *setups.PatchExamples
	fitted   *setups.FittedPatchMachine
	metric   *rfm.Metric
	vectors  []kernelmachine.Eigenpatch
	null     kernelmachine.OrientationNull
	images   []kernelmachine.Eigenpatch // of the second moment of the training images' patches

	photographs           rfm.Images // as the machine reads them
	seen                  []rfm.Response
	edges, identity       float64 // correlations with the gradients of the photographs
	aligned, orientations float64
	alignedByChance       float64 // mean over M with random rotations
	// What the metrics of the iterations are and see: the coherence of their
	// eigenvectors, and the correlation with the photographs' gradients.
	coherences, edgesBy report.Series
}

// Run implements Spec.
func (s *EdgesSpec) Run(ctx context.Context, in study.Setting) (*study.Outcome, error) {
	if len(s.Machines) == 0 || s.Draws < 2 || s.Images < 1 {
		return nil, input.Errorf("%d machines, %d draws and %d images: want at least 1, 2 and 1", len(s.Machines), s.Draws, s.Images)
	}
	o := &study.Outcome{Values: map[string]float64{}, Matrices: map[string]*mat.Dense{}}
	photographs, err := s.Photographs.Open(ctx, in, o)
	if err != nil {
		return nil, err
	}
	var found []*edgeFinding
	for _, m := range s.Machines {
		f, err := s.find(ctx, in, m, photographs, o)
		if err != nil {
			return nil, err
		}
		keepMetrics(o, m.Name, f.fitted)
		f.tell(o)
		found = append(found, f)
	}
	o.Tables = append(o.Tables, edgesTable(found), eigenvectorsTable(found))
	o.Charts = edgeCharts(found)
	if err := edgeFigures(ctx, found, photographs, o); err != nil {
		return nil, err
	}
	return o, s.networks(ctx, in, found, photographs, o)
}

// find fits a machine and measures what it learned.
func (s *EdgesSpec) find(ctx context.Context, in study.Setting, m EdgeMachine, photographs rfm.Images, o *study.Outcome) (*edgeFinding, error) {
	if m.Machine.Patch < 3 {
		return nil, input.Errorf("%s: patches of %d×%d have no edges to measure: want at least 3×3", m.Name, m.Machine.Patch, m.Machine.Patch)
	}
	e, err := m.Task.Open(ctx, in, o)
	if err != nil {
		return nil, err
	}
	if e.Shape.Channels != photographs.Channels {
		return nil, input.Errorf("%s reads images of %d channels, photographs have %d", m.Name, e.Shape.Channels, photographs.Channels)
	}
	f := &edgeFinding{EdgeMachine: m, examples: e, photographs: e.Standardise(photographs)}
	if f.fitted, err = m.Machine.Fit(ctx, in, e); err != nil {
		return nil, err
	}
	f.metric = f.fitted.Metric(0)
	q := m.Machine.Patch
	if f.vectors, err = kernelmachine.Eigenpatches(f.metric.Dense(), q, record.ShownVectors); err != nil {
		return nil, err
	}
	f.null = kernelmachine.NewOrientationNull(f.vectors, f.metric.Dim(), q, s.Draws, in.Seed)
	own, err := setups.PatchMoment(ctx, e.Images(e.Train).X, q)
	if err != nil {
		return nil, err
	}
	if f.images, err = kernelmachine.Eigenpatches(own.Dense(), q, record.ShownVectors); err != nil {
		return nil, err
	}
	return f, f.look(ctx, in.Seed)
}

// tell puts the values of the claims into the outcome, under the machine's name.
func (f *edgeFinding) tell(o *study.Outcome) {
	c := kernelmachine.Coherence(f.vectors)
	for name, v := range map[string]float64{
		"coherence": c, "coherence_sds": (c - f.null.WeightedMean) / f.null.Weighted, "coherence_over_images": c - kernelmachine.Coherence(f.images),
		"orientations": f.orientations, "photograph_edges": f.edges, "photograph_edges_over_identity": f.edges - f.identity, "aligned": f.aligned, "aligned_over_rotated": f.aligned - f.alignedByChance,
	} {
		o.Values[f.Name+"_"+name] = v
	}
}
