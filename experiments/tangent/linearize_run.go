package tangent

import (
	"context"
	"path/filepath"
	"time"

	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/train"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/models/weights"
	"gonum.org/v1/gonum/mat"
)

// linearBatch is the number of images that are predicted at a time.
const linearBatch = 32

// system is one run of a [Linearization].
type system struct {
	*Linearization
	progress                ProgressFunc
	train, validation, test *systemImages
	device                  *backend.Device
	model                   *models.Linearized
	kernel                  *models.NTK // nil for conjugate gradients
	initial                 *mat.Dense  // f(w₀, X) of the training images
	flow                    *systemFlow // nil unless the method is exact
	record                  *LinearizeRecord
	best                    *weights.StateDict // u of the solution that was selected
}

// Run solves the system for every ridge. It reports to progress if that is not nil.
func (l *Linearization) Run(ctx context.Context, progress ProgressFunc) (*LinearizeRecord, error) {
	if progress == nil {
		progress = func(string, int, int) {}
	}
	s := &system{Linearization: l, progress: progress, record: l.newRecord()}
	if err := s.readImages(ctx); err != nil {
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
	if l.Spec.Method == exactMethod {
		if err := s.scoreFlows(ctx); err != nil {
			return nil, err
		}
	}
	for _, ridge := range l.Spec.Ridges {
		if err := s.solve(ctx, ridge); err != nil {
			return nil, err
		}
	}
	if l.tangents = s.best; l.tangents != nil && l.Spec.Out != "" { // only the full kernel has them
		s.record.Weights = filepath.Join(l.Spec.Out, train.TangentsFile)
	}
	if taken := &s.record.Solutions[s.record.Selected]; taken.Flow != nil {
		s.record.FlowRecord = *taken.Flow
		if len(s.record.Solutions) == 1 {
			taken.Flow = nil // the record's FlowRecord has it
		}
	}
	return s.record, nil
}

// readImages reads all images.
func (s *system) readImages(ctx context.Context) (err error) {
	images := s.Training.Images()
	if s.train, err = s.readSet(ctx, images.Train); err != nil {
		return err
	}
	if s.validation, err = s.readSet(ctx, images.Validation); err != nil {
		return err
	}
	s.test, err = s.readSet(ctx, images.Test)
	return err
}

// linearize opens the linearization with u = 0.
func (s *system) linearize() (err error) {
	s.model, err = s.Training.Network().Linearize(s.device, min(linearBatch, len(s.train.labels)),
		s.Training.Plan.Options.Precision)
	return err
}

// prepare computes the kernel, if the method needs it, and scores the network at w₀.
func (s *system) prepare(ctx context.Context) error {
	if err := s.linearize(); err != nil {
		return err
	}
	if s.Spec.Method != cgMethod {
		start := time.Now()
		var err error
		o := s.kernelOptions()
		o.Progress = func(done, total int) { s.progress("kernel", done, total) }
		s.kernel, err = s.Training.Network().NTK(ctx, s.train.px, o)
		if err != nil {
			return err
		}
		s.record.KernelSeconds = record.Ptr(time.Since(start).Seconds())
	}
	var err error
	s.initial, err = s.score(ctx, &s.record.Initial)
	return err
}

// solve solves the system with one ridge and records the solution.
func (s *system) solve(ctx context.Context, ridge float64) error {
	r := SolutionRecord{Ridge: ridge}
	n := len(s.record.Solutions)
	if s.flow != nil {
		r.Flow = s.flow.records[n]
	}
	start := time.Now()
	fitted, err := s.fit(ctx, ridge, &r)
	if err != nil {
		return err
	}
	r.Seconds = time.Since(start).Seconds()
	if s.approximates() {
		s.scoreEnd(n, fitted, &r.ScoresRecord)
	} else {
		predicted, err := s.score(ctx, &r.ScoresRecord)
		if err != nil {
			return err
		}
		r.Rounding = s.solveError(predicted, fitted)
	}
	s.record.Solutions = append(s.record.Solutions, r)
	if n == 0 || r.Validation.Loss < s.record.Solutions[s.record.Selected].Validation.Loss {
		if s.record.Selected = n; !s.approximates() {
			s.best = s.model.Tangents()
		}
	}
	return nil
}

// solveError returns the distance of the predictions from their values without rounding, relative
// to the norm of Y − f(w₀, X) unless that is 0.
func (s *system) solveError(predicted, fitted *mat.Dense) float64 {
	var difference, residual mat.Dense
	difference.Sub(predicted, fitted)
	residual.Sub(s.train.targets, s.initial)
	if size := mat.Norm(&residual, 2); size > 0 {
		return mat.Norm(&difference, 2) / size
	}
	return mat.Norm(&difference, 2)
}

// fit finds u and returns f_lin(u, X) of the training images as it would be without rounding.
func (s *system) fit(ctx context.Context, ridge float64, r *SolutionRecord) (*mat.Dense, error) {
	if s.flow != nil {
		return s.fitLimit(ctx, r)
	}
	if s.Spec.Method != cgMethod {
		s.progress("solving", len(s.record.Solutions), len(s.Spec.Ridges))
		d, err := s.model.Dual(ctx, s.train.px, s.kernel, s.train.targets, ridge)
		if err != nil {
			return nil, err
		}
		r.Method, r.Rank, r.Norm = d.Method, d.Rank, d.Norm
		return d.Fitted, nil
	}
	if err := s.linearize(); err != nil {
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
	r.Method, r.Iterations, r.Norm = "conjugate gradients", c.Iterations, s.model.Norm()
	r.Gradient, r.Converged = record.Ptr(c.Gradient), &c.Converged
	return c.Fitted, nil
}

// score scores the predictions of f_lin, and returns those for the training images.
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

// predict returns f_lin of images, computed a batch at a time.
func (s *system) predict(ctx context.Context, images *systemImages) (*mat.Dense, error) {
	n, outputs := len(images.labels), s.Training.Network().Classes
	size, all := len(images.px)/n, mat.NewDense(n, outputs, nil)
	for lo := 0; lo < n; lo += linearBatch {
		hi := min(lo+linearBatch, n)
		out, err := s.model.Predict(ctx, images.px[lo*size:hi*size])
		if err != nil {
			return nil, err
		}
		all.Slice(lo, hi, 0, outputs).(*mat.Dense).Copy(out)
		s.progress("predicting", hi, n)
	}
	return all, nil
}
