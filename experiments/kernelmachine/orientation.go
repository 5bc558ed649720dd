package kernelmachine

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/ansatz-lab/ansatz/experiments/linalg"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/models"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// orientation says how far a patch is an edge, or a line, in one direction.
//
// Gradients are taken at the corners between 2×2 pixels: the mean difference along the rows, and the
// mean difference along the columns, so that both components belong to the same place. Let J be the sum
// of their outer products over all corners and channels, with eigenvalues λ₁ ≥ λ₂. The coherence
// (λ₁ − λ₂)/(λ₁ + λ₂) is the share of the gradient energy at one orientation: 1 for a linear ramp and for
// a patch that varies along rows or columns only, 0 for a blob and for a corner. It is not 0 for noise,
// which is why there is a null. (The Fourier transform is no alternative: for a 3×3 patch it has only
// four orientations, and a diagonal ramp, which is not periodic, counts as half horizontal and half
// vertical.)
type orientation struct {
	Coherence float64 // NaN for a patch without gradients: a constant or a chequerboard
	Angle     float64 // of the edge, in [0, 180) degrees: 0 is horizontal, 45 rises to the right
	Energy    float64 // λ₁ + λ₂, without normalisation
}

// flatPatch is the share of a patch's squared norm below which gradient energy is taken for rounding.
const flatPatch = 1e-12

// OrientationOf measures a patch of channels·q·q elements, in the order channel, row, column.
func OrientationOf(v []float64, q int) orientation {
	var xx, yy, xy, squares float64
	for _, x := range v {
		squares += x * x
	}
	for c := 0; c < len(v); c += q * q {
		for i := range q - 1 {
			for j := range q - 1 {
				at := c + i*q + j
				a, b, d, e := v[at], v[at+1], v[at+q], v[at+q+1]
				gx, gy := (b-a+e-d)/2, (a-d+b-e)/2 // to the right and up
				xx, yy, xy = xx+gx*gx, yy+gy*gy, xy+gx*gy
			}
		}
	}
	o := orientation{Coherence: math.NaN(), Angle: math.NaN(), Energy: xx + yy}
	if !(o.Energy > flatPatch*squares) {
		o.Energy = 0
		return o
	}
	o.Coherence = math.Hypot(xx-yy, 2*xy) / o.Energy
	gradient := math.Atan2(2*xy, xx-yy) / 2 * 180 / math.Pi
	o.Angle = math.Mod(gradient+90, 180) // the gradient's angle is in [−90, 90]
	return o
}

// Eigenpatch is an eigenvector of a metric of patches.
type Eigenpatch struct {
	Vector      []float64
	Share       float64 // of the eigenvalue in the trace
	Orientation orientation
}

// Eigenpatches returns the first k eigenvectors of a metric of q×q patches, without those whose
// eigenvalues are rounding. The largest element of each is positive.
func Eigenpatches(m *mat.SymDense, q, k int) ([]Eigenpatch, error) {
	d := m.SymmetricDim()
	if q < 1 || d%(q*q) != 0 {
		return nil, fmt.Errorf("a metric of size %d is not a metric of patches of %d×%d", d, q, q)
	}
	values, vectors, err := backend.EigenSym(m, true)
	if err != nil {
		return nil, err
	}
	var all []Eigenpatch
	for i := d - 1; i >= max(0, d-k) && values[i] > flatPatch*values[d-1]; i-- {
		v := mat.Col(nil, i, vectors)
		fixSign(v)
		all = append(all, Eigenpatch{v, values[i] / mat.Trace(m), OrientationOf(v, q)})
	}
	return all, nil
}

// fixSign flips the sign of a vector if its largest element is negative. Of elements that are equally
// large up to rounding, the first counts.
func fixSign(v []float64) {
	top := 0.
	for _, x := range v {
		if math.Abs(x) > math.Abs(top)*(1+1e-9) {
			top = x
		}
	}
	if top < 0 {
		for i := range v {
			v[i] = -v[i]
		}
	}
}

// Coherence returns the coherence of eigenvectors together, Σ λ(λ₁ − λ₂) / Σ λ(λ₁ + λ₂) with λ the
// eigenvalue, so that a nearly constant one counts little. It is NaN if none has gradients.
func Coherence(all []Eigenpatch) float64 {
	one, both := 0., 0.
	for _, e := range all {
		if e.Orientation.Energy > 0 {
			one += e.Share * e.Orientation.Energy * e.Orientation.Coherence
			both += e.Share * e.Orientation.Energy
		}
	}
	return one / both
}

// OrientationNull holds the measures of random directions: of the eigenvectors of QMQᵀ for random
// rotations Q, which has the eigenvalues of M.
type OrientationNull struct {
	Mean, Sd               float64 // of one eigenvector's coherence
	High                   float64 // 97.5 % quantile of one eigenvector's coherence
	WeightedMean, Weighted float64 // mean and standard deviation of [Coherence]
	Orientations           float64 // mean of [Orientations]
}

// NewOrientationNull draws rotations of the eigenvectors of a metric of size d×d. Metrics of one size
// get the same rotations.
func NewOrientationNull(all []Eigenpatch, d, q, draws int, seed uint64) OrientationNull {
	rng := models.Stream(seed, "orientation null")
	var single, weighted []float64
	drawn := make([][]Eigenpatch, draws)
	for k := range drawn {
		drawn[k] = randomPatches(all, d, q, rng)
		for _, e := range drawn[k] {
			single = append(single, e.Orientation.Coherence)
		}
		weighted = append(weighted, Coherence(drawn[k]))
	}
	var n OrientationNull
	n.Mean, n.Sd = stat.MeanStdDev(single, nil)
	n.WeightedMean, n.Weighted = stat.MeanStdDev(weighted, nil)
	n.High = quantile(single, .975)
	for _, p := range drawn {
		n.Orientations += float64(Orientations(p, n.High)) / float64(draws)
	}
	return n
}

// randomPatches returns the eigenvectors with random directions, which are orthogonal to each other.
func randomPatches(all []Eigenpatch, d, q int, rng *rand.Rand) []Eigenpatch {
	var qr mat.QR
	qr.Factorize(linalg.Gaussian(rng, d, len(all), 1))
	var frame mat.Dense
	qr.QTo(&frame)
	out := make([]Eigenpatch, len(all))
	for k, e := range all {
		v := mat.Col(nil, k, &frame)
		out[k] = Eigenpatch{v, e.Share, OrientationOf(v, q)}
	}
	return out
}

// Orientations counts the orientations among 0°, 45°, 90° and 135° for which there is an eigenvector of
// at least that coherence, within 22.5°, however small its eigenvalue: it is for the first few of a metric.
func Orientations(all []Eigenpatch, least float64) int {
	seen := map[int]bool{}
	for _, e := range all {
		if e.Orientation.Coherence >= least {
			seen[int(math.Round(e.Orientation.Angle/45))%4] = true
		}
	}
	return len(seen)
}

// quantile returns the smallest element that at least a share p of all elements do not exceed.
func quantile(x []float64, p float64) float64 {
	sorted := slices.Sorted(slices.Values(x))
	return stat.Quantile(p, stat.Empirical, sorted, nil)
}
