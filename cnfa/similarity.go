package cnfa

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/graph/moment"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// Similarity holds the similarity of a layer's CNFM M = WᵀW and its AGOP A = WᵀSW/n, with its null. The measures
// do not depend on the scale of M or A. For a layer with groups, M and A are lists of blocks, one per group: all elements
// of all blocks count, and powers are taken block by block.
type Similarity struct {
	// Pearson is the correlation of all d² elements.
	Pearson float64
	// PearsonStdErr is its standard error by the jackknife over groups of
	// images; NaN with fewer than two groups.
	PearsonStdErr float64
	// PearsonNull and PearsonNullSD are the mean and the standard deviation of Pearson with S replaced by
	// QSQᵀ, Q a random rotation, over NullDraws draws.
	PearsonNull, PearsonNullSD float64
	NullDraws                  int
	// PearsonDraws and CosineDraws are the nulls, draw by draw.
	PearsonDraws, CosineDraws []float64
	// Null says what the null draws: a permutation where a rotation would change nothing.
	Null NullKind
	// Cosine is the cosine of M and A, Pearson without centring. CosineNull and CosineNullSD are its null, with
	// the same rotations.
	Cosine, CosineNull, CosineNullSD float64
	// PearsonSqrt is the correlation of M and A^½.
	PearsonSqrt float64
	// Powers are the correlations of M and A^α for the exponents α of [Options.Powers], with their nulls.
	Powers []PowerSimilarity
	// CNFMTrace and AGOPTrace are tr M and tr A.
	CNFMTrace, AGOPTrace float64
}

// Ansatz holds the similarity of the AGOP with one CNFM of a layer.
type Ansatz struct {
	Similarity
	// Err is set where the similarity is not defined; the other fields are then meaningless.
	Err error
}

// Excess returns how far Pearson lies above its null.
func (s Similarity) Excess() float64 { return s.Pearson - s.PearsonNull }

// Group is the second moment of a layer's cotangents over some images: the sum, not
// the mean, over images, positions and outputs of δδᵀ.
type Group struct {
	Images int
	Moment moment.Moment // of c-vectors
}

// Compare measures a layer with filters W, c×d, from the moments of its cotangents δ over at least one group of
// images, and with at least one draw of the null from rng. If the moments have several blocks, as those of a layer with
// groups do, W is divided evenly into as many blocks of rows. The CNFM is that of W − W₀ if w0, the initial filters, is
// not nil. Compare returns [ErrZero] if a measure is not defined.
func Compare(w, w0 *mat.Dense, groups []Group, draws int, rng *rand.Rand) (Similarity, error) {
	if len(groups) == 0 || draws < 1 {
		return Similarity{}, fmt.Errorf("cnfa: %d groups of images, %d draws of the null: want at least 1 of each",
			len(groups), draws)
	}
	n := len(groups[0].Moment.Blocks())
	if c, _ := w.Dims(); c%n != 0 {
		return Similarity{}, fmt.Errorf("cnfa: %d blocks of %d filters: want as many filters in each", n, c)
	}
	blocks := rowBlocks(w, n)
	m := newLayerMoments(blocks, graph.Double)
	for _, g := range groups {
		m.add(g)
	}
	l := newLayer(blocks)
	all, err := m.compare(l, []*cnfm{l.cnfm(rowBlocks(w0, n))}, nullSpec{draws: draws, threads: 1}, rng)
	if err != nil {
		return Similarity{}, err
	}
	return all[0].Similarity, all[0].Err
}

// nullSpec says how many rotations are drawn, for which powers of the AGOP besides 1, and on how many threads.
type nullSpec struct {
	draws   int
	powers  []float64
	threads int
	drawing chan struct{} // bounds the draws at a time of all layers; nil sets no bound
}

// compare measures the moments of a layer against every CNFM, with the same rotations for all.
func (m layerMoments) compare(l layer, cnfms []*cnfm, spec nullSpec, rng *rand.Rand) ([]Ansatz, error) {
	all, err := m.measure(l, cnfms, spec, rng)
	if errors.Is(err, ErrZero) { // not defined for any CNFM
		return slices.Repeat([]Ansatz{{Err: err}}, len(cnfms)), nil
	}
	return all, err
}

func (m layerMoments) measure(l layer, cnfms []*cnfm, spec nullSpec, rng *rand.Rand) ([]Ansatz, error) {
	bases := make([]*reduced, len(m))
	for i, block := range m {
		var err error
		if bases[i], err = block.reduce(); err != nil {
			return nil, err
		}
	}
	a, err := l.agop(bases)
	if err != nil {
		return nil, err
	}
	all := make([]Ansatz, len(cnfms))
	var defined []*cnfm
	for i, c := range cnfms {
		if slices.Contains(spec.powers, fitted) {
			if err := c.findValues(); err != nil {
				return nil, err
			}
		}
		all[i].Similarity, all[i].Err = a.similarity(c, m[0].images, spec)
		all[i].Null = l.nullKind()
		if all[i].Err == nil {
			defined = append(defined, c)
		}
	}
	null, err := l.nullDraws(bases, defined, spec, rng)
	for i := range all {
		if s := &all[i]; s.Err == nil && err == nil {
			s.PearsonNull, s.PearsonNullSD = stat.PopMeanStdDev(null[0].pearson, nil)
			s.CosineNull, s.CosineNullSD = stat.PopMeanStdDev(null[0].cosine, nil)
			s.NullDraws = spec.draws
			s.PearsonDraws, s.CosineDraws = null[0].pearson, null[0].cosine
			for k := range s.Powers {
				s.Powers[k].Draws = null[0].powers[k]
				s.Powers[k].PearsonNull, s.Powers[k].PearsonNullSD = stat.PopMeanStdDev(null[0].powers[k], nil)
			}
			null = null[1:]
		}
	}
	return all, err
}

// square returns ‖a‖².
func square(a mat.Matrix) float64 {
	n := mat.Norm(a, 2)
	return n * n
}

// pearsonWith returns Pearson's similarity of the CNFMs WᵀW and VᵀV, for blocks of filters W, c×d, and V, with as many
// columns. It returns [ErrZero] if the similarity is not defined.
func (l layer) pearsonWith(v []*mat.Dense) (float64, error) {
	var inner float64
	var of, with self
	for i, f := range l {
		inner += cnfmProduct(f.w, v[i])
		of.add(f.self())
		with.add(self{gramNorm2(v[i]), square(rowSums(v[i]))})
	}
	d2 := l.entries()
	return Ratio(inner-of.sum*with.sum/d2, of.norm2-of.sum*of.sum/d2, with.norm2-with.sum*with.sum/d2, of.norm2,
		with.norm2)
}

// cnfmProduct returns ⟨WᵀW, VᵀV⟩ = ‖WVᵀ‖² of filters W and V with as many columns.
func cnfmProduct(w, v *mat.Dense) float64 {
	if c, d := w.Dims(); d < c {
		return traceProduct(backend.Gram(w), backend.Gram(v))
	}
	var wv mat.Dense
	wv.Mul(w, v.T())
	return square(&wv)
}
