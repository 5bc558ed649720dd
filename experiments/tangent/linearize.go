package tangent

import (
	"cmp"
	"context"
	"math"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/train"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/models/gradientflow"
	"github.com/ansatz-lab/ansatz/models/kernels"
	"github.com/ansatz-lab/ansatz/models/weights"
	"gonum.org/v1/gonum/mat"
)

// LinearizeSpec says which linear system of a linearized network (ntk, eq. 4) to solve, and how. It
// uses the fields of train.Spec about the network and the images; Shift moves every image once, the
// same way whenever it is read. A linearization that is trained by SGD is a [train.Training] whose
// spec has Linearized set.
type LinearizeSpec struct {
	train.Spec
	Method string `json:"method"`           // solve (default), exact or cg
	Kernel string `json:"kernel,omitempty"` // the name of a [kernels.Form]; "" is full, the others need method exact
	// Times are the times of an exact gradient flow: a list, or log:FROM:TO; default log:1:1e6.
	Times string `json:"times,omitempty"`
	// GradientDescent, if not 0, is the learning rate of gradient descent in place of the flow, with a momentum.
	GradientDescent         float64 `json:"gradient_descent,omitempty"`
	GradientDescentMomentum float64 `json:"gradient_descent_momentum,omitempty"`
	// Ridges are added to the kernel's diagonal, one after the other; default 0. Of several, the one
	// with the smallest loss on the validation images is selected. If Validation is 0, a fifth of
	// Train is held out for this.
	Ridges     []float64 `json:"ridges"`
	Iterations int       `json:"iterations,omitempty"` // of cg, at most; default 1000
	Tolerance  float64   `json:"tolerance,omitempty"`  // of cg's gradient, relative to the first; default 1e-6
	Out        string    `json:"-"`                    // the folder of the results, "" for none; the record names u's file in it
}

// The methods of a [LinearizeSpec].
const (
	SolveMethod = "solve"
	exactMethod = "exact" // solve, and the gradient flow on the way there
	cgMethod    = "cg"
)

// To choose a ridge, one in ridgeShare training images is held out.
const ridgeShare = 5

// withDefaults fills in the fields that are zero.
func (s LinearizeSpec) withDefaults() LinearizeSpec {
	s.Method = cmp.Or(s.Method, SolveMethod)
	s.Loss, s.Linearized, s.Epochs, s.Batch = models.MeanSquaredError.String(), true, 1, 1
	if len(s.Ridges) == 0 {
		s.Ridges = []float64{0}
	}
	if len(s.Ridges) > 1 && s.Validation == 0 && s.Train > 0 {
		s.Validation = max(1, s.Train/ridgeShare)
	}
	if s.Method == exactMethod {
		s.Times = cmp.Or(s.Times, "log:1:1e6")
	}
	if s.Method == cgMethod {
		s.Iterations, s.Tolerance = cmp.Or(s.Iterations, 1000), cmp.Or(s.Tolerance, 1e-6)
	}
	return s
}

// check refuses settings that do not go together.
func (s LinearizeSpec) check() error {
	form, err := kernels.ParseForm(s.Kernel)
	switch {
	case err != nil:
		return input.Errorf("--kernel %w", err)
	case s.Method != SolveMethod && s.Method != exactMethod && s.Method != cgMethod:
		return input.Errorf("--method %q: want sgd, solve, exact or cg", s.Method)
	case s.Method != cgMethod && (s.Iterations != 0 || s.Tolerance != 0):
		return input.Errorf("--iterations and --tolerance are for --method cg")
	case s.Iterations < 0:
		return input.Errorf("--iterations %d: want at least 1, or none for the default", s.Iterations)
	case !(s.Tolerance >= 0 && s.Tolerance < 1):
		return input.Errorf("--tolerance %v: want at least 0 and less than 1 (1 would solve nothing)", s.Tolerance)
	case !(s.GradientDescentMomentum >= 0 && s.GradientDescentMomentum < 1):
		return input.Errorf("--momentum %v: want at least 0 and less than 1", s.GradientDescentMomentum)
	case form != kernels.Full && s.Method != exactMethod:
		return input.Errorf("--kernel %v is for --method exact, whose limit is the solution", form)
	case len(s.Ridges) > 1 && s.Validation == 0:
		return input.Errorf("several ridges need validation images to choose one: give --validation N, or " +
			"--train N, of which a fifth is held out")
	case s.Crop > 0 || s.Flip || s.Block > 0:
		return input.Errorf("--crop, --flip and --block are for --method sgd: a linear system reads each image " +
			"once")
	}
	if s.Method == exactMethod {
		times, err := parseTimes(s.Times)
		if err != nil {
			return err
		}
		last, eta := times[len(times)-1], s.GradientDescent
		if eta > 0 && last/eta > gradientflow.MostSteps {
			return input.Errorf("--lr %v reaches the time %v of --times after %.3g steps: want at most %g, with a larger --lr "+
				"or shorter --times", eta, last, last/eta, gradientflow.MostSteps)
		}
	}
	for _, r := range s.Ridges {
		if !(r >= 0) || math.IsInf(r, 0) {
			return input.Errorf("--ridge %v: want a finite number of at least 0", r)
		}
	}
	return nil
}

