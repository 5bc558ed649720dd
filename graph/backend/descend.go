package backend

// Momentum is a step of gradient descent with momentum, for weights w with the
// gradient g and the velocity v:
//
//	v ← Momentum·v + g + Decay·w
//	w ← w − Rate·v
type Momentum struct{ Rate, Momentum, Decay float64 }

// Adam is a step of Adam, with the running means m of the gradients and v of
// their squares:
//
//	g ← g + Decay·w
//	m ← Beta1·m + (1 − Beta1)·g
//	v ← Beta2·v + (1 − Beta2)·g²
//	w ← w − Rate·m / (√v·Scale + Eps)
//
// Rate and Scale include the corrections for the bias of the means towards 0.
type Adam struct{ Rate, Beta1, Beta2, Scale, Eps, Decay float64 }

// Adadelta is a step of Adadelta, with the running means s of the squares of the
// gradients and u of those of the steps:
//
//	g ← g + Decay·w
//	s ← Rho·s + (1 − Rho)·g²
//	δ = g·√(u + Eps)/√(s + Eps)
//	u ← Rho·u + (1 − Rho)·δ²
//	w ← w − Rate·δ
type Adadelta struct{ Rate, Rho, Eps, Decay float64 }

// descendGrain is the least number of weights per thread: waking a thread takes about as long as updating that many.
const descendGrain = 1 << 14
