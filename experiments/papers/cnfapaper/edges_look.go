package cnfapaper

import (
	"context"

	"github.com/ansatz-lab/ansatz/experiments/kernelmachine"
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/rfm"
)

// look measures what M sees in the photographs.
func (f *edgeFinding) look(ctx context.Context, seed uint64) error {
	q, o := f.Machine.Patch, rfm.ResponseOptions{Whole: true}
	slopes, err := setups.GradientNorms(ctx, f.photographs, q)
	if err != nil {
		return err
	}
	if f.seen, err = f.metric.Responses(ctx, f.photographs, o); err != nil {
		return err
	}
	if f.edges, err = setups.CorrelateResponses(f.seen, slopes); err != nil {
		return err
	}
	plain, err := rfm.Identity(f.metric.Dim()).Responses(ctx, f.photographs, o)
	if err != nil {
		return err
	}
	if f.identity, err = setups.CorrelateResponses(plain, slopes); err != nil {
		return err
	}
	if err := f.follow(ctx, slopes); err != nil {
		return err
	}
	f.orientations = float64(kernelmachine.Orientations(f.vectors, f.null.High))
	if f.aligned, err = meanAligned(ctx, f.vectors, f.photographs, q); err != nil {
		return err
	}
	f.alignedByChance, err = f.alignedRotated(ctx, seed)
	return err
}

// alignedRotated is aligned of the eigenvectors of QMQᵀ, mean over random rotations
// Q.
func (f *edgeFinding) alignedRotated(ctx context.Context, seed uint64) (float64, error) {
	rng, sum := models.Stream(seed, "rotations of a metric"), 0.
	for range setups.RotationCount {
		vectors, err := kernelmachine.Eigenpatches(setups.RotateMetric(f.metric, rng).Dense(), f.Machine.Patch, record.ShownVectors)
		if err != nil {
			return 0, err
		}
		a, err := meanAligned(ctx, vectors, f.photographs, f.Machine.Patch)
		if err != nil {
			return 0, err
		}
		sum += a / setups.RotationCount
	}
	return sum, nil
}

// follow measures the metrics of all iterations.
func (f *edgeFinding) follow(ctx context.Context, slopes []rfm.Response) error {
	f.coherences.Label, f.edgesBy.Label = f.Name, f.Name
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
		if k > 0 { // of M = I no eigenvector is any more than another
			f.coherences.X, f.coherences.Y = append(f.coherences.X, float64(k)), append(f.coherences.Y, kernelmachine.Coherence(vectors))
		}
		f.edgesBy.X, f.edgesBy.Y = append(f.edgesBy.X, float64(k)), append(f.edgesBy.Y, edges)
	}
	return nil
}

// meanAligned is how much more eigenvectors follow the slopes across their edges,
// averaged with their coherences as weights.
func meanAligned(ctx context.Context, all []kernelmachine.Eigenpatch, x rfm.Images, q int) (float64, error) {
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
