package energypaper

import (
	"cmp"
	"context"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/profile"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/experiments/train"
	"github.com/ansatz-lab/ansatz/internal/words"
)

// By how much freezing lowers accuracies and raises losses: the mean over the depths and, with the part deep, that of
// the deepest network. Also the mean test accuracy without freezing.
var (
	trainDifference     = study.NewMeasure("train_difference")
	testDifference      = study.NewMeasure("test_difference")
	trainLossDifference = study.NewMeasure("train_loss_difference")
	testLossDifference  = study.NewMeasure("test_loss_difference")
	testAccuracy        = study.NewMeasure("test_accuracy")
)

// deepest names the part of the experiment that is the deepest network.
const deepest = "deep"

// FrozenSpec trains networks with and without their first layer frozen (energy, Figs. 3 and 9).
type FrozenSpec struct {
	Training setups.EnergyTraining  `json:"training" toml:"training"`
	Networks []setups.EnergyNetwork `json:"networks" toml:"networks"` // from shallow to deep
	// Freeze is a regular expression of the first layer's parameters.
	Freeze string `json:"freeze" toml:"freeze"`
	// Last is the number of final epochs over which losses and accuracies are averaged. They vary between epochs,
	// since the learning rate is constant.
	Last int `json:"last" toml:"last"`
}

// frozenKnown says what is known of the claim that seeds of scale small leave undecided.
const frozenKnown = "Networks that learn 1000 images overfit them, and the deepest is not trained to the end by every seed: their " +
	"losses differ by tenths of a nat from seed to seed, more than what freezing may change. Scale medium, with ten times the " +
	"images, was tried with three seeds: the training losses then differ by .01 nat at most, the test losses still by −.6 to " +
	".3. Twenty seeds of scale medium would decide, by estimate ten minutes each."

// fig3 returns Fig. 3: losses with a frozen first layer.
func fig3() *study.Experiment {
	return &study.Experiment{
		ID: "energy/fig3", Paper: "energy", Figure: "Fig. 3",
		Title: "Training with a first layer of random filters that stays as it is",
		About: study.About{
			Done: "VGGs of different depths are trained twice from the same initial weights: with their first " +
				"layer frozen at its random initialisation, and with all layers trained. Accuracies and losses " +
				"are means over the last epochs.",
			Deviations: []string{
				"At scale small there are 40 epochs: after 25, in a first run with one seed, VGG-16 classified " +
					"60 % of its training images correctly.",
			},
			Conventions: []string{
				"The convolution of the first layer is frozen, the batch norm behind it is not. The two networks " +
					"of a pair begin with the same weights, unlike networks in other experiments of this paper.",
			},
		}.With(trainingAbout),
		Claims: []study.Claim{
			trainLossDifference.Claim("Freezing the first layer of VGGs hardly changes the training loss: "+
				"increase in nats, mean over the depths.",
				"equal for deep networks", study.Within(0, .1)),
			testLossDifference.Claim("Freezing the first layer of VGGs hardly changes the test loss: increase in "+
				"nats, mean over the depths.",
				"equal for deep networks", study.Within(0, .2)),
			trainLossDifference.Of(deepest).Claim("Freezing the first layer does not change the training loss of "+
				"the deepest VGG: increase in nats.",
				"the same", study.Within(0, .1)),
			testLossDifference.Of(deepest).Claim("Freezing the first layer does not change the test loss of the "+
				"deepest VGG: increase in nats.",
				"the same", study.Within(0, .2)).Diagnosed(frozenKnown),
		},
		Shows:      []string{"accuracies", "*-loss"},
		SmallSeeds: 10,
		Specs: map[study.Scale]study.Spec{
			study.Smoke: &FrozenSpec{Training: smokeEnergy, Networks: []setups.EnergyNetwork{smokeNet("cnn2")},
				Freeze: `^layers\.0\.`, Last: 1},
			study.Small: &FrozenSpec{
				Training: smallFrozenEnergy(), Freeze: `^features\.0\.`, Last: 5,
				Networks: []setups.EnergyNetwork{smallVGG("vgg11", "vgg11_bn", "cifar10"),
					smallVGG("vgg13", "vgg13_bn", "cifar10"), smallVGG("vgg16", "vgg16_bn", "cifar10")},
			},
			study.Medium: &FrozenSpec{
				Training: mediumEnergy, Freeze: `^features\.0\.`, Last: 5,
				Networks: []setups.EnergyNetwork{smallVGG("vgg11", "vgg11_bn", "cifar10"),
					smallVGG("vgg13", "vgg13_bn", "cifar10"), smallVGG("vgg16", "vgg16_bn", "cifar10")},
			},
			study.PaperScale: &FrozenSpec{
				Training: paperEnergy, Freeze: `^features\.0\.`, Last: 5,
				Networks: []setups.EnergyNetwork{
					plainVGG("vgg11", "vgg11_bn", "cifar10"), plainVGG("vgg13", "vgg13_bn", "cifar10"),
					plainVGG("vgg16", "vgg16_bn", "cifar10"), plainVGG("vgg19", "vgg19_bn", "cifar10"),
				},
			},
		},
	}
}

