package backend

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func TestEigenSym(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 2, 7, 60, 1030} {
		a := mat.NewSymDense(n, nil)
		for i := range n {
			for j := i; j < n; j++ {
				a.SetSym(i, j, rng.NormFloat64())
			}
		}
		values, v, err := EigenSym(a, true)
		if err != nil {
			t.Fatal(err)
		}
		var av, vd mat.Dense
		av.Mul(a, v)
		vd.Mul(v, mat.NewDiagDense(n, values))
		if !mat.EqualApprox(&av, &vd, 1e-12*float64(n)) {
			t.Errorf("n = %d: A·V ≠ V·Λ", n)
		}
		var vv mat.Dense
		vv.Mul(v.T(), v)
		if !mat.EqualApprox(&vv, mat.NewDiagDense(n, slices.Repeat([]float64{1}, n)), 1e-12*float64(n)) {
			t.Errorf("n = %d: VᵀV ≠ I", n)
		}
		for i := range n - 1 {
			if values[i] > values[i+1] {
				t.Errorf("n = %d: eigenvalues not ascending", n)
			}
		}
		only, none, err := EigenSym(a, false)
		if err != nil || none != nil {
			t.Fatal(none, err)
		}
		for i, x := range only {
			if math.Abs(x-values[i]) > 1e-12*float64(n) {
				t.Errorf("n = %d: eigenvalue %d is %v without vectors, %v with", n, i, x, values[i])
			}
		}
	}
	if _, _, err := EigenSym(mat.NewSymDense(2, []float64{1, math.NaN(), 0, 1}), true); !errors.Is(err, ErrEigen) {
		t.Errorf("a matrix with a NaN: %v", err)
	}
}

func BenchmarkEigenSym512(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	a := mat.NewSymDense(512, nil)
	for i := range 512 {
		for j := i; j < 512; j++ {
			a.SetSym(i, j, rng.NormFloat64())
		}
	}
	for b.Loop() {
		if _, _, err := EigenSym(a, true); err != nil {
			b.Fatal(err)
		}
	}
}

// TestCholesky checks that UᵀU is the matrix, and that an indefinite matrix has no factor.
func TestCholesky(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{1, 2, 9, 150} {
		x := mat.NewDense(n, n+2, nil)
		x.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, x)
		a := mat.NewSymDense(n, nil)
		a.SymOuterK(1, x)
		want := mat.NewSymDense(n, nil)
		want.CopySym(a)
		u, ok := Cholesky(a)
		if !ok {
			t.Fatalf("%d×%d: not positive definite", n, n)
		}
		root := mat.NewTriDense(n, mat.Upper, nil)
		for i := range n {
			for j := i; j < n; j++ {
				root.SetTri(i, j, u.Data[i*u.Stride+j])
			}
		}
		var got mat.Dense
		got.Mul(root.T(), root)
		if !mat.EqualApprox(&got, want, 1e-10*float64(n)) {
			t.Errorf("%d×%d: UᵀU is not the matrix", n, n)
		}
	}
	if _, ok := Cholesky(mat.NewSymDense(2, []float64{1, 2, 2, 1})); ok {
		t.Error("an indefinite matrix has a factor")
	}
}

// NewEigenbasis finds the eigenvalues that EigenSym finds, and VΛVᵀ is the matrix. Matrices with repeated eigenvalues
// and of zeros are tested too. A matrix with a NaN and a cancelled context are errors.
func TestEigenbasis(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{1, 2, 7, 65, 97, 200} {
		for rank := range 3 {
			x := mat.NewDense(n, max(1, rank*n/2), nil)
			x.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() * float64(min(rank, 1)) }, x)
			a := mat.NewSymDense(n, nil)
			a.SymOuterK(1, x)
			want, _, err := EigenSym(a, false)
			if err != nil {
				t.Fatal(err)
			}
			last := 0.
			e, err := NewEigenbasis(t.Context(), mat.NewSymDense(n, mat.DenseCopyOf(a).RawMatrix().Data),
				func(share float64) {
					if share < last || share > 1 {
						t.Errorf("progress from %v to %v", last, share)
					}
					last = share
				})
			if err != nil || last != 1 {
				t.Fatal(err, last)
			}
			identity := mat.NewDense(n, n, nil)
			for i := range n {
				identity.Set(i, i, 1)
			}
			v := e.Coefficients(identity)
			var scaled, back mat.Dense
			scaled.Apply(func(_, j int, x float64) float64 { return x * e.Values[j] }, v)
			back.Mul(&scaled, v.T())
			tolerance := 1e-12 * float64(n*n)
			if !mat.EqualApprox(&back, a, tolerance) || !mat.EqualApprox(e.Combine(v), identity, 1e-12*float64(n)) {
				t.Errorf("n = %d, rank factor %d: VΛVᵀ or VVᵀ is wrong", n, rank)
			}
			for i, x := range e.Values {
				if math.Abs(x-want[i]) > tolerance {
					t.Errorf("n = %d: eigenvalue %d is %v, want %v", n, i, x, want[i])
				}
			}
		}
	}
	if _, err := NewEigenbasis(t.Context(), mat.NewSymDense(2, []float64{1, math.NaN(), 0, 1}), nil); !errors.Is(err, ErrEigen) {
		t.Errorf("a matrix with a NaN: %v", err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := NewEigenbasis(ended, mat.NewSymDense(100, nil), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that ended: %v", err)
	}
}
