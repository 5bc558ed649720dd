package kernels

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Change says how much a kernel Θ differs from Θ₀.
type Change struct {
	Relative float64 // ‖Θ − Θ₀‖/‖Θ₀‖, Frobenius norms
	// Cosine is ⟨Θ, Θ₀⟩/(‖Θ‖·‖Θ₀‖), the alignment of the kernels: 1 if Θ is a multiple of Θ₀.
	Cosine float64
	// Centred is the alignment of HΘH and HΘ₀H with H = I − 11ᵀ/n in each block of n rows (Cortes et al. 2012). It ignores
	// what all rows of a block have in common.
	Centred float64
}

// ErrNoAlignment is wrapped by errors for a kernel that is zero, or becomes zero by centring.
var ErrNoAlignment = errors.New("the alignment of kernels is not defined")

// Compare compares two kernels on the same inputs, of the same form. It returns an error for kernels whose blocks differ in
// number or size, and one that wraps [ErrNoAlignment] if a kernel is zero or if each of its blocks is constant.
func Compare(now, before Kernel) (*Change, error) {
	sizes := func(a, b *mat.SymDense) bool { return a.SymmetricDim() == b.SymmetricDim() }
	if !slices.EqualFunc(now, before, sizes) {
		return nil, fmt.Errorf("kernels: kernels of %d and %d rows in %d and %d blocks cannot be compared", now.Rows(),
			before.Rows(), len(now), len(before))
	}
	var plain, centred products
	for b := range now {
		plain.add(now[b], before[b], nil, nil)
		centred.add(now[b], before[b], centring(now[b]), centring(before[b]))
	}
	if !(plain.a > 0 && plain.b > 0) {
		return nil, fmt.Errorf("%w: one is zero or not finite", ErrNoAlignment)
	}
	if !(centred.a > 1e-20*plain.a && centred.b > 1e-20*plain.b) {
		return nil, fmt.Errorf("%w: one is the same number throughout", ErrNoAlignment)
	}
	return &Change{
		Relative: math.Sqrt(plain.difference / plain.b), Cosine: plain.cosine(), Centred: centred.cosine(),
	}, nil
}

// products holds the inner products of two matrices A and B.
type products struct{ a, b, ab, difference float64 } // ‖A‖², ‖B‖², ⟨A, B⟩, ‖A − B‖²

func (p products) cosine() float64 { return p.ab / (math.Sqrt(p.a) * math.Sqrt(p.b)) }

// add adds the inner products of two blocks. It first subtracts the shifts, if they are not nil, from their rows and columns.
func (p *products) add(now, before *mat.SymDense, shiftNow, shiftBefore []float64) {
	n := now.SymmetricDim()
	for i := range n {
		for j := i; j < n; j++ {
			a, b, times := now.At(i, j), before.At(i, j), 2.
			if i == j {
				times = 1
			}
			if shiftNow != nil {
				a -= shiftNow[i] + shiftNow[j]
				b -= shiftBefore[i] + shiftBefore[j]
			}
			p.a += times * a * a
			p.b += times * b * b
			p.ab += times * a * b
			p.difference += times * (a - b) * (a - b)
		}
	}
}

// centring returns the vector m for which HΘH has the elements Θᵢⱼ − mᵢ − mⱼ: the means of the rows minus half the mean of
// all elements.
func centring(k *mat.SymDense) []float64 {
	n := k.SymmetricDim()
	m := make([]float64, n)
	all := 0.
	for i := range n {
		for j := range n {
			m[i] += k.At(i, j) / float64(n)
		}
		all += m[i] / float64(n)
	}
	for i := range m {
		m[i] -= all / 2
	}
	return m
}