// smallFrozenEnergy returns the training at scale small. Claims allow a difference of 3 % in accuracy; on 500 test
// images, which other experiments use, an accuracy would have a standard error of 2 %.
func smallFrozenEnergy() setups.EnergyTraining {
	e := longSmallEnergy()
	e.Test = 2000
	return e
}

// fig9 returns Fig. 9: the accuracies of the networks of Fig. 3.
func fig9() *study.Experiment {
	return &study.Experiment{
		ID: "energy/fig9", Paper: "energy", Figure: "Fig. 9",
		Title: "Accuracies with a first layer of random filters that stays as it is",
		About: study.About{
			Done: "This figure has the accuracies of Fig. 3's networks.",
		},
		Of: fig3(), Shows: []string{"accuracies", "*-accuracy"},
		Claims: []study.Claim{
			testDifference.Claim("Freezing the first layer of VGGs hardly changes the test accuracy: loss as a "+
				"fraction of the images, mean over the depths.",
				"equal for deep networks", study.Within(0, .03)),
			trainDifference.Claim("Freezing the first layer of VGGs hardly changes the training accuracy: loss "+
				"as a fraction of the images, mean over the depths.",
				"equal for deep networks", study.Within(0, .03)),
			testDifference.Of(deepest).Claim("Freezing the first layer does not change the test accuracy of the "+
				"deepest VGG: loss as a fraction of the images.",
				"the same", study.Within(0, .03)),
			trainDifference.Of(deepest).Claim("Freezing the first layer does not change the training accuracy of "+
				"the deepest VGG: loss as a fraction of the images.",
				"the same", study.Within(0, .03)),
			testAccuracy.Check("The VGGs of the comparison with frozen first layers have learned something: mean "+
				"test accuracy without freezing, where chance is .1.", study.AtLeast(.3)),
		},
	}
}

// Run implements Spec.
func (s *FrozenSpec) Run(ctx context.Context, in study.Setting) (*study.Outcome, error) {
	if s.Last < 1 || len(s.Networks) == 0 || s.Freeze == "" {
		return nil, input.Errorf("%d networks, the last %d epochs, frozen %q: want at least 1, 1, and a regular "+
			"expression", len(s.Networks), s.Last, s.Freeze)
	}
	o := &study.Outcome{}
	var nets []scoredNet
	var differences []finalScores
	accuracy := 0.
	for _, n := range s.Networks {
		free, frozen, err := s.trainFreeAndFrozen(ctx, in, n, o)
		if err != nil {
			return nil, err
		}
		nets = append(nets, free, frozen)
		differences = append(differences, free.minus(frozen.finalScores))
		accuracy += free.test / float64(len(s.Networks))
	}
	o.Tables, o.Charts = []report.Table{scoresTable(nets, s.Last)}, epochCharts(nets)
	o.Set(testAccuracy, accuracy)
	setDifferences("", meanScores(differences), o)
	setDifferences(deepest, differences[len(differences)-1], o)
	return o, nil
}

// trainFreeAndFrozen trains a network twice from the same weights: once with all layers, and once with the first layer
// frozen.
func (s *FrozenSpec) trainFreeAndFrozen(ctx context.Context, in study.Setting, n setups.EnergyNetwork,
	o *study.Outcome) (free, frozen scoredNet, err error) {
	if n.Weights != "" || n.Freeze != "" {
		return free, frozen, input.Errorf("%s: weights and freeze cannot be set here", n.Name)
	}
	trained, err := n.Train(ctx, in, s.Training)
	if err != nil {
		return free, frozen, err
	}
	name := n.Name
	n.Name, n.Start, n.Freeze = name+", frozen", cmp.Or(n.Start, name), s.Freeze
	again, err := n.Train(ctx, in, s.Training)
	if err != nil || in.Dry() {
		return free, frozen, err
	}
	if err := o.AddDataset(name, trained.Images); err != nil {
		return free, frozen, err
	}
	free = newScoredNet(trained, s.Last)
	if frozen = newScoredNet(again, s.Last); frozen.moved != 0 {
		return free, frozen, input.Errorf("freeze %q: the first layer of %s moved all the same: give a pattern that "+
			"matches the names of its parameters", s.Freeze, n.Arch)
	}
	return free, frozen, nil
}

