package zoo

import (
	"fmt"
	"math"
	"regexp"
	"strings"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/models/layers"
)

// denseNets returns the DenseNets, given by growth rate, layers of the blocks, and filters of the first convolution.
func denseNets() map[string]func() *models.Architecture {
	all := map[string]func() *models.Architecture{}
	for name, p := range map[string]struct {
		growth int
		blocks [4]int
		first  int
	}{
		"densenet121": {32, [4]int{6, 12, 24, 16}, 64}, "densenet161": {48, [4]int{6, 12, 36, 24}, 96},
		"densenet169": {32, [4]int{6, 12, 32, 32}, 64}, "densenet201": {32, [4]int{6, 12, 48, 32}, 64},
	} {
		all[name] = func() *models.Architecture { return denseNet(p.growth, p.blocks, p.first) }
	}
	return all
}

func denseNet(growth int, blocks [4]int, channels int) *models.Architecture {
	f := models.Sequential{
		{Name: "conv0", Layer: square(channels, 7, 2)}, {Name: "norm0", Layer: models.BatchNorm{}}, {Layer: models.ReLU{}},
		{Layer: models.MaxPool(models.SquarePool(3, 2, 1))},
	}
	for i, count := range blocks {
		var block models.Sequential
		for j := range count {
			block = append(block, models.Named{Layer: models.Branches{Join: models.Concat, Branches: []models.Named{
				{Layer: noLayer},
				{Name: fmt.Sprintf("denselayer%d", j+1), Layer: models.Sequential{
					{Name: "norm1", Layer: models.BatchNorm{}}, {Layer: models.ReLU{}},
					{Name: "conv1", Layer: square(4*growth, 1, 1)},
					{Name: "norm2", Layer: models.BatchNorm{}}, {Layer: models.ReLU{}},
					{Name: "conv2", Layer: square(growth, 3, 1)},
				}},
			}}})
		}
		f = append(f, models.Named{Name: fmt.Sprintf("denseblock%d", i+1), Layer: block})
		channels += count * growth
		if i < 3 {
			channels /= 2
			f = append(f, models.Named{Name: fmt.Sprintf("transition%d", i+1), Layer: models.Sequential{
				{Name: "norm", Layer: models.BatchNorm{}}, {Layer: models.ReLU{}},
				{Name: "conv", Layer: square(channels, 1, 1)}, {Layer: models.AvgPool(models.SquarePool(2, 2, 0))},
			}})
		}
	}
	f = append(f, models.Named{Name: "norm5", Layer: models.BatchNorm{}}, models.Named{Layer: models.ReLU{}})
	a := imagenet(pooled(f, models.Linear{}), models.Init{Conv: models.Kaiming{}, LinearBias: models.Constant(0)})
	a.Rename = renameDense
	return a
}

// oldDense matches the older names in the files that torchvision offers, such as norm.1 for norm1.
var oldDense = regexp.MustCompile(`^(.*denselayer\d+\.(?:norm|conv))\.([12]\..*)$`)

func renameDense(name string) (string, bool) { return oldDense.ReplaceAllString(name, "$1$2"), true }

// squeezeNets returns the SqueezeNets, given by the squeezed channels of their fire modules; 0 is a pooling.
func squeezeNets() map[string]func() *models.Architecture {
	pool := models.MaxPool{SizeH: 3, SizeW: 3, StrideH: 2, StrideW: 2, Ceil: true}
	network := func(first models.Conv, plan []int) *models.Architecture {
		all := []models.Layer{first, models.ReLU{}, pool}
		for _, n := range plan {
			if n == 0 {
				all = append(all, pool)
				continue
			}
			all = append(all, fire(n, 4*n))
		}
		classifier := seq(models.Dropout{P: .5}, models.Conv{Kernel: [2]int{1, 1}, Classes: true}, models.ReLU{}, models.AdaptiveAvgPool{H: 1, W: 1})
		return imagenet(models.Sequential{{Name: "features", Layer: seq(all...)}, {Name: "classifier", Layer: classifier}},
			models.Init{Conv: models.Kaiming{}, ConvBias: models.Constant(0)})
	}
	valid := func(filters, kernel int) models.Conv {
		return models.Conv{Filters: filters, Kernel: [2]int{kernel, kernel}, Geometry: graph.Square(2, 0)}
	}
	return map[string]func() *models.Architecture{
		"squeezenet1_0": func() *models.Architecture {
			return network(valid(96, 7), []int{16, 16, 32, 0, 32, 48, 48, 64, 0, 64})
		},
		"squeezenet1_1": func() *models.Architecture {
			return network(valid(64, 3), []int{16, 16, 0, 32, 32, 0, 48, 48, 64, 64})
		},
	}
}

