package experiments

// kernelsAbout says what the spectra are of.
const kernelsAbout = "The Jacobian of all outputs of networks at their initial weights, PyTorch's, at the first test images, standardised; its effective rank is the exponential of the entropy of its singular values. " +
	"The same images throughout; the seeds differ in the weights and in where digits are shifted to. At scale small there are 100 images of 10 outputs in place of 600, " +
	"and AlexNets of an eighth of the filters and thereabouts on CIFAR-10's photographs at 64×64 stand for AlexNet on snakes. "

// kernelSpecs are LeNet on digits and AlexNet on photographs.
func kernelSpecs() map[Scale]Spec {
	digits := func(data string, images, shift int, widths ...float64) []KernelsTask {
		standard := KernelsTask{Name: "standard", Arch: "lenet", Data: data, Split: "test", Images: images, Widths: widths}
		shifted := standard
		shifted.Name, shifted.Shift = "shifted", shift
		return []KernelsTask{standard, shifted}
	}
	alexnet := func(data string, size, images int, widths ...float64) KernelsTask {
		return KernelsTask{Name: "alexnet", Arch: "alexnet", Data: data, Split: "test", Size: size, Images: images, Widths: widths}
	}
	paper := alexnet("imagenet:snakes", 224, 600, 1, 2, 3, 4)
	paper.Split = "train"
	return map[Scale]Spec{
		Smoke:      &KernelsSpec{append(digits("glyphs", 6, 3, .2, .5), alexnet("glyphs", 64, 3, .02, .04))},
		Small:      &KernelsSpec{append(digits("mnist", 100, 7, 1, 2, 5, 10), alexnet("cifar10", 64, 100, .0625, .125, .25))},
		PaperScale: &KernelsSpec{append(digits("mnist", 600, 7, paperWidths()...), paper)},
	}
}

// ntkFig6 is effective ranks.
func ntkFig6() *Experiment {
	return &Experiment{
		ID: "ntk/fig6", Paper: "ntk", Figure: "Fig. 6", Title: "Effective rank of the Jacobian by width",
		About: kernelsAbout,
		Claims: []Claim{
			{"standard_rank_rises_share", "LeNet's effective rank rises with width.", "picture", atLeast(.05)},
			{"shifted_rank_rises_share", "On shifted digits, too.", "picture", atLeast(.05)},
			{"standard_rises_more", "There the rise is less pronounced.", "picture", above(0)},
			{"shifted_over_standard", "Shifted digits give a higher effective rank.", "picture", above(0)},
			{"standard_share_first", "At the standard width the effective rank is much lower than the number of rows.", "picture", atMost(.75)},
			{"alexnet_rank_rises", "AlexNet's effective rank rises with width, marginally.", "picture", above(0)},
			{"alexnet_share_last", "It is significantly lower than the number of rows at all widths.", "picture", atMost(.75)},
		},
		Shows: []string{"standard", "shifted", "alexnet", "effective-rank"},
		Specs: kernelSpecs(),
	}
}

// ntkFig7 is the singular values themselves, of the same kernels.
func ntkFig7() *Experiment {
	return &Experiment{
		ID: "ntk/fig7", Paper: "ntk", Figure: "Figs. 7, A.3", Title: "Singular values of the Jacobian by width",
		About: kernelsAbout + "The smallest singular value is the smallest above rounding.",
		Claims: []Claim{
			{"standard_least_rises", "Width increases the smallest singular values that do not vanish (powers of ten).", "picture", above(0)},
			{"shifted_least_rises", "On shifted digits, too.", "picture", above(0)},
			{"standard_condition_falls", "It generally lowers the condition number (powers of ten).", "picture", above(0)},
			{"shifted_condition_falls", "On shifted digits, too.", "picture", above(0)},
			{"alexnet_least_rises", "AlexNet's smallest singular values rise, too.", "picture (A.3)", above(0)},
		},
		Of: ntkFig6(), Shows: []string{"standard", "shifted", "alexnet", "*-singular-values"},
	}
}
