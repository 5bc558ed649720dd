package models

import (
	"context"
	"fmt"
	"slices"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

// DualSolution says how the dual system was solved.
type DualSolution struct {
	Method string // cholesky, or pseudo-inverse if Θ + λI is singular up to rounding
	Rank   int    // rank of the pseudo-inverse; 0 for cholesky
	// Fitted is f_lin(u, X) at the training images, images × outputs.
	Fitted *mat.Dense
	Norm   float64 // ‖u‖
}

// Dual sets u to the solution of the ridge regression of targets, images ×
// outputs, in its dual form,
//
//	u = Jᵀα, (Θ + λI)α = Y − f(w₀, X);
//
// with λ = 0 it is the least-squares solution of least norm. The kernel k must be the full kernel of the same images. Dual does
// not change it, so it can be used for several ridges. Its Cholesky factor takes as much memory again, and the pseudo-inverse
// of a singular kernel five times as much. In single precision Dual refines u iteratively.
func (l *Linearized) Dual(ctx context.Context, px []float32, k *NTK, targets *mat.Dense,
	ridge float64) (*DualSolution, error) {
	if err := l.checkTargets(px, targets); err != nil {
		return nil, err
	}
	n := k.Gram.Rows()
	if len(k.Gram) != 1 || n != rowsOf(targets)*l.net.Classes || rowsOf(k.Outputs) != rowsOf(targets) {
		return nil, fmt.Errorf("models: a kernel of %d rows in %d blocks for %d images and %d outputs: want the full kernel",
			n, len(k.Gram), rowsOf(targets), l.net.Classes)
	}
	if !(ridge >= 0) {
		return nil, fmt.Errorf("models: a ridge of %v: want 0 or more", ridge)
	}
	system, err := k.factor(ridge)
	if err != nil {
		return nil, err
	}
	alpha, err := l.refine(ctx, px, k, targets, ridge, system)
	if err != nil {
		return nil, err
	}
	var fitted mat.VecDense
	fitted.MulVec(k.Gram[0], mat.NewVecDense(n, alpha.RawMatrix().Data))
	s := &DualSolution{Method: system.method, Rank: system.rank, Norm: l.Norm()}
	s.Fitted = mat.NewDense(rowsOf(targets), l.net.Classes, fitted.RawVector().Data)
	s.Fitted.Add(s.Fitted, k.Outputs)
	return s, nil
}

// refinements is the number of times that a solution in single precision is refined. The closer Θ is to singular, the more
// the terms of Jᵀα cancel; a refinement solves for the residual that their rounding errors leave.
const refinements = 3

// refine solves for α and u = Jᵀα, and then repeatedly for the residual.
func (l *Linearized) refine(ctx context.Context, px []float32, k *NTK, targets *mat.Dense, ridge float64,
	system *dualSystem) (*mat.Dense, error) {
	alpha := mat.NewDense(rowsOf(targets), l.net.Classes, nil)
	now := k.Outputs
	clear(l.u)
	for step := 0; ; step++ {
		residual := mat.DenseCopyOf(targets)
		residual.Sub(residual, now)
		floats.AddScaled(residual.RawMatrix().Data, -ridge, alpha.RawMatrix().Data)
		more := mat.NewDense(rowsOf(targets), l.net.Classes, system.solve(residual.RawMatrix().Data))
		if step > 0 && !(mat.Norm(more, 2) < mat.Norm(alpha, 2)/2) {
			return alpha, nil // the residual is just rounding
		}
		alpha.Add(alpha, more)
		if err := l.pull(ctx, px, more, l.u); err != nil {
			return nil, err
		}
		if l.precision == graph.Double || step == refinements {
			return alpha, nil
		}
		var err error
		if now, err = l.Predict(ctx, px); err != nil {
			return nil, err
		}
	}
}

// dualSystem solves (Θ + λI)α = r.
type dualSystem struct {
	method string
	rank   int
	solve  func(r []float64) []float64
}

// factor returns the system for a ridge, factorised by Cholesky or, if Θ + λI is singular, by the pseudo-inverse.
func (k *NTK) factor(ridge float64) (*dualSystem, error) {
	gram := k.Gram[0]
	n := gram.SymmetricDim()
	a := mat.NewSymDense(n, nil)
	a.CopySym(gram)
	for i := range n {
		a.SetSym(i, i, a.At(i, i)+ridge)
	}
	factor, ok := backend.Cholesky(a)
	for i := 0; ok && i < n; i++ {
		pivot := a.RawSymmetric().Data[i*n+i]
		ok = pivot*pivot > negligible(n)*gram.At(i, i)
	}
	if !ok {
		return k.invert(ridge)
	}
	return &dualSystem{method: "cholesky", solve: func(r []float64) []float64 {
		x := blas64.General{Rows: n, Cols: 1, Stride: 1, Data: slices.Clone(r)}
		lapack64.Potrs(factor, x)
		return x.Data
	}}, nil
}

// invert returns the system for a ridge, solved by the pseudo-inverse.
func (k *NTK) invert(ridge float64) (*dualSystem, error) {
	values, q, err := backend.EigenSym(k.Gram[0], true)
	if err != nil {
		return nil, fmt.Errorf("models: the neural tangent kernel: %w", err)
	}
	n := len(values)
	first := 0
	for first < n && !(values[first] > negligible(n)*values[n-1]) {
		first++
	}
	s := &dualSystem{method: "pseudo-inverse", rank: n - first}
	s.solve = func(r []float64) []float64 {
		alpha := mat.NewVecDense(n, nil)
		if first == n {
			return alpha.RawVector().Data // Θ is 0, and so is J
		}
		kept := q.Slice(0, n, first, n)
		c := mat.NewVecDense(n-first, nil)
		c.MulVec(kept.T(), mat.NewVecDense(n, r))
		for i, v := range values[first:] {
			c.SetVec(i, c.AtVec(i)/(v+ridge))
		}
		alpha.MulVec(kept, c)
		return alpha.RawVector().Data
	}
	return s, nil
}

// negligible returns the relative size below which an eigenvalue of an n×n matrix counts as zero, compared with the largest. It
// is that of float64, in which Θ = JJᵀ is computed for any precision of J.
func negligible(n int) float64 { return float64(n) * 0x1p-52 }