// fire is a fire module: it reduces the channels and then expands them by 1×1 and by 3×3 filters.
func fire(squeeze, expand int) models.Layer {
	return models.Sequential{
		{Name: "squeeze", Layer: withBias(square(squeeze, 1, 1))}, {Layer: models.ReLU{}},
		{Layer: models.Branches{Join: models.Concat, Branches: []models.Named{
			{Name: "expand1x1", Layer: withBias(square(expand, 1, 1))},
			{Name: "expand3x3", Layer: withBias(square(expand, 3, 1))},
		}}}, {Layer: models.ReLU{}},
	}
}

// inceptions returns GoogLeNet, given by the filters of every module's branches; an empty row is a pooling.
func inceptions() map[string]func() *models.Architecture {
	plan := []struct {
		name    string
		filters [6]int
	}{
		{"3a", [6]int{64, 96, 128, 16, 32, 32}}, {"3b", [6]int{128, 128, 192, 32, 96, 64}}, {},
		{"4a", [6]int{192, 96, 208, 16, 48, 64}}, {"4b", [6]int{160, 112, 224, 24, 64, 64}},
		{"4c", [6]int{128, 128, 256, 24, 64, 64}}, {"4d", [6]int{112, 144, 288, 32, 64, 64}},
		{"4e", [6]int{256, 160, 320, 32, 128, 128}}, {},
		{"5a", [6]int{256, 160, 320, 32, 128, 128}}, {"5b", [6]int{384, 192, 384, 48, 128, 128}},
	}
	conv := func(filters, kernel, stride int) models.Layer {
		return models.Sequential{{Name: "conv", Layer: square(filters, kernel, stride)},
			{Name: "bn", Layer: models.BatchNorm{Eps: .001}}, {Layer: models.ReLU{}}}
	}
	pool := func(size, stride, pad int) models.MaxPool {
		p := models.SquarePool(size, stride, pad)
		p.Ceil = true
		return models.MaxPool(p)
	}
	return map[string]func() *models.Architecture{"googlenet": func() *models.Architecture {
		root := models.Sequential{{Name: "conv1", Layer: conv(64, 7, 2)}, {Layer: pool(3, 2, 0)},
			{Name: "conv2", Layer: conv(64, 1, 1)}, {Name: "conv3", Layer: conv(192, 3, 1)}, {Layer: pool(3, 2, 0)}}
		size := 3
		for _, m := range plan {
			if m.name == "" {
				root = append(root, models.Named{Layer: pool(size, 2, 0)})
				size = 2 // the second one
				continue
			}
			f := m.filters
			root = append(root, models.Named{Name: "inception" + m.name, Layer: models.Branches{Join: models.Concat,
				Branches: []models.Named{
					{Name: "branch1", Layer: conv(f[0], 1, 1)},
					{Name: "branch2", Layer: seq(conv(f[1], 1, 1), conv(f[2], 3, 1))},
					{Name: "branch3", Layer: seq(conv(f[3], 1, 1), conv(f[4], 3, 1))}, // 3×3 where the paper has 5×5
					{Name: "branch4", Layer: models.Sequential{{Layer: pool(3, 1, 1)}, {Name: "1", Layer: conv(f[5], 1, 1)}}},
				}}})
		}
		root = append(root, models.Named{Layer: models.AdaptiveAvgPool{H: 1, W: 1}},
			models.Named{Layer: models.Dropout{P: .2}}, models.Named{Name: "fc", Layer: models.Linear{}})
		a := imagenet(root, models.Init{Conv: models.Normal{.01}, Linear: models.Normal{.01}})
		// torchvision's weights were trained on (pixel − ½)/½; its network converts ImageNet's normalisation to that.
		a.Normalise = "0.5/0.5"
		a.Rename = func(name string) (string, bool) { return name, !strings.HasPrefix(name, "aux") }
		return a
	}}
}

