package cnfapaper

import (
	"context"
	"fmt"
	"os"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/stat"
)

// firstConvolution holds the responses of a network's first convolution to the photographs.
type firstConvolution struct {
	name      string
	responses []rfm.Response
}

// compareNetworks compares the machines with networks on the photographs: with the network
// that is trained on the first machine's images, and with those whose weights are in files.
func (s *EdgesSpec) compareNetworks(
	ctx context.Context, in study.Setting, found []*edgeResult, photographs rfm.Images, o *study.Outcome,
) error {
	var all []firstConvolution
	if s.Net.Arch != "" {
		own, err := s.trainNetwork(ctx, in, found[0], o)
		if err != nil {
			return err
		}
		all = append(all, own)
	}
	for _, w := range s.Trained {
		c, err := w.responses(ctx, in, photographs, o)
		if err != nil {
			return err
		}
		if c != nil {
			all = append(all, *c)
		}
	}
	if len(all) == 0 {
		return nil
	}
	if err := addNetworksTable(ctx, found, all, o); err != nil {
		return err
	}
	return addNetworksFigure(all, photographs, o)
}

// trainNetwork trains the network on the first machine's images and compares both on test
// images.
func (s *EdgesSpec) trainNetwork(
	ctx context.Context, in study.Setting, f *edgeResult, o *study.Outcome,
) (firstConvolution, error) {
	c := firstConvolution{name: s.Net.Arch + ", trained here"}
	n, err := s.Net.Train(ctx, in, f.examples)
	if err != nil {
		return c, err
	}
	t := &taskResult{name: f.Name, machine: f.fitted, net: n}
	x := f.examples.FirstTest(s.Images)
	if t.layers, t.measures, err = compareResponses(ctx, f.examples, in, f.fitted, n, x); err != nil {
		return c, err
	}
	m := t.measures[0]
	o.Set(networkAlike, m.Network)
	o.Set(networkOverIdentity, m.Network-m.Identity)
	o.Set(networkGainOverRotated, m.Gain-m.Rotated)
	figure, err := taskFigure("seen", f.Task, x, t.layers)
	if err != nil {
		return c, err
	}
	o.Figures = append(o.Figures, figure)
	o.Tables = append(o.Tables, similarityTable([]*taskResult{t}), accuracyTable([]*taskResult{t}))
	of := setups.TrainedWeights
	if f.Task.Whole {
		of = setups.ChangedWeights
	}
	c.responses, err = n.CNFM(n.Layers[0], of).Responses(ctx, f.photographs, rfm.ResponseOptions{Whole: true})
	return c, err
}

// responses returns the responses to the photographs of the first convolution of a network
// whose weights are in a file. Without the file it adds a note to the outcome and returns nil.
func (w WeightsSpec) responses(
	ctx context.Context, in study.Setting, photographs rfm.Images, o *study.Outcome,
) (*firstConvolution, error) {
	path, err := setups.DataPath(in, w.Weights)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(path); err != nil {
		o.Notes = append(o.Notes, fmt.Sprintf("%s is left out: there is no file %s with its weights.", w.Arch,
			w.Weights))
		return nil, nil
	}
	a, err := input.LookupArchitecture(w.Arch)
	if err != nil {
		return nil, err
	}
	n, _, err := input.OpenWeights(a, path,
		models.Shape{Channels: a.Input.Channels, Height: a.Input.Height, Width: a.Input.Width})
	if err != nil {
		return nil, err
	}
	normalisation, err := data.ParseNormalisation(n.Arch.Normalise, nil)
	if err != nil {
		return nil, &input.Error{Err: err}
	}
	x := photographs
	x.Pixels = append([]float32(nil), photographs.Pixels...)
	normalisation.Apply(x.Pixels)
	m := rfm.FullMetric(cnfa.CNFM(n.Filters(n.Layers()[0].Name)))
	seen, err := m.Responses(ctx, x, rfm.ResponseOptions{Whole: true})
	return &firstConvolution{w.Arch, seen}, err
}

// addNetworksTable compares the responses of networks and machines to the photographs, at the
// positions that all have, and fills in the values of the claims on them.
func addNetworksTable(ctx context.Context, found []*edgeResult, all []firstConvolution, o *study.Outcome) error {
	t := report.Table{
		Name: "networks", Caption: "What the first layers of networks and the machines see in the photographs, ‖Mh‖: " +
			"correlation over the positions, mean over the photographs.",
		Columns: record.NumericColumns("network and machine", "alike", "M = I", "above"),
	}
	var alikes, overs []float64
	for _, c := range all {
		for _, f := range found {
			plain, err := rfm.Identity(f.metric.Dim()).Responses(ctx, f.photographs, rfm.ResponseOptions{})
			if err != nil {
				return err
			}
			value, err := middleSimilarity(f.responses, c.responses)
			if err != nil {
				return err
			}
			control, err := middleSimilarity(plain, c.responses)
			if err != nil {
				return err
			}
			t.Rows = append(t.Rows, []report.Cell{
				{Text: c.name + " and " + f.Name}, record.CorrelationCell(value), record.CorrelationCell(control),
				record.DefinedCell(value-control, "%+.3f"),
			})
			alikes, overs = append(alikes, value), append(overs, value-control)
		}
	}
	o.Set(networksAlike, stat.Mean(alikes, nil))
	o.Set(networksOverIdentity, stat.Mean(overs, nil))
	o.Tables = append(o.Tables, t)
	return nil
}

// middleSimilarity compares responses of patches of different sizes, at the positions in the
// middle that both have.
func middleSimilarity(a, b []rfm.Response) (float64, error) {
	height, width := min(a[0].Height, b[0].Height), min(a[0].Width, b[0].Width)
	return setups.CorrelateResponses(cropResponses(a, height, width), cropResponses(b, height, width))
}

// cropResponses cuts responses to the given size, as much from opposite sides.
func cropResponses(all []rfm.Response, height, width int) []rfm.Response {
	out := make([]rfm.Response, len(all))
	for i, r := range all {
		out[i] = rfm.Response{Height: height, Width: width}
		top, left := (r.Height-height)/2, (r.Width-width)/2
		for k := range height {
			row := (top+k)*r.Width + left
			out[i].Values = append(out[i].Values, r.Values[row:row+width]...)
		}
	}
	return out
}

// addNetworksFigure draws the responses of networks' first convolutions to photographs.
func addNetworksFigure(all []firstConvolution, photographs rfm.Images, o *study.Outcome) error {
	columns := []string{"photograph"}
	rows := make([][]report.Image, min(shownPhotographs, photographs.Len()))
	for i := range rows {
		rows[i] = []report.Image{record.ExampleImage(photographs, i)}
		for _, c := range all {
			rows[i] = append(rows[i], record.ResponseImage(c.responses[i]))
		}
	}
	for _, c := range all {
		columns = append(columns, c.name)
	}
	f, err := report.ImageGrid("networks", columns, rows)
	f.Caption = "Photographs through WᵀW of the first layers of networks, ‖Mh‖; each picture is scaled to its own " +
		"range."
	f.Alt, f.Wide = "Photographs beside what the first layers of networks see in them", true
	o.Figures = append(o.Figures, f)
	return err
}
