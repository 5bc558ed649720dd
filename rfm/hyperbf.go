package rfm

import (
	"context"
	"fmt"

	"github.com/ansatz-lab/ansatz/graph/optim"
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
// whose gradients (paper hyperbf, eqs. 8–10) are pullbacks of package graph. The optimiser gets the
// gradient of H/H₀, where H₀ is H before the first step, so that a learning rate has the same effect for every ridge.
// A HyperBF with only its Machine set fits that machine.
//
// The paper has misprints: G′ (eq. 12) is the derivative of G in ‖·‖²_W and lacks its factor, −1/L for the
// Gaussian exp(−‖·‖²_W/L); the sum of eq. 11 is over α, to the number of centres; and the last factor of
// eq. 10 has x for xᵢ. The introduction has a kernel like Laplace's, exp(−γ‖x − z‖_M), and the appendix the
// Gaussian; Kernel can be either, or any other that rotations do not change. The L of the appendix's
// Gaussian is 2·Bandwidth².
//
// Eq. 10 is W times a matrix. So W = 0, from which the paper's section 2 starts, stays 0, and the rank of W
// never grows. The Metric to start from is therefore the identity by default.
//
// Where the centres are the examples, and fixed, and c solves the regression, Δ = λc: the gradient in W is
// then twice that of the regression's minimum, λ·tr Yᵀ(K + λI)⁻¹Y. In experiments it finds features like the
// AGOP's where the ridge is about 1, and hardly any where the regression nearly interpolates; the AGOP finds
// them there too.
type HyperBF struct {
	// Machine has the kernel, the ridge, the task, the first metric and all else that is common to both.
	// Every one of its Iterations changes M, by an AGOP or by Steps gradient steps, and then solves for the
	// coefficients. Sample, Scale and CentreGradients are for the AGOP. With Diagonal, W is a diagonal.
	Machine
	// Update says how M is learned.
	Update Update
	// Centres is the number of centres, drawn from the training examples by Seed; 0 is all examples. Where
	// the centres are all examples, and fixed, the coefficients are the Machine's, (K + λI)⁻¹Y. Otherwise
	// they are (GᵀG + λg)⁻¹GᵀY, where G is the kernel of examples and centres, and g that of the centres.
	Centres int
	// Steps is the number of gradient steps of an iteration; 0 is [DefaultSteps].
	Steps int
	// Optimiser takes the steps; nil is Adam with [DefaultRate]. SGD without momentum takes the paper's steps, which
	// depend on W only through WᵀW; Adam's steps do not. Adam moves all d² elements of W equally far, so its learning rate
	// should not be much above 1/d: 3e-3 works well with 784 features, and destroys W in ten steps with 3072.
	Optimiser optim.Optimiser
	// Batch is the number of training examples of a step, drawn by Seed without replacement until all were
	// used; 0 is all examples in every step.
	Batch int
	// Coefficients says how c is learned. The zero value solves for c after the steps of every iteration.
	Coefficients Coefficients
	// Stepped, if not nil, is called at every step with its number, from 1, and H/n before it. An error ends the fit.
	Stepped func(step int, loss float64) error
}

// Defaults of [HyperBF].
const (
	DefaultSteps = 5
	DefaultRate  = 1e-3
)

// Update says how a [HyperBF] learns M.
type Update int

const (
	ByAGOP               Update = iota // M is the AGOP; the centres are fixed
	ByDescent                          // W by gradient descent; the centres are fixed
	ByDescentWithCentres               // W and the centres by gradient descent
)

var updates = []string{"agop", "gd", "gd+centres"}

// String returns the name that [ParseUpdate] reads.
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

// Coefficients says how a [HyperBF] learns the coefficients c. They start from the solution of the regression.
type Coefficients int

const (
	// Solved means by regression, at the end of every iteration. In experiments the training error falls many
	// times as fast as with Descended.
	Solved    Coefficients = iota
	Descended              // by gradient descent with W (paper hyperbf, eq. 8)
)

// String returns "solved" or "descended".
func (c Coefficients) String() string {
	switch c {
	case Solved:
		return "solved"
	case Descended:
		return "descended"
	}
	return fmt.Sprintf("Coefficients(%d)", int(c))
}

// Fit learns from examples x, n×d, and targets y, n×outputs, finite numbers with n > 0. It returns the errors
// of [Machine.Fit], and a [*DivergedError] where the loss of a step is not finite.
func (h *HyperBF) Fit(ctx context.Context, x, y *mat.Dense) (*Model, error) {
	f, err := h.newFit(x, y)
	if err != nil {
		return nil, err
	}
	defer f.close()
	return f.run(ctx)
}

// DivergedError says that the loss of a gradient step is not finite.
type DivergedError struct {
	Step int // from 1
	Loss float64
}

// Error returns the step and the loss, and what to do.
func (e *DivergedError) Error() string {
	return fmt.Sprintf("rfm: gradient descent diverged: the loss before step %d is %v; take a smaller learning rate",
		e.Step, e.Loss)
}
