package energypaper

import (
	"context"
	"fmt"
	"slices"

	"github.com/ansatz-lab/ansatz/cnfa/energy"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/experiments/workload"
	"github.com/ansatz-lab/ansatz/models"
)

// The measures of Table 3. The first three are of a pair of classes: correlations of the profile
// with true labels.
var (
	likeOptimum = study.NewMeasure("optimum")
	likeInitial = study.NewMeasure("init")
	likeRandom  = study.NewMeasure("random")

	// Means over the pairs of classes: the noise ceiling for true and random labels; and correlations for true labels learned
	// from other initial filters, and by networks of other widths after the same number of steps or the same time ηT/width.
	linearNoise    = study.NewMeasure("ceiling")
	likeOtherSeed  = study.NewMeasure("seeds")
	likeOtherWidth = study.NewMeasure("widths")
	likeSameTime   = study.NewMeasure("widths_same_time")

	randomAnyTime = study.NewMeasure("random_any_time")
	randomCentred = study.NewMeasure("random_centred")
	sgd           = study.NewMeasure("sgd")
	descentDigits = study.NewMeasure("descent_digits")
)

// LinearTableSpec trains linear CNNs on pairs of classes, in closed form.
type LinearTableSpec struct {
	Data   string `json:"data" toml:"data"`
	Images int    `json:"images" toml:"images"` // of each class, drawn by the seed; 0 is all
	Patch  int    `json:"patch" toml:"patch"`
	// Width is the number of filters at which claims are judged.
	Width int `json:"width" toml:"width"`
	// Widths are the widths in the map over width and time.
	Widths []int `json:"widths" toml:"widths"`
	// Compared are the widths between which profiles for true labels are compared: at scale small those whose noise
	// ceiling exceeds .9, the threshold of the correlation.
	Compared []int `json:"compared" toml:"compared"`
	// Splits is the number of divisions of the filters into halves for the noise ceilings.
	Splits int `json:"splits" toml:"splits"`
	// Samples are the shares of the images from whose patches components are computed, to show how the correlation
	// with the optimum depends on them.
	Samples []float64 `json:"samples" toml:"samples"`
	// Rate, Batch and Epochs are the paper's. The progress of training is measured by ηT/width, with T the number of
	// steps.
	Rate   float64 `json:"rate" toml:"rate"`
	Batch  int     `json:"batch" toml:"batch"`
	Epochs int     `json:"epochs" toml:"epochs"`
	// Checked is the number of the first pair's images on which CheckedSteps full-batch steps are taken to check the
	// closed form.
	Checked      int `json:"checked" toml:"checked"`
	CheckedSteps int `json:"checked_steps" toml:"checked_steps"`
	// SGDRate is the learning rate of mini-batch training on the first pair, which runs to the same ηT/width.
	SGDRate float64 `json:"sgd_rate" toml:"sgd_rate"`
}

// linearPair is two classes of CIFAR-10, by their numbers, and Table 3's correlations for them.
type linearPair struct {
	key, name     string
	figure        string     // that draws it here
	first, second int        // the first is the label 0
	paper         [3]float64 // of linearOptimum, linearInit and linearRandom
}

// linearPairs returns the pairs of Table 3.
func linearPairs() []linearPair {
	return []linearPair{
		{"bird_plane", "bird and plane", "fig8", 0, 2, [3]float64{-.16, .03, .97}},
		{"dog_frog", "dog and frog", "fig4", 5, 6, [3]float64{-.22, -.09, .96}},
		{"dog_cat", "dog and cat", "fig4", 3, 5, [3]float64{-.25, .08, .95}},
		{"car_truck", "car and truck", "fig8", 1, 9, [3]float64{.26, -.26, .94}},
		{"boat_plane", "boat and plane", "fig8", 0, 8, [3]float64{-.26, -.08, .94}},
	}
}

