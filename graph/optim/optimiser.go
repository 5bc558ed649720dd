// Package optim has the optimisers, which change weights along a gradient.
package optim

import (
	"cmp"
	"fmt"
	"math"

	"github.com/ansatz-lab/ansatz/graph/backend"
)

// Optimiser says how a training step follows the gradient. There are [SGD], [Adam] and [Adadelta], the same as
// PyTorch's.
type Optimiser interface {
	fmt.Stringer
	// Rate is the initial learning rate.
	Rate() float64
	// State names the values that the optimiser keeps for every weight; they start at 0.
	State() []string
	// Check reports settings that are out of their range.
	Check() error
}

// SGD is stochastic gradient descent with momentum:
// g ← ∇ + WeightDecay·w, v ← Momentum·v + g, w ← w − LR·v.
type SGD struct{ LR, Momentum, WeightDecay float64 }

// Adam is Adam (Kingma and Ba 2015): with g ← ∇ + WeightDecay·w and the running
// means m and v of g and g², divided by 1 − Betaᵗ, w ← w − LR·m/(√v + Eps). Zeros of
// Beta1, Beta2 and Eps stand for .9, .999 and 1e-8.
type Adam struct {
	LR, Beta1, Beta2, Eps, WeightDecay float64
	// Decoupled makes it AdamW (Loshchilov and Hutter 2019): g is ∇ alone, and w shrinks to (1 − LR·WeightDecay)·w
	// before the step.
	Decoupled bool
}

// Adadelta is Adadelta (Zeiler 2012): with g ← ∇ + WeightDecay·w and running means v
// of g² and s of the squared steps δ = g·√(s + Eps)/√(v + Eps), w ← w − LR·δ. Zeros of
// Rho, by which the means decay, and of Eps stand for .9 and 1e-6.
type Adadelta struct{ LR, Rho, Eps, WeightDecay float64 }

// Rate is LR.
func (o SGD) Rate() float64 { return o.LR }

// Rate is LR.
func (o Adam) Rate() float64 { return o.LR }

// Rate is LR.
func (o Adadelta) Rate() float64 { return o.LR }

// State is the velocity v, under the name momentum.
func (SGD) State() []string { return []string{"momentum"} }

// State is the running means of the gradient, mean, and of its square, square.
func (Adam) State() []string { return []string{"mean", "square"} }

// State is the running means of the squares of the gradient, square, and of the steps, step.
func (Adadelta) State() []string { return []string{"square", "step"} }

// String names the method with its settings, for records.
func (o SGD) String() string {
	return fmt.Sprintf("SGD, learning rate %g, momentum %g, weight decay %g", o.LR, o.Momentum, o.WeightDecay)
}

// String names the method with its settings, the defaults filled in, for records.
func (o Adam) String() string {
	o = o.withDefaults()
	name := "Adam"
	if o.Decoupled {
		name = "AdamW"
	}
	return fmt.Sprintf("%s, learning rate %g, betas %g and %g, eps %g, weight decay %g",
		name, o.LR, o.Beta1, o.Beta2, o.Eps, o.WeightDecay)
}

// String names the method with its settings, the defaults filled in, for records.
func (o Adadelta) String() string {
	o = o.withDefaults()
	return fmt.Sprintf("Adadelta, learning rate %g, rho %g, eps %g, weight decay %g", o.LR, o.Rho, o.Eps, o.WeightDecay)
}

func (o Adam) withDefaults() Adam {
	o.Beta1, o.Beta2, o.Eps = cmp.Or(o.Beta1, .9), cmp.Or(o.Beta2, .999), cmp.Or(o.Eps, 1e-8)
	return o
}

func (o Adadelta) withDefaults() Adadelta {
	o.Rho, o.Eps = cmp.Or(o.Rho, .9), cmp.Or(o.Eps, 1e-6)
	return o
}

// Check returns an error unless LR > 0, WeightDecay ≥ 0 and Momentum is in [0, 1).
func (o SGD) Check() error {
	return checkDescent(o.LR, o.WeightDecay, fraction{"momentum", o.Momentum})
}

// Check returns an error unless LR > 0, WeightDecay ≥ 0, and Beta1, Beta2 and Eps are in [0, 1).
func (o Adam) Check() error {
	o = o.withDefaults()
	return checkDescent(o.LR, o.WeightDecay, fraction{"beta 1", o.Beta1}, fraction{"beta 2", o.Beta2},
		fraction{"eps", o.Eps})
}

// Check returns an error unless LR > 0, WeightDecay ≥ 0, and Rho and Eps are in [0, 1).
func (o Adadelta) Check() error {
	o = o.withDefaults()
	return checkDescent(o.LR, o.WeightDecay, fraction{"rho", o.Rho}, fraction{"eps", o.Eps})
}

// fraction is a setting that must be at least 0 and less than 1.
type fraction struct {
	name  string
	value float64
}

func checkDescent(lr, decay float64, fractions ...fraction) error {
	if !(lr > 0) || math.IsInf(lr, 0) {
		return fmt.Errorf("learning rate %v: want a number greater than 0", lr)
	}
	if !(decay >= 0) || math.IsInf(decay, 0) {
		return fmt.Errorf("weight decay %v: want at least 0", decay)
	}
	for _, f := range fractions {
		if !(f.value >= 0 && f.value < 1) {
			return fmt.Errorf("%s %v: want at least 0 and less than 1", f.name, f.value)
		}
	}
	return nil
}

// Step performs step t of the optimiser, counted from 1, with learning rate lr on the weights w with the gradient g. The
// state is in the order of [Optimiser.State]. The call must be inside [backend.Device.Do].
func Step[T backend.Float](e backend.Engine[T], o Optimiser, lr float64, t int, w, g []T, state [][]T) {
	switch o := o.(type) {
	case SGD:
		e.DescendMomentum(backend.Momentum{Rate: lr, Momentum: o.Momentum, Decay: o.WeightDecay}, w, g, state[0])
	case Adam:
		o = o.withDefaults()
		if o.Decoupled {
			kept := T(1 - lr*o.WeightDecay)
			for i := range w {
				w[i] *= kept
			}
			o.WeightDecay = 0
		}
		first, second := 1-math.Pow(o.Beta1, float64(t)), 1-math.Pow(o.Beta2, float64(t))
		e.DescendAdam(backend.Adam{
			Rate: lr / first, Beta1: o.Beta1, Beta2: o.Beta2, Scale: 1 / math.Sqrt(second), Eps: o.Eps,
			Decay: o.WeightDecay,
		}, w, g, state[0], state[1])
	case Adadelta:
		o = o.withDefaults()
		e.DescendAdadelta(backend.Adadelta{Rate: lr, Rho: o.Rho, Eps: o.Eps, Decay: o.WeightDecay}, w, g,
			state[0], state[1])
	}
}