// Linearization is the linear system of an open network on open images.
type Linearization struct {
	Spec     LinearizeSpec
	Training *train.Training    // opens the network and the images; it is not run
	tangents *weights.StateDict // u of the solution that Run selected
	cross    *bool              // set by tests: what byCross returns in place of its estimate
}

// NewLinearization opens the network and the images that the spec names. It returns an [*input.Error]
// for input that it cannot use, such as a kernel too large for memory, and the context's error if that ends.
func NewLinearization(ctx context.Context, s LinearizeSpec) (*Linearization, error) {
	s = s.withDefaults()
	if err := s.check(); err != nil {
		return nil, err
	}
	a, err := input.LookupArchitecture(s.Arch)
	if err != nil {
		return nil, err
	}
	shift := s.Shift
	t, err := train.NewTrainingOf(ctx, s.Spec, a)
	if err != nil {
		return nil, err
	}
	l := &Linearization{Spec: s, Training: t}
	if shift > 0 {
		if err := l.shiftImages(); err != nil {
			return nil, err
		}
	}
	return l, l.checkMemory()
}

// shiftImages moves the training and validation images, each once. The test images have
// been moved by the same rule.
func (l *Linearization) shiftImages() (err error) {
	d := l.Training.Images()
	if d.Train, err = data.Shifted(d.Train, l.Spec.Shift, l.shiftSeed("training")); err == nil && d.Validation != nil {
		d.Validation, err = data.Shifted(d.Validation, l.Spec.Shift, l.shiftSeed("validation"))
	}
	if err != nil {
		return input.Errorf("--shift %d: %v", l.Spec.Shift, err)
	}
	l.Training.Plan.Augment.Shift = 0
	return l.Training.Describe()
}

// shiftSeed returns the seed of the shifts of a part of the images. Each part needs its own, because
// the shift of an image depends only on the seed and on the image's index.
func (l *Linearization) shiftSeed(part string) uint64 {
	return models.Stream(l.Spec.Seed, "shift of the "+part+" images").Uint64()
}

// systemImages are images as the network reads them, with their targets.
type systemImages struct {
	px      []float32
	labels  []int
	targets *mat.Dense // images × outputs
}

// readSet reads the images of a set and their targets. It returns nil if the set is nil.
func (l *Linearization) readSet(ctx context.Context, set data.Dataset) (*systemImages, error) {
	if set == nil {
		return nil, nil
	}
	n := set.Len()
	s := &systemImages{px: make([]float32, n*set.Shape().Pixels()), labels: make([]int, n)}
	loader := &data.Loader{Dataset: set, Normalisation: l.Training.Images().Normalisation}
	if err := loader.Load(ctx, 0, n, s.px, s.labels); err != nil {
		return nil, err
	}
	s.targets = oneHot(s.labels, l.Training.Network().Classes)
	return s, nil
}

// oneHot returns targets 0 and 1 by class; for one output the label itself.
func oneHot(labels []int, outputs int) *mat.Dense {
	y := mat.NewDense(len(labels), outputs, nil)
	for i, c := range labels {
		if outputs == 1 {
			y.Set(i, 0, float64(c))
		} else {
			y.Set(i, c, 1)
		}
	}
	return y
}

// score returns the mean squared error over images and outputs, and the fraction of images that are
// classified correctly: by the largest output, or by whether a single output is above 1/2.
func (s *systemImages) score(outputs *mat.Dense) ScoreRecord {
	var all sums
	all.add(s, 0, outputs)
	return all.score()
}
