package cnfapaper

import (
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// pretrained returns the networks whose first layers the paper shows, with files of PyTorch's
// weights.
func pretrained() []WeightsSpec {
	return []WeightsSpec{{"vgg11", "weights/vgg11-8a719046.pth"}, {"alexnet", "weights/alexnet-owt-7be5be79.pth"}}
}

// fig12 returns eigenvectors, and the responses of networks and ConvRFM to photographs.
func fig12() *study.Experiment {
	return &study.Experiment{
		ID: "cnfa/fig12", Paper: "cnfa", Figure: "Fig. 12",
		Title: "Eigenvectors of CNTK-ConvRFM's M, and photographs through networks and ConvRFM",
		About: edgesAbout + "In photographs ‖Mh‖ is compared with that of the WᵀW of the first layers of networks, " +
			"at the positions that all patches have: a network that is trained here on the first machine's images, " +
			"and those whose weights are there, VGG11's and AlexNet's in the folder weights of the data folder, at " +
			"scale small a ResNet-20 for CIFAR-10 (weights/resnet20.th). Networks read photographs normalised as in " +
			"their training. " + edgesStandIns +
			" At scale small dead leaves, lying or standing, stand in for GTSRB.",
		Claims: []study.Claim{
			{
				Value: "cntk_coherence_sds", Paper: "picture", Holds: study.AtLeast(2),
				Sentence: "The top eigenvectors of CNTK-ConvRFM on CIFAR-10 are edges: their orientation above the " +
					"null's mean, in its standard deviations.",
			},
			{
				Value: "cntk-signs_coherence_sds", Paper: "picture", Holds: study.AtLeast(2),
				Sentence: "Those on GTSRB too.",
			},
			{
				Value: "cntk_orientations", Paper: "picture", Holds: study.AtLeast(2),
				Sentence: "They are like Gabor filters of different orientations: how many, on CIFAR-10.",
			},
			{
				Value: "cntk-signs_orientations", Paper: "picture", Holds: study.AtLeast(2),
				Sentence: "On GTSRB.",
			},
			{
				Value: "networks_alike", Paper: "picture", Holds: study.AtLeast(.5),
				Sentence: "ConvRFM extracts from photographs what networks do.",
			},
			{
				Value: "networks_over_identity", Paper: "not asked by the paper", Holds: study.Above(0),
				Sentence: "More than the norm of the patches would.",
			},
			{
				Value: "cntk_coherence_over_images", Paper: "not asked by the paper", Holds: study.Above(0),
				Sentence: "The eigenvectors are more oriented than the principal components of the images' patches, " +
					"on CIFAR-10.",
			},
			{
				Value: "cntk-signs_coherence_over_images", Paper: "not asked by the paper", Holds: study.Above(0),
				Sentence: "On GTSRB.",
			},
		},
		Controls: map[string]string{
			"cntk_coherence_sds":       "cntk_coherence_over_images",
			"cntk-signs_coherence_sds": "cntk-signs_coherence_over_images", "networks_alike": "networks_over_identity",
		},
		Specs: map[study.Scale]study.Spec{
			study.Smoke: &EdgesSpec{
				Machines: []EdgeMachine{
					{"cntk", smokeLeaves(), smokeMachine("cntk", 3)},
					{"cntk-signs", smokeLeaves(), smokeMachine("cntk", 3)},
				},
				Photographs: smokePhotographs,
				Net:         setups.PatchNetworkSpec{Arch: "cnn2", Init: "", Rate: 1e-3, Batch: 10, Epochs: 2}, Images: 4,
				Draws: 50,
			},
			study.Small: &EdgesSpec{
				Machines: []EdgeMachine{
					{"cntk", edgeTask("photographs", "cifar10", 24, 400, 400, 200), edgeCNTK(5, 1e-3)},
					{"cntk-signs", edgeTask("leaves", "deadleaves", 24, 400, 400, 200), edgeCNTK(5, 1e-3)},
					{"laplace", edgeTask("photographs", "cifar10", 24, 400, 400, 200), edgeLaplace(5, 1e-3)},
				},
				Photographs: photographs224,
				Net:         setups.PatchNetworkSpec{Arch: "cnn3", Init: smallInit, Rate: 1e-3, Batch: 50, Epochs: 60},
				Images:      20, Draws: 1000,
				Trained: append(pretrained(), WeightsSpec{"resnet20", "weights/resnet20.th"}),
			},
			study.PaperScale: &EdgesSpec{
				Machines: []EdgeMachine{
					{"cntk", edgeTask("photographs", "cifar10", 0, 4000, 500, 2000), edgeCNTK(5, 1e-3)},
					{"cntk-signs", edgeTask("signs", "gtsrb", 32, 4000, 500, 2000), edgeCNTK(5, 1e-3)},
					{"cntk-digits", edgeTask("digits", "svhn", 0, 4000, 500, 2000), edgeCNTK(5, 1e-3)},
					{"laplace", edgeTask("digits", "svhn", 0, 4000, 500, 2000), edgeLaplace(5, 1e-3)},
				},
				Photographs: photographs224,
				Net:         setups.PatchNetworkSpec{Arch: "cnn3", Init: "", Rate: 1e-4, Batch: 128, Epochs: 500},
				Images:      100, Draws: 1000, Trained: pretrained(),
			},
		},
	}
}
