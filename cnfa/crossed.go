package cnfa

import (
	"errors"
	"math"

	"github.com/ansatz-lab/ansatz/graph/backend"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// crossedBlock holds the sums from which the statements about a block's input, loss and commutator are measured: one for
// each set of groups of images. The jackknife leaves out one set at a time.
type crossedBlock struct {
	f    *filters
	sets []*crossed

	u, v  *mat.Dense // of W = UΣVᵀ, once singular has computed them
	sigma []float64
	err   error
}

// crossed holds sums over images of one block. Sums that no statement needs are nil.
type crossed struct {
	outputs  *mat.SymDense // S
	loss     *mat.SymDense // S_ℓ
	inputs   *mat.SymDense // C, d×d
	read     *mat.SymDense // WCWᵀ, c×c
	gradient *mat.Dense    // G, c×d
}

// setSum sets x to a + scale·b, for a and b with the same matrices. It reuses the matrices of x, and x may be a.
func (x *crossed) setSum(a *crossed, scale float64, b *crossed) {
	for _, p := range []struct {
		sum  **mat.SymDense
		a, b *mat.SymDense
	}{
		{&x.outputs, a.outputs, b.outputs}, {&x.loss, a.loss, b.loss}, {&x.inputs, a.inputs, b.inputs}, {&x.read, a.read, b.read},
	} {
		if p.b == nil {
			continue
		}
		n := p.b.SymmetricDim()
		if *p.sum == nil {
			*p.sum = mat.NewSymDense(n, nil)
		}
		to, of, with := (*p.sum).RawSymmetric(), p.a.RawSymmetric(), p.b.RawSymmetric()
		for i := range n {
			floats.AddScaledTo(to.Data[i*to.Stride+i:i*to.Stride+n], of.Data[i*of.Stride+i:i*of.Stride+n], scale,
				with.Data[i*with.Stride+i:i*with.Stride+n])
		}
	}
	if b.gradient == nil {
		return
	}
	c, d := b.gradient.Dims()
	if x.gradient == nil {
		x.gradient = mat.NewDense(c, d, nil)
	}
	for i := range c {
		floats.AddScaledTo(x.gradient.RawRowView(i), a.gradient.RawRowView(i), scale, b.gradient.RawRowView(i))
	}
}

// sharedInputs keeps track of the matrices of inputs while one group of images is added, because the parts of one layer, such
// as queries and keys, share them. It has the sums that include the group already, and the number of sets of their layer.
type sharedInputs map[*mat.SymDense]int

// begin makes x the first group of one of so many sets. Parts with other sets would add other groups to a matrix that they
// share with x, so x then gets a copy.
func (x *crossed) begin(sets int, shared sharedInputs) {
	if n, kept := shared[x.inputs]; kept && n != sets && x.inputs != nil {
		own := mat.NewSymDense(x.inputs.SymmetricDim(), nil)
		own.CopySym(x.inputs)
		x.inputs = own
	}
	shared[x.inputs] = sets
}

// add adds a further group b to x, the sum over one of so many sets. It changes the matrices of x's inputs and gradient, but
// not those of the outputs and the loss, which the moments keep too.
func (x *crossed) add(b *crossed, sets int, shared sharedInputs) {
	before, further := *x, *b
	x.outputs, x.loss = nil, nil
	if _, added := shared[x.inputs]; added {
		further.inputs = nil
	}
	shared[x.inputs] = sets
	x.setSum(&before, 1, &further)
}

// total returns the sum over all sets. The caller must not change it.
func (b *crossedBlock) total() *crossed {
	if len(b.sets) == 1 {
		return b.sets[0]
	}
	sum := new(crossed)
	sum.setSum(b.sets[0], 1, b.sets[1])
	for _, s := range b.sets[2:] {
		sum.setSum(sum, 1, s)
	}
	return sum
}

// singular returns the factors of the block's W = UΣVᵀ, which it computes once.
func (b *crossedBlock) singular() (u *mat.Dense, sigma []float64, v *mat.Dense, err error) {
	if b.u == nil && b.err == nil {
		b.u, b.sigma, b.v, b.err = singular(b.f.w)
	}
	return b.u, b.sigma, b.v, b.err
}

// valueSum adds up, block by block, what the value of a statement is computed from: the commuting part of
// [Commutator], the overlap of every other statement.
type valueSum struct {
	statement string
	overlap   overlap
	commuting commuting
}

// value returns the value of the statement, from all blocks that were added.
func (v *valueSum) value() (float64, error) {
	if v.statement == Commutator {
		return v.commuting.share()
	}
	return v.overlap.pearson()
}

// addTo adds the block to the value of a statement, for the sums x. A block with W = 0 adds nothing to the commutator.
func (b *crossedBlock) addTo(v *valueSum, x *crossed) error {
	if v.statement != Commutator {
		v.overlap.add(b.f.overlapOf(v.statement, x))
		return nil
	}
	u, sigma, _, err := b.singular()
	if errors.Is(err, ErrZero) {
		return nil
	}
	if err != nil {
		return err
	}
	v.commuting.add(sigma, congruence(u, x.outputs))
	return nil
}

// overlap holds what Pearson's correlation of two lists of matrices, P and Q, needs: ⟨P, Q⟩, ⟨P, P⟩, ⟨Q, Q⟩, the sums
// of their elements and the number of those.
type overlap struct {
	inner, entries float64
	p, q           self
}

// add adds the overlap of further matrices.
func (o *overlap) add(b overlap) {
	o.inner += b.inner
	o.entries += b.entries
	o.p.add(b.p)
	o.q.add(b.q)
}

// pearson returns the correlation of all elements.
func (o overlap) pearson() (float64, error) {
	return Ratio(o.inner-o.p.sum*o.q.sum/o.entries, o.p.norm2-o.p.sum*o.p.sum/o.entries,
		o.q.norm2-o.q.sum*o.q.sum/o.entries, o.p.norm2, o.q.norm2)
}

// selfOf returns ⟨a, a⟩ and the sum of the elements of a symmetric matrix a.
func selfOf(a *mat.SymDense) self { return self{frobenius2(a), sumOf(a)} }

// sumOf returns the sum of all elements.
func sumOf(a *mat.SymDense) (s float64) {
	raw := a.RawSymmetric()
	for i := range raw.N {
		row := raw.Data[i*raw.Stride+i : i*raw.Stride+raw.N]
		s += 2*floats.Sum(row) - row[0]
	}
	return s
}

// sandwichSelf returns ⟨A, A⟩ and the sum of A = WᵀXW, d×d, computed in the smaller of the spaces of filters and patches.
func (f *filters) sandwichSelf(x *mat.SymDense) self {
	if c, d := f.w.Dims(); d < c {
		return selfOf(congruence(f.w, x))
	}
	return self{traceSquare(product(f.gram(), x)), mat.Inner(f.u, x, f.u)}
}

// overlapOf returns the overlap of the two matrices of a statement for the sums m.
func (f *filters) overlapOf(statement string, m *crossed) overlap {
	c, d := f.w.Dims()
	filterSide, patchSide := float64(c)*float64(c), float64(d)*float64(d)
	switch statement {
	case InputCov:
		return overlap{mat.Trace(m.read), patchSide, f.self(), selfOf(m.inputs)}
	case BackRGA:
		return overlap{traceProduct(m.read, m.loss), patchSide, selfOf(m.inputs), f.sandwichSelf(m.loss)}
	case ForwardRGA:
		return overlap{traceProduct(m.read, m.loss), filterSide, selfOf(m.read), selfOf(m.loss)}
	case ForwardRWA:
		return overlap{traceProduct(m.read, f.gram()), filterSide, selfOf(m.read), selfOf(f.gram())}
	case ForwardGWA:
		return overlap{traceProduct(m.loss, f.gram()), filterSide, selfOf(m.loss), selfOf(f.gram())}
	case FACT:
		return overlap{-f.alongGradient(m.gradient), patchSide, f.self(), factSelf(f.w, m.gradient)}
	case BackFACT:
		return overlap{-f.alongGradient(m.gradient), filterSide, selfOf(f.gram()), factSelf(f.w.T(), m.gradient.T())}
	}
	panic("cnfa: no overlap for statement " + statement)
}

// alongGradient returns ⟨WᵀW, WᵀG⟩ = ⟨WWᵀ, GWᵀ⟩ = ⟨WWᵀ·W, G⟩.
func (f *filters) alongGradient(g *mat.Dense) float64 {
	var gw mat.Dense
	gw.Mul(g, f.w.T())
	return mat.Dot(mat.NewVecDense(len(gw.RawMatrix().Data), gw.RawMatrix().Data),
		mat.NewVecDense(gw.RawMatrix().Rows*gw.RawMatrix().Rows, dense(f.gram()).RawMatrix().Data))
}

// factSelf returns ⟨N, N⟩ and the sum of N = −wᵀg, from the smaller of the two sides of w.
func factSelf(w, g mat.Matrix) self {
	c, d := w.Dims()
	ones := func(a mat.Matrix) *mat.VecDense {
		_, n := a.Dims()
		v, out := mat.NewVecDense(n, nil), new(mat.VecDense)
		for i := range n {
			v.SetVec(i, 1)
		}
		out.MulVec(a, v)
		return out
	}
	s := self{sum: -mat.Dot(ones(w), ones(g))}
	var x mat.Dense
	if d < c {
		x.Mul(w.T(), g)
		s.norm2 = squares(&x)
		return s
	}
	var ww mat.Dense
	ww.Mul(w, w.T())
	x.Mul(g, g.T())
	s.norm2 = mat.Dot(mat.NewVecDense(c*c, ww.RawMatrix().Data), mat.NewVecDense(c*c, x.RawMatrix().Data))
	return s
}

// commuting adds up ‖[M, A]‖² and the squared norms of M = diag(σ²) and of A = ΣTΣ over blocks.
type commuting struct{ commutator, m, a float64 }

// add adds a block with T, r×r.
func (c *commuting) add(sigma []float64, t *mat.SymDense) {
	for i, x := range sigma {
		c.m += x * x * x * x
		for j, y := range sigma {
			v := x * y * t.At(i, j)
			c.a += v * v
			both := (x*x - y*y) * v
			c.commutator += both * both
		}
	}
}

// share returns ‖[M, A]‖/(√2‖M‖‖A‖), which is at most 1.
func (c commuting) share() (float64, error) {
	if !(c.a > 0) || !(c.m > 0) {
		return 0, ErrZero
	}
	return math.Sqrt(c.commutator / (2 * c.m * c.a)), nil
}

// singular returns W = UΣVᵀ, U c×r and V d×r for its rank r, from the eigenvectors of the smaller of WWᵀ and WᵀW.
func singular(w *mat.Dense) (u *mat.Dense, sigma []float64, v *mat.Dense, err error) {
	c, d := w.Dims()
	small := outer(w)
	if d < c {
		small = backend.Gram(w)
	}
	values, vectors, err := backend.EigenSym(small, true)
	if err != nil {
		return nil, nil, nil, err
	}
	n := len(values)
	kept := positive(values)
	if len(kept) == 0 {
		return nil, nil, nil, ErrZero
	}
	own := mat.DenseCopyOf(vectors.Slice(0, n, n-len(kept), n))
	for _, x := range kept {
		sigma = append(sigma, math.Sqrt(x))
	}
	other := new(mat.Dense)
	if d < c {
		other.Mul(w, own)
	} else {
		other.Mul(w.T(), own)
	}
	scaleColumns(other, kept, func(x float64) float64 { return 1 / math.Sqrt(x) })
	if d < c {
		return other, sigma, own, nil
	}
	return own, sigma, other, nil
}