// table3 returns Table 3: linear CNNs with true and random labels, the optimum and the initial filters.
func table3() *study.Experiment {
	small := &LinearTableSpec{
		Data: "cifar10", Patch: 3, Width: 1024, Widths: []int{16, 64, 256, 1024, 4096},
		Compared: []int{256, 1024, 4096}, Splits: 50, Samples: []float64{1, .1, .025},
		Rate: .1, Batch: 256, Epochs: 150, Checked: 128, CheckedSteps: 25, SGDRate: 16,
	}
	paper := *small
	paper.Checked, paper.CheckedSteps, paper.SGDRate = 1024, 400, .1
	e := &study.Experiment{
		ID: "energy/table3", Paper: "energy", Figure: "Table 3",
		Title: "Linear CNNs trained with true and with random labels, beside the optimum and the initial filters",
		About: study.About{
			Done: "Linear CNNs learn two classes of CIFAR-10 with true and with random labels. The energy " +
				"profiles of their filters after T steps, by the closed form (Theorem 4.2), are compared with " +
				"each other, with the optimum's and with the initial filters'.",
			Deviations: []string{
				"The paper says how it trains (learning rate .1, 150 epochs of batches of 256, 6000 steps) but " +
					"not how wide its networks are. Claims are judged at 1024 filters: the smallest width in the " +
					"table at which the noise ceiling, the agreement of halves of the filters, exceeds .97, the " +
					"largest correlation in Table 3.",
				"How far training came depends on ηT/width, which is then .59. The charts show all other values, " +
					"and the map shows widths too. At 64 filters and these steps, ηT/width = 9.4, true and random " +
					"labels agree much less, as they do at infinite width and that time, so the noise of few " +
					"filters is not the only reason.",
				"For car and truck the paper prints +.26 where all other pairs are negative. Ours is as negative " +
					"as the others, whatever the sample and the time, so the sign is probably a misprint.",
			},
			Controls: []string{
				"Labels ±½ instead of 0 and 1 remove what all labels of either kind have in common, their mean. " +
					"The label 1 for all images carries no information. The labels 0 and 1 are also exchanged.",
				"The closed form is that of full-batch gradient descent. On the first pair of classes it is " +
					"checked by taking the steps, and by mini-batches.",
				"If one of the two filter banks were rotated at random in the space of patches, the correlation " +
					"would have mean 0 and standard deviation 1/√26 = .20.",
				"The optimum's profile is nearly that of the components of least variance, which depend on the " +
					"sample of patches. The table of samples shows how much.",
			},
			Conventions: []string{
				"Targets are 0, for the class that comes first in CIFAR-10, and 1, and there is no bias. The " +
					"network with random labels starts from other filters.",
				"Profiles are ‖A pᵢ‖ on the principal components of the pair's patches.",
				"The loss is the mean square, as PyTorch's. With the ½ that the paper's lemma has before it, the " +
					"same profile is reached at twice ηT/width.",
			},
		},
		Shows:      []string{"table3", "widths", "samples", "times", "thirds", "width-time", "time-*"},
		SmallSeeds: 10,
		Specs: map[study.Scale]study.Spec{
			study.Smoke: &LinearTableSpec{
				Data: "glyphs", Images: 20, Patch: 3, Width: 4, Widths: []int{4, 8}, Compared: []int{4, 8}, Splits: 3,
				Samples: []float64{1, .5}, Rate: .1, Batch: 10, Epochs: 20, Checked: 8, CheckedSteps: 5, SGDRate: 1,
			},
			study.Small: small, study.PaperScale: &paper,
		},
	}
	for _, p := range linearPairs() {
		e.Claims = append(e.Claims,
			likeRandom.Of(p.key).Claim(fmt.Sprintf("Linear CNNs have the same energy profile with true and with "+
				"random labels of %s: correlation.", p.name),
				fmt.Sprintf("%.2f", p.paper[linearRandom]), study.AtLeast(.9)).
				WithControl(overNull.Of(p.key)).
				Diagnosed("The agreement rises with the number of filters: with 1024 it is at the threshold, with 4096 far "+
					"above it (table of widths). Ten seeds gave 0.908 ± 0.012, and thirty others, which are shown, 0.900 ± 0.006: "+
					"more seeds do not decide. The paper's width would, which it does not say."),
			// For car and truck the paper's +.26 is probably a misprint, see About; the claim nevertheless asks for
			// the printed number.
			likeOptimum.Of(p.key).Claim(fmt.Sprintf("The energy profile of linear CNNs that learned %s differs "+
				"from the optimum's: correlation.", p.name),
				fmt.Sprintf("%+.2f", p.paper[linearOptimum]), study.Within(p.paper[linearOptimum], .2)).
				Diagnosed(p.optimumKnown()),
			likeInitial.Of(p.key).Claim(fmt.Sprintf("The energy profile of linear CNNs that learned %s differs "+
				"from the initial filters': correlation.", p.name),
				fmt.Sprintf("%+.2f", p.paper[linearInit]), study.Within(0, .35)),
			overNull.Of(p.key).Check(fmt.Sprintf("The energy profiles of linear CNNs with true and with random "+
				"labels of %s are more similar than if the filters of one were rotated at random: correlation "+
				"less two standard deviations of that null.", p.name), study.Above(0)))
	}
	e.Claims = append(e.Claims,
		likeOtherSeed.Claim("The energy profiles of linear CNNs are highly consistent across initialisations: "+
			"correlation with true labels, mean over pairs of classes.", "highly consistent", study.AtLeast(.9)),
		likeOtherWidth.Claim("The energy profiles of linear CNNs are highly consistent across widths: "+
			"correlation with true labels after equally many steps, mean over pairs of widths from 256 and pairs "+
			"of classes.", "highly consistent", study.AtLeast(.9)).
			Diagnosed("After equally many steps, networks of different widths are at different times ηT/width. At equal time "+
				"they agree, as the control says: the number of steps and not the width makes the difference."),
		likeSameTime.Check("The energy profiles of linear CNNs of different widths are similar at equal time "+
			"ηT/width: correlation with true labels, mean over pairs of widths from 256 and pairs of classes.",
			study.AtLeast(.9)),
		linearNoise.Check("The linear CNNs are wide enough that the noise of their initial filters leaves room for a "+
			"correlation of .97, the paper's largest: noise ceiling of true and random labels, mean over pairs of "+
			"classes.",
			study.AtLeast(.97)),
		randomAnyTime.Claim("True and random labels give linear CNNs the same energy profile at any iteration "+
			"(Theorem A.4): smallest correlation over ηT/width from .1 to 10⁵, mean over pairs of classes.",
			"same at any iteration", study.AtLeast(.9)).
			Diagnosed("Early on both profiles are that of the mean label, which true and random labels share: with labels ±½ "+
				"no agreement is left (the control). Later each follows its own labels. This holds at infinite width too, so "+
				"that no size would decide otherwise."),
		randomCentred.Check("The energy profiles of linear CNNs with true and with random labels are similar "+
			"because of the images, not of what all labels have in common: correlation with labels ±½, mean over "+
			"pairs of classes.", study.AtLeast(.9)),
		sgd.Claim("Mini-batches of 256 lead linear CNNs to the energy profile of the closed form: correlation.",
			"SGD", study.AtLeast(.99)),
		descentDigits.Claim("Gradient descent gives a linear CNN the filters of the closed form: number of "+
			"digits that agree, −log₁₀ of the relative error.",
			"Theorem 4.2", study.AtLeast(10)))
	return e
}

