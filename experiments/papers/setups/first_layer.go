package setups

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/experiments/linalg"
	"github.com/ansatz-lab/ansatz/experiments/similarity"
	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/graph/moment"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

// FirstFilters returns the weights W₁ of a network's first layer, units × features.
func FirstFilters(net *models.Network) *mat.Dense { return net.Filters(net.Layers()[0].Name) }

// NetworkMetric returns the feature matrix W₁ᵀW₁ of a network, as the metric of a kernel.
func NetworkMetric(net *models.Network) *rfm.Metric {
	return rfm.FullMetric(cnfa.CNFM(FirstFilters(net)))
}

// NetworkDiagonal returns the diagonal of [NetworkMetric].
func NetworkDiagonal(net *models.Network) []float64 { return SquaredColumns(FirstFilters(net)) }

// ApplyFirstLayer returns Wx for the rows of x, with W = W₁/√scale. For a kernel that is invariant
// under rotations this replaces the metric W₁ᵀW₁/scale, since ‖Wx − Wz‖² = (x − z)ᵀWᵀW(x − z); no
// eigenvectors of the metric are needed.
func ApplyFirstLayer(w, x *mat.Dense, scale float64) *mat.Dense {
	var out mat.Dense
	out.Mul(x, w.T())
	out.Scale(1/math.Sqrt(scale), &out)
	return &out
}

// FeatureAlignment is the similarity of a network's feature matrix W₁ᵀW₁ to the AGOP of its outputs, for the whole
// matrices and for their diagonals, each with a null.
type FeatureAlignment struct {
	whole    cnfa.Similarity
	Diagonal similarity.Alignment
	Root     *similarity.Alignment // with AGOP^½, see [AlignRoot]; nil for more than maxRootFeatures features
	AGOP     []float64             // the diagonal of the AGOP
}

// maxRootFeatures is the largest number of features for [AlignRoot], which computes eigenvectors of the AGOP and of
// every draw of its null.
const maxRootFeatures = 100

// AlignFeatures compares W₁ᵀW₁ with the AGOP over the rows of x. Centred subtracts the mean
// gradient of every output first, as rfm Fig. 12 does. The null rotates S in AGOP = W₁ᵀSW₁ at
// random.
func AlignFeatures(ctx context.Context, d *backend.Device, net *models.Network, x *mat.Dense, centred bool, draws int,
	seed uint64) (*FeatureAlignment, error) {
	moment, err := gradientMoment(ctx, d, net, x, centred)
	if err != nil {
		return nil, err
	}
	n, _ := x.Dims()
	w := FirstFilters(net)
	rng := models.Stream(seed, "null of the first layer")
	f := &FeatureAlignment{AGOP: similarity.MapValues(similarity.DiagonalOf(moment.Sandwich(w)),
		func(v float64) float64 { return v / float64(n) })}
	f.whole, err = cnfa.Compare(w, nil, []cnfa.Group{{Images: n, Moment: moment}}, draws, rng)
	if err != nil {
		return nil, err
	}
	if f.Diagonal, err = AlignDiagonals(w, moment.Sym(), draws, rng); err != nil {
		return nil, err
	}
	if _, d := w.Dims(); d <= maxRootFeatures {
		a, err := AlignRoot(w, moment.Sym(), draws, rng)
		if err != nil {
			return nil, err
		}
		f.Root = &a
	}
	return f, nil
}

// gradientMoment returns S = Σδδᵀ of the gradients δ of a network's outputs at the pre-activation
// of its first layer, over the rows of x.
func gradientMoment(
	ctx context.Context, d *backend.Device, net *models.Network, x *mat.Dense, centred bool,
) (moment.Moment, error) {
	f, err := net.Function(d, min(linalg.RowCount(x), predictBatch), graph.Single)
	if err != nil {
		return moment.Moment{}, err
	}
	m, err := f.Moments([]*graph.Node{f.Layers[0].Pre}, graph.Outputs{Centred: centred})
	if err != nil {
		return moment.Moment{}, err
	}
	err = models.EachBatch(f, linalg.Float32s(x), func(lo, hi int) error { return m.Batch(ctx, hi-lo, nil) })
	if err != nil {
		return moment.Moment{}, err
	}
	return m.Take()[0], nil
}

// AlignDiagonals compares the diagonals of WᵀW and WᵀSW, with those of WᵀQSQᵀW
// for random rotations Q as the null.
func AlignDiagonals(w *mat.Dense, s *mat.SymDense, draws int, rng *rand.Rand) (similarity.Alignment, error) {
	root, err := factor(s, .5)
	if err != nil {
		return similarity.Alignment{}, err
	}
	return similarity.AlignValues(SquaredColumns(w), SquaredColumns(linalg.Product(root, w)), draws, func() []float64 {
		return SquaredColumns(linalg.Product(root, similarity.RandomRotation(s.SymmetricDim(), rng), w))
	})
}

// AlignRoot compares WᵀW with (WᵀSW)^½, with (WᵀQSQᵀW)^½ for random rotations Q as the null.
func AlignRoot(w *mat.Dense, s *mat.SymDense, draws int, rng *rand.Rand) (similarity.Alignment, error) {
	root, err := factor(s, .5)
	if err != nil {
		return similarity.Alignment{}, err
	}
	var failed error
	_, d := w.Dims()
	elements := func(a *mat.Dense) []float64 { // the elements of (aᵀa)^½
		quarter, err := factor(cnfa.CNFM(a), .25)
		if err != nil {
			failed = err
			return make([]float64, d*d)
		}
		return linalg.Elements(cnfa.CNFM(quarter))
	}
	a, err := similarity.AlignValues(linalg.Elements(cnfa.CNFM(w)), elements(linalg.Product(root, w)), draws,
		func() []float64 {
			return elements(linalg.Product(root, similarity.RandomRotation(s.SymmetricDim(), rng), w))
		})
	return a, errors.Join(failed, err)
}

// factor returns ΛᵖVᵀ for a positive semi-definite s = VΛVᵀ. The Gram matrix of the factor is s²ᵖ.
func factor(s *mat.SymDense, p float64) (*mat.Dense, error) {
	values, vectors, err := backend.EigenSym(s, true)
	if err != nil {
		return nil, err
	}
	f := mat.DenseCopyOf(vectors.T())
	for i, v := range values {
		row := f.RawRowView(i)
		for j := range row {
			row[j] *= math.Pow(max(v, 0), p)
		}
	}
	return f, nil
}

// SquaredColumns returns the squared norms of the columns, the diagonal of WᵀW.
func SquaredColumns(w *mat.Dense) []float64 {
	n, d := w.Dims()
	out := make([]float64, d)
	for i := range n {
		for j, v := range w.RawRowView(i) {
			out[j] += v * v
		}
	}
	return out
}

// Alignment returns the comparison of the whole matrices.
func (f *FeatureAlignment) Alignment() similarity.Alignment {
	return similarity.Alignment{Pearson: f.whole.Pearson, Cosine: f.whole.Cosine, NullMean: f.whole.PearsonNull,
		NullSD: f.whole.PearsonNullSD}
}
