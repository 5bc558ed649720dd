package models

import (
	"fmt"
	"strconv"
)

// cifarResnet is the ResNet of depth 6n+2 for CIFAR (He et al. 2015, section
// 4.2): three stages of n blocks with 16, 32 and 64 filters, shortcuts without
// parameters (option A).
func cifarResnet(name string) *Architecture {
	var depth int
	if _, err := fmt.Sscanf(name, "resnet%d", &depth); err != nil {
		return nil
	}
	root := Sequential{{"conv1", Conv3(16, 1, false)}, {"bn1", BatchNorm{}}, {"", ReLU{}}}
	for i, filters := range []int{16, 32, 64} {
		stage := make([]Layer, (depth-2)/6)
		for j := range stage {
			stride := 1
			if i > 0 && j == 0 {
				stride = 2
			}
			block := Residual{Main: Sequential{
				{"conv1", Conv3(filters, stride, false)}, {"bn1", BatchNorm{}}, {"", ReLU{}},
				{"conv2", Conv3(filters, 1, false)}, {"bn2", BatchNorm{}},
			}}
			if stride == 2 {
				block.Shortcut = Sequential{{"", Subsample{Stride: 2, Filters: filters}}}
			}
			stage[j] = block
		}
		root = append(root, Named{"layer" + strconv.Itoa(i+1), numbered(stage...)})
	}
	return &Architecture{
		Name: name, Root: append(root, Named{"", AdaptiveAvgPool{1, 1}}, Named{"linear", Linear{}}),
		Input: Shape{3, 32, 32}, Normalise: "imagenet",
		Init: Init{Conv: Kaiming{}, Linear: Kaiming{}},
	}
}
