package experiments

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

// seenLayer is how a layer of a kernel machine and the convolution at its place in
// a network see the same images. The machine reads them through the layers before
// it, and so does the network: from the second layer on the coordinates of the
// patches are of different features, and what can be compared is where in an image
// either sees something, not the matrices.
type seenLayer struct {
	machine, network []rfm.Response
	// patches and features are the norms of the patches that machine and network
	// read: what they would see with M = I.
	patches, features []rfm.Response
	untrained         []rfm.Response   // what the network saw before training
	rotated           [][]rfm.Response // the machine with QMQᵀ for random rotations Q
}

// rotations is how many random rotations of a metric are a control.
const rotations = 3

// seen lets a machine and a network see images, layer by layer as far as both go.
func (e *patchExamples) seen(ctx context.Context, in Setting, f *fittedPatches, n *patchNet, x rfm.Images) ([]seenLayer, error) {
	var all []seenLayer
	for k := range min(len(f.layers), len(n.layers)) {
		s, err := e.seenByMachine(ctx, in, f, k, x)
		if err != nil {
			return nil, err
		}
		if err := e.seenByNetwork(ctx, n, k, x, s); err != nil {
			return nil, err
		}
		all = append(all, *s)
	}
	return all, nil
}

func (e *patchExamples) seenByMachine(ctx context.Context, in Setting, f *fittedPatches, k int, x rfm.Images) (*seenLayer, error) {
	read, err := f.model.Features(ctx, x, k)
	if err != nil {
		return nil, err
	}
	s, m, o := &seenLayer{}, f.metric(k), rfm.ResponseOptions{Whole: e.Whole}
	if s.machine, err = m.Responses(ctx, read, o); err != nil {
		return nil, err
	}
	if s.patches, err = rfm.Identity(m.Dim()).Responses(ctx, read, o); err != nil {
		return nil, err
	}
	rng := models.Stream(in.Seed, "rotations of a metric")
	for range rotations {
		r, err := rotatedMetric(m, rng).Responses(ctx, read, o)
		if err != nil {
			return nil, err
		}
		s.rotated = append(s.rotated, r)
	}
	return s, nil
}

func (e *patchExamples) seenByNetwork(ctx context.Context, n *patchNet, k int, x rfm.Images, s *seenLayer) error {
	of, layer, o := trainedWeights, n.layers[k], rfm.ResponseOptions{Whole: e.Whole}
	if e.Whole {
		of = changedWeights
	}
	read, err := n.inputs(ctx, layer, x, false)
	if err != nil {
		return err
	}
	m := n.cnfm(layer, of)
	if s.network, err = m.Responses(ctx, read, o); err != nil {
		return err
	}
	if s.features, err = rfm.Identity(m.Dim()).Responses(ctx, read, o); err != nil {
		return err
	}
	if read, err = n.inputs(ctx, layer, x, true); err != nil {
		return err
	}
	s.untrained, err = n.cnfm(layer, initialWeights).Responses(ctx, read, o)
	return err
}

// rotatedMetric is QMQᵀ for a random rotation Q.
func rotatedMetric(m *rfm.Metric, rng *rand.Rand) *rfm.Metric {
	q := randomRotation(m.Dim(), rng)
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

// gains are responses over the norms of their patches: what share of a patch is
// let through, whatever its size. There is none, NaN, where a patch is zero.
func gains(r, patches []rfm.Response) []rfm.Response {
	out := make([]rfm.Response, len(r))
	for i := range r {
		most := slices.Max(patches[i].Values)
		out[i] = rfm.Response{Height: r[i].Height, Width: r[i].Width, Values: make([]float64, len(r[i].Values))}
		for k, v := range r[i].Values {
			out[i].Values[k] = math.NaN()
			if norm := patches[i].Values[k]; norm > zeroPatch*most {
				out[i].Values[k] = v / norm
			}
		}
	}
	return out
}

// zeroPatch is the share of an image's largest patch norm below which a patch is
// nothing but rounding.
const zeroPatch = 1e-5

// seenRow draws an image and what is seen in it, layer by layer.
func seenRow(x rfm.Images, i int, layers []seenLayer) []report.Image {
	row := []report.Image{exampleImage(x, i)}
	for _, l := range layers {
		row = append(row, responseImage(l.machine[i]), responseImage(l.network[i]))
	}
	return row
}
