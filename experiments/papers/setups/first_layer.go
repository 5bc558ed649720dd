package setups

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/experiments/linalg"
	"github.com/ansatz-lab/ansatz/experiments/similarity"
	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
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

// FeatureAlignment is the similarity of a network's feature matrix W₁ᵀW₁ and the AGOP of its outputs,
// as whole matrices and on their diagonals, each with a null.
type FeatureAlignment struct {
	whole    cnfa.Similarity
	Diagonal similarity.Alignment
	AGOP     []float64 // the diagonal of the AGOP
}

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
	f.Diagonal, err = AlignDiagonals(w, moment.Sym(), draws, rng)
	return f, err
}

// gradientMoment returns S = Σδδᵀ of the gradients δ of a network's outputs at the pre-activation
// of its first layer, over the rows of x.
func gradientMoment(
	ctx context.Context, d *backend.Device, net *models.Network, x *mat.Dense, centred bool,
) (graph.Moment, error) {
	n, _ := x.Dims()
	batch := min(n, predictBatch)
	f, err := net.Function(d, batch, graph.Single)
	if err != nil {
		return graph.Moment{}, err
	}
	m, err := f.Moments([]*graph.Node{f.Layers[0].Pre}, graph.Outputs{Centred: centred})
	if err != nil {
		return graph.Moment{}, err
	}
	in, rows := f.Data(f.Inputs()[0]).Float32s(), flattenRows(x)
	width := len(in) / batch
	for i := 0; i < n; i += batch {
		count := min(batch, n-i)
		copy(in, rows[i*width:(i+count)*width])
		if err := m.Batch(ctx, count, nil); err != nil {
			return graph.Moment{}, err
		}
	}
	return m.Take()[0], nil
}

// AlignDiagonals compares the diagonals of WᵀW and WᵀSW, with those of WᵀQSQᵀW
// for random rotations Q as the null.
func AlignDiagonals(w *mat.Dense, s *mat.SymDense, draws int, rng *rand.Rand) (similarity.Alignment, error) {
	own := SquaredColumns(w)
	values, vectors, err := backend.EigenSym(s, true)
	if err != nil {
		return similarity.Alignment{}, err
	}
	var root mat.Dense // Λ^½Vᵀ, so that S = rootᵀroot
	root.CloneFrom(vectors.T())
	for i, v := range values {
		row := root.RawRowView(i)
		for j := range row {
			row[j] *= math.Sqrt(max(v, 0))
		}
	}
	return similarity.AlignValues(own, SquaredColumns(linalg.Product(&root, w)), draws, func() []float64 {
		return SquaredColumns(linalg.Product(&root, similarity.RandomRotation(len(values), rng), w))
	})
}

// SquaredColumns returns the squared lengths of the columns, which are the diagonal of WᵀW.
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