// resNeXts returns the ResNets with groups or wide bottlenecks, given by blocks, groups and the first bottlenecks' width.
func resNeXts() map[string]func() *models.Architecture {
	all := map[string]func() *models.Architecture{}
	for name, p := range map[string]struct {
		blocks        [4]int
		groups, width int
	}{
		"resnext50_32x4d": {[4]int{3, 4, 6, 3}, 32, 128}, "resnext101_32x8d": {[4]int{3, 4, 23, 3}, 32, 256},
		"resnext101_64x4d": {[4]int{3, 4, 23, 3}, 64, 256},
		"wide_resnet50_2":  {[4]int{3, 4, 6, 3}, 1, 128}, "wide_resnet101_2": {[4]int{3, 4, 23, 3}, 1, 128},
	} {
		all[name] = func() *models.Architecture { return resNeXt(p.blocks, p.groups, p.width) }
	}
	return all
}

func resNeXt(blocks [4]int, groups, width int) *models.Architecture {
	root := models.Sequential{{Name: "conv1", Layer: square(64, 7, 2)}, {Name: "bn1", Layer: models.BatchNorm{}},
		{Layer: models.ReLU{}}, {Layer: models.MaxPool(models.SquarePool(3, 2, 1))}}
	for i, count := range blocks {
		stage := make([]models.Layer, count)
		for j := range stage {
			stride := 1
			if i > 0 && j == 0 {
				stride = 2
			}
			middle := square(width<<i, 3, stride)
			middle.Geometry.Groups = groups
			block := models.Residual{Main: models.Sequential{
				{Name: "conv1", Layer: square(width<<i, 1, 1)}, {Name: "bn1", Layer: models.BatchNorm{}}, {Layer: models.ReLU{}},
				{Name: "conv2", Layer: middle}, {Name: "bn2", Layer: models.BatchNorm{}}, {Layer: models.ReLU{}},
				{Name: "conv3", Layer: square(256<<i, 1, 1)}, {Name: "bn3", Layer: models.BatchNorm{}},
			}}
			if j == 0 {
				block.Shortcut = models.Sequential{{Name: "downsample",
					Layer: seq(square(256<<i, 1, stride), models.BatchNorm{})}}
			}
			stage[j] = block
		}
		root = append(root, models.Named{Name: fmt.Sprintf("layer%d", i+1), Layer: seq(stage...)})
	}
	root = append(root, models.Named{Layer: models.AdaptiveAvgPool{H: 1, W: 1}},
		models.Named{Name: "fc", Layer: models.Linear{}})
	return imagenet(root, models.Init{Conv: models.Kaiming{FanOut: true}})
}

// normed is a convolution with a batch norm and, unless it is nil, an activation, like torchvision's Conv2dNormActivation.
func normed(c models.Conv, norm models.BatchNorm, activation models.Layer) models.Layer {
	s := seq(c, norm)
	if activation != nil {
		s = append(s, models.Named{Layer: activation})
	}
	return s
}

func mobileNets() map[string]func() *models.Architecture {
	return map[string]func() *models.Architecture{
		"mobilenet_v2":       mobileNetV2,
		"mobilenet_v3_large": func() *models.Architecture { return mobileNetV3(mobileV3Large, 1280) },
		"mobilenet_v3_small": func() *models.Architecture { return mobileNetV3(mobileV3Small, 1024) },
	}
}

func mobileNetV2() *models.Architecture {
	relu6, norm := layers.ReLU6, models.BatchNorm{}
	features := []models.Layer{normed(square(32, 3, 2), norm, relu6)}
	in := 32
	for _, p := range []struct{ expand, out, count, stride int }{ // Table 2 of the paper
		{1, 16, 1, 1}, {6, 24, 2, 2}, {6, 32, 3, 2}, {6, 64, 4, 2}, {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1},
	} {
		for j := range p.count {
			stride := 1
			if j == 0 {
				stride = p.stride
			}
			var all []models.Layer
			if p.expand > 1 {
				all = append(all, normed(square(in*p.expand, 1, 1), norm, relu6))
			}
			all = append(all, normed(depthwise(in*p.expand, 3, stride), norm, relu6), square(p.out, 1, 1), norm)
			features = append(features, residualIf(stride == 1 && in == p.out,
				models.Sequential{{Name: "conv", Layer: seq(all...)}}))
			in = p.out
		}
	}
	features = append(features, normed(square(1280, 1, 1), norm, relu6))
	return imagenet(pooled(seq(features...), seq(models.Dropout{P: .2}, models.Linear{})), kaimingOut)
}

