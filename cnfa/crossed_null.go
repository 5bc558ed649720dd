package cnfa

import (
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// blockNull is one block, W = UΣVᵀ, prepared for null draws: each replaces U (filter side) or V (patch side) by a random
// frame E, n×r.
type blockNull struct {
	f   *filters
	sum *crossed
	x   *mat.SymDense // what was measured on that side: S_ℓ or C; nil if no statement needs it
	// The matrices that draws are multiplied with, x and that of the outputs, with both triangles.
	full  map[*mat.SymDense]*mat.Dense
	own   self // of x
	sigma []float64
	left  bool       // U is replaced, else V
	basis *mat.Dense // U or V
	along *mat.Dense // VᵀGᵀ or UᵀG, r×n: the gradient along the directions that are not replaced
	g     *mat.Dense // G or Gᵀ, n×m
	gOnes *mat.VecDense
	stays *mat.VecDense // Vᵀ1 or Uᵀ1
	other *mat.SymDense // RGA's other matrix, in the basis that is replaced: UᵀWCWᵀU or VᵀWᵀS_ℓWV
}

// newBlockNull prepares the draws of a block.
func newBlockNull(of *crossedBlock, sum *crossed, left bool) (*blockNull, error) {
	u, sigma, v, err := of.singular()
	if err != nil {
		return nil, err
	}
	b := &blockNull{x: sum.loss, f: of.f, sum: sum, sigma: sigma, left: left, basis: u}
	stays := v
	if !left {
		b.basis, stays, b.x = v, u, sum.inputs
	}
	if b.x != nil {
		b.own = selfOf(b.x)
	}
	b.full = map[*mat.SymDense]*mat.Dense{}
	for _, x := range []*mat.SymDense{b.x, sum.outputs} {
		if x != nil && b.full[x] == nil {
			b.full[x] = dense(x)
		}
	}
	b.stays = mat.NewVecDense(len(sigma), nil)
	n, _ := stays.Dims()
	for i := range n {
		b.stays.AddVec(b.stays, mat.NewVecDense(len(sigma), stays.RawRowView(i)))
	}
	if g := sum.gradient; g != nil {
		b.g = g
		if !left {
			b.g = mat.DenseCopyOf(g.T())
		}
		b.along = new(mat.Dense)
		b.along.Mul(stays.T(), b.g.T())
		b.gOnes = rowSums(b.g)
	}
	switch {
	case left && sum.read != nil:
		b.other = congruence(u, sum.read)
	case !left && sum.loss != nil:
		b.other = congruence(u, sum.loss)
		for i, x := range sigma {
			for j := i; j < len(sigma); j++ {
				b.other.SetSym(i, j, x*sigma[j]*b.other.At(i, j))
			}
		}
	}
	return b, nil
}

// blockDraw is one draw of a block: what statements need of E.
type blockDraw struct {
	e    *mat.Dense                      // Eᵀ, r×n
	ones []float64                       // Eᵀ1
	full map[*mat.SymDense]*mat.Dense    // of the block
	of   map[*mat.SymDense]*mat.SymDense // EᵀXE of the matrices X that were asked for
}

// draw draws E; it returns nil for a block with W = 0.
func (b *blockNull) draw(rng *rand.Rand) (*blockDraw, error) {
	if b.sigma == nil {
		return nil, nil
	}
	n, r := b.basis.Dims()
	e, err := RandomFrame(r, n, rng)
	if err != nil {
		return nil, err
	}
	t := &blockDraw{e: e, full: b.full, of: map[*mat.SymDense]*mat.SymDense{}}
	for i := range r {
		t.ones = append(t.ones, floats.Sum(e.RawRowView(i)))
	}
	return t, nil
}

// sandwich returns EᵀXE.
func (t *blockDraw) sandwich(x *mat.SymDense) *mat.SymDense {
	if t.of[x] == nil {
		var ex, exe mat.Dense
		ex.Mul(t.e, t.full[x])
		exe.Mul(&ex, t.e.T())
		t.of[x] = symmetric(&exe)
	}
	return t.of[x]
}

// addTo adds the block to the value of a statement, for a draw. A block with W = 0 adds nothing to the commutator.
func (b *blockNull) addTo(v *valueSum, t *blockDraw) {
	switch {
	case v.statement != Commutator:
		v.overlap.add(b.overlap(v.statement, t))
	case b.sigma != nil:
		v.commuting.add(b.sigma, t.sandwich(b.sum.outputs))
	}
}

// overlap returns the overlap of the matrices of a statement for a draw.
func (b *blockNull) overlap(statement string, t *blockDraw) overlap {
	if b.sigma == nil {
		return b.f.overlapOf(statement, b.sum)
	}
	n, r := b.basis.Dims()
	o := overlap{entries: float64(n) * float64(n)}
	switch statement {
	case ForwardGWA, InputCov: // X and EΣ²Eᵀ
		seen := t.sandwich(b.x)
		o.p = b.own
		for i, s := range b.sigma {
			o.inner += s * s * seen.At(i, i)
			o.q.norm2 += s * s * s * s
			o.q.sum += s * s * t.ones[i] * t.ones[i]
		}
	case ForwardRGA, BackRGA: // E(other)Eᵀ and X
		ones := mat.NewVecDense(r, t.ones)
		o.inner = traceProduct(t.sandwich(b.x), b.other)
		o.p = self{frobenius2(b.other), mat.Inner(ones, b.other, ones)}
		o.q = b.own
	case ForwardRWA: // UΣ(EᵀCE)ΣUᵀ and WWᵀ
		seen := t.sandwich(b.x)
		for i, x := range b.sigma {
			o.inner += x * x * x * x * seen.At(i, i)
			for j, y := range b.sigma {
				v := x * y * seen.At(i, j)
				o.p.norm2 += v * v
				o.p.sum += v * b.stays.AtVec(i) * b.stays.AtVec(j)
			}
		}
		o.q = selfOf(b.f.gram())
		c, _ := b.f.w.Dims()
		o.entries = float64(c) * float64(c)
	case FACT, BackFACT:
		o.entries, o.p = b.stayingSelf()
		var eg mat.Dense
		eg.Mul(t.e, b.g)
		for i, s := range b.sigma {
			row := eg.RawRowView(i)
			o.inner -= s * s * s * floats.Dot(t.e.RawRowView(i), b.along.RawRowView(i))
			o.q.norm2 += s * s * floats.Dot(row, row)
			o.q.sum -= s * b.stays.AtVec(i) * floats.Dot(t.e.RawRowView(i), b.gOnes.RawVector().Data)
		}
	}
	return o
}

// stayingSelf returns the number of elements and the inner products of the Gram matrix of W that the null does not
// change: WᵀW where U is replaced, WWᵀ where V is.
func (b *blockNull) stayingSelf() (entries float64, s self) {
	c, d := b.f.w.Dims()
	for _, x := range b.sigma {
		s.norm2 += x * x * x * x
	}
	if b.left {
		s.sum = mat.Dot(b.f.u, b.f.u)
		return float64(d) * float64(d), s
	}
	s.sum = sumOf(b.f.gram())
	return float64(c) * float64(c), s
}
