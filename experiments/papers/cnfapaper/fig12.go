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
		About: study.About{Done: edgesAbout + ablationAbout + "In photographs ‖Mh‖ is compared with that of the WᵀW of the first " +
			"layers of networks, at the positions that all patches have: a network that is trained here on the first " +
			"machine's images, and those whose weights are in the data folder or its folder weights, VGG11's " +
			"(vgg11.pth or torchvision's name for it) and AlexNet's, at scale small a ResNet-20 for CIFAR-10 " +
			"(resnet20.th). Networks read photographs normalised as in their training. " + edgesStandIns},
		Claims: append([]study.Claim{
			coherenceSDs.Of("cntk").Claim("The top eigenvectors of CNTK-ConvRFM, trained on CIFAR-10, are edges: "+
				"their orientation above the null's mean, in its standard deviations.",
				"picture", aboveNull).WithControl(coherenceOverImages.Of("cntk")).On("CIFAR-10"),
			coherenceSDs.Of("cntk-signs").Claim("The top eigenvectors of CNTK-ConvRFM, trained on GTSRB, are edges: "+
				"their orientation above the null's mean, in its standard deviations.",
				"picture", aboveNull).WithControl(coherenceOverImages.Of("cntk-signs")).On("GTSRB"),
			orientations.Of("cntk").Claim("The eigenvectors of CNTK-ConvRFM, trained on CIFAR-10, are like Gabor "+
				"filters of different orientations: how many there are.",
				"picture", study.AtLeast(2)).On("CIFAR-10"),
			orientations.Of("cntk-signs").Claim("The eigenvectors of CNTK-ConvRFM, trained on GTSRB, are like Gabor "+
				"filters of different orientations: how many there are.",
				"picture", study.AtLeast(2)).On("GTSRB"),
			networksAlike.Claim("ConvRFM extracts from photographs what networks do.",
				"picture", large).WithControl(networksOverIdentity),
			control(networksOverIdentity, "ConvRFM and networks extract the same from photographs, more than the norm "+
				"of the patches would make them."),
			control(coherenceOverImages.Of("cntk"), "The eigenvectors of CNTK-ConvRFM, trained on CIFAR-10, are more "+
				"oriented than the principal components of the images' patches.").On("CIFAR-10"),
			control(coherenceOverImages.Of("cntk-signs"), "The eigenvectors of CNTK-ConvRFM, trained on GTSRB, are "+
				"more oriented than the principal components of the images' patches.").On("GTSRB"),
		}, ablationChecks("CIFAR-10")...),
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