// residualIf adds the input to the block's output if the sizes allow it.
func residualIf(fits bool, block models.Sequential) models.Layer {
	if fits {
		return add(block)
	}
	return block
}

// inverted is an inverted residual block, a row of the tables that define MobileNetV3: kernel, expanded and output channels,
// squeeze and excitation, hard swish instead of ReLU, stride.
type inverted struct {
	kernel, expanded, out int
	excite, swish         bool
	stride                int
}

var (
	mobileV3Large = []inverted{
		{3, 16, 16, false, false, 1}, {3, 64, 24, false, false, 2}, {3, 72, 24, false, false, 1},
		{5, 72, 40, true, false, 2}, {5, 120, 40, true, false, 1}, {5, 120, 40, true, false, 1},
		{3, 240, 80, false, true, 2}, {3, 200, 80, false, true, 1}, {3, 184, 80, false, true, 1},
		{3, 184, 80, false, true, 1}, {3, 480, 112, true, true, 1}, {3, 672, 112, true, true, 1},
		{5, 672, 160, true, true, 2}, {5, 960, 160, true, true, 1}, {5, 960, 160, true, true, 1},
	}
	mobileV3Small = []inverted{
		{3, 16, 16, true, false, 2}, {3, 72, 24, false, false, 2}, {3, 88, 24, false, false, 1},
		{5, 96, 40, true, true, 2}, {5, 240, 40, true, true, 1}, {5, 240, 40, true, true, 1},
		{5, 120, 48, true, true, 1}, {5, 144, 48, true, true, 1}, {5, 288, 96, true, true, 2},
		{5, 576, 96, true, true, 1}, {5, 576, 96, true, true, 1},
	}
)

func mobileNetV3(plan []inverted, last int) *models.Architecture {
	norm := models.BatchNorm{Eps: .001, Momentum: .01}
	features := []models.Layer{normed(square(16, 3, 2), norm, layers.HardSwish)}
	in := 16
	for _, p := range plan {
		var activation models.Layer = models.ReLU{}
		if p.swish {
			activation = layers.HardSwish
		}
		var block []models.Layer
		if p.expanded != in {
			block = append(block, normed(square(p.expanded, 1, 1), norm, activation))
		}
		block = append(block, normed(depthwise(p.expanded, p.kernel, p.stride), norm, activation))
		if p.excite {
			block = append(block, layers.SqueezeExcite(divisible(float64(p.expanded/4)), p.expanded, models.ReLU{},
				layers.HardSigmoid))
		}
		block = append(block, normed(square(p.out, 1, 1), norm, nil))
		features = append(features, residualIf(p.stride == 1 && in == p.out,
			models.Sequential{{Name: "block", Layer: seq(block...)}}))
		in = p.out
	}
	features = append(features, normed(square(6*in, 1, 1), norm, layers.HardSwish))
	classifier := seq(models.Linear{Out: last}, layers.HardSwish, models.Dropout{P: .2}, models.Linear{})
	return imagenet(pooled(seq(features...), classifier), kaimingOut)
}

// efficientNets returns the EfficientNets, given by their width and depth relative to b0, and the classifier's dropout.
func efficientNets() map[string]func() *models.Architecture {
	all := map[string]func() *models.Architecture{}
	for i, p := range []struct{ width, depth, dropout float64 }{
		{1, 1, .2}, {1, 1.1, .2}, {1.1, 1.2, .3}, {1.2, 1.4, .3}, {1.4, 1.8, .4}, {1.6, 2.2, .4}, {1.8, 2.6, .5}, {2, 3.1, .5},
	} {
		norm := models.BatchNorm{}
		if i >= 5 {
			norm = models.BatchNorm{Eps: .001, Momentum: .01}
		}
		all[fmt.Sprintf("efficientnet_b%d", i)] = func() *models.Architecture {
			return efficientNet(p.width, p.depth, p.dropout, norm)
		}
	}
	return all
}

