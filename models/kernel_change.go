package models

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// KernelChange says how much a kernel Θ differs from Θ₀.
type KernelChange struct {
	Relative float64 // ‖Θ − Θ₀‖/‖Θ₀‖, Frobenius norms
	// Cosine is ⟨Θ, Θ₀⟩/(‖Θ‖·‖Θ₀‖), the alignment of the kernels: 1 if Θ is a multiple of Θ₀.
	Cosine float64
	// Centred is the alignment of HΘH and HΘ₀H with H = I − 11ᵀ/n (Cortes et al. 2012), which ignores what all rows
	// have in common.
	Centred float64
}

// ErrNoAlignment is returned where a kernel, or the centred kernel, is zero.
var ErrNoAlignment = errors.New("the alignment of kernels is not defined")

// CompareKernels compares two kernels on the same n inputs. It returns an error
// for kernels of different sizes, and one that wraps [ErrNoAlignment] where a kernel is zero or constant.
func CompareKernels(now, before *mat.SymDense) (*KernelChange, error) {
	n := before.SymmetricDim()
	if now.SymmetricDim() != n {
		return nil, fmt.Errorf("models: kernels of %d and %d rows cannot be compared", now.SymmetricDim(), n)
	}
	plain := inner(now, before, nil, nil)
	if !(plain.a > 0 && plain.b > 0) {
		return nil, fmt.Errorf("%w: one is zero or not finite", ErrNoAlignment)
	}
	centred := inner(now, before, centring(now), centring(before))
	if !(centred.a > 1e-20*plain.a && centred.b > 1e-20*plain.b) {
		return nil, fmt.Errorf("%w: one is the same number throughout", ErrNoAlignment)
	}
	return &KernelChange{
		Relative: math.Sqrt(plain.difference / plain.b), Cosine: plain.cosine(), Centred: centred.cosine(),
	}, nil
}

// products are the inner products of two matrices A and B.
type products struct{ a, b, ab, difference float64 } // ‖A‖², ‖B‖², ⟨A, B⟩, ‖A − B‖²

func (p products) cosine() float64 { return p.ab / (math.Sqrt(p.a) * math.Sqrt(p.b)) }

// inner returns the inner products of two kernels, after it subtracted the shifts, if they are not nil, from their
// rows and columns.
func inner(now, before *mat.SymDense, shiftNow, shiftBefore []float64) (p products) {
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
	return p
}

// centring returns the m for which HΘH has the elements Θᵢⱼ − mᵢ − mⱼ: the means of the rows minus half the mean of
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
