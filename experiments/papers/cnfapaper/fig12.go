package cnfapaper

import (
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// pretrained returns the networks whose first layers the paper shows, with files of PyTorch's
// weights.
func pretrained() []WeightsSpec {
	return []WeightsSpec{{"vgg11", "vgg11.pth"}, {"alexnet", "alexnet.pth"}}
}

// fig12 returns eigenvectors, and the responses of networks and ConvRFM to photographs.
func fig12() *study.Experiment {
	return &study.Experiment{
		ID: "cnfa/fig12", Paper: "cnfa", Figure: "Fig. 12",
		Title: "Eigenvectors of CNTK-ConvRFM's M, and photographs through networks and ConvRFM",
		About: study.About{
			Conventions: []string{
				"In photographs ‖Mh‖ is compared with the same of the WᵀW of networks' first layers, at the " +
					"positions that all patches have. One network is trained here on the first machine's images; " +
					"the others have their weights in the data folder or its folder weights: VGG11 (vgg11.pth or " +
					"torchvision's name for it), AlexNet and, at scale small, a ResNet-20 for CIFAR-10 " +
					"(resnet20.th). They read photographs normalised as in their training.",
			},
		}.With(edgesAbout).With(ablationAbout).With(edgesStandIns),
		Claims: append([]study.Claim{
			coherenceSDs.Of("cntk").Claim("The top eigenvectors of the M of CNTK-ConvRFM, trained on CIFAR-10, "+
				"are edges: excess of their orientation over the null, in standard deviations of the null.",
				"picture", aboveNull).WithControl(coherenceOverImages.Of("cntk")).On("CIFAR-10"),
			coherenceSDs.Of("cntk-signs").Claim("The top eigenvectors of the M of CNTK-ConvRFM, trained on "+
				"GTSRB, are edges: excess of their orientation over the null, in standard deviations of the null.",
				"picture", aboveNull).WithControl(coherenceOverImages.Of("cntk-signs")).On("GTSRB"),
			orientations.Of("cntk").Claim("The eigenvectors of the M of CNTK-ConvRFM, trained on CIFAR-10, "+
				"resemble Gabor filters of different orientations: how many orientations there are.",
				"picture", study.AtLeast(2)).On("CIFAR-10"),
			orientations.Of("cntk-signs").Claim("The eigenvectors of the M of CNTK-ConvRFM, trained on GTSRB, "+
				"resemble Gabor filters of different orientations: how many orientations there are.",
				"picture", study.AtLeast(2)).On("GTSRB"),
			networksAlike.Claim("CNTK-ConvRFM and the first layers of networks extract similar features from "+
				"photographs: correlation of their responses.",
				"picture", large).WithControl(networksOverIdentity).Diagnosed("The paper shows pictures, and the threshold is ours. " +
				"The network that was trained here, on as few images as the machines, responds as the norms of the patches do. " +
				"A ResNet-20 that others trained responds to edges, and the machine that learned digits is nearest to it " +
				"(table of networks). AlexNet and VGG-11 with ImageNet's weights in the data folder, which the paper has, would decide, " +
				"an hour of a core."),
			control(networksOverIdentity, "CNTK-ConvRFM and the first layers of networks respond to photographs "+
				"more similarly than the norms of the patches alone would make them: difference of the "+
				"correlations."),
			control(coherenceOverImages.Of("cntk"), "The eigenvectors of the M of CNTK-ConvRFM, trained on "+
				"CIFAR-10, are more oriented than the principal components of the images' patches: difference of "+
				"the orientations.").On("CIFAR-10"),
			control(coherenceOverImages.Of("cntk-signs"), "The eigenvectors of the M of CNTK-ConvRFM, trained on "+
				"GTSRB, are more oriented than the principal components of the images' patches: difference of the "+
				"orientations.").On("GTSRB"),
		}, ablationChecks("CIFAR-10")...),
		SmallSeeds: 5,
		Specs: map[study.Scale]study.Spec{
			study.Smoke: &EdgesSpec{
				Machines: []EdgeMachine{
					smokeEdges("cntk", "cntk", 3, "CIFAR-10"), smokeEdges("cntk-signs", "cntk", 3, "GTSRB"),
				},
				Ablation: true, Net: smokeNetwork("cnn2"), Photographs: smokePhotographs, Images: 4, Draws: 50,
			},
			study.Small: &EdgesSpec{
				Machines: smallEdges(
					edgeCNTK("cntk", smallPhotographs(24, 500)), edgeCNTK("cntk-signs", smallSigns()),
					edgeCNTK("cntk-digits", smallStreetDigits()), edgeLaplace("laplace", smallStreetDigits())),
				Ablation: true, Net: smallNetwork(50, 60), Photographs: photographs224, Images: 20, Draws: 1000,
				Trained: append(pretrained(), WeightsSpec{"resnet20", "resnet20.th"}),
			},
			study.PaperScale: &EdgesSpec{
				Machines: paperEdges(
					edgeCNTK("cntk", paperPhotographs("cifar10")), edgeCNTK("cntk-signs", edgeSigns()),
					edgeCNTK("cntk-digits", edgeDigits()), edgeLaplace("laplace", edgeDigits())),
				Ablation: true, Net: paperNetwork(500), Photographs: photographs224, Images: 100, Draws: 1000,
				Trained: pretrained(),
			},
		},
	}
}
