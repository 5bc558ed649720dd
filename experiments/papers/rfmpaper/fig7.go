package rfmpaper

import (
	"context"
	"fmt"
	"strings"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/examples"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/kernelmachine"
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

// The measures of Fig. 7. A rise or growth is from the state in which the network has learned its training images to
// the last epoch.
var (
	rfmTrainLeast = study.NewMeasure("rfm_train_least")
	rfmTestFirst  = study.NewMeasure("rfm_test_first")
	rfmTestLast   = study.NewMeasure("rfm_test_last")
	rfmTestFree   = study.NewMeasure("rfm_test_no_ridge") // of one iteration without a ridge
	netTrainLast  = study.NewMeasure("net_train_last")
	netRise       = study.NewMeasure("net_rise")
	netTestLast   = study.NewMeasure("net_test_last")
	netShareGrows = study.NewMeasure("net_share_grows")
)

// GrokkingSpec is the problem of rfm Fig. 7: a few images of one class among many of another, distinguished by a star.
type GrokkingSpec struct {
	Data string `json:"data" toml:"data"` // star:SET
	// Train includes Validation, the number of images that are held out and not used, as in the paper.
	Train      int `json:"train" toml:"train"`
	Validation int `json:"validation" toml:"validation"`
	Test       int `json:"test" toml:"test"`
	// Draws is the number of disjoint sets of training images that the seeds use in turn.
	Draws      int                `json:"draws" toml:"draws"`
	Iterations int                `json:"iterations" toml:"iterations"`
	Ridge      float64            `json:"ridge" toml:"ridge"`
	Every      int                `json:"every" toml:"every"` // epochs between two measurements of the network
	Net        setups.NetworkSpec `json:"net" toml:"net"`
}

// fig7 returns grokking.
func fig7() *study.Experiment {
	net := setups.NetworkSpec{Bias: true, Width: 1024, Adam: true, Rate: 1e-4, Epochs: 600, FirstStd: 5e-3}
	return &study.Experiment{
		ID: "rfm/fig7", Paper: "rfm", Figure: "Fig. 7",
		Title: "Grokking: test accuracy rises long after training accuracy is 100 %",
		About: study.About{
			Done: "Few images of airplanes and trucks have a star in the upper left corner that tells the class. " +
				"A recursive feature machine (RFM) that updates the diagonal of M and a network of two hidden " +
				"layers, trained with full batches, learn them.",
			Deviations: []string{
				"At scale small the images are CIFAR-10's, 32×32 instead of STL-10's 96×96, and the star is 2×2 " +
					"pixels: the paper's 8×7 pixels would be learned at once. Every seed takes different training " +
					"images.",
				biasesKept,
			},
			Controls: []string{
				"A second RFM has no ridge, which the paper took to slow learning down, and takes one iteration.",
			},
			Conventions: []string{
				"Nothing is chosen, neither on validation nor on test images.",
				"The share of a feature matrix is that of its trace which lies on the pixels of the star.",
			},
		},
		Panels: []string{"network-accuracy", "network-features", "rfm-accuracy", "rfm-features"},
		Printed: []study.Printed{
			{Chart: "rfm-accuracy", Of: "test", X: []float64{0, 3}, Y: []float64{.558, 1}},
		},
		Claims: []study.Claim{
			rfmTrainLeast.Claim("On images with a star that tells the class, the training accuracy of the RFM is "+
				"100 % at all iterations: the smallest.",
				"100 %", study.AtLeast(.995)).On("STL-10"),
			rfmTestFirst.Claim("On images with a star that tells the class, kernel regression, iteration 0 of "+
				"the RFM, does little better than chance: test accuracy.",
				"55.8 %", study.AtMost(.75)).On("STL-10"),
			rfmTestLast.Claim("On images with a star that tells the class, the RFM's test accuracy rises to 100 "+
				"% with iterations: the last.",
				"100 %", study.AtLeast(.99)).On("STL-10"),
			rfmTestFree.Claim("On images with a star that tells the class, the RFM without a ridge has a test "+
				"accuracy of 100 % within one iteration (Appendix D).",
				"100 %", study.AtLeast(.99)).On("STL-10"),
			rfmShare.Claim("On images with a star that tells the class, the RFM learns the star: share of the "+
				"trace of M that lies on the star.",
				"picture", study.AtLeast(.5)).WithControl(rfmShareOverVariance).On("STL-10"),
			netTrainLast.Claim("On images with a star that tells the class, a network reaches a training "+
				"accuracy near 100 %.",
				"100 %", study.AtLeast(.99)).On("STL-10"),
			netRise.Claim("On images with a star that tells the class, a network's test accuracy rises "+
				"drastically past a training accuracy of 99 %: the rise.",
				"80 → 99.38 %", study.AtLeast(.1)).On("STL-10"),
			netTestLast.Claim("On images with a star that tells the class, a network's test accuracy ends near "+
				"100 %.",
				"99.38 %", study.AtLeast(.98)).On("STL-10"),
			// The paper shows two pictures and no number; the claim asks only whether the share grows.
			netShareGrows.Claim("On images with a star that tells the class, a network learns the star past a "+
				"training accuracy of 99 %: growth of the share of W₁ᵀW₁ on the star, as a ratio.",
				"picture", study.Above(1)).InLogs().On("STL-10"),
			rfmShareOverVariance.Check("On images with a star that tells the class, the star has a larger share "+
				"of the RFM's M than of the pixels' variance: difference of the shares.",
				study.AtLeast(.05)).On("STL-10"),
		},
		SmallSeeds: 5,
		Specs: map[study.Scale]study.Spec{
			study.Smoke: &GrokkingSpec{
				Data: "star:glyphs,size=3", Train: 66, Validation: 13, Test: 60, Draws: 1, Iterations: 2, Ridge: 2.5e-3,
				Every: 5,
				Net:   setups.NetworkSpec{Bias: true, Width: 32, Adam: true, Rate: 1e-2, Epochs: 40, FirstStd: 5e-3},
			},
			study.Small: &GrokkingSpec{
				Data: "star:cifar10,size=2", Train: 553, Validation: 111, Test: 1600, Draws: 9, Iterations: 3,
				Ridge: 2.5e-3, Every: 10, Net: net,
			},
			study.PaperScale: &GrokkingSpec{
				Data: "star:stl10", Train: 553, Validation: 111, Test: 1600, Draws: 1, Iterations: 3, Ridge: 2.5e-3,
				Every: 10, Net: net,
			},
		},
	}
}

// Run implements Spec.
func (s *GrokkingSpec) Run(ctx context.Context, in study.Setting) (*study.Outcome, error) {
	o := &study.Outcome{Matrices: map[string]*mat.Dense{}}
	e, err := s.openImages(ctx, in, o)
	if err != nil {
		return nil, err
	}
	var star []int
	if !in.Dry() {
		if star = planted(e.Train); len(star) == 0 {
			return nil, input.Errorf("the images of %s have no star: want star:SET", s.Data)
		}
	}
	if err := s.fitKernel(ctx, in, e, star, o); err != nil {
		return nil, err
	}
	if err := s.fitFree(ctx, in, e, o); err != nil {
		return nil, err
	}
	return o, s.trainNetwork(ctx, in, e, star, o)
}

// fitFree fits the recursive feature machine without a ridge, for one iteration.
func (s *GrokkingSpec) fitFree(ctx context.Context, in study.Setting, e *examples.Set, o *study.Outcome) error {
	m := rfm.Machine{Iterations: 1, Diagonal: true, Task: rfm.Classification, Select: rfm.Last}
	model, err := in.Fit(ctx, "RFM without a ridge", m, e.Train)
	if err != nil {
		return err
	}
	score, err := in.Score(ctx, model, e.Test)
	if err == nil && !in.Dry() {
		o.Set(rfmTestFree, score.Accuracy)
	}
	return err
}

// StandIns implements [study.Substituter].
func (s *GrokkingSpec) StandIns() map[string]string {
	_, images, _ := strings.Cut(s.Data, ":")
	images, _, _ = strings.Cut(images, ",")
	return standIns("STL-10", "stl10", images)
}

// openImages reads the images, with the training images for this seed.
func (s *GrokkingSpec) openImages(ctx context.Context, in study.Setting, o *study.Outcome) (*examples.Set, error) {
	if s.Draws < 1 || s.Train < 2 || s.Iterations < 1 || s.Every < 1 {
		return nil, input.Errorf("draws, iterations and every must be at least 1, train 2")
	}
	if in.Dry() {
		return kernelmachine.OpenExamples(ctx, in,
			examples.Spec{Data: s.Data, Train: s.Train - s.Validation, Test: s.Test})
	}
	draw := int(in.Seed % uint64(s.Draws))
	all, err := data.Open(s.Data, data.Options{
		Dir: in.DataDir, Split: "train", Seed: in.Seed, Count: (draw + 1) * s.Train,
	})
	if err != nil {
		return nil, err
	}
	var mine []int
	for i := range s.Train {
		mine = append(mine, draw*s.Train+i)
	}
	train, err := data.Subset(all, mine)
	if err != nil {
		return nil, err
	}
	if train, _, err = data.Holdout(train, s.Validation, in.Seed); err != nil {
		return nil, &input.Error{Err: err}
	}
	test, err := data.Open(s.Data, data.Options{Dir: in.DataDir, Split: "test", Seed: in.Seed, Count: s.Test})
	if err != nil {
		return nil, err
	}
	shape := train.Shape()
	e := &examples.Set{
		Description: examples.Description{
			Name: train.Name(), Task: rfm.Classification, Shape: &shape, Classes: train.Classes(),
		},
	}
	if e.Train, err = examples.Read(ctx, train, data.Normalisation{}, len(e.Classes)); err != nil {
		return nil, err
	}
	if e.Test, err = examples.Read(ctx, test, data.Normalisation{}, len(e.Classes)); err != nil {
		return nil, err
	}
	if err := o.AddDataset(s.Data+", training", train); err != nil {
		return nil, err
	}
	return e, o.AddDataset(s.Data+", test", test)
}

// planted returns the coordinates that reveal the class: they are constant in each class, and differ between the
// classes.
func planted(e rfm.Examples) []int {
	classes := examples.ClassIndices(e.Y)
	first := map[int][]float64{}
	for i, c := range classes {
		if first[c] == nil {
			first[c] = e.X.RawRowView(i)
		}
	}
	var at []int
	for j := range first[0] {
		constant := len(first) == 2 && first[0][j] != first[1][j]
		for i := 0; constant && i < len(classes); i++ {
			constant = e.X.At(i, j) == first[classes[i]][j]
		}
		if constant {
			at = append(at, j)
		}
	}
	return at
}

// starIteration holds the measurements of an iteration of the recursive feature machine.
type starIteration struct {
	index       int
	train, test float64 // accuracies
	share       float64 // of the star in M
	diagonal    []float64
}

// fitKernel fits the recursive feature machine.
func (s *GrokkingSpec) fitKernel(
	ctx context.Context, in study.Setting, e *examples.Set, star []int, o *study.Outcome,
) error {
	var all []starIteration
	m := rfm.Machine{
		Ridge: s.Ridge, Iterations: s.Iterations, Diagonal: true, Task: rfm.Classification, Select: rfm.Last,
	}
	m.Each = func(it *rfm.Iteration) error {
		score, err := in.Score(ctx, it.Model(), e.Test)
		diagonal := it.Metric.Diagonal()
		all = append(all, starIteration{
			it.Index, it.Train.Accuracy, score.Accuracy, shareIn(diagonal, star), diagonal,
		})
		return err
	}
	if _, err := in.Fit(ctx, "RFM", m, e.Train); err != nil || in.Dry() {
		return err
	}
	train := func(i starIteration) float64 { return i.train }
	test := func(i starIteration) float64 { return i.test }
	share := func(i starIteration) float64 { return i.share }
	last := all[len(all)-1]
	o.Set(rfmShare, last.share)
	o.Set(rfmShareOverVariance, last.share-shareIn(variances(e.Train), star))
	o.Set(rfmTrainLeast, record.LeastOf(all, train))
	o.Set(rfmTestFirst, all[0].test)
	o.Set(rfmTestLast, last.test)
	o.Tables = append(o.Tables, record.TableOf("rfm",
		"The recursive feature machine, iteration by iteration; accuracies and shares in percent.", all,
		record.TextField("iteration", func(i starIteration) string { return fmt.Sprint(i.index) }),
		record.PercentField("training", train), record.PercentField("test", test),
		record.PercentField("share of the star", share)))
	x := func(i starIteration) float64 { return float64(i.index) }
	o.Charts = append(o.Charts, study.Chart{
		Name: "rfm-accuracy", Title: "Recursive feature machine", XLabel: "iteration", YLabel: "accuracy",
		Series: []report.Series{record.SeriesOf("training", all, x, train), record.SeriesOf("test", all, x, test)},
	})
	pictures := []report.Image{drawExample(e, e.Train, 0, "")}
	var diagonals [][]float64
	for _, i := range all {
		diagonals = append(diagonals, i.diagonal)
		if i.index > 0 {
			pictures = append(pictures, record.HeatImage(i.diagonal, *e.Shape, fmt.Sprintf("iteration %d", i.index)))
		}
	}
	o.Matrices["rfm-diagonals"] = record.StackRows(diagonals...)
	f, err := report.ImageGrid("rfm-features", nil, [][]report.Image{pictures})
	f.Caption = "A training image, and the diagonal of M by iteration, from 0 (dark) to its largest element."
	f.Alt = "Diagonals of M as images: the corner with the star stands out"
	o.Figures = append(o.Figures, f)
	return err
}
