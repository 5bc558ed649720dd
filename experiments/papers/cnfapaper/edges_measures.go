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
	"github.com/ansatz-lab/ansatz/rfm/responses"
)

// Measures of a machine.
var (
	// The orientation (coherence) of the first eigenvectors of M, by how many standard deviations it exceeds its null,
	// and by how much it exceeds that of the images' patches.
	coherence           = study.NewMeasure("coherence")
	coherenceSDs        = study.NewMeasure("coherence_sds")
	coherenceOverImages = study.NewMeasure("coherence_over_images")
	orientations        = study.NewMeasure("orientations") // how many have an eigenvector

	// The correlation of ‖Mh‖ with the gradients of photographs, and by how much it exceeds that with M = I.
	photographEdges             = study.NewMeasure("photograph_edges")
	photographEdgesOverIdentity = study.NewMeasure("photograph_edges_over_identity")
	// By how much eigenvectors follow the slope across their edge more closely than that along it, and by how much
	// this exceeds the same for M with random rotations.
	aligned            = study.NewMeasure("aligned")
	alignedOverRotated = study.NewMeasure("aligned_over_rotated")
	chosenIteration    = study.NewMeasure("iteration")
)

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
	responses             []responses.Map
	edges, identity       float64 // correlations with the gradients of the photographs
	aligned, orientations float64
	alignedNull           float64 // mean over M with random rotations
	iterations            []edgeIteration
}

// edgeIteration is what an iteration of a machine learned.
type edgeIteration struct {
	machine   string
	index     float64
	accuracy  float64 // on the images that choose the iteration
	share     float64 // of the trace, of the first eigenvector
	coherence float64
	sds       float64 // the excess of the coherence over its null, in standard deviations
	edges     float64 // the correlation of the responses with the photographs' gradients
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
	return f, f.measureResponses(ctx, s.Draws, in.Seed)
}

// coherence and imagesCoherence return the orientation of M's eigenvectors and of those of the
// images' patches.
func (f *edgeResult) coherence() float64       { return kernelmachine.Coherence(f.vectors) }
func (f *edgeResult) imagesCoherence() float64 { return kernelmachine.Coherence(f.images) }

// chosen returns the iteration that was chosen.
func (f *edgeResult) chosen() float64 { return float64(f.fitted.Layers[0].Index) }

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
	o.Set(chosenIteration.Of(f.Name), f.chosen())
}

// measureResponses compares the responses of M to the photographs with their gradients.
func (f *edgeResult) measureResponses(ctx context.Context, draws int, seed uint64) error {
	q, o := f.Machine.Patch, responses.Options{Whole: true}
	slopes, err := setups.GradientNorms(ctx, f.photographs, q)
	if err != nil {
		return err
	}
	if f.responses, err = responses.Of(ctx, f.metric, f.photographs, o); err != nil {
		return err
	}
	if f.edges, err = setups.CorrelateResponses(f.responses, slopes); err != nil {
		return err
	}
	plain, err := responses.Of(ctx, rfm.Identity(f.metric.Dim()), f.photographs, o)
	if err != nil {
		return err
	}
	if f.identity, err = setups.CorrelateResponses(plain, slopes); err != nil {
		return err
	}
	if err := f.measureIterations(ctx, slopes, draws, seed); err != nil {
		return err
	}
	f.orientations = float64(kernelmachine.Orientations(f.vectors, f.null.High))
	if f.aligned, err = meanAlignment(ctx, f.vectors, f.photographs, q); err != nil {
		return err
	}
	f.alignedNull, err = f.rotatedAlignment(ctx, seed)
	return err
}

// rotatedAlignment returns the mean of meanAlignment over the eigenvectors of QMQᵀ for random rotations Q.
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

// measureIterations measures every iteration except the first, whose M is I.
func (f *edgeResult) measureIterations(ctx context.Context, slopes []responses.Map, draws int, seed uint64) error {
	q := f.Machine.Patch
	for _, it := range f.fitted.FirstLayer[1:] {
		vectors, err := kernelmachine.Eigenpatches(it.Metric.Dense(), q, record.ShownVectors)
		if err != nil {
			return err
		}
		seen, err := responses.Of(ctx, it.Metric, f.photographs, responses.Options{Whole: true})
		if err != nil {
			return err
		}
		edges, err := setups.CorrelateResponses(seen, slopes)
		if err != nil {
			return err
		}
		null := kernelmachine.NewOrientationNull(vectors, it.Metric.Dim(), q, draws, seed)
		c := kernelmachine.Coherence(vectors)
		f.iterations = append(f.iterations, edgeIteration{
			machine: f.title(), index: float64(it.Index), accuracy: it.Validation.Accuracy, share: vectors[0].Share,
			coherence: c, sds: (c - null.WeightedMean) / null.Weighted, edges: edges,
		})
	}
	return nil
}

// meanAlignment returns by how much eigenvectors follow the slope across their edge more closely than the slope along
// it: the mean over the eigenvectors, weighted by their coherences.
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
