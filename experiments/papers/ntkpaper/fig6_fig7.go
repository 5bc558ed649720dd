package ntkpaper

import (
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// kernelsAbout says which Jacobians the spectra are of.
const kernelsAbout = "The Jacobian of all outputs of networks at their initial weights, PyTorch's, at the first test " +
	"images, standardised; its effective rank is the exponential of the entropy of its singular values. The same " +
	"images throughout; the seeds differ in the weights and in where digits are shifted to. At scale small there are " +
	"100 images of 10 outputs in place of 600, and AlexNets of an eighth of the filters and thereabouts on " +
	"CIFAR-10's photographs at 64×64 stand for AlexNet on snakes. "

// kernelSpecs returns the specs of Figs. 6 and 7: LeNet on digits and AlexNet on photographs.
func kernelSpecs() map[study.Scale]study.Spec {
	digits := func(data string, images, shift int, widths ...float64) []KernelsTask {
		standard := KernelsTask{Name: "standard", Arch: "lenet", Data: data, Split: "test", Images: images,
			Widths: widths}
		shifted := standard
		shifted.Name, shifted.Shift = "shifted", shift
		return []KernelsTask{standard, shifted}
	}
	alexnet := func(data string, size, images int, widths ...float64) KernelsTask {
		return KernelsTask{Name: "alexnet", Arch: "alexnet", Data: data, Split: "test", Size: size, Images: images,
			Widths: widths}
	}
	paper := alexnet("imagenet:snakes", 224, 600, 1, 2, 3, 4)
	paper.Split = "train"
	return map[study.Scale]study.Spec{
		study.Smoke: &KernelsSpec{append(digits("glyphs", 6, 3, .2, .5), alexnet("glyphs", 64, 3, .02, .04))},
		study.Small: &KernelsSpec{append(digits("mnist", 100, 7, 1, 2, 5, 10),
			alexnet("cifar10", 64, 100, .0625, .125, .25))},
		study.PaperScale: &KernelsSpec{append(digits("mnist", 600, 7, paperWidths()...), paper)},
	}
}

// fig6 returns Fig. 6: effective ranks.
func fig6() *study.Experiment {
	return &study.Experiment{
		ID: "ntk/fig6", Paper: "ntk", Figure: "Fig. 6", Title: "Effective rank of the Jacobian by width",
		About: kernelsAbout,
		Claims: []study.Claim{
			{
				Value: "standard_rank_rises_share", Paper: "picture", Holds: study.AtLeast(.05),
				Sentence: "LeNet's effective rank rises with width.",
			},
			{
				Value: "shifted_rank_rises_share", Paper: "picture", Holds: study.AtLeast(.05),
				Sentence: "On shifted digits, too.",
			},
			{
				Value: "standard_rises_more", Paper: "picture", Holds: study.Above(0),
				Sentence: "There the rise is less pronounced.",
			},
			{
				Value: "shifted_over_standard", Paper: "picture", Holds: study.Above(0),
				Sentence: "Shifted digits give a higher effective rank.",
			},
			{
				Value: "standard_share_first", Paper: "picture", Holds: study.AtMost(.75),
				Sentence: "At the standard width the effective rank is much lower than the number of rows.",
			},
			{
				Value: "alexnet_rank_rises", Paper: "picture", Holds: study.Above(0),
				Sentence: "AlexNet's effective rank rises with width, marginally.",
			},
			{
				Value: "alexnet_share_last", Paper: "picture", Holds: study.AtMost(.75),
				Sentence: "It is significantly lower than the number of rows at all widths.",
			},
		},
		Shows: []string{"standard", "shifted", "alexnet", "effective-rank"},
		Specs: kernelSpecs(),
	}
}

// fig7 returns Figs. 7 and A.3: the singular values of the Jacobians of Fig. 6.
func fig7() *study.Experiment {
	return &study.Experiment{
		ID: "ntk/fig7", Paper: "ntk", Figure: "Figs. 7, A.3", Title: "Singular values of the Jacobian by width",
		About: kernelsAbout + "The smallest singular value is the smallest above rounding.",
		Claims: []study.Claim{
			{
				Value: "standard_least_rises", Paper: "picture", Holds: study.Above(0),
				Sentence: "Width increases the smallest singular values that do not vanish (powers of ten).",
			},
			{
				Value: "shifted_least_rises", Paper: "picture", Holds: study.Above(0),
				Sentence: "On shifted digits, too.",
			},
			{
				Value: "standard_condition_falls", Paper: "picture", Holds: study.Above(0),
				Sentence: "It generally lowers the condition number (powers of ten).",
			},
			{
				Value: "shifted_condition_falls", Paper: "picture", Holds: study.Above(0),
				Sentence: "On shifted digits, too.",
			},
			{
				Value: "alexnet_least_rises", Paper: "picture (A.3)", Holds: study.Above(0),
				Sentence: "AlexNet's smallest singular values rise, too.",
			},
		},
		Of: fig6(), Shows: []string{"standard", "shifted", "alexnet", "*-singular-values"},
	}
}
