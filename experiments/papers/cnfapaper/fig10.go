package cnfapaper

import (
	"fmt"

	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// fig10 returns ConvRFM and networks on toy images and photographs.
func fig10() *study.Experiment {
	small := convrfm(1, 1e-3)
	small.Sample = 100
	return &study.Experiment{
		ID: "cnfa/fig10", Paper: "cnfa", Figure: "Fig. 10",
		Title: "ConvRFM extracts the features of the network's first layer: bars, noisy digits, photographs",
		About: study.About{
			Deviations: []string{
				"At scale small there are fewer images, different ones for every seed, CIFAR-10's are 16×16, and " +
					"patch-AGOPs are taken on 100 of them.",
				"At scale small the correlation for photographs is anything from .1 to .98, by the iteration that validation " +
					"chooses. The M of a first iteration is nearly flat: it responds as the norm of the patch does, and so does the " +
					"network. That of a later iteration has most of its trace on two eigenvectors, edges of two directions, and " +
					"the network, which learns little from 500 photographs, responds to brightness too.",
			},
		}.With(responsesAbout).With(bestAbout).With(publishedAbout),
		Claims:     fig10Claims(),
		SmallSeeds: 5,
		Specs: map[study.Scale]study.Spec{
			study.Smoke: &ResponsesSpec{
				Tasks: []setups.PatchTask{
					barsTask(24, 8, 8), smokeDigits(),
					standInFor("CIFAR-10", photographTask("photographs", "deadleaves", 10, 24, 8, 8)),
				},
				Machine: smokeConvRFM(2, 1, 0), Net: smokeNetwork("cnn2"), Images: 4,
			},
			study.Small: &ResponsesSpec{
				Tasks: []setups.PatchTask{barsTask(300, 200, 200), smallNoisyDigits(), smallPhotographs(16, 500)},
				Net:   smallNetwork(25, 30), Machine: small, Images: 20,
			},
			study.PaperScale: &ResponsesSpec{
				Tasks: []setups.PatchTask{
					learnedAsToys(barsTask(400, 100, 500)), learnedAsToys(paperNoisyDigits()), paperPhotographs("cifar10"),
				},
				Net: paperNetwork(500), Machine: asPublished(convrfm(1, paperRidges()...)), Images: 100,
			},
		},
	}
}

// learnedAsToys returns a task whose network has the epochs that the paper gives its toy datasets (Appendix B).
func learnedAsToys(t setups.PatchTask) setups.PatchTask {
	t.Epochs = 25
	return t
}

// barsTask returns a task on bars in noise.
func barsTask(train, validation, test int) setups.PatchTask {
	return setups.PatchTask{Name: "bars", Data: "bars:noise=1", Train: train, Validation: validation, Test: test}
}

// fig10Claims returns the claims on each task.
func fig10Claims() []study.Claim {
	var claims, controls []study.Claim
	for _, task := range []struct{ name, images, dataset string }{
		{"bars", "bars in noise", "bars"}, {"digits", "digits in noise", "noisy digits"},
		{"photographs", "CIFAR-10's photographs", "CIFAR-10"},
	} {
		claims = append(claims, alike.Of(task.name).Claim(fmt.Sprintf("ConvRFM and a network's first layer "+
			"respond similarly to %s: correlation of their responses.", task.images),
			"picture", large).WithControl(overIdentity.Of(task.name)).On(task.dataset))
		controls = append(controls,
			control(overIdentity.Of(task.name), fmt.Sprintf("ConvRFM and a network's first layer respond to %s "+
				"more similarly than the norms of the patches alone would make them: difference of the "+
				"correlations.", task.images)).On(task.dataset),
			control(gainOverRotated.Of(task.name), fmt.Sprintf("ConvRFM and a network's first layer pass on "+
				"similar shares of patches of %s, more than with M rotated at random: difference of the "+
				"correlations of the gains.", task.images)).On(task.dataset))
	}
	return append(claims, controls...)
}
