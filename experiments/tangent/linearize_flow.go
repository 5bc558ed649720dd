package tangent

import (
	"context"
	"fmt"
	"math"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/internal/memory"
	"github.com/ansatz-lab/ansatz/internal/words"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/models/gradientflow"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// flowPoint is the flow with one ridge at one time.
type flowPoint struct {
	ridge int // its index
	time  float64
	alpha *mat.Dense // for crossPoints: training images × outputs
	held  [2]sums    // of validation and test images
}

// sums adds up the errors and the right predictions of images.
type sums struct {
	squares       float64
	right, images int
	outputs       int
}

// score returns the means.
func (s sums) score() ScoreRecord {
	return ScoreRecord{Loss: s.squares / float64(s.images*s.outputs), Accuracy: float64(s.right) / float64(s.images)}
}

// systemFlow is the gradient flows of a system.
type systemFlow struct {
	byRidge []*gradientflow.Flow
	records []*FlowRecord
	ends    []flowPoint // for a kernel that approximates: the limits at infinite time, by ridge
}

// flowsAtOnce is the number of times at which states are computed together. Each reads the eigenvectors once.
const flowsAtOnce = 32

// scoreFlows computes the eigenvectors of the kernel in the kernel's memory, and scores the flows of all ridges.
func (s *system) scoreFlows(ctx context.Context) error {
	const steps = 1000
	var missing mat.Dense
	missing.Sub(s.train.targets, s.kernel.Outputs)
	debug.FreeOSMemory() // the gradients
	flow, err := gradientflow.New(ctx, s.kernel.Gram, &missing, func(share float64) {
		s.progress("eigenvectors", int(share*steps), steps)
	})
	if err != nil {
		return err
	}
	s.kernel.Gram = nil
	debug.FreeOSMemory() // the work space of the eigenvectors
	if err := s.openFlows(flow); err != nil {
		return err
	}
	points, err := s.trainPoints(ctx)
	if err != nil {
		return err
	}
	if s.byCross() {
		if err := s.crossPoints(ctx, points); err != nil {
			return err
		}
	} else if err := s.passPoints(ctx, points); err != nil {
		return err
	}
	for _, p := range points {
		r := s.flow.records[p.ridge]
		if math.IsInf(p.time, 1) {
			s.flow.ends = append(s.flow.ends, p)
			continue
		}
		if s.validation != nil {
			score := p.held[0].score()
			r.ValidationLoss, r.ValidationAccuracy = append(r.ValidationLoss, score.Loss), append(r.ValidationAccuracy, score.Accuracy)
		}
		if s.test != nil {
			score := p.held[1].score()
			r.TestLoss, r.TestAccuracy = append(r.TestLoss, score.Loss), append(r.TestAccuracy, score.Accuracy)
		}
	}
	return nil
}

// openFlows opens the flow of every ridge, with its times.
func (s *system) openFlows(flow *gradientflow.Flow) error {
	times, err := parseTimes(s.Spec.Times)
	if err != nil {
		return err
	}
	s.flow = &systemFlow{}
	if eta := s.Spec.GradientDescent; eta != 0 { // the largest ridge leaves the smallest learning rate
		most := slices.Max(s.Spec.Ridges)
		f, err := flow.WithRidge(most)
		if err != nil {
			return err
		}
		if err := f.Descend(eta, s.Spec.GradientDescentMomentum); err != nil {
			return input.Errorf("--lr %v --momentum %v, with --ridge %v: %w", eta, s.Spec.GradientDescentMomentum, most, err)
		}
	}
	for _, ridge := range s.Spec.Ridges {
		f, err := flow.WithRidge(ridge)
		if err != nil {
			return err
		}
		r := &FlowRecord{Times: slices.Clone(times)}
		if eta := s.Spec.GradientDescent; eta != 0 {
			if err := f.Descend(eta, s.Spec.GradientDescentMomentum); err != nil {
				return err
			}
			r.Times = wholeSteps(times, eta)
		}
		for _, t := range r.Times {
			if err := f.Check(t); err != nil {
				return input.Errorf("--times: %w", err)
			}
		}
		s.flow.byRidge, s.flow.records = append(s.flow.byRidge, f), append(s.flow.records, r)
	}
	return nil
}

// wholeSteps returns the nearest multiples of a learning rate, without repeats.
func wholeSteps(times []float64, rate float64) []float64 {
	moved := make([]float64, len(times))
	for i, t := range times {
		moved[i] = rate * math.Round(t/rate)
	}
	return slices.Compact(moved)
}

// movedTimes says which times of a list in --times gradient descent does not reach, and where they are shown; "" if there
// are none. The times of log:FROM:TO are not said: nobody typed them.
func (s LinearizeSpec) movedTimes() string {
	eta := s.GradientDescent
	times, err := parseTimes(s.Times)
	if err != nil || eta == 0 || strings.HasPrefix(s.Times, logTimes) {
		return ""
	}
	var moved []string
	for _, t := range times {
		if steps := math.Round(t / eta); math.Abs(t/eta-steps) > 1e-9*max(1, steps) {
			moved = append(moved, fmt.Sprintf("%v at %.6g", t, eta*steps))
		}
	}
	if len(moved) == 0 {
		return ""
	}
	text := fmt.Sprintf("%s of --lr %v: shown at the nearest, %s", words.Of(len(moved), len(times), "time",
		"is not a multiple", "are not multiples"), eta, words.Some(moved, 3))
	if len(wholeSteps(times, eta)) < len(times) {
		text += "; times that coincide are shown once"
	}
	return text + "."
}

// trainPoints scores the training images at all times. It returns a point for each time, with α if byCross needs it.
func (s *system) trainPoints(ctx context.Context) (points []flowPoint, err error) {
	keep, done, total := s.byCross(), 0, 0
	for _, r := range s.flow.records {
		total += len(r.Times)
	}
	for i, f := range s.flow.byRidge {
		r := s.flow.records[i]
		times := slices.Clone(r.Times)
		if s.approximates() {
			times = append(times, math.Inf(1))
		}
		for some := range slices.Chunk(times, flowsAtOnce) {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			states, err := f.States(some...)
			if err != nil {
				return nil, err
			}
			for k, t := range some {
				p := flowPoint{ridge: i, time: t}
				if keep {
					p.alpha = states[k].Alpha
				}
				points = append(points, p)
				if math.IsInf(t, 1) {
					continue
				}
				fitted := states[k].Change
				fitted.Add(fitted, s.kernel.Outputs)
				r.TrainLoss = append(r.TrainLoss, f.Loss(t)) // in closed form: it falls below the rounding of the outputs
				r.TrainAccuracy = append(r.TrainAccuracy, s.train.score(fitted).Accuracy)
			}
			done += len(some)
			s.progress("gradient flow", min(done, total), total)
		}
	}
	return points, nil
}

// heldOut returns the validation and the test images, nil where there are none.
func (s *system) heldOut() [2]*systemImages { return [2]*systemImages{s.validation, s.test} }

// passPoints predicts held-out images by u = Jᵀα at every time.
func (s *system) passPoints(ctx context.Context, points []flowPoint) error {
	for i := range points {
		p := &points[i]
		for k, held := range s.heldOut() {
			if held == nil {
				continue
			}
			if k == 0 || s.validation == nil { // u serves both
				if _, err := s.model.Follow(ctx, s.train.px, s.kernel.Outputs, s.flow.byRidge[p.ridge], p.time); err != nil {
					return err
				}
			}
			outputs, err := s.predict(ctx, held)
			if err != nil {
				return err
			}
			p.held[k].add(held, 0, outputs)
		}
		s.progress("predictions over time", i+1, len(points))
	}
	return nil
}

// crossBytes bounds the memory of a block of the kernel of held-out images with training images.
const crossBytes = 1 << 30

// crossPoints predicts held-out images at all times by one kernel Θ(held out, training), f(w₀, x) + Θ(x, X)α. No u is
// needed.
func (s *system) crossPoints(ctx context.Context, points []flowPoint) error {
	alphas := make([]*mat.Dense, len(points))
	for i := range points {
		alphas[i], points[i].alpha = points[i].alpha, nil
	}
	// Memory also holds the block's products with every α, as vectors and as outputs.
	blocks, side := s.form().Layout(s.record.Outputs)
	elements := blocks*side*side*len(s.train.labels) + 3*s.record.Outputs*len(points)
	atOnce := max(1, crossBytes/(8*elements))
	rows := int64(s.kernelRows()) * int64(len(s.train.labels))
	vectors := 8 * rows * rows / int64(blocks) // bytes of the eigenvectors, which the flows keep
	// Gradients that are no longer needed count too, until Go frees them.
	defer memory.Limit(s.kernelOptions().Memory)()
	for k, held := range s.heldOut() {
		if held == nil {
			continue
		}
		n := len(held.labels)
		size := len(held.px) / n
		for lo := 0; lo < n; lo += atOnce {
			hi := min(n, lo+atOnce)
			o := s.kernelOptions()
			o.Memory = max(o.Memory-vectors, leastKernel/2)
			o.Progress = func(done, total int) { s.progress("kernel of held-out images", lo*total+done*(hi-lo), n*total) }
			cross, err := s.Training.Network().CrossNTK(ctx, held.px[lo*size:hi*size], s.train.px, o)
			if err != nil {
				return err
			}
			for i, outputs := range cross.Times(alphas...) {
				outputs.Add(outputs, cross.Outputs)
				points[i].held[k].add(held, lo, outputs)
			}
		}
	}
	return nil
}

// fitLimit finds u in the limit of the flow with the next ridge or, for a kernel that approximates, the norm of the
// function. It returns the outputs for the training images without rounding.
func (s *system) fitLimit(ctx context.Context, r *SolutionRecord) (fitted *mat.Dense, err error) {
	flow := s.flow.byRidge[len(s.record.Solutions)]
	r.Method, r.Rank = "eigenvectors", flow.Rank()
	if !s.approximates() {
		fitted, err = s.model.Follow(ctx, s.train.px, s.kernel.Outputs, flow, math.Inf(1))
		r.Norm = s.model.Norm()
		return fitted, err
	}
	states, err := flow.States(math.Inf(1))
	if err != nil {
		return nil, err
	}
	alpha, change := states[0].Alpha, states[0].Change
	r.Norm = math.Sqrt(max(0, floats.Dot(alpha.RawMatrix().Data, change.RawMatrix().Data)))
	change.Add(change, s.kernel.Outputs)
	return change, nil
}

// scoreEnd sets the scores of a limit: of training images from their outputs, of others from what crossPoints found.
func (s *system) scoreEnd(ridge int, fitted *mat.Dense, r *ScoresRecord) {
	r.Train = s.train.score(fitted)
	for k, to := range []**ScoreRecord{&r.Validation, &r.Test} {
		if s.heldOut()[k] != nil {
			score := s.flow.ends[ridge].held[k].score()
			*to = &score
		}
	}
}

// add scores outputs, images × outputs, of consecutive images from the first on, and adds the scores.
func (s *sums) add(of *systemImages, first int, outputs *mat.Dense) {
	var n int
	n, s.outputs = outputs.Dims()
	for i := range n {
		row := outputs.RawRowView(i)
		d := floats.Distance(row, of.targets.RawRowView(first+i), 2)
		s.squares += d * d
		if models.Predicted(row) == of.labels[first+i] {
			s.right++
		}
	}
	s.images += n
}
