package alignmentpaper

import (
	"context"
	"math"
	"regexp"
	"slices"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/similarity"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

// networkCourse holds the measurements of a network while it trains. Checkpoints keep its fields as JSON.
type networkCourse struct {
	models.Position
	Scores   []networkScores // before training, and after every epoch
	Features []networkFeatures
	// Fitted is the block of W₁ᵀW₁ after the epoch that first fitted the training pairs, row by row.
	Fitted []float64
}

// networkScores are those after an epoch.
type networkScores struct{ Train, Test, TrainMSE, TestMSE float64 }

// networkFeatures are measurements of the first layer after an epoch.
type networkFeatures struct {
	Epoch      int
	Filters    circularity                  // of the block of W₁ᵀW₁
	AGOP       circularity                  // of the block of AGOP^½
	Alignments []similarity.AlignmentRecord // of [statementNames]
	AGOPBlock  []float64                    // of AGOP^½, row by row; only of the last measurement
}

// rootName names the alignment of W₁ᵀW₁ with AGOP^½.
const rootName = cnfa.NFA + "^0.5"

// statementNames returns the names of the tracked statements: all but those that are a second name for another.
func statementNames() (names []string) {
	for _, s := range cnfa.Statements() {
		if s.Name != cnfa.BackRWA && s.Name != cnfa.BackGWA {
			names = append(names, s.Name)
		}
	}
	return names
}

// followed is a network that is measured while it trains.
type followed struct {
	*networkCourse
	spec    *ModularSpec
	in      study.Setting
	task    *modularTask
	mlp     *setups.MLP
	tracker *cnfa.Tracker // nil for random labels
}

// trainNetwork trains a network on a task. It measures the accuracies after every epoch, and the first layer after some.
// With tracking off it measures the first layer only after the last epoch, without alignments. In a dry run it returns nil.
func (s *ModularSpec) trainNetwork(ctx context.Context, in study.Setting, t *modularTask,
	track bool) (*followed, error) {
	m, err := setups.NewDeepMLP(in, s.Net, 1, t.train)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	if in.Dry() {
		in.AddTested(float64((s.Net.Epochs + 1) * t.p * t.p))
		if track {
			for range measuredEpochs(s.Net.Epochs) {
				if err := in.AddJobs(s.Net.FirstLayerJobs(1, t.train, s.Draws), nil); err != nil {
					return nil, err
				}
			}
		}
		return nil, nil
	}
	f := &followed{&networkCourse{}, s, in, t, m, nil}
	if track {
		n, _ := t.train.X.Dims()
		f.tracker, err = cnfa.NewTracker(ctx, m.Net, setups.HoldImages(t.train, n), cnfa.Options{
			Images: n, Initial: m.Initial, Layers: regexp.MustCompile("^first$"), Alignments: statementNames(),
			NullDraws: s.Draws,
			Seed:      in.Seed, Threads: in.Threads, Memory: record.AvailableMemory(),
		})
		if err != nil {
			return nil, err
		}
		defer f.tracker.Close()
	}
	m.State = f.networkCourse
	return f, m.TrainFollowed(ctx, []any{s, t.name}, f.measure)
}

// measuredEpochs returns the epochs after which the first layer is measured: about 20, with growing distances.
func measuredEpochs(epochs int) []int {
	all := []int{0}
	for k := 0; all[len(all)-1] < epochs; k++ {
		e := min(epochs, int(math.Round(math.Pow(float64(epochs), float64(k)/20))))
		if e > all[len(all)-1] {
			all = append(all, e)
		}
	}
	return all
}

// measure measures the network after an epoch.
func (f *followed) measure(ctx context.Context, epoch int) error {
	if epoch < len(f.Scores) {
		return nil // the training was interrupted before its first step
	}
	train, err := f.mlp.Score(ctx, f.task.train)
	if err != nil {
		return err
	}
	test, err := f.mlp.Score(ctx, f.task.test)
	if err != nil {
		return err
	}
	f.Scores = append(f.Scores, networkScores{train.Accuracy, test.Accuracy, train.MSE, test.MSE})
	block := crossBlock(cnfa.CNFM(setups.FirstFilters(f.mlp.Net)))
	if f.Fitted == nil && train.Accuracy >= fittedAccuracy {
		f.Fitted = slices.Clone(block.RawMatrix().Data)
	}
	if last := epoch == f.spec.Net.Epochs; !last && (f.tracker == nil || !slices.Contains(measuredEpochs(
		f.spec.Net.Epochs), epoch)) {
		return nil
	}
	found := networkFeatures{Epoch: epoch, Filters: f.circularity(block)}
	if f.tracker != nil {
		if err := f.track(ctx, &found); err != nil {
			return err
		}
	}
	f.Features = append(f.Features, found)
	return nil
}

// circularity measures a block.
func (f *followed) circularity(block *mat.Dense) circularity {
	return circularityOf(block, f.spec.Draws, models.Stream(f.in.Seed, "null of the network's block"))
}

// track adds the alignments and the AGOP.
func (f *followed) track(ctx context.Context, found *networkFeatures) error {
	measured, err := f.tracker.Measure(ctx)
	if err != nil {
		return err
	}
	l := measured.Layers[0]
	if l.Ansatz.Err != nil {
		return l.Ansatz.Err
	}
	found.Alignments = similarity.NewAlignmentRecords(l.Alignments)
	root, err := rfm.FullMetric(l.S.Sandwich(setups.FirstFilters(f.mlp.Net))).ToPower(.5)
	if err != nil {
		return err
	}
	block := crossBlock(root.Dense())
	found.AGOP = f.circularity(block)
	if found.Epoch == f.spec.Net.Epochs {
		found.AGOPBlock = slices.Clone(block.RawMatrix().Data)
	}
	return nil
}

// firstAt returns the first epoch after which a score is at least the accuracy at which pairs count as fitted, or NaN.
func (c *networkCourse) firstAt(accuracy func(networkScores) float64) float64 {
	for epoch, s := range c.Scores {
		if accuracy(s) >= fittedAccuracy {
			return float64(epoch)
		}
	}
	return math.NaN()
}
