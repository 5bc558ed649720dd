package cnfapaper

import (
	"context"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/kernelmachine"
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

// EdgesSpec asks whether convolutional kernel machines learn edge detectors. It measures the
// orientation of the eigenvectors of M, and compares the responses of M with the gradients of
// photographs (cnfa Figs. 3, 11 and 12).
type EdgesSpec struct {
	Machines    []EdgeMachine          `json:"machines" toml:"machines"` // all of which read colour images
	Photographs setups.PhotographsSpec `json:"photographs" toml:"photographs"`
	// Net, unless its Arch is "", is a network that learns the first machine's
	// images, and is compared with that machine and on the photographs.
	Net     setups.PatchNetworkSpec `json:"net" toml:"net"`
	Images  int                     `json:"images" toml:"images"`   // test images on which it is compared
	Trained []WeightsSpec           `json:"trained" toml:"trained"` // further networks, whose weights are in files
	// Draws is how many rotations the nulls of the orientation have.
	Draws int `json:"draws" toml:"draws"`
}

// EdgeMachine is a kernel machine and the task it is fitted to. The names of its values and
// figures begin with its name.
type EdgeMachine struct {
	Name    string                  `json:"name" toml:"name"`
	Task    setups.PatchTask        `json:"task" toml:"task"`
	Machine setups.PatchMachineSpec `json:"machine" toml:"machine"`
}

// WeightsSpec is a network with trained weights: its architecture and the file of the weights.
// A relative path is below the data folder.
type WeightsSpec struct {
	Arch    string `json:"arch" toml:"arch"`
	Weights string `json:"weights" toml:"weights"`
}

// edgesAbout explains the measure of orientation in the texts of Figs. 3, 11 and 12.
const edgesAbout = "The eigenvectors of M are held to a measure of orientation. Gradients of an eigenvector are " +
	"taken at the corners between its pixels, and with the eigenvalues λ₁ ≥ λ₂ of the sum of their outer products " +
	"over corners and channels (λ₁ − λ₂)/(λ₁ + λ₂) is the share of its gradient energy that is at one orientation: 1 " +
	"of an edge or a line of any direction, 0 of a blob or a saddle, not defined of a constant. Over the first eight " +
	"eigenvectors it is averaged with the weights eigenvalue × gradient energy. Random directions are not at 0: the " +
	"null is M with a random rotation. A second control is the second moment of the images' own patches, whose " +
	"eigenvectors are oriented as well where the images are natural ones: what is above it was learned from labels. " +
	"Of photographs, ‖Mh‖ is correlated with the norm of their gradients, beside the same of M = I. M is that of the " +
	"last iteration (Algorithm 1), and charts follow it over the iterations: the paper takes the best by test images " +
	"(Appendix B), and among so few images which is the best is chance. "

// edgesStandIns says which images stand in for the paper's at scale small.
const edgesStandIns = "At scale small CIFAR-10 stands in for SVHN, with fewer images, 24×24, other ones for every " +
	"seed. The photographs are those in the folder photos of the data folder, and generated dead leaves where there " +
	"is none."

// Measures of a machine.
var (
	// The orientation of the first eigenvectors of M, how many standard deviations it lies above its
	// null, and how much it is above that of the images' patches.
	coherence           = study.NewMeasure("coherence")
	coherenceSDs        = study.NewMeasure("coherence_sds")
	coherenceOverImages = study.NewMeasure("coherence_over_images")
	orientations        = study.NewMeasure("orientations") // how many have an eigenvector

	// The correlation of ‖Mh‖ with the gradients of photographs, and how much it is above that of
	// M = I.
	photographEdges             = study.NewMeasure("photograph_edges")
	photographEdgesOverIdentity = study.NewMeasure("photograph_edges_over_identity")
	// How much more closely eigenvectors follow the slope across their edge than that along it, and
	// how much this is above the same of M with random rotations.
	aligned            = study.NewMeasure("aligned")
	alignedOverRotated = study.NewMeasure("aligned_over_rotated")
)

// edgeCNTK returns the CNTK-ConvRFM of Figs. 3, 11 and 12, on patches of 3×3, that learns a task.
func edgeCNTK(name string, task setups.PatchTask) EdgeMachine {
	m := convrfm(1, 1e-3)
	m.Last = true
	return EdgeMachine{name, task, m}
}

// edgeLaplace returns the Laplace-ConvRFM of Figs. 3, 11 and 12, on patches of 7×7, that learns a
// task.
func edgeLaplace(name string, task setups.PatchTask) EdgeMachine {
	return EdgeMachine{name, task, setups.PatchMachineSpec{
		Kernel: "laplace", Patch: 7, Iterations: 5, Layers: 1, Ridges: []float64{1e-3}, Last: true,
	}}
}

// smokeEdges returns a machine of Figs. 3, 11 and 12 for scale smoke, which fits in moments.
func smokeEdges(name, kernel string, patch int) EdgeMachine {
	m := setups.PatchMachineSpec{
		Kernel: kernel, Patch: patch, Iterations: 1, Layers: 1, Ridges: []float64{1e-3}, Last: true,
	}
	if kernel == "cntk" {
		m.Depth = 2
	}
	return EdgeMachine{name, photographTask("leaves", "deadleaves", 12, 40, 10, 10), m}
}

// The tasks of Figs. 3, 11 and 12. At scale small dead leaves stand in for traffic signs.
func edgePhotographs() setups.PatchTask { return smallPhotographs(24, 400) }
func edgeLeaves() setups.PatchTask      { return photographTask("leaves", "deadleaves", 24, 400, 400, 200) }
func edgeDigits() setups.PatchTask      { return photographTask("digits", "svhn", 0, 4000, 500, 2000) }
func edgeSigns() setups.PatchTask       { return photographTask("signs", "gtsrb", 32, 4000, 500, 2000) }

// The photographs of Figs. 3, 11 and 12.
var (
	smokePhotographs = setups.PhotographsSpec{Folder: "photos", Count: 2, Size: 24}
	// The paper's photographs, from ImageNet, have this size.
	photographs224 = setups.PhotographsSpec{Folder: "photos", Count: 10, Size: 224}
)

// Run implements Spec.
func (s *EdgesSpec) Run(ctx context.Context, in study.Setting) (*study.Outcome, error) {
	if len(s.Machines) == 0 || s.Draws < 2 || s.Images < 1 {
		return nil, input.Errorf("%d machines, %d draws and %d images: want at least 1, 2 and 1",
			len(s.Machines), s.Draws, s.Images)
	}
	o := &study.Outcome{Matrices: map[string]*mat.Dense{}}
	photographs, err := s.Photographs.Open(ctx, in, o)
	if err != nil {
		return nil, err
	}
	var found []*edgeResult
	for _, m := range s.Machines {
		f, err := s.fitMachine(ctx, in, m, photographs, o)
		if err != nil {
			return nil, err
		}
		found = append(found, f)
	}
	if !in.Dry() {
		if err := addEdges(ctx, found, photographs, o); err != nil {
			return nil, err
		}
	}
	return o, s.compareNetworks(ctx, in, found, photographs, o)
}

// edgeResult holds the measurements of one machine.
type edgeResult struct {
	EdgeMachine
	examples *setups.PatchExamples
	fitted   *setups.FittedPatchMachine
	metric   *rfm.Metric
	vectors  []kernelmachine.Eigenpatch
	null     kernelmachine.OrientationNull
	images   []kernelmachine.Eigenpatch // of the second moment of the training images' patches

	photographs           rfm.Images // normalised as the machine reads them
	responses             []rfm.Response
	edges, identity       float64 // correlations with the gradients of the photographs
	aligned, orientations float64
	alignedNull           float64 // mean over M with random rotations
	iterations            []edgeIteration
}

// edgeIteration is the metric of an iteration: the coherence of its eigenvectors, and the
// correlation of its responses with the photographs' gradients.
type edgeIteration struct{ index, coherence, edges float64 }

// addEdges adds the measures, tables, charts and figures of the machines.
func addEdges(ctx context.Context, found []*edgeResult, photographs rfm.Images, o *study.Outcome) error {
	for _, f := range found {
		addMetrics(o, f.Name, f.fitted)
		f.setMeasures(o)
	}
	o.Tables = append(o.Tables, edgesTable(found), eigenvectorsTable(found))
	o.Charts = edgeCharts(found)
	return addEdgeFigures(ctx, found, photographs, o)
}

// fitMachine fits a machine and measures what it learned.
func (s *EdgesSpec) fitMachine(
	ctx context.Context, in study.Setting, m EdgeMachine, photographs rfm.Images, o *study.Outcome,
) (*edgeResult, error) {
	if m.Machine.Patch < 3 {
		return nil, input.Errorf("%s: patches of %d×%d have no edges to measure: want at least 3×3", m.Name,
			m.Machine.Patch, m.Machine.Patch)
	}
	e, err := m.Task.Open(ctx, in, o)
	if err != nil {
		return nil, err
	}
	if e.Shape.Channels != photographs.Channels {
		return nil, input.Errorf("%s reads images of %d channels, photographs have %d", m.Name, e.Shape.Channels,
			photographs.Channels)
	}
	f := &edgeResult{EdgeMachine: m, examples: e, photographs: e.Standardise(photographs)}
	if f.fitted, err = m.Machine.Fit(ctx, in, e); err != nil || in.Dry() {
		return f, err
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
	return f, f.measureResponses(ctx, in.Seed)
}

// coherence and imagesCoherence return the orientation of M's eigenvectors and of those of the
// images' patches.
func (f *edgeResult) coherence() float64       { return kernelmachine.Coherence(f.vectors) }
func (f *edgeResult) imagesCoherence() float64 { return kernelmachine.Coherence(f.images) }

// setMeasures sets the measures of the machine.
func (f *edgeResult) setMeasures(o *study.Outcome) {
	c := f.coherence()
	o.Set(coherence.Of(f.Name), c)
	o.Set(coherenceSDs.Of(f.Name), (c-f.null.WeightedMean)/f.null.Weighted)
	o.Set(coherenceOverImages.Of(f.Name), c-f.imagesCoherence())
	o.Set(orientations.Of(f.Name), f.orientations)
	o.Set(photographEdges.Of(f.Name), f.edges)
	o.Set(photographEdgesOverIdentity.Of(f.Name), f.edges-f.identity)
	o.Set(aligned.Of(f.Name), f.aligned)
	o.Set(alignedOverRotated.Of(f.Name), f.aligned-f.alignedNull)
}

// measureResponses compares the responses of M to the photographs with their gradients.
func (f *edgeResult) measureResponses(ctx context.Context, seed uint64) error {
	q, o := f.Machine.Patch, rfm.ResponseOptions{Whole: true}
	slopes, err := setups.GradientNorms(ctx, f.photographs, q)
	if err != nil {
		return err
	}
	if f.responses, err = f.metric.Responses(ctx, f.photographs, o); err != nil {
		return err
	}
	if f.edges, err = setups.CorrelateResponses(f.responses, slopes); err != nil {
		return err
	}
	plain, err := rfm.Identity(f.metric.Dim()).Responses(ctx, f.photographs, o)
	if err != nil {
		return err
	}
	if f.identity, err = setups.CorrelateResponses(plain, slopes); err != nil {
		return err
	}
	if err := f.measureIterations(ctx, slopes); err != nil {
		return err
	}
	f.orientations = float64(kernelmachine.Orientations(f.vectors, f.null.High))
	if f.aligned, err = meanAlignment(ctx, f.vectors, f.photographs, q); err != nil {
		return err
	}
	f.alignedNull, err = f.rotatedAlignment(ctx, seed)
	return err
}

// rotatedAlignment returns the mean of meanAlignment over eigenvectors of QMQᵀ for random
// rotations Q.
func (f *edgeResult) rotatedAlignment(ctx context.Context, seed uint64) (float64, error) {
	rng, sum := models.Stream(seed, "rotations of a metric"), 0.
	for range setups.RotationCount {
		vectors, err := kernelmachine.Eigenpatches(setups.RotateMetric(f.metric, rng).Dense(), f.Machine.Patch,
			record.ShownVectors)
		if err != nil {
			return 0, err
		}
		a, err := meanAlignment(ctx, vectors, f.photographs, f.Machine.Patch)
		if err != nil {
			return 0, err
		}
		sum += a / setups.RotationCount
	}
	return sum, nil
}

// measureIterations measures the metric of every iteration against the slopes of the photographs.
func (f *edgeResult) measureIterations(ctx context.Context, slopes []rfm.Response) error {
	for k, m := range f.fitted.FirstMetrics {
		vectors, err := kernelmachine.Eigenpatches(m.Dense(), f.Machine.Patch, record.ShownVectors)
		if err != nil {
			return err
		}
		seen, err := m.Responses(ctx, f.photographs, rfm.ResponseOptions{Whole: true})
		if err != nil {
			return err
		}
		edges, err := setups.CorrelateResponses(seen, slopes)
		if err != nil {
			return err
		}
		f.iterations = append(f.iterations, edgeIteration{float64(k), kernelmachine.Coherence(vectors), edges})
	}
	return nil
}

// meanAlignment returns how much more closely eigenvectors follow the slope across their edge
// than the slope along it. The mean over the eigenvectors is weighted by their coherences.
func meanAlignment(ctx context.Context, all []kernelmachine.Eigenpatch, x rfm.Images, q int) (float64, error) {
	sum, weights := 0., 0.
	for _, e := range all {
		if e.Orientation.Energy == 0 {
			continue
		}
		a, err := setups.EdgeAlignment(ctx, e, x, q)
		if err != nil {
			return 0, err
		}
		sum, weights = sum+a*e.Orientation.Coherence, weights+e.Orientation.Coherence
	}
	return sum / weights, nil
}
