package backend

import "math"

// exp computes eᵃ. For float32 it computes in float32, since the last half ulp is
// not worth the time that math.Exp takes.
func exp[T Float](out, a []T) {
	if x, single := any(a).([]float32); single {
		y := any(out).([]float32)[:len(x)]
		for i, v := range x {
			y[i] = exp32(v)
		}
		return
	}
	mapFunc(out, a, math.Exp)
}

// The exponential of float32: x = n·ln 2 + r with |r| ≤ ln 2 / 2, and eʳ by a
// polynomial that is its Taylor series with the coefficients moved to spread
// the error, 1e-7 of the value at most.
const (
	expMost, expLeast = 88.37, -87.33 // beyond these, 2ⁿ is not a finite, normal float32
	log2E             = 1.44269504
	ln2High, ln2Low   = 0.693359375, -2.12194440e-4
	roundingShift     = 1.5 * (1 << 23) // adding it leaves the rounded integer in the low bits
)

func exp32(x float32) float32 {
	switch {
	case x != x:
		return x
	case x > expMost:
		return float32(math.Inf(1))
	case x < expLeast:
		return 0
	}
	shifted := x*log2E + roundingShift
	n := shifted - roundingShift
	r := x - n*ln2High - n*ln2Low
	p := float32(1.9875691500e-4)
	p = p*r + 1.3981999507e-3
	p = p*r + 8.3334519073e-3
	p = p*r + 4.1665795894e-2
	p = p*r + 1.6666665459e-1
	p = p*r + 5.0000001201e-1
	p = p*r*r + r + 1
	return p * math.Float32frombits(uint32(int32(n)+127)<<23)
}

// power computes aᵏ where a > 0, else 0. The exponents that distances need do
// not use math.Pow.
func power[T Float](out, a []T, k float64) {
	f := func(x float64) float64 { return math.Pow(x, k) }
	switch k {
	case .5:
		f = math.Sqrt
	case -1:
		f = func(x float64) float64 { return 1 / x }
	case -2:
		f = func(x float64) float64 { return 1 / (x * x) }
	case -.5:
		f = func(x float64) float64 { return 1 / math.Sqrt(x) }
	case -1.5:
		f = func(x float64) float64 { return 1 / (x * math.Sqrt(x)) }
	}
	mapFunc(out, a, func(x float64) float64 {
		if x <= 0 { // false for a NaN, which f keeps
			return 0
		}
		return f(x)
	})
}

func clamp[T Float](out, a []T, k T) {
	for i, v := range a {
		switch {
		case v >= 1-k:
			v = 1
		case v <= k-1:
			v = -1
		}
		out[i] = v
	}
}

// arcCosine0 computes the arc-cosine kernel of order 0 of unit vectors whose inner
// products are a; for float32 it computes in float32.
func arcCosine0[T Float](out, a []T) {
	if x, single := any(a).([]float32); single {
		y := any(out).([]float32)[:len(x)]
		for i, t := range x {
			y[i] = 1 - acos32(t)/math.Pi
		}
		return
	}
	mapFunc(out, a, func(t float64) float64 { return 1 - math.Acos(t)/math.Pi })
}

// arcCosine1 computes the kernel of order 1 from a and b, the kernel of order 0.
func arcCosine1[T Float](out, a, b []T) {
	for i, t := range a {
		out[i] = T(math.Sqrt(max(0, 1-float64(t*t))))/math.Pi + t*b[i]
	}
}

// acos32 is the arc cosine to 7e-8: √(1 − |x|) times a polynomial (Abramowitz and
// Stegun, 4.4.46). Arguments beyond ±1 count as ±1.
func acos32(x float32) float32 {
	a := x
	if a < 0 {
		a = -a
	}
	p := float32(-.0012624911)
	p = p*a + .0066700901
	p = p*a - .0170881256
	p = p*a + .0308918810
	p = p*a - .0501743046
	p = p*a + .0889789874
	p = p*a - .2145988016
	p = p*a + 1.5707963050
	y := sqrt32(max(0, 1-a)) * p
	if x < 0 {
		return math.Pi - y
	}
	return y
}

func sqrt32(x float32) float32 { return float32(math.Sqrt(float64(x))) }

// atLeast computes a where a ≥ k·b, else 0; it keeps a NaN.
func atLeast[T Float](out, a, b []T, k T) {
	for i, v := range a {
		if v < k*b[i] {
			v = 0
		}
		out[i] = v
	}
}

// distance computes a + v + w, or 0 where that is below k·(v + w).
func distance[T Float](out, a []T, v T, w []T, k T) {
	for i := range out {
		both := v + w[i]
		d := both + a[i]
		if d < k*both {
			d = 0
		}
		out[i] = d
	}
}

// function returns the function of one number that an instruction computes.
func function(code Code, k float64) func(float64) float64 {
	switch code {
	case Sigmoid:
		return func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	case Softplus:
		return func(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }
	case Erf:
		return math.Erf
	case Log:
		return math.Log
	case Sqrt:
		return math.Sqrt
	case Inverse:
		return func(x float64) float64 { return 1 / x }
	case Pow:
		return func(x float64) float64 { return math.Pow(x, k) }
	case Sin:
		return math.Sin
	case Cos:
		return math.Cos
	case Greater:
		return func(x float64) float64 { return max(x, k) }
	case Less:
		return func(x float64) float64 { return min(x, k) }
	}
	panic("an instruction without a function")
}