// setDifferences sets the measures of a part to the scores of the free network minus those of the frozen one, and for
// losses to the opposite.
func setDifferences(part string, d finalScores, o *study.Outcome) {
	o.Set(testDifference.Of(part), d.test)
	o.Set(trainDifference.Of(part), d.training)
	o.Set(testLossDifference.Of(part), -d.testLoss)
	o.Set(trainLossDifference.Of(part), -d.trainingLoss)
}

// scoredNet is a trained network: its epochs and its scores at the end.
type scoredNet struct {
	name   string
	epochs []train.EpochRecord
	finalScores
	moved float64 // ‖W − W₀‖/‖W₀‖ of the first layer
}

// finalScores are accuracies and losses at the end of a training.
type finalScores struct{ training, test, trainingLoss, testLoss float64 }

// newScoredNet returns a network with its mean scores over the last epochs.
func newScoredNet(n *setups.TrainedEnergyNetwork, last int) scoredNet {
	var scores []finalScores
	for _, e := range n.Epochs[max(0, len(n.Epochs)-last):] {
		scores = append(scores, finalScores{e.TrainAccuracy, testAccuracyOf(e), e.TrainLoss, testLossOf(e)})
	}
	first := n.Net.Layers()[0].Name
	return scoredNet{name: n.Name, epochs: n.Epochs, finalScores: meanScores(scores),
		moved: profile.RelativeChange(n.Net.Filters(first), n.Initial.Filters(first))}
}

// meanScores returns the means of scores.
func meanScores(all []finalScores) (mean finalScores) {
	k := float64(len(all))
	for _, s := range all {
		mean.training += s.training / k
		mean.test += s.test / k
		mean.trainingLoss += s.trainingLoss / k
		mean.testLoss += s.testLoss / k
	}
	return mean
}

// minus returns the differences of the scores.
func (f finalScores) minus(g finalScores) finalScores {
	return finalScores{f.training - g.training, f.test - g.test, f.trainingLoss - g.trainingLoss,
		f.testLoss - g.testLoss}
}

// scoresTable lists the networks with their scores over the last epochs.
func scoresTable(nets []scoredNet, last int) report.Table {
	return record.TableOf("accuracies",
		"Accuracies in percent and losses, mean over the last "+words.Count(last, "epoch")+".", nets,
		record.TextField("network", func(n scoredNet) string { return n.name }),
		record.PercentField("training", func(n scoredNet) float64 { return n.training }),
		record.PercentField("test", func(n scoredNet) float64 { return n.test }),
		record.NumberField("training loss", "%.3f", func(n scoredNet) float64 { return n.trainingLoss }),
		record.NumberField("test loss", "%.3f", func(n scoredNet) float64 { return n.testLoss }),
		record.NumberField("moved", "%.2f", func(n scoredNet) float64 { return n.moved }))
}

// Numbers of an epoch that the charts show. Those on test images are NaN for epochs without a test.

func epochNumber(e train.EpochRecord) float64     { return float64(e.Epoch) }
func trainLossOf(e train.EpochRecord) float64     { return e.TrainLoss }
func testLossOf(e train.EpochRecord) float64      { return record.ValueOrNaN(e.TestLoss) }
func trainAccuracyOf(e train.EpochRecord) float64 { return e.TrainAccuracy }
func testAccuracyOf(e train.EpochRecord) float64  { return record.ValueOrNaN(e.TestAccuracy) }

// epochCharts returns the panels of Figs. 3 and 9: losses and accuracies by epoch.
func epochCharts(nets []scoredNet) []study.Chart {
	panel := func(name, title, y string, value func(train.EpochRecord) float64) study.Chart {
		c := study.Chart{
			Name: name, Title: title, XLabel: "epoch", YLabel: y,
			Caption: title + " of VGGs of different depths, with the first layer frozen and without.",
		}
		for _, n := range nets {
			c.Series = append(c.Series, record.SeriesOf(n.name, n.epochs, epochNumber, value))
		}
		return c
	}
	return []study.Chart{
		panel("training-loss", "Training loss", "loss", trainLossOf),
		panel("test-loss", "Test loss", "loss", testLossOf),
		panel("training-accuracy", "Training accuracy", "accuracy", trainAccuracyOf),
		panel("test-accuracy", "Test accuracy", "accuracy", testAccuracyOf),
	}
}
