package rfmpaper

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// FeaturesSpec compares the features that a network and a recursive feature
// machine find in the same images (rfm Figs. 1, 2 and 15).
type FeaturesSpec struct {
	Tasks []setups.ImageTask `json:"tasks" toml:"tasks"`
	// Overview is how many of the tasks are those of Fig. 1, the others being those
	// of Fig. 2; 0 takes all for both.
	Overview   int                `json:"overview" toml:"overview"`
	Train      int                `json:"train" toml:"train"`
	Test       int                `json:"test" toml:"test"` // 0 is all
	Iterations int                `json:"iterations" toml:"iterations"`
	Ridge      float64            `json:"ridge" toml:"ridge"`
	Sample     int                `json:"sample" toml:"sample"`       // training images in the AGOP; 0 is all
	Threshold  float64            `json:"threshold" toml:"threshold"` // of RFM-T, see [rfm.Metric.Above]
	Net        setups.NetworkSpec `json:"net" toml:"net"`
}

// The tasks that stand in for CelebA's attributes, which are not to be had
// without asking its publishers.
func standInTasks() []setups.ImageTask {
	return []setups.ImageTask{
		{Name: "3 or 8", Data: "mnist", Classes: "3,8", Size: 0}, {Name: "4 or 9", Data: "mnist", Classes: "4,9", Size: 0},
		{Name: "airplane or truck", Data: "cifar10", Classes: "airplane,truck", Size: 16}, {Name: "cat or dog", Data: "cifar10", Classes: "cat,dog", Size: 16},
	}
}

// The attributes of CelebA that Figs. 1 and 2 show, and Fig. 15 all of them.
var (
	overviewTasks = []string{"Wearing_Lipstick", "Arched_Eyebrows", "5_o_Clock_Shadow", "Wearing_Necktie", "Smiling", "Rosy_Cheeks"}
	otherTasks    = []string{"Eyeglasses", "Mustache", "Goatee", "Wearing_Hat", "Blond_Hair", "Male"}
)

// celebaTasks are the paper's, at its resolution.
func celebaTasks(attributes ...string) []setups.ImageTask {
	var all []setups.ImageTask
	for _, a := range attributes {
		all = append(all, setups.ImageTask{Name: a, Data: "celeba:" + a, Classes: "", Size: 96})
	}
	return all
}

// featureSpecs are the specs of Figs. 1, 2 and 15.
func featureSpecs() map[study.Scale]study.Spec {
	return map[study.Scale]study.Spec{
		study.Smoke: &FeaturesSpec{
			Tasks: []setups.ImageTask{{Name: "1 or 7", Data: "glyphs", Classes: "1,7", Size: 14}, {Name: "3 or 8", Data: "glyphs", Classes: "3,8", Size: 14}},
			Train: 80, Test: 60, Iterations: 1, Ridge: 1e-3, Threshold: rfm.TicketThreshold, Net: setups.NetworkSpec{Bias: true, Width: 32, Rate: 1, Batch: 20, Epochs: 20},
		},
		study.Small: &FeaturesSpec{
			Tasks: standInTasks(), Train: 1000, Test: 1600, Iterations: 1, Ridge: 1e-3, Threshold: rfm.TicketThreshold,
			Net: setups.NetworkSpec{Bias: true, Width: 512, Rate: .1, Batch: 128, Epochs: 500},
		},
		study.PaperScale: &FeaturesSpec{
			Tasks: celebaTasks(slices.Concat(overviewTasks, otherTasks)...), Overview: len(overviewTasks), Train: 40000, Iterations: 1, Ridge: 1e-3, Sample: 20000, Threshold: rfm.TicketThreshold,
			Net: setups.NetworkSpec{Bias: true, Width: 1024, Rate: .1, Batch: 128, Epochs: 500},
		},
	}
}

const featuresAbout = "A network of two hidden layers and a recursive feature machine of one iteration learn the same images, on the unit sphere. " +
	"CelebA stands at scale paper; at scale small pairs of classes of MNIST and of CIFAR-10, scaled to 16×16, stand in for its attributes, with images of its own for every seed, and a network of 512 units a layer. " +
	"Nothing is chosen on test images: the network is the one after the last epoch. " +
	"A correlation is Pearson's, over the elements of vectors; of eigenvectors its absolute value, as their sign is arbitrary. " +
	"Controls: the same with the network before training; the RFM of one task against the network of another on images of the same size; " +
	"and what of it the images alone explain: the first principal component of the training images, without and with their mean taken out, and the variance of every pixel."

// Run implements Spec.
func (s *FeaturesSpec) Run(ctx context.Context, in study.Setting) (*study.Outcome, error) {
	if len(s.Tasks) == 0 || s.Iterations < 1 || s.Overview < 0 || s.Overview >= len(s.Tasks) {
		return nil, input.Errorf("%d tasks, %d of them of the overview, and %d iterations: want at least one task and iteration, and fewer of the overview than there are", len(s.Tasks), s.Overview, s.Iterations)
	}
	o := &study.Outcome{Values: map[string]float64{}, Matrices: map[string]*mat.Dense{}}
	var found []*taskFeatures
	for _, t := range s.Tasks {
		f, err := s.task(ctx, in, t, o)
		if err != nil {
			return nil, err
		}
		found = append(found, f)
		o.Matrices[fmt.Sprintf("task-%d-diagonals", len(found))] = record.StackRows(f.Net.Diagonal, f.RFM.Diagonal)
		o.Matrices[fmt.Sprintf("task-%d-eigenvectors", len(found))] = record.StackRows(slices.Concat(f.Net.Vectors, f.RFM.Vectors)...)
	}
	first, second := found, found
	if s.Overview > 0 {
		first, second = found[:s.Overview], found[s.Overview:]
	}
	summariseFeatures(found, "", o)
	summariseFeatures(first, "fig1_", o)
	summariseFeatures(second, "fig2_", o)
	o.Tables = append(o.Tables, correlationTable(found), controlTable(found), accuracyTable(found))
	return o, featureFigures(found, o)
}

