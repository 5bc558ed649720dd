package theory

import (
	"github.com/ansatz-lab/ansatz/experiments/linalg"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/models/infinite"
	"github.com/ansatz-lab/ansatz/models/layers"
)

// The finite kernels to compare with those of infinite width.
const (
	wideImages = 4
	wideDraws  = 24
	// wideFilters is the largest width of convolutions, whose weights grow with its square.
	wideFilters = 256
)

// wideNet is a network whose kernel has an infinite-width limit; at width 1 it has one hidden unit or filter.
type wideNet struct {
	name, says string
	most       int // the largest width; 0 is no limit
	root       models.Sequential
}

func wideNets() []wideNet {
	conv := func(stride int) models.Conv {
		return models.Conv{Filters: 1, Kernel: [2]int{3, 3}, Geometry: graph.Square(stride, 1)}
	}
	relu, hidden := models.Named{Layer: models.ReLU{}}, models.Linear{Out: 1}
	erf := models.Named{Layer: layers.Erf}
	head := models.Named{Name: "head", Layer: models.Linear{}}
	return []wideNet{
		{"infinite width, ReLU", "two hidden layers of k units with ReLU", 0, models.Sequential{
			{Name: "a", Layer: hidden}, relu, {Name: "b", Layer: hidden}, relu, head}},
		{"infinite width, erf", "two hidden layers of k units with erf", 0, models.Sequential{
			{Name: "a", Layer: hidden}, erf, {Name: "b", Layer: hidden}, erf, head}},
		{"infinite width, convolutions", "k filters a layer with ReLU, an average pool, a residual sum and a global average " +
			"pool", wideFilters, models.Sequential{
			{Name: "a", Layer: conv(1)}, {Layer: models.Residual{Linear: true, Main: models.Sequential{relu,
				{Name: "b", Layer: conv(1)}}}}, relu, {Layer: models.AvgPool(models.SquarePool(2, 2, 0))},
			{Name: "c", Layer: conv(1)}, relu, {Layer: models.AdaptiveAvgPool{H: 1, W: 1}}, head}},
	}
}

// checkInfiniteWidth checks that the tangent kernel of a network in the NTK parameterisation converges to that of
// infinite width, in closed form, at the rate k^−½.
func (t *theory) checkInfiniteWidth() error {
	for _, w := range wideNets() {
		errs, widths, err := t.distances(w)
		if err != nil {
			return err
		}
		t.addCurve(w.name, errs)
		t.addBesides(study.Statement{Paper: "ntk", Name: w.name,
			Says: "in the NTK parameterisation the tangent kernel at initialisation of a network with " + w.says +
				" tends to the kernel of infinite width as k^−½",
			Measure: slopeMeasure(widths, errs),
			Note:    "The closed form is by arc-cosine kernels of package graph, the networks' kernels are JJᵀ."},
			slope(widths, errs), AsInverseRoot)
	}
	return nil
}

// distances returns the widths and, for each, the relative distance of a network's kernels from that of infinite
// width, averaged over draws.
func (t *theory) distances(w wideNet) (errs []float64, widths []int, err error) {
	arch := &models.Architecture{Name: w.name, Input: cnfaShape, Root: w.root}
	if err := arch.SetParameterisation("ntk:1.5:0.3"); err != nil {
		return nil, nil, err
	}
	rng := models.Stream(t.seed, "theory/ntk/infinite")
	px := make([]float32, wideImages*cnfaShape.Size())
	for i := range px {
		px[i] = float32(rng.NormFloat64())
	}
	limit, err := infinite.OfAll(t.ctx, arch, cnfaShape, px, infinite.Options{Threads: t.device.Threads()})
	if err != nil {
		return nil, nil, err
	}
	for _, k := range t.Widths {
		if w.most > 0 && k > w.most {
			break
		}
		arch.Width = float64(k)
		sum := 0.
		for draw := range min(wideDraws, t.Draws) {
			net, err := arch.InitNetwork(cnfaShape, 1, t.seed*wideDraws+uint64(draw)) // other networks for every seed
			if err != nil {
				return nil, nil, err
			}
			kernel, err := net.NTK(t.ctx, px, models.NTKOptions{Threads: t.device.Threads()})
			if err != nil {
				return nil, nil, err
			}
			sum += linalg.RelativeError(kernel.Gram[0], limit.Tangent)
		}
		errs, widths = append(errs, sum/float64(min(wideDraws, t.Draws))), append(widths, k)
	}
	return errs, widths, nil
}
