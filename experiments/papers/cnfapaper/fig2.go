package cnfapaper

import (
	"context"
	"slices"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/experiments/cost"
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/experiments/train"
	"github.com/ansatz-lab/ansatz/graph/moment"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/rfm"
	"github.com/ansatz-lab/ansatz/rfm/responses"
)

// Measures of the responses of CNFM and AGOP to images, means over all layers: their correlation, its excess over that
// with a rotated S, and the same for the gains, which are the responses divided by the norms of the patches. In the
// first layer the AGOP's responses are also compared with the images' gradients.
var (
	seenAlike              = alike.Of("seen")
	seenOverRotated        = study.NewMeasure("seen_over_rotated")
	seenOverIdentity       = overIdentity.Of("seen")
	seenGain               = study.NewMeasure("seen_gain")
	seenGainOverRotated    = gainOverRotated.Of("seen")
	firstEdges             = study.NewMeasure("first_edges")
	firstEdgesOverIdentity = study.NewMeasure("first_edges_over_identity")
)

// fig2 returns the responses of CNFM and AGOP to images, for the networks of Fig. 1.
func fig2() *study.Experiment {
	return &study.Experiment{
		ID: "cnfa/fig2", Paper: "cnfa", Figure: "Fig. 2", Title: "Responses of CNFM and AGOP to images, layer by " +
			"layer",
		Of: fig1(), Shows: []string{"seen*"},
		About: study.About{
			Done: "Each layer's CNFM and AGOP are applied to the patches of test images (photographs at scale " +
				"paper). The pictures of responses that they give are compared by Pearson's correlation over " +
				"positions, averaged over images.",
			Controls: []string{
				"Both pictures are bright where features are large, and both matrices contain W. The null is " +
					"therefore the AGOP with S rotated at random, WᵀQSQᵀW; the response with M = I, the norm of " +
					"the patch, is another control.",
				"Gains, the responses over the norms of the patches, do not have those norms in common.",
				"In first convolutions of stride 1 the AGOP's responses are also compared with the norm of the " +
					"image's gradient.",
			},
			Conventions: []string{
				"The response is the norm ‖M^½h‖ of the patch h that a layer reads at a position, for M the CNFM " +
					"WᵀW or the AGOP WᵀSW. The setting change takes W − W₀ in place of W, as the paper does for " +
					"its Figs. 3 and 4.",
				"The paper shows pictures; the thresholds of the correlations are ours.",
			},
		},
		Panels: []string{"seen-alexnet", "seen-[!a]*"},
		Claims: []study.Claim{
			seenAlike.Claim("CNFM and AGOP of AlexNet, VGG and ResNet transform images similarly in any layer: "+
				"correlation of their responses, mean over the layers.",
				"picture", study.AtLeast(.8)).On(imageNet).WithControl(seenOverRotated),
			control(seenOverRotated, "The responses of CNFM and AGOP = WᵀSW to images are more similar than "+
				"those of the CNFM and an AGOP with S rotated at random: difference of the correlations."),
			control(seenOverIdentity, "The responses of CNFM and AGOP to images are more similar than those of "+
				"the CNFM and M = I, the norms of the patches: difference of the correlations."),
			seenGain.Check("The gains of CNFM and AGOP, their responses to images over the norms of the patches, "+
				"are similar: correlation.", study.AtLeast(.5)).WithControl(seenGainOverRotated),
			control(seenGainOverRotated, "The gains of CNFM and AGOP = WᵀSW, their responses over the norms of "+
				"the patches, are more similar than those of the CNFM and an AGOP with S rotated at random: "+
				"difference of the correlations."),
			firstEdges.Claim("Early layers of AlexNet, VGG and ResNet detect edges: correlation of the responses "+
				"of a first convolution's AGOP and the norms of the image's gradients.",
				"picture", study.AtLeast(.5)).On(imageNet).WithControl(firstEdgesOverIdentity),
			control(firstEdgesOverIdentity, "The responses of a first convolution's AGOP resemble the norms of "+
				"the image's gradients more than the norms of the patches do: difference of the correlations."),
		},
	}
}

// AnsatzResponsesSpec says on which images the responses of CNFM and AGOP are compared (cnfa,
// section 2.2).
type AnsatzResponsesSpec struct {
	Count int `json:"count" toml:"count"` // 0 compares nothing
	// Photographs is a folder of photographs, see [setups.PhotographsSpec]. "" uses test images of each network's
	// dataset; the seeds use different parts of these in turn.
	Photographs string `json:"photographs" toml:"photographs"`
	// Change uses W − W₀ instead of W for the CNFM, where W₀ is known.
	Change bool `json:"change" toml:"change"`
}

// convolutionResponses holds the responses of one convolution to images.
type convolutionResponses struct {
	layer      string
	cnfm, agop []responses.Map
	patches    []responses.Map   // the norms of the patches: M = I
	rotated    [][]responses.Map // WᵀQSQᵀW for random rotations Q
	images     rfm.Images        // unprocessed
	// edges are the norms of the images' gradients; nil except for a first convolution of stride 1, whose positions
	// are those of the images.
	edges []responses.Map
}

