package experiments

import (
	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/experiments/need"
	"github.com/ansatz-lab/ansatz/models"
)

// momentSize is how much the moment of a layer's cotangents is, over a group of images.
type momentSize struct {
	vectors float64 // of c numbers
	few     bool    // so that they are held, and not the c² sums of their products
}

// moment is that of a layer, where so many images are taken at a time.
func (v verifySize) moment(l models.LayerInfo, batch float64) momentSize {
	perImage := float64(v.outputs) * float64(l.Positions)
	return momentSize{vectors: perImage * float64(v.perGroup()), few: 2*batch*perImage <= float64(l.Filters)}
}

// numbers is how many a moment of c-vectors has.
func (m momentSize) numbers(c float64) float64 {
	if m.few {
		return m.vectors * c
	}
	return c * c
}

// comparing is the comparison of some layers, after their gradients.
func (v verifySize) comparing(layers []models.LayerInfo) need.Comparison {
	var j need.Comparison
	batch := v.batchOf(need.NetOf(layers), v.perGroup())
	for _, l := range layers {
		v.compare(&j, l, v.moment(l, batch))
	}
	return j
}

// compare adds a layer with c filters on patches of d numbers: what package cnfa
// multiplies for its measures, on cores of the size n of the smallest of c, d and all
// vectors, and for the draws of their null, with s eigenvalues of the sum.
func (v verifySize) compare(j *need.Comparison, l models.LayerInfo, m momentSize) {
	c, d, groups := float64(l.Filters), float64(l.PatchSize()), float64(v.groups)
	vectors := groups * m.vectors
	s, n, narrow := min(vectors, c), min(c, d), d < c
	if narrow { // a basis of the range of W
		j.Roots += d * d * d
		j.Products += 3. / 2 * d * d * c
	}
	held := groups * m.numbers(c)
	switch {
	case m.few && vectors < n: // a basis of the vectors
		n = vectors
		j.Roots += n * n * n
		j.Products += 5./2*n*n*c + n*n*n/2 + 2*(c*c*n+c*n*n)
	default:
		j.Spectra += c * c * c
		held = groups*n*n + c*c
		if m.few {
			j.Products += vectors * c * c / 2
		}
		if narrow {
			j.Products += 2*(c*c*d+c*d*d) + groups*(min(c, m.vectors)*c*d+c*d*d)
		} else {
			j.Products += c * c * c / 2
		}
	}
	j.Roots += 2 * n * n * n
	j.Products += c*c*d/2 + (13./2+groups)*n*n*n
	draws := v.drawsOf(l)
	if narrow && d < s {
		j.Random += draws * d * c
		j.Frames += draws * (d*d*c + d*d*d/6)
		j.Products += draws * (d*d*s/2 + d*d*d)
	} else {
		j.Random += draws * s * c
		j.Frames += draws * (s*s*c + s*s*s/6)
		j.Products += draws * (s*c*c + s*s*c)
	}
	j.Squares += groups * n * n
	j.Moments += groups * m.numbers(c)
	j.Held += held
	j.Parameters += c * d
	j.Largest = max(j.Largest, 2*c*d+3*c*c+3*s*c+6*n*n)
}

// drawsOf is how many draws the null of a layer has.
func (v verifySize) drawsOf(l models.LayerInfo) float64 {
	if min(l.Filters, l.PatchSize()) >= cnfa.WideLayer {
		return float64(min(v.draws, cnfa.WideDraws))
	}
	return float64(v.draws)
}
