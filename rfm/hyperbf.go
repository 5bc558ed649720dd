package rfm

import (
	"context"
	"fmt"

	"github.com/ansatz-lab/ansatz/graph"
	"gonum.org/v1/gonum/mat"
)

// HyperBF says what hyper basis function network to fit (paper hyperbf; Poggio
// and Girosi 1990),
//
//	f(x) = Σ over α of c_α G(‖x − t_α‖²_W), ‖x − t‖²_W = (x − t)ᵀWᵀW(x − t),
//
// and how it learns M = WᵀW: by the AGOP, as a recursive feature machine does,
// or by gradient descent on W, and on the centres t, on the squared error
//
//	H/n = (1/n) Σ over examples and outputs of Δ², Δ = y − f(x),
//
// whose gradients (paper hyperbf, eqs. 8–10) are pullbacks of package graph.
// What the optimiser is given is the gradient of H/H₀, H₀ being H before the
// first step, so that a rate means the same whatever the ridge. The zero value,
// with a Machine's, is that machine.
//
// Of the paper's misprints: G′ (eq. 12) is the derivative of G in ‖·‖²_W and
// lacks its factor, −1/L for the Gaussian exp(−‖·‖²_W/L); the sum of eq. 11 is
// over α, to the number of centres; and the last factor of eq. 10 has x for xᵢ.
// Its introduction has a kernel like Laplace's, exp(−γ‖x − z‖_M), its appendix
// the Gaussian: Kernel is either, or any other that [Kernel.Rotates]. The
// Gaussian's L of the appendix is 2·Bandwidth².
//
// Eq. 10 is W times a matrix, so that W = 0, from which the paper's section 2
// starts, stays 0, and the rank of W never grows: the Metric to start from is
// the identity unless told.
//
// Where the centres are the examples, and stay, and c solves the regression,
// Δ = λc: the gradient in W is then twice that of the regression's minimum,
// λ·tr Yᵀ(K + λI)⁻¹Y. Measured: it finds features as the AGOP does where the
// ridge is about 1, and hardly where the regression nearly interpolates, which
// does not trouble the AGOP.
type HyperBF struct {
	// Machine has the kernel, the ridge, the task, the start and all else that
	// the two share. Iterations is how often M is changed, by an AGOP or by Steps
	// steps, and the coefficients found again. Sample, Scale and CentreGradients
	// are the AGOP's. With Diagonal, W is a diagonal.
	Machine
	// Update is how M is learned.
	Update Update
	// Centres is how many centres there are, drawn from the training examples by
	// Seed; 0 is all of them. The coefficients of all examples, where they are
	// and stay the centres, are those of the Machine, (K + λI)⁻¹Y; others are
	// (GᵀG + λg)⁻¹GᵀY with G the kernel of examples and centres and g that of
	// the centres, which is the same where both are the same.
	Centres int
	// Steps is the number of gradient steps of an iteration; 0 is
	// [DefaultSteps].
	Steps int
	// Optimiser takes the steps; nil is Adam with [DefaultRate], an element of W
	// being 1 or 0 at the identity. SGD without momentum takes those of the
	// paper, which depend on W through WᵀW alone; those of Adam do not.
	// Adam moves all d² elements of W as far, so that its rate should not be much
	// above 1/d: 3e-3 is good with 784 features, and ruins W in ten steps with 3072.
	Optimiser graph.Optimiser
	// Batch is on how many training examples a step takes the gradient, drawn by
	// Seed without putting back until all had their turn; 0 is all, in every
	// step.
	Batch int
	// Coefficients says how c is learned. The zero value solves for it after
	// every iteration's steps.
	Coefficients Coefficients
	// Stepped, if not nil, is told of every step: its number from 1, and H/n
	// before it. An error ends the fit.
	Stepped func(step int, loss float64) error
}

// Defaults of [HyperBF].
const (
	DefaultSteps = 5
	DefaultRate  = 1e-3
)

// Update is how a [HyperBF] learns M.
type Update int

const (
	ByAGOP               Update = iota // M is the AGOP; the centres are fixed
	ByDescent                          // W by gradient descent; the centres are fixed
	ByDescentWithCentres               // W and the centres by gradient descent
)

var updates = []string{"agop", "gd", "gd+centres"}

// String is the name that [ParseUpdate] reads.
func (u Update) String() string {
	if u < 0 || int(u) >= len(updates) {
		return fmt.Sprintf("Update(%d)", int(u))
	}
	return updates[u]
}

// ParseUpdate reads agop, gd or gd+centres.
func ParseUpdate(s string) (Update, error) {
	for u, name := range updates {
		if s == name {
			return Update(u), nil
		}
	}
	return 0, badInput("update %q: want agop, gd or gd+centres", s)
}

// Coefficients is how a [HyperBF] learns the coefficients c. All start from the
// solution of the regression.
type Coefficients int

const (
	// By regression, at the end of every iteration. Measured: the training error
	// falls many times as fast as with Descended.
	Solved    Coefficients = iota
	Descended              // by gradient descent with W (paper hyperbf, eq. 8)
)

// String is "solved" or "descended".
func (c Coefficients) String() string {
	switch c {
	case Solved:
		return "solved"
	case Descended:
		return "descended"
	}
	return fmt.Sprintf("Coefficients(%d)", int(c))
}

// Fit learns from examples x, n×d, and targets y, n×outputs. It takes n > 0
// rows of finite numbers. Steps whose loss is not finite end it with a
// [*DivergedError].
func (h *HyperBF) Fit(ctx context.Context, x, y *mat.Dense) (*Model, error) {
	f, err := h.newFit(x, y)
	if err != nil {
		return nil, err
	}
	defer f.close()
	return f.run(ctx)
}

// DivergedError is returned where a gradient step found a loss that is not
// finite.
type DivergedError struct {
	Step int // from 1
	Loss float64
}

// Error gives the step and the loss, and says what to do.
func (e *DivergedError) Error() string {
	return fmt.Sprintf("rfm: gradient descent diverged: the loss before step %d is %v; take a smaller rate",
		e.Step, e.Loss)
}
