package models

import "strings"

// vggPlans are the numbers of filters of VGG's convolutions, by stage: a max
// pooling ends each.
var vggPlans = map[string][][]int{
	"vgg11": {{64}, {128}, {256, 256}, {512, 512}, {512, 512}},
	"vgg13": {{64, 64}, {128, 128}, {256, 256}, {512, 512}, {512, 512}},
	"vgg16": {{64, 64}, {128, 128}, {256, 256, 256}, {512, 512, 512}, {512, 512, 512}},
	"vgg19": {{64, 64}, {128, 128}, {256, 256, 256, 256}, {512, 512, 512, 512}, {512, 512, 512, 512}},
}

// vgg is VGG as torchvision builds it, with batch norm if the name ends in _bn;
// on small images it is vggSmall.
func vgg(name string) *Architecture {
	return &Architecture{
		Name: name, Form: "ImageNet: features and three linear layers",
		Input: Shape{3, 224, 224}, Normalise: "imagenet",
		Init: Init{Conv: Kaiming{FanOut: true}, ConvBias: Constant(0), Linear: Normal{.01}, LinearBias: Constant(0)},
		Root: Sequential{
			{"features", vggFeatures(name)},
			{"", AdaptiveAvgPool{7, 7}},
			{"classifier", numbered(Linear{Out: 4096}, ReLU{}, Dropout{.5}, Linear{Out: 4096}, ReLU{},
				Dropout{.5}, Linear{})},
		},
		small: vggSmall(name),
	}
}

// vggSmall is VGG for CIFAR: the same convolutions, whose output has one position for images of 32×32, and one linear
// layer, called classifier. VGG-11 has 9 225 610 parameters on 3×32×32 images of 10 classes.
func vggSmall(name string) *Architecture {
	return &Architecture{
		Name: name, Form: "CIFAR: features and one linear layer",
		Input: Shape{3, 32, 32}, Normalise: "dataset",
		Root: Sequential{{"features", vggFeatures(name)}, {"classifier", Linear{}}},
	}
}

// vggFeatures are the convolutions, named as torchvision names them.
func vggFeatures(name string) Sequential {
	plan, norm := strings.CutSuffix(name, "_bn")
	var features []Layer
	for _, stage := range vggPlans[plan] {
		for _, filters := range stage {
			features = append(features, Conv3(filters, 1, true))
			if norm {
				features = append(features, BatchNorm{})
			}
			features = append(features, ReLU{})
		}
		features = append(features, MaxPool(SquarePool(2, 2, 0)))
	}
	return numbered(features...)
}
