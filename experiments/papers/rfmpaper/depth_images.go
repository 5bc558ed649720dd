package rfmpaper

import (
	"context"
	"fmt"
	"slices"

	"github.com/ansatz-lab/ansatz/experiments/examples"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/kernelmachine"
	"github.com/ansatz-lab/ansatz/experiments/linalg"
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/floats"
)

// ntkDepth is the increase of the accuracy of the NTK on W₁ᵀW₁ from the first depth to the last.
var ntkDepth = study.NewMeasure("ntkw_depth")

// ImageDepthSpec studies the effect of depth on images (rfm Figs. 11 to 13).
type ImageDepthSpec struct {
	Data  string `json:"data" toml:"data"`
	Train int    `json:"train" toml:"train"`
	// Balanced uses equally many images of every class, drawn by the seed, so that every seed has different images.
	Balanced bool `json:"balanced" toml:"balanced"`
	// Validation counts further images, on which epochs and scales are chosen.
	Validation int                `json:"validation" toml:"validation"`
	Test       int                `json:"test" toml:"test"`
	Depths     int                `json:"depths" toml:"depths"` // the largest number of hidden layers; networks have 1 to Depths
	Ridge      float64            `json:"ridge" toml:"ridge"`   // of the kernels
	Top        int                `json:"top" toml:"top"`       // elements of the diagonal whose share is measured
	Draws      int                `json:"null_draws" toml:"null_draws"`
	Net        setups.NetworkSpec `json:"net" toml:"net"`
}

// fig11 returns depth on images.
func fig11() *study.Experiment {
	return &study.Experiment{
		ID: "rfm/fig11", Paper: "rfm", Figure: "Fig. 11",
		Title: "Depth on images: networks, and kernels on their feature matrices",
		About: study.About{
			Done: "Networks of several depths learn images. Kernels on the feature matrix W₁ᵀW₁ of their first " +
				"layers are compared with them.",
			Deviations: []string{
				"The paper's images are SVHN's, as at scale paper. At scale small generated street digits stand " +
					"in for them, with 2000 training images, 256 units instead of 1024, and 30 epochs of Adam " +
					"with learning rate 1e-3 instead of 4000 of SGD with .05, which would take days: with SGD, 60 " +
					"epochs leave the deeper networks at chance. Claims are about the paper's directions, since " +
					"its numbers cannot be expected.",
				"The paper takes the weights of the epoch with the best accuracy on validation images.",
			},
			Controls: []string{
				"The null of the AGOP rotates S in AGOP = W₁ᵀSW₁.",
			},
			Conventions: []string{
				"Images are divided by their norms, targets are one-hot, and weights are those of the epoch with " +
					"the smallest mean squared error on validation images. AGOPs are centred, of the logits over the " +
					"training images.",
				"W₁ᵀW₁ is divided by nothing, its largest element, or its trace over d, whichever does best on " +
					"validation images; test images choose nothing.",
			},
		},
		Claims: []study.Claim{
			ntkLead.Claim("On SVHN the NTK on W₁ᵀW₁ is sufficient to exceed the network of the same depth: "+
				"smallest lead in accuracy over the depths.",
				"+.0467 to −.0014", study.AtLeast(-.0014)).On("SVHN"),
			laplaceLead.Claim("On SVHN the Laplace kernel on W₁ᵀW₁ is sufficient to exceed the network of the "+
				"same depth: smallest lead in accuracy over the depths.",
				"+.0194 to −.0042", study.AtLeast(-.0042)).On("SVHN"),
			ntkFeaturesGain.Claim("On SVHN the NTK on W₁ᵀW₁ of networks is more accurate than the NTK: smallest "+
				"gain over the depths.",
				"+.0536", study.AtLeast(.01)).On("SVHN"),
			laplaceGain.Claim("On SVHN the Laplace kernel on W₁ᵀW₁ of networks is more accurate than the Laplace "+
				"kernel: smallest gain over the depths.",
				"+.1189", study.AtLeast(.01)).On("SVHN"),
			ntkDepth.Claim("On SVHN the NTK on W₁ᵀW₁ of networks gets worse with depth: accuracy at the last "+
				"depth less that at the first.",
				"−.0339", study.AtMost(0)).On("SVHN"),
		},
		SmallSeeds: 10,
		Specs: map[study.Scale]study.Spec{
			study.Smoke: &ImageDepthSpec{
				Data: "glyphs", Train: 100, Balanced: true, Validation: 50, Test: 100, Depths: 2, Ridge: 1e-3, Top: 80,
				Draws: 10,
				Net:   setups.NetworkSpec{Width: 16, Rate: .05, Batch: 20, Epochs: 3},
			},
			study.Small: &ImageDepthSpec{
				Data: "streetdigits", Train: 2000, Balanced: true, Validation: 500, Test: 2000, Depths: 4, Ridge: 1e-3,
				Top: 300, Draws: 20,
				Net: setups.NetworkSpec{Width: 256, Adam: true, Rate: 1e-3, Batch: 50, Epochs: 30},
			},
			study.PaperScale: &ImageDepthSpec{
				Data: "svhn", Train: 58606, Validation: 14651, Test: 26032, Depths: 4, Ridge: 1e-3, Top: 300, Draws: 20,
				Net: setups.NetworkSpec{Width: 1024, Rate: .05, Batch: 100, Epochs: 4000},
			},
		},
		Shows: []string{"performance", "errors"},
	}
}

