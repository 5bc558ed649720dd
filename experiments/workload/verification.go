package workload

import (
	"math"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/experiments/cost"
	"github.com/ansatz-lab/ansatz/internal/parallel"
	"github.com/ansatz-lab/ansatz/models"
)

// VerificationSize is the size of a verification.
type VerificationSize struct {
	Images, Groups int
	Outputs        int // differentiated outputs, or probes
	Batch          int // images at a time; 0 if not known
	Draws          int // of the null
	Threads        int // each processes one batch
	Reading        cost.Reading
	// LossPass says that statements need the gradients of the loss. Inputs and Gradients say that they need the
	// moments of the layers' inputs, and the gradients with respect to the weights.
	LossPass, Inputs, Gradients bool
}

// Gathering returns the job of computing the gradients of the chosen layers for some groups of images. The images pass
// through all layers.
func (v VerificationSize) Gathering(all, chosen []models.LayerInfo, groups int) cost.Verification {
	perGroup := v.perGroup()
	j := cost.Verification{
		Net: cost.NetOf(all), Reading: v.Reading,
		Images:  math.Min(float64(v.Images), float64(groups)*float64(perGroup)),
		Outputs: float64(v.passes()), Workers: float64(max(1, min(v.Threads, groups))),
	}
	j.Batch = v.batchOf(j.Net, perGroup)
	j.Scaled *= j.Images / float64(max(1, v.Images))
	for _, l := range chosen {
		moment, blocks, filters := v.moment(l, j.Batch), float64(l.Blocks()), float64(l.BlockFilters())
		moments := blocks * moment.numbers(filters)
		j.Moments += float64(groups) * moments
		if !moment.few {
			j.Squares += blocks * filters * filters * float64(l.Positions)
		}
		if moment.together {
			j.Sums += j.Images / j.Batch * moments
		}
		j.Held += j.Workers * moments
		v.addStatements(&j, l, float64(groups))
	}
	return j
}

// passes returns the number of backward passes. The pass of the loss counts as three, since it includes the gradients
// with respect to the weights and a forward pass.
func (v VerificationSize) passes() int {
	if v.LossPass {
		return v.Outputs + 3
	}
	return v.Outputs
}

// addStatements adds the work at a layer for statements about the loss and the input.
func (v VerificationSize) addStatements(j *cost.Verification, l models.LayerInfo, groups float64) {
	if !v.LossPass {
		return
	}
	b, c, d := float64(l.Blocks()), float64(l.BlockFilters()), float64(l.PatchSize())
	numbers := b * c * c
	if v.Inputs {
		numbers += b * d * d
		j.Squares += b * d * d * float64(l.Positions) / float64(max(1, v.Outputs)) // once, not for every output
	}
	if v.Gradients {
		numbers += b * c * d
	}
	j.Moments += groups * numbers
	j.Held += j.Workers * numbers
}

// perGroup returns the number of images in a group.
func (v VerificationSize) perGroup() int { return (v.Images + v.Groups - 1) / max(1, v.Groups) }

// batchOf returns about how many images package cnfa processes at a time: their values and cotangents must fit into a
// worker's memory.
func (v VerificationSize) batchOf(net cost.Net, perGroup int) float64 {
	most := float64(v.Batch)
	if most == 0 {
		most = min(cnfa.MemoryPerWorker/max(1, 2*4*net.Values), cnfa.CacheImages)
	}
	return float64(parallel.Evenly(max(1, perGroup), max(1, int(most))))
}

// Jobs returns the jobs of verifying some layers of a network.
func (v VerificationSize) Jobs(all, chosen []models.LayerInfo) []cost.Job {
	if v.Groups == 0 {
		v.Groups = min(cnfa.DefaultGroups, v.Images)
	}
	if v.Draws == 0 {
		v.Draws = cnfa.DefaultNullDraws
	}
	return []cost.Job{v.Gathering(all, chosen, v.Groups), v.Comparing(all, chosen)}
}

// momentSize is the size of the moment of a layer's cotangents over a group of images.
type momentSize struct {
	vectors  float64 // each of c numbers, the filters of a group
	together bool    // there are many, and those of a batch are multiplied at once
	few      bool    // there are few, and they are stored instead of the c² sums of their products
}

// moment returns the size of a layer's moment if images are processed in batches of the given size.
func (v VerificationSize) moment(l models.LayerInfo, batch float64) momentSize {
	c, perBatch := float64(l.BlockFilters()), batch*float64(v.Outputs)*float64(l.Positions)
	m := momentSize{vectors: perBatch * math.Ceil(float64(v.perGroup())/batch),
		together: l.Blocks() > 1 || 2*perBatch > c}
	m.few = !m.together && m.vectors <= c
	return m
}

// numbers returns how many numbers the moment of c-vectors has.
func (m momentSize) numbers(c float64) float64 {
	if m.few {
		return m.vectors * c
	}
	return c * c
}

