package cnfapaper

import (
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
			coherenceSDs.Of("cntk").Claim("The top eigenvectors of CNTK-ConvRFM on CIFAR-10 are edges: their "+
				"orientation above the null's mean, in its standard deviations.",
				"picture", study.AtLeast(2)).WithControl(coherenceOverImages.Of("cntk")),
			coherenceSDs.Of("cntk-signs").Claim("Those on GTSRB too.",
				"picture", study.AtLeast(2)).WithControl(coherenceOverImages.Of("cntk-signs")),
			orientations.Of("cntk").Claim("They are like Gabor filters of different orientations: how many, on "+
				"CIFAR-10.",
				"picture", study.AtLeast(2)),
			orientations.Of("cntk-signs").Claim("On GTSRB.",
				"picture", study.AtLeast(2)),
			networksAlike.Claim("ConvRFM extracts from photographs what networks do.",
				"picture", study.AtLeast(.5)).WithControl(networksOverIdentity),
			control(networksOverIdentity, "More than the norm of the patches would."),
			control(coherenceOverImages.Of("cntk"), "The eigenvectors are more oriented than the principal components "+
				"of the images' patches, on CIFAR-10."),
			control(coherenceOverImages.Of("cntk-signs"), "On GTSRB."),
		},
		Specs: map[study.Scale]study.Spec{
			study.Smoke: &EdgesSpec{
				Machines: []EdgeMachine{smokeEdges("cntk", "cntk", 3), smokeEdges("cntk-signs", "cntk", 3)},
				Net:      smokeNetwork("cnn2"), Photographs: smokePhotographs, Images: 4, Draws: 50,
			},
			study.Small: &EdgesSpec{
				Machines: []EdgeMachine{
					edgeCNTK("cntk", edgePhotographs()), edgeCNTK("cntk-signs", edgeLeaves()),
					edgeLaplace("laplace", edgePhotographs()),
				},
				Net: smallNetwork(50, 60), Photographs: photographs224, Images: 20, Draws: 1000,
				Trained: append(pretrained(), WeightsSpec{"resnet20", "weights/resnet20.th"}),
			},
			study.PaperScale: &EdgesSpec{
				Machines: []EdgeMachine{
					edgeCNTK("cntk", paperPhotographs("cifar10")), edgeCNTK("cntk-signs", edgeSigns()),
					edgeCNTK("cntk-digits", edgeDigits()), edgeLaplace("laplace", edgeDigits()),
				},
				Net: paperNetwork(500), Photographs: photographs224, Images: 100, Draws: 1000,
				Trained: pretrained(),
			},
		},
	}
}