// edgePatch is the side in pixels of the patches for gradients.
const edgePatch = 3

// leastPositions is the least number of positions of a layer that is compared: 4×4.
const leastPositions = 16

// responseDraws is the number of disjoint parts of the test images that the seeds use in turn.
const responseDraws = 5

// measure returns the responses of the convolutions that have enough positions.
func (s AnsatzResponsesSpec) measure(
	ctx context.Context, in study.Setting, f *ansatzResult, o *study.Outcome,
) ([]convolutionResponses, error) {
	if in.Dry() {
		return nil, in.AddJob(responsesJob(f.infos, s.Count), nil)
	}
	x, err := s.openImages(ctx, in, f.ansatzNet, o)
	if err != nil {
		return nil, err
	}
	read := slices.Clone(x.Pixels)
	f.normalisation.Apply(read)
	var all []convolutionResponses
	for _, l := range f.trained.Result.Layers {
		if l.Err != nil {
			continue
		}
		c, err := s.measureLayer(ctx, in, f.ansatzNet, l, read)
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

// responsesJob returns the cost of the responses of every convolution to images. For each convolution an image passes
// through half of the network on average, once for the layer and once for each rotation.
func responsesJob(layers []models.LayerInfo, images int) cost.Job {
	passes := float64(len(train.ConvsIn(layers))) * (2 + setups.RotationCount) / 2
	return cost.Training{Net: cost.NetOf(layers), Batch: 1, Tested: passes * float64(images)}
}

// openImages reads the images in the size that the network reads.
func (s AnsatzResponsesSpec) openImages(
	ctx context.Context, in study.Setting, n *ansatzNet, o *study.Outcome,
) (rfm.Images, error) {
	if s.Photographs != "" {
		return setups.PhotographsSpec{Folder: s.Photographs, Count: s.Count, Size: n.net.Input.Height}.Open(ctx, in, o)
	}
	set, err := setups.OpenDraw(in, n.Data, "test", n.Size, s.Count, responseDraws)
	if err != nil {
		return rfm.Images{}, err
	}
	if err := o.AddDataset(n.Name+", seen", set); err != nil {
		return rfm.Images{}, err
	}
	x, _, err := setups.ReadImages(ctx, set)
	return x, err
}

// measureLayer returns the responses of one convolution to images with normalised pixels.
func (s AnsatzResponsesSpec) measureLayer(
	ctx context.Context, in study.Setting, n *ansatzNet, l cnfa.LayerResult, px []float32,
) (*convolutionResponses, error) {
	own, err := cnfa.Responses(ctx, n.net, l, px)
	if err != nil {
		return nil, err
	}
	c := &convolutionResponses{
		layer: l.Name, cnfm: responsesOfMatrix(own, ofCNFM), agop: responsesOfMatrix(own, ofAGOP),
	}
	if s.Change && n.Weights == "" {
		changed, err := cnfa.Responses(ctx, n.withChange(l.Name), l, px)
		if err != nil {
			return nil, err
		}
		c.cnfm = responsesOfMatrix(changed, ofCNFM)
	}
	norms, err := cnfa.PatchNorms(ctx, n.net, l.Name, px)
	if err != nil {
		return nil, err
	}
	for i, r := range own {
		size := r.Height * r.Width
		c.patches = append(c.patches, responses.Map{
			Height: r.Height, Width: r.Width, Values: norms[i*size : (i+1)*size],
		})
	}
	rng := models.Stream(in.Seed, "rotations of S of "+n.Name+"/"+l.Name)
	for range setups.RotationCount {
		turned := l
		turned.S = moment.Of(setups.RotateMetric(rfm.FullMetric(l.S.Sym()), rng).Dense())
		r, err := cnfa.Responses(ctx, n.net, turned, px)
		if err != nil {
			return nil, err
		}
		c.rotated = append(c.rotated, responsesOfMatrix(r, ofAGOP))
	}
	return c, nil
}

// withChange returns a copy of the network in which W − W₀ replaces the filters W of one layer.
func (n *ansatzNet) withChange(layer string) *models.Network {
	net := n.net.Clone()
	w, w0 := net.Value(layer+".weight").Float32s(), n.initial.Value(layer+".weight").Float32s()
	for i := range w {
		w[i] -= w0[i]
	}
	return net
}

func ofCNFM(r cnfa.Response) []float64 { return r.CNFM }

func ofAGOP(r cnfa.Response) []float64 { return r.AGOP }

// responsesOfMatrix returns the responses of one of the two matrices.
func responsesOfMatrix(all []cnfa.Response, of func(cnfa.Response) []float64) []responses.Map {
	out := make([]responses.Map, len(all))
	for i, r := range all {
		out[i] = responses.Map{Height: r.Height, Width: r.Width, Values: of(r)}
	}
	return out
}
