package cnfapaper

import (
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// fig2 is images through the matrices of Fig. 1's networks.
func fig2() *study.Experiment {
	return &study.Experiment{
		ID: "cnfa/fig2", Paper: "cnfa", Figure: "Fig. 2", Title: "What CNFM and AGOP see in images, layer by layer",
		Of: fig1(), Shows: []string{"seen*"},
		About: "At every position of a layer stands the norm ‖M^½h‖ of the patch h that it reads there, for M the CNFM WᵀW and the AGOP WᵀSW. A similarity is Pearson's correlation of the two pictures over their positions, averaged over images: test images of CIFAR-10, at scale paper photographs. " +
			"Both pictures are bright where features are large, and both matrices contain W. The null is therefore the AGOP with S rotated at random, WᵀQSQᵀW; M = I, the norm of the patch, is another control. The gains are the responses over the norms of the patches, which do not have those in common. " +
			"Of first convolutions of stride 1 what the AGOP sees is also compared with the norm of the image's gradient. The setting change takes W − W₀ in the place of W, as the paper does for its Figs. 3 and 4.",
		Claims: []study.Claim{
			{Value: "seen_alike", Sentence: "CNFM and AGOP transform images similarly at any layer: on average over the layers.", Paper: "picture", Holds: study.AtLeast(.8)},
			{Value: "seen_over_rotated", Sentence: "More than CNFM and an AGOP with S rotated at random.", Paper: "not asked by the paper", Holds: study.Above(0)},
			{Value: "seen_over_identity", Sentence: "More than the norm of the patches alone would make them.", Paper: "not asked by the paper", Holds: study.Above(0)},
			{Value: "seen_gain", Sentence: "What share of a patch they let through is alike.", Paper: "not asked by the paper", Holds: study.AtLeast(.5)},
			{Value: "seen_gain_over_rotated", Sentence: "More than with S rotated at random.", Paper: "not asked by the paper", Holds: study.Above(0)},
			{Value: "first_edges", Sentence: "In early layers they detect edges: what the AGOP of a first convolution sees, and the image's gradient.", Paper: "picture", Holds: study.AtLeast(.5)},
			{Value: "first_edges_over_identity", Sentence: "More than the norm of the patches does.", Paper: "not asked by the paper", Holds: study.Above(0)},
		},
		Controls: map[string]string{"seen_alike": "seen_over_rotated", "seen_gain": "seen_gain_over_rotated", "first_edges": "first_edges_over_identity"},
	}
}
