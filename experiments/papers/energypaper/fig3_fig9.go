package energypaper

import (
	"context"
	"fmt"
	"math"

	"github.com/ansatz-lab/ansatz/experiments/cost"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/profile"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/experiments/train"
)

var (
	trainLossDifference     = study.NewMeasure("train_loss_difference")
	testLossDifference      = study.NewMeasure("test_loss_difference")
	deepTrainLossDifference = study.NewMeasure("deep_train_loss_difference")
	deepTestLossDifference  = study.NewMeasure("deep_test_loss_difference")
	testDifference          = study.NewMeasure("test_difference")
	trainDifference         = study.NewMeasure("train_difference")
	deepTestDifference      = study.NewMeasure("deep_test_difference")
	deepTrainDifference     = study.NewMeasure("deep_train_difference")
	testAccuracy            = study.NewMeasure("test_accuracy")
)

// FrozenSpec trains networks with and without their first layer frozen (energy,
// Figs. 3 and 9).
type FrozenSpec struct {
	Training setups.EnergyTraining  `json:"training" toml:"training"`
	Networks []setups.EnergyNetwork `json:"networks" toml:"networks"` // from shallow to deep
	// Freeze is a regular expression of the first layer's parameters.
	Freeze string `json:"freeze" toml:"freeze"`
	// Last is over how many epochs at the end losses and accuracies are averaged:
	// a constant rate leaves them rough.
	Last int `json:"last" toml:"last"`
}

