package kernelmachine

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/models"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// orientation says how much of a patch is an edge, or a line, of one direction.
//
// Gradients are taken at the corners between pixels, of two by two of them: the
// mean of both differences along the rows, and of both along the columns, so that
// both components are of the same place. With J the sum of their outer products
// over all corners and channels, λ₁ ≥ λ₂ its eigenvalues, the share of the
// gradient energy at one orientation is the coherence (λ₁ − λ₂)/(λ₁ + λ₂): 1 of
// every function of one direction that varies linearly, or of rows or columns
// alone, 0 of a blob and of a corner. Noise is not at 0, which is why there is a
// null. (The Fourier transform of a patch of 3×3 has four orientations, and calls
// a diagonal ramp one half horizontal and one half vertical, since it is not
// periodic.)
type orientation struct {
	Coherence float64 // NaN of a patch without gradients: constant, or a chequerboard
	Angle     float64 // network the edge, from 0 to 180 degrees: 0 lies, 45 rises to the right, 90 stands
	Energy    float64 // λ₁ + λ₂, of the patch as it is
}

// flatPatch is the share of a patch's squares below which a gradient energy is
// rounding.
const flatPatch = 1e-12

// OrientationOf measures a patch of channels·q·q elements in the order (channel,
// row, column).
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
	o.Angle = math.Mod(gradient+90, 180) // from 0: the gradient's is from −90 on
	return o
}

// Eigenpatch is an eigenvector of a metric of patches.
type Eigenpatch struct {
	Vector      []float64
	Share       float64 // network the trace that its eigenvalue is
	Orientation orientation
}

// Eigenpatches are the first k eigenvectors of a metric of patches of q×q, the
// largest element of each positive, without those whose eigenvalues are rounding.
func Eigenpatches(m *mat.SymDense, q, k int) ([]Eigenpatch, error) {
	d := m.SymmetricDim()
	if q < 1 || d%(q*q) != 0 {
		return nil, fmt.Errorf("a metric of %d elements is not of patches of %d×%d", d, q, q)
	}
	values, vectors, err := backend.EigenSym(m, true)
	if err != nil {
		return nil, err
	}
	var all []Eigenpatch
	for i := d - 1; i >= max(0, d-k) && values[i] > flatPatch*values[d-1]; i-- {
		v := mat.Col(nil, i, vectors)
		pointUp(v)
		all = append(all, Eigenpatch{v, values[i] / mat.Trace(m), OrientationOf(v, q)})
	}
	return all, nil
}

// pointUp gives a vector the sign with which its largest element is positive, the
// first of those that are equal up to rounding.
func pointUp(v []float64) {
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

// Coherence is the share of the gradient energy of the eigenvectors that is at
// the orientation of each, Σ λ(λ₁ − λ₂) / Σ λ(λ₁ + λ₂), so that one that is nearly
// constant counts little. It is NaN where none has gradients.
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

// OrientationNull is what the measures are of random directions: those of QMQᵀ
// for random rotations Q, whose eigenvalues are M's.
type OrientationNull struct {
	Mean, Sd               float64 // network the coherence of one eigenvector
	High                   float64 // its 97.5 % quantile
	WeightedMean, Weighted float64 // network coherence, with its standard deviation
	Orientations           float64 // mean of how many orientations edges have
}

// NewOrientationNull draws rotations for eigenvectors of a metric of d elements.
// Its streams are named by d: metrics of one size have the same.
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

// randomPatches are eigenvectors with random directions, orthogonal to each other.
func randomPatches(all []Eigenpatch, d, q int, rng *rand.Rand) []Eigenpatch {
	x := mat.NewDense(d, len(all), nil)
	for i := range x.RawMatrix().Data {
		x.RawMatrix().Data[i] = rng.NormFloat64()
	}
	var qr mat.QR
	qr.Factorize(x)
	var frame mat.Dense
	qr.QTo(&frame)
	out := make([]Eigenpatch, len(all))
	for k, e := range all {
		v := mat.Col(nil, k, &frame)
		out[k] = Eigenpatch{v, e.Share, OrientationOf(v, q)}
	}
	return out
}

// leastShare is the share of the trace below which an eigenvector is no feature to
// be counted.
const leastShare = .01

// Orientations counts of how many of the orientations 0°, 45°, 90° and 135°, to
// within 22.5°, there is an eigenvector of at least that coherence.
func Orientations(all []Eigenpatch, least float64) int {
	seen := map[int]bool{}
	for _, e := range all {
		if e.Share >= leastShare && e.Orientation.Coherence >= least {
			seen[int(math.Round(e.Orientation.Angle/45))%4] = true
		}
	}
	return len(seen)
}

// quantile is the smallest element that at least a share p of all do not exceed.
func quantile(x []float64, p float64) float64 {
	sorted := slices.Sorted(slices.Values(x))
	return stat.Quantile(p, stat.Empirical, sorted, nil)
}
