package experiments

import (
	"context"
	"fmt"
	"math"

	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/stat"
)

// seenLayer is how a layer of a kernel machine and the convolution at its place in
// a network see the same images. The machine reads them through the layers before
// it, and so does the network: from the second layer on the coordinates of the
// patches are of different features, and what can be compared is where in an image
// either sees something, not the matrices.
type seenLayer struct {
	machine, network []rfm.Response
	// identity is what the machine's layer would see with M = I: the norm of the
	// patches. Untrained is what the network saw before training.
	identity, untrained []rfm.Response
}

// seen lets a machine and a network see images, layer by layer as far as both go.
func (e *patchExamples) seen(ctx context.Context, f *fittedPatches, n *patchNet, x rfm.Images) ([]seenLayer, error) {
	of := trainedWeights
	if e.Whole {
		of = changedWeights
	}
	o := rfm.ResponseOptions{Whole: e.Whole}
	var all []seenLayer
	for k := range min(len(f.layers), len(n.layers)) {
		var s seenLayer
		read, err := f.model.Features(ctx, x, k)
		if err != nil {
			return nil, err
		}
		if s.machine, err = f.metric(k).Responses(ctx, read, o); err != nil {
			return nil, err
		}
		if s.identity, err = rfm.Identity(f.metric(k).Dim()).Responses(ctx, read, o); err != nil {
			return nil, err
		}
		if s.network, err = n.responses(ctx, n.layers[k], of, x, o); err != nil {
			return nil, err
		}
		if s.untrained, err = n.responses(ctx, n.layers[k], initialWeights, x, o); err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// responses are how a convolution of the network sees images, through the layers
// before it with the weights that are meant: the trained ones for W − W₀ too.
func (n *patchNet) responses(ctx context.Context, layer string, of weightsOf, x rfm.Images, o rfm.ResponseOptions) ([]rfm.Response, error) {
	read, err := n.inputs(ctx, layer, x, of == initialWeights)
	if err != nil {
		return nil, err
	}
	return n.cnfm(layer, of).Responses(ctx, read, o)
}

// responsesAlike is how alike two ways to see the same images are: Pearson's
// correlation over the positions of an image, averaged over the images in which
// neither is constant; NaN where there is none. Scale and offset do not matter.
func responsesAlike(a, b []rfm.Response) (float64, error) {
	sum, count := 0., 0
	for i := range a {
		if a[i].Height != b[i].Height || a[i].Width != b[i].Width {
			return 0, fmt.Errorf("responses of %d×%d and %d×%d are not of the same positions", a[i].Height, a[i].Width, b[i].Height, b[i].Width)
		}
		if r := stat.Correlation(a[i].Values, b[i].Values, nil); r-r == 0 {
			sum, count = sum+r, count+1
		}
	}
	if count == 0 {
		return math.NaN(), nil
	}
	return sum / float64(count), nil
}

// seenMeasures are how alike the layer's responses are.
type seenMeasures struct {
	network   float64 // the machine's with the network's
	identity  float64 // with M = I in place of the machine's
	untrained float64 // the machine's with those of the network before training
}

func (s seenLayer) measure() (m seenMeasures, err error) {
	if m.network, err = responsesAlike(s.machine, s.network); err != nil {
		return m, err
	}
	if m.identity, err = responsesAlike(s.identity, s.network); err != nil {
		return m, err
	}
	m.untrained, err = responsesAlike(s.machine, s.untrained)
	return m, err
}

// seenColumns are the columns of a table of measures.
func seenColumns(first string) []report.Column {
	return append([]report.Column{{Name: first}},
		report.Column{Name: "machine and network", Numeric: true, Help: "correlation of the responses over the positions of an image, mean over the images"},
		report.Column{Name: "with M = I", Numeric: true, Help: "the same with the norm of the patches in place of the machine's response"},
		report.Column{Name: "above it", Numeric: true},
		report.Column{Name: "network untrained", Numeric: true, Help: "the machine's response and that of the network before training"})
}

func (m seenMeasures) cells() []report.Cell {
	over := m.network - m.identity
	return []report.Cell{correlation(m.network), correlation(m.identity), number(finite(over), "%+.3f"), correlation(m.untrained)}
}

// seenRow draws an image and what is seen in it, layer by layer.
func seenRow(x rfm.Images, i int, layers []seenLayer) []report.Image {
	row := []report.Image{exampleImage(x, i)}
	for _, l := range layers {
		row = append(row, seenImage(l.machine[i]), seenImage(l.network[i]))
	}
	return row
}
