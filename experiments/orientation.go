package experiments

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
	coherence float64 // NaN of a patch without gradients: constant, or a chequerboard
	angle     float64 // of the edge, from 0 to 180 degrees: 0 lies, 45 rises to the right, 90 stands
	energy    float64 // λ₁ + λ₂, of the patch as it is
}

// flatPatch is the share of a patch's squares below which a gradient energy is
// rounding.
const flatPatch = 1e-12

// orientationOf measures a patch of channels·q·q elements in the order (channel,
// row, column).
func orientationOf(v []float64, q int) orientation {
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
	o := orientation{coherence: math.NaN(), angle: math.NaN(), energy: xx + yy}
	if !(o.energy > flatPatch*squares) {
		o.energy = 0
		return o
	}
	o.coherence = math.Hypot(xx-yy, 2*xy) / o.energy
	gradient := math.Atan2(2*xy, xx-yy) / 2 * 180 / math.Pi
	o.angle = math.Mod(gradient+90, 180) // from 0: the gradient's is from −90 on
	return o
}

// eigenpatch is an eigenvector of a metric of patches.
type eigenpatch struct {
	vector      []float64
	share       float64 // of the trace that its eigenvalue is
	orientation orientation
}

// eigenpatches are the first k eigenvectors of a metric of patches of q×q, the
// largest element of each positive, without those whose eigenvalues are rounding.
func eigenpatches(m *mat.SymDense, q, k int) ([]eigenpatch, error) {
	d := m.SymmetricDim()
	if q < 1 || d%(q*q) != 0 {
		return nil, fmt.Errorf("a metric of %d elements is not of patches of %d×%d", d, q, q)
	}
	values, vectors, err := backend.EigenSym(m, true)
	if err != nil {
		return nil, err
	}
	var all []eigenpatch
	for i := d - 1; i >= max(0, d-k) && values[i] > flatPatch*values[d-1]; i-- {
		v := mat.Col(nil, i, vectors)
		pointUp(v)
		all = append(all, eigenpatch{v, values[i] / mat.Trace(m), orientationOf(v, q)})
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

// coherence is the share of the gradient energy of the eigenvectors that is at
// the orientation of each, Σ λ(λ₁ − λ₂) / Σ λ(λ₁ + λ₂), so that one that is nearly
// constant counts little. It is NaN where none has gradients.
func coherence(all []eigenpatch) float64 {
	one, both := 0., 0.
	for _, e := range all {
		if e.orientation.energy > 0 {
			one += e.share * e.orientation.energy * e.orientation.coherence
			both += e.share * e.orientation.energy
		}
	}
	return one / both
}

// orientationNull is what the measures are of random directions: those of QMQᵀ
// for random rotations Q, whose eigenvalues are M's.
type orientationNull struct {
	mean, sd               float64 // of the coherence of one eigenvector
	high                   float64 // its 97.5 % quantile
	weightedMean, weighted float64 // of coherence, with its standard deviation
	orientations           float64 // mean of how many orientations edges have
}

// newOrientationNull draws rotations for eigenvectors of a metric of d elements.
// Its streams are named by d: metrics of one size have the same.
func newOrientationNull(all []eigenpatch, d, q, draws int, seed uint64) orientationNull {
	rng := models.Stream(seed, "orientation null")
	var single, weighted []float64
	drawn := make([][]eigenpatch, draws)
	for k := range drawn {
		drawn[k] = randomPatches(all, d, q, rng)
		for _, e := range drawn[k] {
			single = append(single, e.orientation.coherence)
		}
		weighted = append(weighted, coherence(drawn[k]))
	}
	var n orientationNull
	n.mean, n.sd = stat.MeanStdDev(single, nil)
	n.weightedMean, n.weighted = stat.MeanStdDev(weighted, nil)
	n.high = quantile(single, .975)
	for _, p := range drawn {
		n.orientations += float64(orientations(p, n.high)) / float64(draws)
	}
	return n
}

// randomPatches are eigenvectors with random directions, orthogonal to each other.
func randomPatches(all []eigenpatch, d, q int, rng *rand.Rand) []eigenpatch {
	x := mat.NewDense(d, len(all), nil)
	for i := range x.RawMatrix().Data {
		x.RawMatrix().Data[i] = rng.NormFloat64()
	}
	var qr mat.QR
	qr.Factorize(x)
	var frame mat.Dense
	qr.QTo(&frame)
	out := make([]eigenpatch, len(all))
	for k, e := range all {
		v := mat.Col(nil, k, &frame)
		out[k] = eigenpatch{v, e.share, orientationOf(v, q)}
	}
	return out
}

// leastShare is the share of the trace below which an eigenvector is no feature to
// be counted.
const leastShare = .01

// orientations counts of how many of the orientations 0°, 45°, 90° and 135°, to
// within 22.5°, there is an eigenvector of at least that coherence.
func orientations(all []eigenpatch, least float64) int {
	seen := map[int]bool{}
	for _, e := range all {
		if e.share >= leastShare && e.orientation.coherence >= least {
			seen[int(math.Round(e.orientation.angle/45))%4] = true
		}
	}
	return len(seen)
}

// quantile is the smallest element that at least a share p of all do not exceed.
func quantile(x []float64, p float64) float64 {
	sorted := slices.Sorted(slices.Values(x))
	return stat.Quantile(p, stat.Empirical, sorted, nil)
}
