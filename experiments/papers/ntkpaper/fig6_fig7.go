package ntkpaper

import (
	"github.com/ansatz-lab/ansatz/experiments/study"
)

var (
	standardRankRisesShare = study.NewMeasure("standard_rank_rises_share")
	shiftedRankRisesShare  = study.NewMeasure("shifted_rank_rises_share")
	standardRisesMore      = study.NewMeasure("standard_rises_more")
	shiftedOverStandard    = study.NewMeasure("shifted_over_standard")
	standardShareFirst     = study.NewMeasure("standard_share_first")
	alexnetRankRises       = study.NewMeasure("alexnet_rank_rises")
	alexnetShareLast       = study.NewMeasure("alexnet_share_last")
	standardLeastRises     = study.NewMeasure("standard_least_rises")
	shiftedLeastRises      = study.NewMeasure("shifted_least_rises")
	standardConditionFalls = study.NewMeasure("standard_condition_falls")
	shiftedConditionFalls  = study.NewMeasure("shifted_condition_falls")
	alexnetLeastRises      = study.NewMeasure("alexnet_least_rises")
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
			standardRankRisesShare.Claim("LeNet's effective rank rises with width.",
				"picture", study.AtLeast(.05)),
			shiftedRankRisesShare.Claim("On shifted digits, too.",
				"picture", study.AtLeast(.05)),
			standardRisesMore.Claim("There the rise is less pronounced.",
				"picture", study.Above(0)),
			shiftedOverStandard.Claim("Shifted digits give a higher effective rank.",
				"picture", study.Above(0)),
			standardShareFirst.Claim("At the standard width the effective rank is much lower than the number of rows.",
				"picture", study.AtMost(.75)),
			alexnetRankRises.Claim("AlexNet's effective rank rises with width, marginally.",
				"picture", study.Above(0)),
			alexnetShareLast.Claim("It is significantly lower than the number of rows at all widths.",
				"picture", study.AtMost(.75)),
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
			standardLeastRises.Claim("Width increases the smallest singular values that do not vanish (powers of ten).",
				"picture", study.Above(0)),
			shiftedLeastRises.Claim("On shifted digits, too.",
				"picture", study.Above(0)),
			standardConditionFalls.Claim("It generally lowers the condition number (powers of ten).",
				"picture", study.Above(0)),
			shiftedConditionFalls.Claim("On shifted digits, too.",
				"picture", study.Above(0)),
			alexnetLeastRises.Claim("AlexNet's smallest singular values rise, too.",
				"picture (A.3)", study.Above(0)),
		},
		Of: fig6(), Shows: []string{"standard", "shifted", "alexnet", "*-singular-values"},
	}
}
