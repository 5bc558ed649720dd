package setups

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/similarity"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/rfm"
	"github.com/ansatz-lab/ansatz/rfm/responses"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// LayerResponses holds the responses of a layer of a kernel machine and of the corresponding convolution of a network
// to the same images. Each reads the images through its own earlier layers. From the second layer on, the coordinates
// of their patches differ, so that responses can be compared by position, but matrices cannot.
type LayerResponses struct {
	machine, network []responses.Map
	// Patches and features are the norms of the patches that the machine and the network read. They are the responses
	// for M = I.
	Patches, features []responses.Map
	Untrained         []responses.Map   // the network's responses before training
	rotated           [][]responses.Map // the machine with QMQᵀ for random rotations Q
	plain             []responses.Map   // a machine with M = I in this layer and in all before it
}

// RotationCount is the number of random rotations of a metric that serve as a control.
const RotationCount = 3

// MeasureResponses returns the responses of a machine and a network to images, for the layers that both have.
func (e *PatchExamples) MeasureResponses(ctx context.Context, in study.Setting, f *FittedPatchMachine, n *PatchNetwork,
	x rfm.Images) ([]LayerResponses, error) {
	var all []LayerResponses
	for k := range min(len(f.Layers), len(n.Layers)) {
		s, err := e.machineResponses(ctx, in, f, k, x)
		if err != nil {
			return nil, err
		}
		if err := e.addNetworkResponses(ctx, n, k, x, s); err != nil {
			return nil, err
		}
		all = append(all, *s)
	}
	return all, nil
}

// machineResponses returns the responses of layer k of a machine, with its controls.
func (e *PatchExamples) machineResponses(ctx context.Context, in study.Setting, f *FittedPatchMachine, k int,
	x rfm.Images) (*LayerResponses, error) {
	read, err := f.model.Features(ctx, x, k)
	if err != nil {
		return nil, err
	}
	s, m, o := &LayerResponses{}, f.Metric(k), responses.Options{Whole: e.Whole}
	if s.machine, err = responses.Of(ctx, m, read, o); err != nil {
		return nil, err
	}
	if s.Patches, err = responses.Of(ctx, rfm.Identity(m.Dim()), read, o); err != nil {
		return nil, err
	}
	rng := models.Stream(in.Seed, "rotations of a metric")
	for range RotationCount {
		r, err := responses.Of(ctx, RotateMetric(m, rng), read, o)
		if err != nil {
			return nil, err
		}
		s.rotated = append(s.rotated, r)
	}
	if read, err = f.plain.Features(ctx, x, k); err != nil {
		return nil, err
	}
	s.plain, err = responses.Of(ctx, rfm.Identity(m.Dim()), read, o)
	return s, err
}

