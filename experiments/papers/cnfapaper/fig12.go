package cnfapaper

import (
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

var (
	cntkSignsOrientations = study.NewMeasure("cntk-signs_orientations")
	networksAlike         = study.NewMeasure("networks_alike")
	networksOverIdentity  = study.NewMeasure("networks_over_identity")
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
			cntkCoherenceSds.Claim("The top eigenvectors of CNTK-ConvRFM on CIFAR-10 are edges: their orientation above the "+
				"null's mean, in its standard deviations.",
				"picture", study.AtLeast(2)).WithControl(cntkCoherenceOverImages),
			cntkSignsCoherenceSds.Claim("Those on GTSRB too.",
				"picture", study.AtLeast(2)).WithControl(cntkSignsCoherenceOverImages),
			cntkOrientations.Claim("They are like Gabor filters of different orientations: how many, on CIFAR-10.",
				"picture", study.AtLeast(2)),
			cntkSignsOrientations.Claim("On GTSRB.",
				"picture", study.AtLeast(2)),
			networksAlike.Claim("ConvRFM extracts from photographs what networks do.",
				"picture", study.AtLeast(.5)).WithControl(networksOverIdentity),
			networksOverIdentity.Claim("More than the norm of the patches would.",
				"not asked by the paper", study.Above(0)),
			cntkCoherenceOverImages.Claim("The eigenvectors are more oriented than the principal components of the images' patches, "+
				"on CIFAR-10.",
				"not asked by the paper", study.Above(0)),
			cntkSignsCoherenceOverImages.Claim("On GTSRB.",
				"not asked by the paper", study.Above(0)),
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
