package models

import (
	"context"
	"fmt"

	"github.com/ansatz-lab/ansatz/graph/backend"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

// DualSolution says how the dual system was solved.
type DualSolution struct {
	Method string // cholesky, or pseudo-inverse where Θ + λI is singular up to rounding
	Rank   int    // of the pseudo-inverse; 0 for cholesky
	// Fitted is f_lin(u, X) at the training images, images × outputs.
	Fitted *mat.Dense
	Norm   float64 // ‖u‖
}

// Dual sets u to the solution of the ridge regression of targets, images ×
// outputs, in its dual form,
//
//	u = Jᵀα, (Θ + λI)α = Y − f(w₀, X);
//
// with λ = 0 it is that of least norm among those of least squares. The kernel is
// that of the same images; it stays as it is, and serves a path of ridges. Its
// Cholesky factor takes as much memory again, the pseudo-inverse of a singular one
// five times as much.
func (l *Linearized) Dual(ctx context.Context, px []float32, k *NTK, targets *mat.Dense, ridge float64) (*DualSolution, error) {
	if err := l.checkTargets(px, targets); err != nil {
		return nil, err
	}
	if n := k.Gram.SymmetricDim(); n != rowsOf(targets)*l.net.Classes || rowsOf(k.Outputs) != rowsOf(targets) {
		return nil, fmt.Errorf("models: a kernel of %d rows for %d images and %d outputs", n, rowsOf(targets), l.net.Classes)
	}
	if !(ridge >= 0) {
		return nil, fmt.Errorf("models: a ridge of %v: want 0 or more", ridge)
	}
	var residual mat.Dense
	residual.Sub(targets, k.Outputs)
	alpha, s, err := k.solve(&residual, ridge)
	if err != nil {
		return nil, err
	}
	s.Fitted.Add(s.Fitted, k.Outputs)
	clear(l.u)
	if err := l.pull(ctx, px, alpha, l.u); err != nil {
		return nil, err
	}
	s.Norm = l.Norm()
	return s, nil
}

// solve returns α with (Θ + λI)α = r, r and α as images × outputs, and Θα.
func (k *NTK) solve(r *mat.Dense, ridge float64) (alpha *mat.Dense, s *DualSolution, err error) {
	n := k.Gram.SymmetricDim()
	rows, cols := r.Dims()
	a := mat.NewSymDense(n, nil)
	a.CopySym(k.Gram)
	for i := range n {
		a.SetSym(i, i, a.At(i, i)+ridge)
	}
	factor, ok := backend.Cholesky(a)
	for i := 0; ok && i < n; i++ {
		pivot := a.RawSymmetric().Data[i*n+i]
		ok = pivot*pivot > lost(n)*k.Gram.At(i, i)
	}
	if !ok {
		return k.invert(r, ridge)
	}
	x := mat.NewDense(n, 1, append([]float64(nil), r.RawMatrix().Data...))
	lapack64.Potrs(factor, x.RawMatrix())
	alpha = mat.NewDense(rows, cols, x.RawMatrix().Data)
	fitted := mat.DenseCopyOf(r)
	blas64.Axpy(-ridge, vectorOf(alpha), vectorOf(fitted)) // Θα = r − λα
	return alpha, &DualSolution{Method: "cholesky", Fitted: fitted}, nil
}

// invert is solve by the pseudo-inverse.
func (k *NTK) invert(r *mat.Dense, ridge float64) (alpha *mat.Dense, s *DualSolution, err error) {
	values, q, err := backend.EigenSym(k.Gram, true)
	if err != nil {
		return nil, nil, fmt.Errorf("models: the neural tangent kernel: %w", err)
	}
	n := len(values)
	first := 0
	for first < n && !(values[first] > lost(n)*values[n-1]) {
		first++
	}
	rows, cols := r.Dims()
	alpha, fitted := mat.NewDense(rows, cols, nil), mat.NewDense(rows, cols, nil)
	s = &DualSolution{Method: "pseudo-inverse", Rank: n - first, Fitted: fitted}
	if first == n {
		return alpha, s, nil // Θ is 0, and so is J
	}
	kept := q.Slice(0, n, first, n).(*mat.Dense)
	c := mat.NewVecDense(n-first, nil)
	c.MulVec(kept.T(), mat.NewVecDense(n, r.RawMatrix().Data))
	for i, v := range values[first:] {
		c.SetVec(i, c.AtVec(i)/(v+ridge))
	}
	mat.NewVecDense(n, alpha.RawMatrix().Data).MulVec(kept, c)
	for i, v := range values[first:] {
		c.SetVec(i, c.AtVec(i)*v)
	}
	mat.NewVecDense(n, fitted.RawMatrix().Data).MulVec(kept, c)
	return alpha, s, nil
}

// lost is the share of the largest eigenvalue of an n×n matrix below which one is
// what rounding left of zero. Θ is JJᵀ in float64, whatever the precision of J.
func lost(n int) float64 { return float64(n) * 0x1p-52 }

func vectorOf(m *mat.Dense) blas64.Vector {
	x := m.RawMatrix().Data
	return blas64.Vector{N: len(x), Inc: 1, Data: x}
}