// CorrelateIterations returns Pearson's correlation of the responses of the first layer's M with those of the network,
// for every iteration.
func (e *PatchExamples) CorrelateIterations(ctx context.Context, f *FittedPatchMachine, first LayerResponses,
	x rfm.Images) ([]float64, error) {
	var all []float64
	for _, it := range f.FirstLayer {
		seen, err := responses.Of(ctx, it.Metric, x, responses.Options{Whole: e.Whole})
		if err != nil {
			return nil, err
		}
		c, err := CorrelateResponses(seen, first.network)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

// addNetworkResponses adds the responses of convolution k of a network to s.
func (e *PatchExamples) addNetworkResponses(ctx context.Context, n *PatchNetwork, k int, x rfm.Images,
	s *LayerResponses) error {
	of, layer, o := TrainedWeights, n.Layers[k], responses.Options{Whole: e.Whole}
	if e.Whole {
		of = ChangedWeights
	}
	read, err := n.inputs(ctx, layer, x, false)
	if err != nil {
		return err
	}
	m := n.CNFM(layer, of)
	if s.network, err = responses.Of(ctx, m, read, o); err != nil {
		return err
	}
	if s.features, err = responses.Of(ctx, rfm.Identity(m.Dim()), read, o); err != nil {
		return err
	}
	if read, err = n.inputs(ctx, layer, x, true); err != nil {
		return err
	}
	s.Untrained, err = responses.Of(ctx, n.CNFM(layer, InitialWeights), read, o)
	return err
}

// RotateMetric returns QMQᵀ for a random rotation Q.
func RotateMetric(m *rfm.Metric, rng *rand.Rand) *rfm.Metric {
	q := similarity.RandomRotation(m.Dim(), rng)
	var qm, out mat.Dense
	qm.Mul(q, m.Dense())
	out.Mul(&qm, q.T())
	s := mat.NewSymDense(m.Dim(), nil)
	for i := range m.Dim() {
		for j := i; j < m.Dim(); j++ {
			s.SetSym(i, j, (out.At(i, j)+out.At(j, i))/2)
		}
	}
	return rfm.FullMetric(s)
}

// RelativeResponses returns responses divided by the norms of their patches, so that they do not depend on the size of
// a patch; NaN if a patch is zero.
func RelativeResponses(r, patches []responses.Map) []responses.Map {
	out := make([]responses.Map, len(r))
	for i := range r {
		most := slices.Max(patches[i].Values)
		out[i] = responses.Map{Height: r[i].Height, Width: r[i].Width, Values: make([]float64, len(r[i].Values))}
		for k, v := range r[i].Values {
			out[i].Values[k] = math.NaN()
			if norm := patches[i].Values[k]; norm > zeroPatch*most {
				out[i].Values[k] = v / norm
			}
		}
	}
	return out
}

// zeroPatch is the share of an image's largest patch norm below which a patch counts as zero.
const zeroPatch = 1e-5

// ResponseRow returns the pictures of an image and of the responses to it, layer by layer.
func ResponseRow(x rfm.Images, i int, layers []LayerResponses) []report.Image {
	row := []report.Image{record.ExampleImage(x, i)}
	for _, l := range layers {
		row = append(row, record.ResponseImage(l.machine[i]), record.ResponseImage(l.network[i]))
	}
	return row
}

// CorrelateResponses returns Pearson's correlation of two sets of responses to the same images, over the positions of
// an image at which both are defined, averaged over the images in which neither is constant; NaN if there is no such
// image. It returns an error if the positions differ.
func CorrelateResponses(a, b []responses.Map) (float64, error) {
	sum, count := 0., 0
	for i := range a {
		if a[i].Height != b[i].Height || a[i].Width != b[i].Width {
			return 0, fmt.Errorf("responses of %d×%d and %d×%d are not of the same positions",
				a[i].Height, a[i].Width, b[i].Height, b[i].Width)
		}
		var x, y []float64
		for k, v := range a[i].Values {
			if w := b[i].Values[k]; v-v == 0 && w-w == 0 {
				x, y = append(x, v), append(y, w)
			}
		}
		if r := stat.Correlation(x, y, nil); r-r == 0 {
			sum, count = sum+r, count+1
		}
	}
	if count == 0 {
		return math.NaN(), nil
	}
	return sum / float64(count), nil
}

// ResponseMeasures are correlations of a layer's responses.
type ResponseMeasures struct {
	Network   float64 // the machine's with the network's
	Identity  float64 // with M = I instead of the machine's M, on the machine's features
	Plain     float64 // with a machine whose M = I in all layers
	Untrained float64 // the machine's with those of the network before training
	Gain      float64 // the machine's gains with the network's
	Rotated   float64 // with QMQᵀ in place of M
}

// OverIdentity returns the machine's correlation minus that with M = I.
func (m ResponseMeasures) OverIdentity() float64 { return m.Network - m.Identity }

// OverPlain returns the machine's correlation minus that of a machine with M = I in all layers.
func (m ResponseMeasures) OverPlain() float64 { return m.Network - m.Plain }

// NormalisedExcess returns the excess of the machine's correlation over that of a machine with M = I in all layers, as
// a share of the largest possible excess.
func (m ResponseMeasures) NormalisedExcess() float64 {
	return similarity.NormaliseExcess(m.Network, m.Plain)
}

// GainOverRotated returns the correlation of the gains minus that with a rotated M.
func (m ResponseMeasures) GainOverRotated() float64 { return m.Gain - m.Rotated }

// Correlate correlates the responses of the machine with those of the network, and the controls.
func (s LayerResponses) Correlate() (m ResponseMeasures, err error) {
	own := RelativeResponses(s.network, s.features)
	for _, c := range []struct {
		a, b []responses.Map
		into *float64
	}{
		{s.machine, s.network, &m.Network}, {s.Patches, s.network, &m.Identity}, {s.machine, s.Untrained, &m.Untrained},
		{s.plain, s.network, &m.Plain},
		{RelativeResponses(s.machine, s.Patches), own, &m.Gain},
	} {
		if *c.into, err = CorrelateResponses(c.a, c.b); err != nil {
			return m, err
		}
	}
	for _, r := range s.rotated {
		v, err := CorrelateResponses(RelativeResponses(r, s.Patches), own)
		if err != nil {
			return m, err
		}
		m.Rotated += v / float64(len(s.rotated))
	}
	return m, nil
}
