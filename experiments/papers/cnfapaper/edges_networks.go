package cnfapaper

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/similarity"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/rfm"
	"github.com/ansatz-lab/ansatz/rfm/responses"
)

// The correlation of networks' first-layer responses to photographs with those of the CNTK's machines, and its excess
// over that with M = I: means over the pairs of network and machine.
var (
	networksAlike        = alike.Of("networks")
	networksOverIdentity = overIdentity.Of("networks")
)

// compareNetworks compares the machines with networks on the photographs: with the network trained on the first
// machine's images, and with networks whose weights are in files.
func (s *EdgesSpec) compareNetworks(
	ctx context.Context, in study.Setting, found []*edgeResult, photographs rfm.Images, o *study.Outcome,
) error {
	var all []namedResponses
	if s.Net.Arch != "" {
		own, err := s.trainNetwork(ctx, in, found[0], o)
		if err != nil {
			return err
		}
		all = append(all, own)
	}
	if in.Dry() {
		return nil
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
// images. It returns the responses of its first convolution to the photographs.
func (s *EdgesSpec) trainNetwork(
	ctx context.Context, in study.Setting, f *edgeResult, o *study.Outcome,
) (c namedResponses, err error) {
	t, err := compareWithNetwork(ctx, in, f.Name, f.examples, f.fitted, s.Net, s.Images)
	if err != nil || in.Dry() {
		return c, err
	}
	setMeansOver("network", t.measures[:1], o)
	figure, err := t.figure("seen")
	if err != nil {
		return c, err
	}
	o.Figures = append(o.Figures, figure)
	o.Tables = append(o.Tables, similarityTable(t), accuracyTable(t))
	of := setups.TrainedWeights
	if f.Task.Whole {
		of = setups.ChangedWeights
	}
	c.name = s.Net.Arch + ", trained here"
	c.responses, err = responses.Of(ctx, t.net.CNFM(t.net.Layers[0], of), f.photographs, responses.Options{Whole: true})
	return c, err
}

// responses returns the responses to the photographs of the first convolution of a network
// whose weights are in a file. Without the file it adds a note to the outcome and returns nil.
func (w WeightsSpec) responses(
	ctx context.Context, in study.Setting, photographs rfm.Images, o *study.Outcome,
) (*namedResponses, error) {
	path, found, err := in.FindWeights(w.Weights)
	if err != nil {
		return nil, err
	}
	if !found {
		o.Notes = append(o.Notes,
			fmt.Sprintf("%s is skipped: no file %s with its weights.", w.Arch, w.Weights))
		return nil, nil
	}
	if err := setups.RecordWeights(o, w.Arch, path); err != nil {
		return nil, err
	}
	a, err := input.LookupArchitecture(w.Arch)
	if err != nil {
		return nil, err
	}
	n, state, err := input.OpenWeights(a, path,
		models.Shape{Channels: a.Input.Channels, Height: a.Input.Height, Width: a.Input.Width})
	if err != nil {
		return nil, err
	}
	stored := state.Metadata()[input.NormalisationMetadata]
	normalisation, err := data.ParseNormalisation(cmp.Or(stored, n.Arch.Normalise, "none"), nil)
	if err != nil {
		return nil, &input.Error{Err: err}
	}
	x := photographs
	x.Pixels = append([]float32(nil), photographs.Pixels...)
	normalisation.Apply(x.Pixels)
	m := rfm.FullMetric(cnfa.CNFM(n.Filters(n.Layers()[0].Name)))
	seen, err := responses.Of(ctx, m, x, responses.Options{Whole: true})
	return &namedResponses{w.Arch, seen}, err
}

// networkPair compares the responses of a network and of a machine to the photographs.
type networkPair struct {
	name            string
	cntk            bool    // the machine's kernel is the CNTK
	alike, identity float64 // correlations of the network's responses with the machine's and with those of M = I
}

func (p networkPair) overIdentity() float64 { return p.alike - p.identity }
func (p networkPair) normalised() float64   { return similarity.NormaliseExcess(p.alike, p.identity) }

// addNetworksTable compares the responses of networks and machines to the photographs, at the positions that all of
// them have, and sets [networksAlike] and [networksOverIdentity].
func addNetworksTable(ctx context.Context, found []*edgeResult, all []namedResponses, o *study.Outcome) error {
	var pairs []networkPair
	for _, c := range all {
		for _, f := range found {
			plain, err := responses.Of(ctx, rfm.Identity(f.metric.Dim()), f.photographs, responses.Options{})
			if err != nil {
				return err
			}
			p := networkPair{name: c.name + " and " + f.title(), cntk: f.Machine.Kernel == "cntk"}
			if p.alike, err = middleSimilarity(f.responses, c.responses); err != nil {
				return err
			}
			if p.identity, err = middleSimilarity(plain, c.responses); err != nil {
				return err
			}
			pairs = append(pairs, p)
		}
	}
	similar := func(p networkPair) float64 { return p.alike }
	claimed := slices.DeleteFunc(slices.Clone(pairs), func(p networkPair) bool { return !p.cntk })
	o.Set(networksAlike, meanOf(claimed, similar))
	o.Set(networksOverIdentity, meanOf(claimed, networkPair.overIdentity))
	o.Tables = append(o.Tables, record.TableOf("networks", "Responses ‖Mh‖ of networks' first layers and of the "+
		"machines to photographs: correlation over the positions, mean over the photographs.", pairs,
		record.TextField("network and machine", func(p networkPair) string { return p.name }),
		record.NumberField("alike", "%.3f", similar),
		record.NumberField("M = I", "%.3f", func(p networkPair) float64 { return p.identity }),
		record.NumberField("above", "%+.3f", networkPair.overIdentity),
		record.NumberField("normalised", "%+.3f", networkPair.normalised).
			WithHelp("the excess over M = I, as a share of the largest possible")))
	return nil
}

// middleSimilarity correlates the responses of patches of different sizes, at the positions in the middle that both
// have.
func middleSimilarity(a, b []responses.Map) (float64, error) {
	height, width := min(a[0].Height, b[0].Height), min(a[0].Width, b[0].Width)
	return setups.CorrelateResponses(cropResponses(a, height, width), cropResponses(b, height, width))
}

// cropResponses crops responses to the given size, equally on opposite sides.
func cropResponses(all []responses.Map, height, width int) []responses.Map {
	out := make([]responses.Map, len(all))
	for i, r := range all {
		out[i] = responses.Map{Height: height, Width: width}
		top, left := (r.Height-height)/2, (r.Width-width)/2
		for k := range height {
			row := (top+k)*r.Width + left
			out[i].Values = append(out[i].Values, r.Values[row:row+width]...)
		}
	}
	return out
}

// addNetworksFigure draws the responses of networks' first convolutions to photographs.
func addNetworksFigure(all []namedResponses, photographs rfm.Images, o *study.Outcome) error {
	f, err := photographsFigure("networks", photographs, all)
	f.Caption = "Photographs through WᵀW of the first layers of networks, ‖Mh‖; each picture is scaled to its own " +
		"range."
	f.Alt, f.Wide = "Photographs beside the responses of networks' first layers to them", true
	o.Figures = append(o.Figures, f)
	return err
}
