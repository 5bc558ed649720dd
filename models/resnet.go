package models

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ansatz-lab/ansatz/graph"
)

// resnetBlocks are the numbers of blocks of the four stages, and whether they
// are bottlenecks.
var resnetBlocks = map[string]struct {
	stages     [4]int
	bottleneck bool
}{
	"resnet18":  {[4]int{2, 2, 2, 2}, false},
	"resnet34":  {[4]int{3, 4, 6, 3}, false},
	"resnet50":  {[4]int{3, 4, 6, 3}, true},
	"resnet101": {[4]int{3, 4, 23, 3}, true},
	"resnet152": {[4]int{3, 8, 36, 3}, true},
}

// smallStem ends the name of a ResNet for small images, see [resnet].
const smallStem = "_3x3"

// resnet is ResNet as torchvision builds it (version 1.5: the stride of a
// bottleneck is in its 3×3 convolution). With [smallStem] the first
// convolution is 3×3 with stride 1, and there is no max pooling behind it
// (He et al. 2015, section 4.2, on the stages for ImageNet).
func resnet(name string) *Architecture {
	base, small := strings.CutSuffix(name, smallStem)
	plan := resnetBlocks[base]
	in := Shape{3, 224, 224}
	root := Sequential{
		{"conv1", Conv{Filters: 64, Kernel: [2]int{7, 7}, Geometry: graph.Square(2, 3), NoBias: true}},
		{"bn1", BatchNorm{}}, {"", ReLU{}}, {"", MaxPool(SquarePool(3, 2, 1))},
	}
	if small {
		in = Shape{3, 32, 32}
		root = Sequential{{"conv1", Conv3(64, 1, false)}, {"bn1", BatchNorm{}}, {"", ReLU{}}}
	}
	block, expansion := basicBlock, 1
	if plan.bottleneck {
		block, expansion = bottleneck, 4
	}
	width := 64
	for i, blocks := range plan.stages {
		filters := 64 << i
		stage := make([]Layer, blocks)
		for j := range stage {
			stride := 1
			if i > 0 && j == 0 {
				stride = 2
			}
			stage[j] = block(width, filters, stride)
			width = filters * expansion
		}
		root = append(root, Named{"layer" + strconv.Itoa(i+1), numbered(stage...)})
	}
	root = append(root, Named{"", AdaptiveAvgPool{1, 1}}, Named{"fc", Linear{}})
	return &Architecture{
		Name: name, Root: root, Input: in, Normalise: "imagenet",
		Init: Init{Conv: Kaiming{FanOut: true}},
	}
}

func basicBlock(in, filters, stride int) Layer {
	return Residual{
		Main: Sequential{
			{"conv1", Conv3(filters, stride, false)}, {"bn1", BatchNorm{}}, {"", ReLU{}},
			{"conv2", Conv3(filters, 1, false)}, {"bn2", BatchNorm{}},
		},
		Shortcut: projection(in, filters, stride),
	}
}

func bottleneck(in, filters, stride int) Layer {
	point := func(filters int) Conv { return Conv{Filters: filters, Kernel: [2]int{1, 1}, NoBias: true} }
	return Residual{
		Main: Sequential{
			{"conv1", point(filters)}, {"bn1", BatchNorm{}}, {"", ReLU{}},
			{"conv2", Conv3(filters, stride, false)}, {"bn2", BatchNorm{}}, {"", ReLU{}},
			{"conv3", point(4 * filters)}, {"bn3", BatchNorm{}},
		},
		Shortcut: projection(in, 4*filters, stride),
	}
}

// projection is the 1×1 convolution of a shortcut whose block changes the size.
func projection(in, out, stride int) Sequential {
	if in == out && stride == 1 {
		return nil
	}
	return Sequential{{"downsample", numbered(
		Conv{Filters: out, Kernel: [2]int{1, 1}, Geometry: graph.Square(stride, 0), NoBias: true},
		BatchNorm{},
	)}}
}

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