// summariseFeatures finds the values of the claims of a figure's tasks.
func summariseFeatures(found []*taskFeatures, figure string, o *study.Outcome) {
	least := func(of func(*taskFeatures) float64) float64 {
		v := math.Inf(1)
		for _, f := range found {
			v = math.Min(v, of(f))
		}
		return v
	}
	mean := func(of func(*taskFeatures) float64) float64 {
		sum := 0.
		for _, f := range found {
			sum += of(f)
		}
		return sum / float64(len(found))
	}
	vectors := func(f *taskFeatures) float64 { return f.alike(f.Net.top(), f.RFM.top()) }
	diagonals := func(f *taskFeatures) float64 { return stat.Correlation(f.Net.Diagonal, f.RFM.Diagonal, nil) }
	o.Values[figure+"eigenvectors_least"], o.Values[figure+"eigenvectors_mean"] = least(vectors), mean(vectors)
	o.Values[figure+"diagonals_least"], o.Values[figure+"diagonals_mean"] = least(diagonals), mean(diagonals)
	o.Values[figure+"eigenvectors_over_images"] = mean(func(f *taskFeatures) float64 {
		return vectors(f) - math.Max(f.alike(f.Images.top(), f.RFM.top()), f.alike(f.Centred.top(), f.RFM.top()))
	})
	o.Values[figure+"diagonals_over_images"] = mean(func(f *taskFeatures) float64 {
		return diagonals(f) - stat.Correlation(f.Centred.Diagonal, f.RFM.Diagonal, nil)
	})
	o.Values[figure+"ticket_over_network"] = mean(func(f *taskFeatures) float64 { return f.TicketAccuracy - f.NetAccuracy })
	o.Values[figure+"gap_rfm_least"] = least(func(f *taskFeatures) float64 { return f.RFM.gap() })
	o.Values[figure+"gap_network_least"] = least(func(f *taskFeatures) float64 { return f.Net.gap() })
	crossed(found, figure, o)
}

// crossed compares the RFM of one task with the network of another, on images of
// the same size.
func crossed(found []*taskFeatures, figure string, o *study.Outcome) {
	var vectors, diagonals []float64
	for _, a := range found {
		for _, b := range found {
			if a != b && *a.Shape == *b.Shape {
				vectors = append(vectors, a.alike(a.Net.top(), b.RFM.top()))
				diagonals = append(diagonals, stat.Correlation(a.Net.Diagonal, b.RFM.Diagonal, nil))
			}
		}
	}
	if len(vectors) > 0 {
		o.Values[figure+"eigenvectors_crossed"], o.Values[figure+"diagonals_crossed"] = stat.Mean(vectors, nil), stat.Mean(diagonals, nil)
	}
}

// featureFigures draws what was found.
func featureFigures(found []*taskFeatures, o *study.Outcome) error {
	var rows, spectra [][]report.Image
	for _, f := range found {
		s := *f.Shape
		rows = append(rows, []report.Image{
			record.RowImage(f.Examples[0], s, f.Classes[0]), record.RowImage(f.Examples[1], s, f.Classes[1]),
			record.SignedImage(f.Net.top(), s, ""), record.SignedImage(f.RFM.top(), s, ""), record.HeatImage(f.Net.Diagonal, s, ""), record.HeatImage(f.RFM.Diagonal, s, ""), record.HeatImage(f.Centred.Diagonal, s, ""),
		})
		var row []report.Image
		for _, m := range []spectrum{f.Net, f.RFM} {
			for k := range m.Vectors {
				row = append(row, record.SignedImage(m.Vectors[k], s, fmt.Sprintf("λ = %.3g", m.Values[k])))
			}
		}
		spectra = append(spectra, row)
	}
	columns := []string{"", "", "top eigenvector, network", "top eigenvector, RFM", "diagonal, network", "diagonal, RFM", "variance of the pixels"}
	f, err := report.ImageGrid("features", columns, rows)
	f.Caption = "A row a task: two images, the top eigenvectors of W₁ᵀW₁ and of M (grey is 0), their diagonals (dark is 0), and what the images alone would show."
	f.Alt, f.Wide = "Top eigenvectors and diagonals of the feature matrices as images", true
	o.Figures = append(o.Figures, f)
	if err != nil {
		return err
	}
	f, err = report.ImageGrid("eigenvectors", []string{"network, 1", "2", "3", "RFM, 1", "2", "3"}, spectra)
	f.Caption = "The top three eigenvectors of W₁ᵀW₁ and of M, with their eigenvalues over the sum of all. A row a task."
	f.Alt, f.Wide = "Eigenvectors of the feature matrices as images", true
	o.Figures = append(o.Figures, f)
	return err
}
