package tangent

import (
	"context"
	"time"

	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/models/weights"
	"gonum.org/v1/gonum/mat"
)

// linearBatch is how many images are predicted at a time.
const linearBatch = 32

// system is one run of a [Linearization].
type system struct {
	*Linearization
	progress                func(stage string, done, total int)
	train, validation, test *systemImages
	device                  *backend.Device
	model                   *models.Linearized
	kernel                  *models.NTK // of method solve
	initial                 *mat.Dense  // f(w₀, X) of the training images
	record                  *LinearizeRecord
	best                    *weights.StateDict // u of the solution that was selected
}

// Run solves the system for every ridge. Progress, if not nil, is told how far it
// is.
func (l *Linearization) Run(ctx context.Context, progress func(stage string, done, total int)) (*LinearizeRecord, error) {
	if progress == nil {
		progress = func(string, int, int) {}
	}
	s := &system{Linearization: l, progress: progress, record: l.record()}
	if err := s.open(ctx); err != nil {
		return nil, err
	}
	var err error
	if s.device, err = backend.Open(backend.Options{Backend: l.Spec.Backend, Threads: l.Spec.Threads}); err != nil {
		return nil, err
	}
	defer s.device.Close()
	if err := s.prepare(ctx); err != nil {
		return nil, err
	}
	for _, ridge := range l.Spec.Ridges {
		if err := s.solve(ctx, ridge); err != nil {
			return nil, err
		}
	}
	l.tangents = s.best
	return s.record, nil
}

// open reads all images.
func (s *system) open(ctx context.Context) (err error) {
	if s.train, err = s.read(ctx, s.Training.Data.Train); err != nil {
		return err
	}
	if s.validation, err = s.read(ctx, s.Training.Data.Validation); err != nil {
		return err
	}
	s.test, err = s.read(ctx, s.Training.Data.Test)
	return err
}

// begin makes the linearization, with u = 0.
func (s *system) begin() (err error) {
	s.model, err = s.Training.Net.Linearize(s.device, min(linearBatch, len(s.train.labels)), s.Training.Plan.Options.Precision)
	return err
}

// prepare computes the kernel, if the method takes it, and scores the network as
// it is at w₀.
func (s *system) prepare(ctx context.Context) error {
	if err := s.begin(); err != nil {
		return err
	}
	if s.Spec.Method == SolveMethod {
		start := time.Now()
		var err error
		s.kernel, err = s.Training.Net.NTK(ctx, s.train.px, models.NTKOptions{
			Threads: s.Spec.Threads, Backend: s.Spec.Backend, Precision: s.Training.Plan.Options.Precision, Memory: record.AvailableMemory(),
			Progress: func(done, total int) { s.progress("kernel", done, total) },
		})
		if err != nil {
			return err
		}
		s.record.KernelSeconds = record.Ptr(time.Since(start).Seconds())
	}
	var err error
	s.initial, err = s.score(ctx, &s.record.Initial)
	return err
}

// solve solves the system with one ridge and takes note of the solution.
func (s *system) solve(ctx context.Context, ridge float64) error {
	r := SolutionRecord{Ridge: ridge}
	start := time.Now()
	fitted, err := s.fit(ctx, ridge, &r)
	if err != nil {
		return err
	}
	r.Seconds = time.Since(start).Seconds()
	predicted, err := s.score(ctx, &r.ScoresRecord)
	if err != nil {
		return err
	}
	r.Rounding = s.off(predicted, fitted)
	n := len(s.record.Solutions)
	s.record.Solutions = append(s.record.Solutions, r)
	if n == 0 || r.Validation.Loss < s.record.Solutions[s.record.Selected].Validation.Loss {
		s.record.Selected, s.best = n, s.model.Tangents()
	}
	return nil
}

// off is how far predictions are from what they would be without rounding, over
// the size of what was to be fitted, Y − f(w₀, X), if there is anything.
func (s *system) off(predicted, fitted *mat.Dense) float64 {
	var difference, residual mat.Dense
	difference.Sub(predicted, fitted)
	residual.Sub(s.train.targets, s.initial)
	if size := mat.Norm(&residual, 2); size > 0 {
		return mat.Norm(&difference, 2) / size
	}
	return mat.Norm(&difference, 2)
}

// fit finds u and returns what f_lin(u, X) of the training images would be without
// rounding.
func (s *system) fit(ctx context.Context, ridge float64, r *SolutionRecord) (*mat.Dense, error) {
	if s.Spec.Method == SolveMethod {
		s.progress("solving", len(s.record.Solutions), len(s.Spec.Ridges))
		d, err := s.model.Dual(ctx, s.train.px, s.kernel, s.train.targets, ridge)
		if err != nil {
			return nil, err
		}
		r.Method, r.Rank, r.Norm = d.Method, d.Rank, d.Norm
		return d.Fitted, nil
	}
	if err := s.begin(); err != nil {
		return nil, err
	}
	c, err := s.model.ConjugateGradients(ctx, s.train.px, s.train.targets, models.CGOptions{
		Ridge: ridge, Iterations: s.Spec.Iterations, Tolerance: s.Spec.Tolerance,
		Each: func(k int, residual, gradient float64) {
			s.progress("iterating", k, s.Spec.Iterations)
			r.Residuals = append(r.Residuals, residual)
		},
	})
	if err != nil {
		return nil, err
	}
	r.Method, r.Iterations, r.Gradient, r.Converged = "conjugate gradients", c.Iterations, record.Ptr(c.Gradient), &c.Converged
	r.Norm = s.model.Norm()
	return c.Fitted, nil
}

// score scores f_lin by what it predicts, and returns that of the training images.
func (s *system) score(ctx context.Context, r *ScoresRecord) (train *mat.Dense, err error) {
	if train, err = s.predict(ctx, s.train); err != nil {
		return nil, err
	}
	r.Train = s.train.score(train)
	for _, held := range []struct {
		images *systemImages
		score  **ScoreRecord
	}{{s.validation, &r.Validation}, {s.test, &r.Test}} {
		if held.images == nil {
			continue
		}
		outputs, err := s.predict(ctx, held.images)
		if err != nil {
			return nil, err
		}
		score := held.images.score(outputs)
		*held.score = &score
	}
	return train, nil
}

// predict is f_lin of images, a batch at a time.
func (s *system) predict(ctx context.Context, images *systemImages) (*mat.Dense, error) {
	n := len(images.labels)
	size, all := len(images.px)/n, mat.NewDense(n, s.Training.Net.Classes, nil)
	for lo := 0; lo < n; lo += linearBatch {
		hi := min(lo+linearBatch, n)
		out, err := s.model.Predict(ctx, images.px[lo*size:hi*size])
		if err != nil {
			return nil, err
		}
		all.Slice(lo, hi, 0, s.Training.Net.Classes).(*mat.Dense).Copy(out)
		s.progress("predicting", hi, n)
	}
	return all, nil
}