// Run implements Spec.
func (s *LinearTableSpec) Run(ctx context.Context, in study.Setting) (*study.Outcome, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	o := &study.Outcome{}
	var all []*linearCurves
	for i, p := range linearPairs() {
		in.Report("linear CNNs", i, len(linearPairs()))
		l, err := s.openAndLearn(ctx, in, p, o)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			if err := l.checkDescent(ctx, in, o); err != nil {
				return nil, err
			}
		}
		if in.Dry() {
			continue
		}
		curves, err := l.measureCurves(ctx, p, in.Seed)
		if err != nil {
			return nil, err
		}
		all = append(all, curves)
		if err := l.addProfiles(curves, o); err != nil {
			return nil, err
		}
	}
	if in.Dry() {
		return nil, nil
	}
	return o, s.addResults(all, o)
}

// openAndLearn opens the images of a pair, records them, and prepares the closed form. In a dry run
// it finds out their number and shape.
func (s *LinearTableSpec) openAndLearn(ctx context.Context, in study.Setting, p linearPair,
	o *study.Outcome) (*learnedPair, error) {
	if in.Dry() {
		set, err := workload.FindDatasetSize(s.Data, 0)
		if err != nil {
			return nil, err
		}
		images := 2 * workload.ImagesUsed(s.Images, set.Train/set.Classes)
		return &learnedPair{LinearTableSpec: s, images: images, shape: set.Shape},
			in.AddJob(setups.PatchMomentsJob(set.Shape, s.Patch, images), nil)
	}
	set, err := s.openPair(in, p)
	if err != nil {
		return nil, err
	}
	if err := o.AddDataset(fmt.Sprintf("%s: %s", s.Data, p.name), set); err != nil {
		return nil, err
	}
	l, err := s.newLearnedPair(ctx, in, set)
	if err != nil {
		return nil, err
	}
	if _, d := l.start.Dims(); l.closed.Rank() < d {
		o.Notes = append(o.Notes, fmt.Sprintf("%s: the average patches have rank %d of %d: the optimum is the one of "+
			"least norm.", p.name, l.closed.Rank(), d))
	}
	return l, nil
}

func (s *LinearTableSpec) check() error {
	narrowest := slices.Min(append([]int{s.Width}, s.Widths...))
	if s.Images < 0 || narrowest < 2 || s.Splits < 1 || !(s.Rate > 0) || s.Batch < 1 || s.Epochs < 1 || s.Checked < 1 ||
		s.CheckedSteps < 1 || !(s.SGDRate > 0) {
		return input.Errorf("a linear CNN with the settings %+v: want numbers above 0, and widths of at least 2", *s)
	}
	return nil
}

// steps returns the number of steps in the paper's training on a number of images.
func (s *LinearTableSpec) steps(images int) int {
	return s.Epochs * ((images + s.Batch - 1) / s.Batch)
}

// fullDescent returns full-batch descent with as many steps as the paper's training.
func (s *LinearTableSpec) fullDescent(images int) energy.Descent {
	return energy.Descent{Rate: s.Rate, Width: s.Width, Steps: s.steps(images)}
}

// linearArchitecture returns a linear CNN of a width.
func (s *LinearTableSpec) linearArchitecture(width int) (*models.Architecture, error) {
	a, err := input.LookupArchitecture(fmt.Sprintf("linear-cnn:%d", s.Patch))
	if err != nil {
		return nil, err
	}
	a.Width = float64(width) / setups.LinearCNNFilters
	return a, nil
}

// newNetwork returns a network of that architecture, with random filters.
func (s *LinearTableSpec) newNetwork(shape models.Shape, width int, seed uint64) (*models.Network, error) {
	a, err := s.linearArchitecture(width)
	if err != nil {
		return nil, err
	}
	return a.InitNetwork(shape, 2, seed)
}