// fig12 returns the gradient outer products of the networks of Fig. 11.
func fig12() *study.Experiment {
	return &study.Experiment{
		ID: "rfm/fig12", Paper: "rfm", Figure: "Fig. 12",
		Title: "Depth on images: centred average gradient outer products",
		About: study.About{
			Done: "The diagonals of the AGOPs of Fig. 11's networks are drawn, and compared with W₁ᵀW₁.",
			Conventions: []string{
				"Similarities are of all entries, and of the diagonals. The paper says that the noise in an AGOP " +
					"is seen to decrease: here noise is the part of the diagonal outside its largest elements.",
			},
		},
		Claims: []study.Claim{
			agopPearson.Claim("On SVHN the AGOP of networks closely resembles W₁ᵀW₁: smallest similarity over "+
				"the depths.",
				"pictures", study.AtLeast(.8)).WithControl(agopExcess).On("SVHN"),
			agopExcess.Check("On SVHN the AGOP of networks resembles W₁ᵀW₁ more than its null does: smallest "+
				"excess over the depths.",
				study.AtLeast(.02)).On("SVHN"),
			diagonalPearson.Claim("On SVHN the diagonal of the AGOP of networks closely resembles that of W₁ᵀW₁: "+
				"smallest similarity over the depths.", "pictures",
				study.AtLeast(.8)).WithControl(diagonalExcess).On("SVHN"),
			diagonalExcess.Check("On SVHN the diagonal of the AGOP of networks resembles that of W₁ᵀW₁ more than "+
				"its null does: smallest excess over the depths.", study.AtLeast(.02)).On("SVHN"),
			agopGrowth.Claim("On SVHN the amount of noise in the AGOP of networks decreases with depth: growth "+
				"of the share of the largest elements of its diagonal.",
				"less noise", study.AtLeast(.005)).On("SVHN"),
		},
		Of: fig11(), Shows: []string{"agop-diagonals", "features", "diagonals"},
	}
}

// fig13 returns the feature matrices of the networks of Fig. 11.
func fig13() *study.Experiment {
	return &study.Experiment{
		ID: "rfm/fig13", Paper: "rfm", Figure: "Fig. 13", Title: "Depth on images: feature matrices W₁ᵀW₁",
		About: study.About{
			Done: "The diagonals of the feature matrices of Fig. 11's networks are drawn.",
		},
		Claims: []study.Claim{
			shareGrowth.Claim("On SVHN the intensity of the largest elements of the diagonal of networks' W₁ᵀW₁ "+
				"grows with depth, relative to the others: growth of their share.",
				"more", study.AtLeast(.005)).On("SVHN").
				Diagnosed("The networks of one and of four hidden layers are not trained to the end in these epochs (table of " +
					"performance), and how far they come differs from seed to seed. More epochs would decide, an hour, or " +
					"SVHN itself."),
			shareLearned.Check("On SVHN training raises the share of the largest elements of the diagonal of "+
				"networks' W₁ᵀW₁: share after training less that before, the smallest over the depths.",
				study.AtLeast(.005)).On("SVHN"),
		},
		Of: fig11(), Shows: []string{"network-diagonals", "features", "share"},
	}
}