func efficientNet(width, depth, dropout float64, norm models.BatchNorm) *models.Architecture {
	wide := func(n int) int { return divisible(float64(n) * width) }
	features := []models.Layer{normed(square(wide(32), 3, 2), norm, layers.SiLU)}
	in := wide(32)
	for _, p := range []struct{ expand, kernel, stride, out, count int }{ // Table 1 of the paper
		{1, 3, 1, 16, 1}, {6, 3, 2, 24, 2}, {6, 5, 2, 40, 2}, {6, 3, 2, 80, 3}, {6, 5, 1, 112, 3}, {6, 5, 2, 192, 4},
		{6, 3, 1, 320, 1},
	} {
		var stage []models.Layer
		for j := range int(math.Ceil(float64(p.count) * depth)) {
			stride := 1
			if j == 0 {
				stride = p.stride
			}
			expanded, out := divisible(float64(in*p.expand)), wide(p.out)
			var block []models.Layer
			if expanded != in {
				block = append(block, normed(square(expanded, 1, 1), norm, layers.SiLU))
			}
			block = append(block, normed(depthwise(expanded, p.kernel, stride), norm, layers.SiLU),
				layers.SqueezeExcite(max(1, in/4), expanded, layers.SiLU, layers.Sigmoid),
				normed(square(out, 1, 1), norm, nil))
			stage = append(stage, residualIf(stride == 1 && in == out,
				models.Sequential{{Name: "block", Layer: seq(block...)}}))
			in = out
		}
		features = append(features, seq(stage...))
	}
	features = append(features, normed(square(4*in, 1, 1), norm, layers.SiLU))
	return imagenet(pooled(seq(features...), seq(models.Dropout{P: dropout}, models.Linear{})), kaimingOut)
}

// convNeXts returns the ConvNeXts, given by the channels and blocks of the four stages.
func convNeXts() map[string]func() *models.Architecture {
	all := map[string]func() *models.Architecture{}
	for name, p := range map[string]struct{ channels, blocks [4]int }{
		"convnext_tiny":  {[4]int{96, 192, 384, 768}, [4]int{3, 3, 9, 3}},
		"convnext_small": {[4]int{96, 192, 384, 768}, [4]int{3, 3, 27, 3}},
		"convnext_base":  {[4]int{128, 256, 512, 1024}, [4]int{3, 3, 27, 3}},
		"convnext_large": {[4]int{192, 384, 768, 1536}, [4]int{3, 3, 27, 3}},
	} {
		all[name] = func() *models.Architecture { return convNeXt(p.channels, p.blocks) }
	}
	return all
}

func convNeXt(channels, blocks [4]int) *models.Architecture {
	norm := layers.LayerNorm{Eps: 1e-6}
	patches := func(filters, size int) models.Conv {
		return models.Conv{Filters: filters, Kernel: [2]int{size, size}, Geometry: graph.Square(size, 0)}
	}
	features := []models.Layer{seq(patches(channels[0], 4), norm)}
	for i, c := range channels {
		if i > 0 {
			features = append(features, seq(norm, patches(c, 2)))
		}
		stage := make([]models.Layer, blocks[i])
		for j := range stage {
			stage[j] = add(models.Sequential{
				{Name: "block", Layer: models.Sequential{
					{Name: "0", Layer: withBias(depthwise(c, 7, 1))}, {Name: "2", Layer: norm},
					{Name: "3", Layer: models.Linear{Out: 4 * c, PerPosition: true}}, {Layer: layers.GELU},
					{Name: "5", Layer: models.Linear{Out: c, PerPosition: true}},
				}},
				{Name: "layer_scale", Layer: layers.Scale{Start: 1e-6}},
			})
		}
		features = append(features, seq(stage...))
	}
	return imagenet(pooled(seq(features...), models.Sequential{{Name: "0", Layer: norm},
		{Name: "2", Layer: models.Linear{}}}), narrow)
}
