package cnfapaper

import (
	"context"
	"slices"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/rfm"
)

// AnsatzSeenSpec says in which images CNFM and AGOP are compared by what they see
// (cnfa, section 2.2).
type AnsatzSeenSpec struct {
	Count int `json:"count" toml:"count"` // 0 compares nothing
	// Photographs is a folder of photographs, see [setups.PhotographsSpec]; "" takes test
	// images of what each network learned, other ones for every seed in turn.
	Photographs string `json:"photographs" toml:"photographs"`
	// Change takes W − W₀ in the place of W for the CNFM, where W₀ is known.
	Change bool `json:"change" toml:"change"`
}

// seenConvolution is what CNFM and AGOP of a convolution see in images.
type seenConvolution struct {
	layer      string
	cnfm, agop []rfm.Response
	patches    []rfm.Response   // the norms of the patches: M = I
	rotated    [][]rfm.Response // WᵀQSQᵀW for random rotations Q
	images     rfm.Images       // as they are
	// edges are the norms of the images' gradients; nil but for a first convolution
	// of stride 1, which has the images' own positions.
	edges []rfm.Response
}

// edgePatch is the side of the patches in which gradients are taken.
const edgePatch = 3

// leastPositions is how many positions a layer's pictures must have to be
// compared: 4×4.
const leastPositions = 16

// seenDraws is how many disjoint stretches of test images the seeds take in turn.
const seenDraws = 5

// look looks at the images through the convolutions whose pictures are large
// enough.
func (s AnsatzSeenSpec) look(ctx context.Context, in study.Setting, f *ansatzFinding, o *study.Outcome) ([]seenConvolution, error) {
	x, err := s.open(ctx, in, f.ansatzNet, o)
	if err != nil {
		return nil, err
	}
	read := slices.Clone(x.Pixels)
	f.normalisation.Apply(read)
	var all []seenConvolution
	for _, l := range f.trained.Result.Layers {
		if l.Err != nil {
			continue
		}
		c, err := s.through(ctx, in, f.ansatzNet, l, read)
		if err != nil {
			return nil, err
		}
		r := c.cnfm[0]
		if r.Height*r.Width < leastPositions {
			continue
		}
		c.images = x
		if l.Name == f.net.Layers()[0].Name && r.Height == x.Height {
			if c.edges, err = setups.GradientNorms(ctx, x, edgePatch); err != nil {
				return nil, err
			}
		}
		all = append(all, *c)
	}
	return all, nil
}

// open reads the images in the size that the network reads.
func (s AnsatzSeenSpec) open(ctx context.Context, in study.Setting, n *ansatzNet, o *study.Outcome) (rfm.Images, error) {
	if s.Photographs != "" {
		return setups.PhotographsSpec{Folder: s.Photographs, Count: s.Count, Size: n.net.Input.Height}.Open(ctx, in, o)
	}
	set, err := setups.OpenDraw(in, n.Data, "test", n.Size, s.Count, seenDraws)
	if err != nil {
		return rfm.Images{}, err
	}
	if err := o.AddDataset(n.Name+", seen", set); err != nil {
		return rfm.Images{}, err
	}
	shape := set.Shape()
	x := rfm.Images{Height: shape.Height, Width: shape.Width, Channels: shape.Channels, Pixels: make([]float32, set.Len()*shape.Pixels())}
	loader := &data.Loader{Dataset: set}
	return x, loader.Load(ctx, 0, set.Len(), x.Pixels, make([]int, set.Len()))
}

// through looks through one convolution at images as the network reads them.
func (s AnsatzSeenSpec) through(ctx context.Context, in study.Setting, n *ansatzNet, l cnfa.LayerResult, px []float32) (*seenConvolution, error) {
	own, err := cnfa.Responses(ctx, n.net, l, px)
	if err != nil {
		return nil, err
	}
	c := &seenConvolution{layer: l.Name, cnfm: responsesOf(own, ofCNFM), agop: responsesOf(own, ofAGOP)}
	if s.Change && n.Weights == "" {
		changed, err := cnfa.Responses(ctx, n.changed(l.Name), l, px)
		if err != nil {
			return nil, err
		}
		c.cnfm = responsesOf(changed, ofCNFM)
	}
	norms, err := cnfa.PatchNorms(ctx, n.net, l.Name, px)
	if err != nil {
		return nil, err
	}
	for i, r := range own {
		size := r.Height * r.Width
		c.patches = append(c.patches, rfm.Response{Height: r.Height, Width: r.Width, Values: norms[i*size : (i+1)*size]})
	}
	rng := models.Stream(in.Seed, "rotations of S of "+n.Name+"/"+l.Name)
	for range setups.RotationCount {
		turned := l
		turned.S = graph.MomentOf(setups.RotateMetric(rfm.FullMetric(l.S.Sym()), rng).Dense())
		r, err := cnfa.Responses(ctx, n.net, turned, px)
		if err != nil {
			return nil, err
		}
		c.rotated = append(c.rotated, responsesOf(r, ofAGOP))
	}
	return c, nil
}

// changed is the network with W − W₀ in the place of the filters of one layer.
func (n *ansatzNet) changed(layer string) *models.Network {
	net := n.net.Clone()
	w, w0 := net.Value(layer+".weight").Float32s(), n.initial.Value(layer+".weight").Float32s()
	for i := range w {
		w[i] -= w0[i]
	}
	return net
}

func ofCNFM(r cnfa.Response) []float64 { return r.CNFM }
func ofAGOP(r cnfa.Response) []float64 { return r.AGOP }

// responsesOf are what one of the two matrices sees.
func responsesOf(all []cnfa.Response, of func(cnfa.Response) []float64) []rfm.Response {
	out := make([]rfm.Response, len(all))
	for i, r := range all {
		out[i] = rfm.Response{Height: r.Height, Width: r.Width, Values: of(r)}
	}
	return out
}