// StandIns implements [study.Substituter].
func (s *ImageDepthSpec) StandIns() map[string]string { return standIns("SVHN", "svhn", s.Data) }

// Run implements Spec.
func (s *ImageDepthSpec) Run(ctx context.Context, in study.Setting) (*study.Outcome, error) {
	if s.Depths < 1 || s.Train < 1 || s.Validation < 1 || s.Top < 1 {
		return nil, input.Errorf("depths %d, train %d, validation %d and top %d must be at least 1", s.Depths, s.Train,
			s.Validation, s.Top)
	}
	e, err := kernelmachine.OpenExamples(ctx, in, examples.Spec{
		Data: s.Data, Train: s.Train + s.Validation, Test: s.Test, Balanced: s.Balanced, Sphere: true,
	})
	if err != nil {
		return nil, err
	}
	if have := linalg.RowCount(e.Train.X); have <= s.Train {
		return nil, input.Errorf("train %d and validation %d: %s has %d images", s.Train, s.Validation, e.Name, have)
	}
	sweep := &depthStudy{
		in: in, net: s.Net, depths: s.Depths, ridge: s.Ridge, centred: true, draws: s.Draws, task: rfm.Classification,
		test: e.Test,
	}
	sweep.train, sweep.validation = splitExamples(in, "validation images", e.Train, s.Train)
	all, err := sweep.run(ctx)
	if err != nil || in.Dry() {
		return nil, err
	}
	o := depthScore{"accuracy", func(s rfm.Scores) float64 { return s.Accuracy }, false}.outcome(all,
		fmt.Sprintf("Share of the largest %d elements of the diagonal", s.Top),
		func(diagonal []float64) float64 { return largestShare(diagonal, s.Top) })
	kernelmachine.RecordExamples(o, s.Data, e)
	o.Set(ntkDepth, growth(all, func(r *depthResult) float64 { return r.scores[byNTKFeatures].Accuracy }))
	errors := depthScore{"mean squared error", func(s rfm.Scores) float64 { return s.MSE }, true}.table(all)
	errors.Name = "errors"
	o.Tables = slices.Insert(o.Tables, 1, errors)
	return o, addDiagonalFigures(o, all, e)
}

// largestShare returns the share of the n largest numbers in the sum of non-negative numbers.
func largestShare(v []float64, n int) float64 {
	sorted := slices.Sorted(slices.Values(v))
	return floats.Sum(sorted[max(0, len(sorted)-n):]) / floats.Sum(sorted)
}

// addDiagonalFigures draws the diagonals of the AGOP (Fig. 12) and of W₁ᵀW₁ (Fig. 13) as
// images.
func addDiagonalFigures(o *study.Outcome, all []*depthResult, e *examples.Set) error {
	for _, p := range []struct {
		name, matrix string
		diagonal     func(*depthResult) []float64
	}{
		{"agop-diagonals", "the network's centred AGOP", func(r *depthResult) []float64 { return r.features.AGOP }},
		{"network-diagonals", "W₁ᵀW₁", func(r *depthResult) []float64 { return r.diagonal }},
	} {
		var columns []string
		var row []report.Image
		for _, r := range all {
			columns = append(columns, fmt.Sprintf("depth %d", r.depth))
			row = append(row, record.HeatImage(p.diagonal(r), *e.Shape, ""))
		}
		f, err := report.ImageGrid(p.name, columns, [][]report.Image{row})
		if err != nil {
			return err
		}
		f.Caption = fmt.Sprintf("Diagonal of %s by depth, summed over the channels, from 0 (dark) to the largest.",
			p.matrix)
		f.Alt = "Diagonals of matrices as images, by depth"
		o.Figures = append(o.Figures, f)
	}
	return nil
}
