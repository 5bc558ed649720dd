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

// vgg is VGG as torchvision builds it, with batch norm if the name ends in _bn.
func vgg(name string) *Architecture {
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
	return &Architecture{
		Name: name, Input: Shape{3, 224, 224}, Normalise: "imagenet",
		Init: Init{Conv: KaimingFanOut, ConvBias: Zero, Linear: Normal(.01), LinearBias: Zero},
		Root: Sequential{
			{"features", numbered(features...)},
			{"", AdaptiveAvgPool{7, 7}},
			{"classifier", numbered(Linear{Out: 4096}, ReLU{}, Dropout{.5}, Linear{Out: 4096}, ReLU{}, Dropout{.5}, Linear{})},
		},
	}
}