// fig3 returns Fig. 3: losses with a frozen first layer.
func fig3() *study.Experiment {
	return &study.Experiment{
		ID: "energy/fig3", Paper: "energy", Figure: "Fig. 3",
		Title: "Training with a first layer of random filters that stays as it is",
		About: "VGGs of different depths learn with their first layer frozen at its random initialisation, and " +
			"without. Accuracies and losses are means over the last epochs. " + trainingAbout +
			" The two that are compared begin alike, unlike others. The first layer's convolution is frozen, the " +
			"batch norm behind it is not. There are 40 epochs at scale small: after 25, in a first run with one " +
			"seed, VGG-16 had 60 % of its training images right.",
		Claims: []study.Claim{
			trainLossDifference.Claim("There is almost no change in the training loss: by how much freezing raises it, in nats, "+
				"mean over the depths.",
				"equal for deep networks", study.Within(0, .1)),
			testLossDifference.Claim("Nor in the test loss.",
				"equal for deep networks", study.Within(0, .2)),
			deepTrainLossDifference.Claim("Of the deepest network the training loss is the same.",
				"the same", study.Within(0, .1)),
			deepTestLossDifference.Claim("So is its test loss.",
				"the same", study.Within(0, .2)),
		},
		Shows: []string{"accuracies", "*-loss"},
		Specs: map[study.Scale]study.Spec{
			study.Smoke: &FrozenSpec{Training: smokeEnergy, Networks: []setups.EnergyNetwork{smokeNet("cnn2")},
				Freeze: `^layers\.0\.`, Last: 1},
			study.Small: &FrozenSpec{
				Training: longSmallEnergy(), Freeze: `^features\.0\.`, Last: 5,
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

// fig9 returns Fig. 9: the accuracies of the networks of Fig. 3.
func fig9() *study.Experiment {
	return &study.Experiment{
		ID: "energy/fig9", Paper: "energy", Figure: "Fig. 9",
		Title: "Accuracies with a first layer of random filters that stays as it is",
		About: "The accuracies of Fig. 3's networks.",
		Of:    fig3(), Shows: []string{"accuracies", "*-accuracy"},
		Claims: []study.Claim{
			testDifference.Claim("There is almost no change in the test accuracy: what freezing loses, as a fraction of the "+
				"images, mean over the depths.",
				"equal for deep networks", study.Within(0, .03)),
			trainDifference.Claim("Nor in the training accuracy.",
				"equal for deep networks", study.Within(0, .03)),
			deepTestDifference.Claim("Of the deepest network the test accuracy is the same.",
				"the same", study.Within(0, .03)),
			deepTrainDifference.Claim("So is its training accuracy.",
				"the same", study.Within(0, .03)),
			testAccuracy.Claim("The networks that are compared have learned something: mean test accuracy without "+
				"freezing, where chance is .1.",
				"not said", study.AtLeast(.3)),
		},
	}
}

// Run implements Spec.
func (s *FrozenSpec) Run(ctx context.Context, in study.Setting) (*study.Outcome, error) {
	if s.Last < 1 || len(s.Networks) == 0 || s.Freeze == "" {
		return nil, input.Errorf("%d networks, the last %d epochs, frozen %q: want at least 1, 1, and a regular "+
			"expression", len(s.Networks), s.Last, s.Freeze)
	}
	o := &study.Outcome{Values: map[string]float64{}}
	t := report.Table{
		Name: "accuracies", Caption: fmt.Sprintf("Accuracies in percent and losses, mean over the last %d epochs.",
			s.Last),
		Columns: record.NumericColumns("network", "training", "test", "training loss", "test loss", "moved"),
	}
	charts := frozenCharts()
	var differences []finalScores
	accuracy := 0.
	for _, n := range s.Networks {
		free, frozen, err := s.trainFreeAndFrozen(ctx, in, n, o)
		if err != nil {
			return nil, err
		}
		for _, e := range []*setups.TrainedEnergyNetwork{free, frozen} {
			t.Rows = append(t.Rows, meanFinalScores(e, s.Last).cells(e.Name))
			for i, c := range charts {
				charts[i].Series = append(c.Series, c.series(e.Name, e.Epochs))
			}
		}
		differences = append(differences, meanFinalScores(free, s.Last).minus(meanFinalScores(frozen, s.Last)))
		accuracy += meanFinalScores(free, s.Last).test / float64(len(s.Networks))
	}
	o.Tables = []report.Table{t}
	for _, c := range charts {
		o.Charts = append(o.Charts, c.Chart)
	}
	o.Set(testAccuracy, accuracy)
	setDifferences(differences, o)
	return o, nil
}

// Jobs implements [study.Worker]: all networks are trained twice.
func (s *FrozenSpec) Jobs() ([]cost.Job, error) {
	return train.JobsOf(s.Networks, func(n setups.EnergyNetwork) ([]cost.Job, error) {
		j, err := n.Job(s.Training)
		return []cost.Job{j, j}, err
	})
}

// trainFreeAndFrozen trains a network twice from the same weights: all layers, and with the first
// one frozen.
func (s *FrozenSpec) trainFreeAndFrozen(ctx context.Context, in study.Setting, n setups.EnergyNetwork,
	o *study.Outcome) (free,
	frozen *setups.TrainedEnergyNetwork, err error) {
	if free, err = n.Train(ctx, in, s.Training); err != nil {
		return nil, nil, err
	}
	if err := o.AddDataset(n.Name, free.Images); err != nil {
		return nil, nil, err
	}
	n.Name, n.Start, n.Freeze = n.Name+", frozen", n.Name, s.Freeze
	if frozen, err = n.Train(ctx, in, s.Training); err != nil {
		return nil, nil, err
	}
	if meanFinalScores(frozen, s.Last).moved != 0 {
		return nil, nil, input.Errorf("freeze %q: the first layer of %s moved all the same: give a pattern that "+
			"matches the names of its parameters", s.Freeze, n.Arch)
	}
	return free, frozen, nil
}

// setDifferences sets the values of the claims: by how much freezing changes accuracies and losses.
func setDifferences(all []finalScores, o *study.Outcome) {
	deep := all[len(all)-1]
	o.Set(deepTestDifference, deep.test)
	o.Set(deepTrainDifference, deep.training)
	o.Set(deepTestLossDifference, -deep.testLoss)
	o.Set(deepTrainLossDifference, -deep.trainingLoss)
	k := float64(len(all))
	var mean finalScores
	for _, d := range all {
		mean.test += d.test / k
		mean.training += d.training / k
		mean.testLoss += d.testLoss / k
		mean.trainingLoss += d.trainingLoss / k
	}
	o.Set(testDifference, mean.test)
	o.Set(trainDifference, mean.training)
	o.Set(testLossDifference, -mean.testLoss)
	o.Set(trainLossDifference, -mean.trainingLoss)
}

// finalScores are accuracies and losses at the end of a training, and ‖W − W₀‖/‖W₀‖ of the first
// layer.
type finalScores struct{ training, test, trainingLoss, testLoss, moved float64 }

// meanFinalScores returns the means over the last epochs.
func meanFinalScores(n *setups.TrainedEnergyNetwork, last int) (f finalScores) {
	epochs := n.Epochs[max(0, len(n.Epochs)-last):]
	for _, e := range epochs {
		k := float64(len(epochs))
		f.training += e.TrainAccuracy / k
		f.trainingLoss += e.TrainLoss / k
		f.test += record.ValueOrNaN(e.TestAccuracy) / k
		f.testLoss += record.ValueOrNaN(e.TestLoss) / k
	}
	first := n.Net.Layers()[0].Name
	f.moved = profile.RelativeChange(n.Net.Filters(first), n.Initial.Filters(first))
	return f
}

func (f finalScores) minus(g finalScores) finalScores {
	return finalScores{f.training - g.training, f.test - g.test, f.trainingLoss - g.trainingLoss,
		f.testLoss - g.testLoss, f.moved - g.moved}
}

func (f finalScores) cells(name string) []report.Cell {
	return []report.Cell{
		{Text: name}, record.PercentCell(f.training), record.PercentCell(f.test),
		record.DefinedCell(f.trainingLoss, "%.3f"), record.DefinedCell(f.testLoss, "%.3f"),
		record.NumberCell(&f.moved, "%.2f"),
	}
}

// epochChart is a chart of a quantity that every epoch has.
type epochChart struct {
	study.Chart
	value func(train.EpochRecord) float64
}

// series returns the curve of a network, without the epochs that lack the quantity.
func (c epochChart) series(name string, epochs []train.EpochRecord) report.Series {
	s := report.Series{Label: name}
	for _, e := range epochs {
		if v := c.value(e); !math.IsNaN(v) {
			s.X, s.Y = append(s.X, float64(e.Epoch)), append(s.Y, v)
		}
	}
	return s
}

// frozenCharts returns the panels of Figs. 3 and 9, still without curves.
func frozenCharts() []epochChart {
	panel := func(name, title, y string, v func(train.EpochRecord) float64) epochChart {
		return epochChart{study.Chart{
			Name: name, Title: title, XLabel: "epoch", YLabel: y,
			Caption: title + " of VGGs of different depths, with the first layer frozen and without.",
		}, v}
	}
	return []epochChart{
		panel("training-loss", "Training loss", "loss", func(e train.EpochRecord) float64 { return e.TrainLoss }),
		panel("test-loss", "Test loss", "loss",
			func(e train.EpochRecord) float64 { return record.ValueOrNaN(e.TestLoss) }),
		panel("training-accuracy", "Training accuracy", "fraction right",
			func(e train.EpochRecord) float64 { return e.TrainAccuracy }),
		panel("test-accuracy", "Test accuracy", "fraction right",
			func(e train.EpochRecord) float64 { return record.ValueOrNaN(e.TestAccuracy) }),
	}
}
