package rfm

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/rfm/crew"
	"github.com/ansatz-lab/ansatz/rfm/tensors"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

// subspace holds the directions in which K is large, from the kernel matrix K_s of a subsample X_s. With
// K_s = QΣQᵀ and V = QΣ^-½ they are the functions K(·, X_s)V, of norm 1 in the kernel's space. Φ holds their
// values at the points, so that K ≈ ΦΦᵀ (Nyström).
type subspace struct {
	sample []int      // rows of the points, in their order
	values []float64  // σ of K_s, in descending order
	v      *mat.Dense // s×q
	phi    *mat.Dense // n×q
	diag   []float64  // K(xᵢ, xᵢ)
	least  float64    // the larger of λ and the rounding errors of K
}

func (e EigenPro) newSubspace(ctx context.Context, p *problem) (*subspace, error) {
	n, _ := p.points.Dims()
	s := &subspace{sample: stream(p.seed, "eigenpro", 0).Perm(n)[:e.Subsample]}
	slices.Sort(s.sample)
	_, r := p.points.Dims()
	some := tensors.PickRows(p.points, s.sample)
	k, err := p.gram(ctx, p.kernel, some)
	if err != nil {
		return nil, err
	}
	if err := checkFinite(p.kernel, k); err != nil {
		return nil, err
	}
	values, q, err := backend.EigenSym(k, true)
	if err != nil {
		return nil, fmt.Errorf("rfm: the %v kernel: %w", p.kernel, err)
	}
	s.keepLargest(values, q, p.negligible(), e.directions(n))
	on, err := p.newPredictor(p.kernel, &lens{d: r, r: r}, some, s.v, n)
	if err != nil {
		return nil, err
	}
	if s.phi, err = on.forward(ctx, "subspace", p.points); err != nil {
		return nil, err
	}
	if s.diag, err = p.diagonal(ctx, p.kernel, p.points); err != nil {
		return nil, err
	}
	s.least = max(p.ridge, p.negligible()*slices.Max(s.diag))
	return s, nil
}

// keepLargest sets values and V from the eigenvalues, which are in ascending order, and eigenvectors q of
// K_s. It keeps the largest eigenvalues: at most most of them, each above the given share of the largest.
func (s *subspace) keepLargest(values []float64, q *mat.Dense, share float64, most int) {
	n := len(values)
	count := 1
	for count < min(n, most) && values[n-1-count] > share*values[n-1] {
		count++
	}
	s.values, s.v = make([]float64, count), mat.NewDense(n, count, nil)
	for k := range count {
		s.values[k] = values[n-1-k]
		over := 1 / math.Sqrt(max(s.values[k], math.SmallestNonzeroFloat32))
		for i := range n {
			s.v.Set(i, k, over*q.At(i, n-1-k))
		}
	}
}

// preconditioner is μ(ΦΦᵀ + μI)⁻¹ = I − Φ(ΦᵀΦ + μI)⁻¹Φᵀ, which approximates the inverse of K + λI up to a factor. μ is λ,
// or the rounding errors of K if they are larger, plus the mean of the diagonal of K − ΦΦᵀ, so that the eigenvalues along Φ
// become about as large as the others.
type preconditioner struct {
	phi    blas64.General
	factor blas64.Triangular // of ΦᵀΦ + μI
	inside blas64.General    // q×outputs
}

func (s *subspace) precondition(outputs int) (*preconditioner, error) {
	n, q := s.phi.Dims()
	mu := s.least
	for i, k := range s.diag {
		row := s.phi.RawRowView(i)
		mu += max(0, k-blas64.Dot(vector(row), vector(row))) / float64(n)
	}
	p := &preconditioner{phi: s.phi.RawMatrix(), inside: mat.NewDense(q, outputs, nil).RawMatrix()}
	square := mat.NewSymDense(q, nil).RawSymmetric()
	blas64.Syrk(blas.Trans, 1, p.phi, 0, square)
	for i := range q {
		square.Data[i*q+i] += mu
	}
	var ok bool
	if p.factor, ok = lapack64.Potrf(square); !ok {
		return nil, badInput("the kernel matrix of the examples is not positive semi-definite")
	}
	return p, nil
}

// apply sets z to the preconditioner times r, both n×outputs.
func (p *preconditioner) apply(z, r *mat.Dense) {
	z.Copy(r)
	blas64.Gemm(blas.Trans, blas.NoTrans, 1, p.phi, r.RawMatrix(), 0, p.inside)
	lapack64.Potrs(p.factor, p.inside)
	blas64.Gemm(blas.NoTrans, blas.NoTrans, -1, p.phi, p.inside, 1, z.RawMatrix())
}

func (m machinery) newProduct(k Kernel, points *mat.Dense, outputs int) (*crew.Product, error) {
	return crew.NewProduct(m.device, m.precision, k.Matrix, points, outputs)
}

// diagonal returns K(vᵢ, vᵢ) for the rows of v.
func (m machinery) diagonal(ctx context.Context, k Kernel, v *mat.Dense) ([]float64, error) {
	n, r := v.Dims()
	side := min(n, fewRows)
	g := graph.New(m.device, m.precision)
	a := g.Input("a", side, r)
	f, err := g.Function(k.Matrix(g, a, a))
	if err != nil {
		return nil, err
	}
	program, err := f.Compile(graph.Plan{Outputs: []*graph.Node{f.Output}})
	if err != nil {
		return nil, err
	}
	tile, out := mat.NewDense(side, side, nil), make([]float64, n)
	for i := 0; i < n; i += side {
		count := tensors.PutRows(g.Data(a), v, i)
		if err := program.Run(ctx); err != nil {
			return nil, err
		}
		tensors.TakeRows(tile, 0, side, program.Value(f.Output))
		for j := range count {
			out[i+j] = tile.At(j, j)
		}
	}
	return out, nil
}