// Comparing returns the job of comparing the chosen layers of a network once their gradients are
// known.
func (v VerificationSize) Comparing(all, chosen []models.LayerInfo) cost.Comparison {
	var j cost.Comparison
	batch := v.batchOf(cost.NetOf(all), v.perGroup())
	for _, l := range chosen {
		c := comparedSize{
			momentSize: v.moment(l, batch), groups: float64(v.Groups),
			filters: float64(l.BlockFilters()), patch: float64(l.PatchSize()),
		}
		for range l.Blocks() {
			c.add(&j, v.drawsOf(l))
		}
		for range l.Heads {
			c.ofHead(l).add(&j, v.drawsOf(l))
		}
	}
	return j
}

// add adds the work and the memory of a comparison.
func (l comparedSize) add(j *cost.Comparison, draws float64) {
	l.measure(j)
	l.null(j, draws)
	l.memory(j)
}

// ofHead returns the comparison of one head of a layer. A head of columns uses the spectrum of the layer, so this is
// an overestimate.
func (l comparedSize) ofHead(of models.LayerInfo) comparedSize {
	if of.HeadColumns {
		l.patch = math.Ceil(l.patch / float64(of.Heads))
	} else {
		l.filters = math.Ceil(l.filters / float64(of.Heads))
	}
	return l
}

// drawsOf returns how many draws the null of a layer has.
func (v VerificationSize) drawsOf(l models.LayerInfo) float64 {
	if min(l.BlockFilters(), l.PatchSize()) >= cnfa.WideLayer {
		return float64(min(v.Draws, cnfa.WideDraws))
	}
	return float64(v.Draws)
}

// comparedSize is the size of a layer's comparison. Package cnfa works on square cores, whose side is the smallest of
// the number of filters, the length of a patch and the number of vectors in all moments.
type comparedSize struct {
	momentSize             // of a group
	groups, filters, patch float64
}

// narrow reports whether patches are shorter than there are filters, so that a basis of the range
// of the filters is used.
func (l comparedSize) narrow() bool { return l.patch < l.filters }

// onVectors reports whether a basis of the vectors is used.
func (l comparedSize) onVectors() bool {
	return l.few && l.groups*l.vectors < min(l.filters, l.patch)
}

// core returns the side of the cores.
func (l comparedSize) core() float64 {
	if l.onVectors() {
		return l.groups * l.vectors
	}
	return min(l.filters, l.patch)
}

// rank returns the largest number of non-zero eigenvalues of the sum of the moments.
func (l comparedSize) rank() float64 { return min(l.groups*l.vectors, l.filters) }

// measure adds the work of all measures but the null.
func (l comparedSize) measure(j *cost.Comparison) {
	c, d, n := l.filters, l.patch, l.core()
	if l.narrow() {
		l.basis(j)
	}
	if l.onVectors() {
		j.Roots += n * n * n
		j.Products += 5./2*n*n*c + n*n*n/2 + 2*c*c*n + 3./2*c*n*n
	} else {
		l.fold(j)
	}
	j.Roots += 2 * n * n * n
	j.Products += c*c*d/2 + (13./2+l.groups)*n*n*n
	j.Squares += l.groups * n * n
}

// basis adds the work of a basis of the range of the filters.
func (l comparedSize) basis(j *cost.Comparison) {
	c, d := l.filters, l.patch
	j.Roots += d * d * d
	j.Products += 3. / 2 * d * d * c
}

// fold adds the work of summing the moments and their cores.
func (l comparedSize) fold(j *cost.Comparison) {
	c, d := l.filters, l.patch
	j.Spectra += c * c * c
	if l.few {
		j.Products += l.groups * l.vectors * c * c / 2
	}
	switch {
	case !l.narrow():
		j.Products += c * c * c / 2
	case l.few:
		j.Products += 2*c*c*d + 3./2*c*d*d + l.groups*l.vectors*(c*d+d*d/2)
	default:
		j.Products += 2*c*c*d + 3./2*c*d*d + l.groups*(c*c*d+c*d*d)
	}
}

// null adds the work of the null's draws: of rotations of the range of the filters, or of the
// eigenvectors, whichever are fewer.
func (l comparedSize) null(j *cost.Comparison, draws float64) {
	c, d, s := l.filters, l.patch, l.rank()
	if l.narrow() && d < s {
		l.basis(j)
		j.Products += 2*c*c*d + 3./2*c*d*d
		j.Random += draws * d * c
		j.Frames += draws * (d*d*c + d*d*d/6)
		j.Products += draws * (d*d*s/2 + d*d*d)
		return
	}
	j.Random += draws * s * c
	j.Frames += draws * (s*s*c + s*s*s/6)
	j.Products += draws * (s*c*c + s*s*c)
}

// memory adds the memory of a comparison.
func (l comparedSize) memory(j *cost.Comparison) {
	c, d, n := l.filters, l.patch, l.core()
	moments := l.groups * l.numbers(c)
	j.Moments += moments
	if l.few {
		j.Held += moments
	}
	if !l.onVectors() {
		j.Held += l.groups*n*n + c*c
	}
	j.Parameters += c * d
	j.Largest = max(j.Largest, 2*c*d+3*c*c+3*l.rank()*c+6*n*n)
}
