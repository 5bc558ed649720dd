package rfmpaper

import (
	"context"
	"fmt"
	"slices"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

// The measures of Fig. 15 cover all tasks; those of Figs. 1 and 2, which have a part, cover their own tasks.
var (
	eigenvectorsLeast      = study.NewMeasure("eigenvectors_least")
	eigenvectorsMean       = study.NewMeasure("eigenvectors_mean")
	eigenvectorsOverImages = study.NewMeasure("eigenvectors_over_images")
	eigenvectorsCrossed    = study.NewMeasure("eigenvectors_crossed")
	diagonalsLeast         = study.NewMeasure("diagonals_least")
	diagonalsMean          = study.NewMeasure("diagonals_mean")
	diagonalsOverImages    = study.NewMeasure("diagonals_over_images")
	diagonalsCrossed       = study.NewMeasure("diagonals_crossed")
	ticketOverNetwork      = study.NewMeasure("ticket_over_network")
	rfmGapLeast            = study.NewMeasure("gap_rfm_least")
	networkGapLeast        = study.NewMeasure("gap_network_least")
	ticketOverLaplace      = study.NewMeasure("ticket_over_laplace")
	thirdMost              = study.NewMeasure("third_most")
	thirdOverImages        = study.NewMeasure("third_over_images")
)

// The parts of the measures of Figs. 1 and 2.
const fig1Tasks, fig2Tasks = "fig1", "fig2"

// FeaturesSpec compares the features that a network and a recursive feature machine learn from
// the same images (rfm Figs. 1, 2 and 15).
type FeaturesSpec struct {
	Tasks []setups.ImageTask `json:"tasks" toml:"tasks"`
	// Overview is the number of tasks, from the first, that Fig. 1 shows; Fig. 2 shows the others. 0 shows all tasks
	// in both.
	Overview   int                `json:"overview" toml:"overview"`
	Train      int                `json:"train" toml:"train"`
	Test       int                `json:"test" toml:"test"` // 0 is all
	Iterations int                `json:"iterations" toml:"iterations"`
	Ridge      float64            `json:"ridge" toml:"ridge"`
	Sample     int                `json:"sample" toml:"sample"`       // training images in the AGOP; 0 is all
	Threshold  float64            `json:"threshold" toml:"threshold"` // of RFM-T, see [rfm.Metric.Above]
	Net        setups.NetworkSpec `json:"net" toml:"net"`
}

// fig1 returns the overview: networks and RFMs learn the same features, with which a kernel machine is better than the
// network.
func fig1() *study.Experiment {
	return &study.Experiment{
		ID: "rfm/fig1", Paper: "rfm", Figure: "Fig. 1c",
		Title: "Top eigenvectors of networks' and RFMs' feature matrices, and RFM-T",
		About: study.About{
			Done: "Six of the tasks of Fig. 15 are shown, or all of the tasks that stand in for them.",
			Controls: []string{
				"A network is compared not with RFM-T alone but also with the Laplace kernel with M = I.",
			},
		},
		Claims: []study.Claim{
			eigenvectorsMean.Of(fig1Tasks).Claim("The top eigenvectors of a network's and an RFM's feature "+
				"matrices on CelebA are highly correlated: mean over the tasks of paper rfm's Fig. 1.",
				"0.999 in 6 tasks",
				study.AtLeast(.99)).WithControl(eigenvectorsOverImages.Of(fig1Tasks)).On("CelebA").Diagnosed(featuresKnown),
			eigenvectorsOverImages.Of(fig1Tasks).Check("The top eigenvector of an RFM on CelebA correlates more "+
				"with a network's than with a principal component of the images: difference, mean over the tasks "+
				"of paper rfm's Fig. 1.",
				study.AtLeast(.05)).On("CelebA"),
			ticketOverNetwork.Of(fig1Tasks).Claim("A kernel machine on thresholded features (RFM-T) is more "+
				"accurate on CelebA than a network: difference, mean over the tasks of paper rfm's Fig. 1.",
				"+0.6 to +2.4 points", study.Above(0)).On("CelebA"),
			ticketOverLaplace.Of(fig1Tasks).Check("A kernel machine on thresholded features (RFM-T) is more "+
				"accurate on CelebA than the Laplace kernel with M = I: difference, mean over the tasks of paper "+
				"rfm's Fig. 1.",
				study.Above(0)).On("CelebA"),
		},
		Of: fig15(), Shows: []string{"features", "correlations", "accuracies"},
	}
}

// fig2 returns the comparison of eigenvectors and diagonals.
func fig2() *study.Experiment {
	return &study.Experiment{
		ID: "rfm/fig2", Paper: "rfm", Figure: "Fig. 2",
		Title: "Feature matrices of networks and RFMs: top eigenvectors and diagonals",
		About: study.About{
			Done: "The other six of the tasks of Fig. 15 are shown, or all of the tasks that stand in for them.",
		},
		Claims: []study.Claim{
			eigenvectorsLeast.Of(fig2Tasks).Claim("The top eigenvectors of a network's and an RFM's feature "+
				"matrices on CelebA have a Pearson correlation greater than 0.99 in every task of paper rfm's "+
				"Fig. 2: the smallest.",
				"> 0.99", study.AtLeast(.99)).WithControl(eigenvectorsOverImages.Of(fig2Tasks)).On("CelebA").
				Diagnosed(featuresKnown),
			eigenvectorsOverImages.Of(fig2Tasks).Check("The top eigenvector of an RFM on CelebA correlates more "+
				"with a network's than with a principal component of the images: difference, mean over the tasks "+
				"of paper rfm's Fig. 2.",
				study.AtLeast(.05)).On("CelebA"),
			diagonalsLeast.Of(fig2Tasks).Claim("The diagonals of a network's and an RFM's feature matrices on "+
				"CelebA have a Pearson correlation greater than 0.8 in every task of paper rfm's Fig. 2: the "+
				"smallest.",
				"0.815 to 0.982", study.AtLeast(.8)).WithControl(diagonalsOverImages.Of(fig2Tasks)).On("CelebA").
				Diagnosed(featuresKnown),
			diagonalsCrossed.Of(fig2Tasks).Claim("The diagonals of a network's and an RFM's feature matrices on "+
				"CelebA are not correlated just because they are sparse: correlation across two tasks.",
				"0.110", study.AtMost(.5)).On("CelebA"),
			diagonalsOverImages.Of(fig2Tasks).Check("The diagonal of an RFM's feature matrix on CelebA "+
				"correlates more with a network's than with the variance of the pixels: difference, mean over the "+
				"tasks of paper rfm's Fig. 2.", study.AtLeast(.05)).On("CelebA"),
		},
		Of: fig15(), Shows: []string{"features", "correlations", "controls"},
	}
}

// fig15 returns the spectra on the tasks of Figs. 1 and 2.
func fig15() *study.Experiment {
	return &study.Experiment{
		ID: "rfm/fig15", Paper: "rfm", Figure: "Fig. 15",
		Title: "Top three eigenvectors and eigenvalues of both feature matrices",
		About: featuresAbout,
		Claims: []study.Claim{
			rfmGapLeast.Claim("The first eigenvalue of an RFM's feature matrix on CelebA is much larger than the "+
				"second: smallest ratio over the tasks.",
				"picture", study.AtLeast(2)).On("CelebA"),
			networkGapLeast.Claim("The first eigenvalue of a network's feature matrix on CelebA is much larger "+
				"than the second: smallest ratio over the tasks.",
				"picture", study.AtLeast(2)).On("CelebA"),
			eigenvectorsMean.Claim("The top eigenvectors of a network's and an RFM's feature matrices on CelebA "+
				"are similar: correlation, mean over all tasks.",
				"> 0.99", study.AtLeast(.99)).WithControl(eigenvectorsOverImages).On("CelebA").Diagnosed(featuresKnown),
			eigenvectorsOverImages.Check("The top eigenvector of an RFM on CelebA correlates more with a "+
				"network's than with a principal component of the images: difference, mean over all tasks.",
				study.AtLeast(.05)).On("CelebA"),
			thirdMost.Claim("In some tasks of CelebA the third eigenvector of an RFM's feature matrix appears "+
				"identical to the second of a network's: largest correlation over the tasks.",
				"hat, goatee, blonde", study.AtLeast(.9)).WithControl(thirdOverImages).On("CelebA").Diagnosed(featuresKnown),
			thirdOverImages.Check("In the task of CelebA in which they agree best, the third eigenvector of an "+
				"RFM's feature matrix correlates more with the second of a network's than with the first three "+
				"principal components of the images: difference.",
				study.AtLeast(.05)).On("CelebA"),
		},
		SmallSeeds: 5,
		Specs:      featureSpecs(),
	}
}

// standInTasks returns the tasks that stand in for CelebA's attributes, since only CelebA's publishers may distribute
// it.
func standInTasks() []setups.ImageTask {
	return []setups.ImageTask{
		{Name: "3 or 8", Data: "mnist", Classes: "3,8"},
		{Name: "4 or 9", Data: "mnist", Classes: "4,9"},
		{Name: "airplane or truck", Data: "cifar10", Classes: "airplane,truck", Size: 16},
		{Name: "cat or dog", Data: "cifar10", Classes: "cat,dog", Size: 16},
		headTasks()[0],
	}
}

// headTasks returns the tasks on drawn heads, whose attributes also stand in for CelebA's.
func headTasks() []setups.ImageTask {
	var all []setups.ImageTask
	for _, a := range []string{"hat", "glasses", "smile"} {
		all = append(all, setups.ImageTask{Name: a, Data: "heads:attribute=" + a, Size: 16})
	}
	return all
}

// celebaStandIns returns the tasks' datasets that stand in for CelebA, for [study.Substituter].
func celebaStandIns(tasks []setups.ImageTask) map[string]string {
	var sets []string
	for _, t := range tasks {
		sets = append(sets, t.Data)
	}
	return standIns("CelebA", "celeba", sets...)
}

// The attributes of CelebA in Fig. 1 and in Fig. 2. Fig. 15 has all of them.
var (
	overviewTasks = []string{
		"Wearing_Lipstick", "Arched_Eyebrows", "5_o_Clock_Shadow", "Wearing_Necktie", "Smiling", "Rosy_Cheeks",
	}
	otherTasks = []string{"Eyeglasses", "Mustache", "Goatee", "Wearing_Hat", "Blond_Hair", "Male"}
)

// celebaTasks returns tasks of attributes, at the paper's resolution.
func celebaTasks(attributes ...string) []setups.ImageTask {
	var all []setups.ImageTask
	for _, a := range attributes {
		all = append(all, setups.ImageTask{Name: a, Data: "celeba:" + a, Size: 96})
	}
	return all
}

// featureSpecs returns the specs of Figs. 1, 2 and 15.
func featureSpecs() map[study.Scale]study.Spec {
	return map[study.Scale]study.Spec{
		study.Smoke: &FeaturesSpec{
			Tasks: []setups.ImageTask{
				{Name: "1 or 7", Data: "glyphs", Classes: "1,7", Size: 14},
				{Name: "3 or 8", Data: "glyphs", Classes: "3,8", Size: 14},
			},
			Train: 80, Test: 60, Iterations: 1, Ridge: 1e-3, Threshold: rfm.TicketThreshold,
			Net: setups.NetworkSpec{Bias: true, Width: 32, Rate: 1, Batch: 20, Epochs: 20},
		},
		study.Small: &FeaturesSpec{
			Tasks: standInTasks(), Train: 1000, Test: 1600, Iterations: 1, Ridge: 1e-3, Threshold: rfm.TicketThreshold,
			Net: setups.NetworkSpec{Bias: true, Width: 512, Rate: .1, Batch: 128, Epochs: 500},
		},
		study.PaperScale: &FeaturesSpec{
			Tasks: celebaTasks(slices.Concat(overviewTasks, otherTasks)...), Overview: len(overviewTasks), Train: 40000,
			Iterations: 1, Ridge: 1e-3, Sample: 20000, Threshold: rfm.TicketThreshold,
			Net: setups.NetworkSpec{Bias: true, Width: 1024, Rate: .1, Batch: 128, Epochs: 500},
		},
	}
}

// featuresKnown says what is known of the claims about CelebA.
const featuresKnown = "Faces of CelebA are aligned, and an attribute is at the same few pixels of each. Digits and photographs " +
	"have no such place: there the first eigenvectors agree well (table of correlations), but not to .99, and more images " +
	"made it no better. The network hardly learns the hats of the drawn heads (table of accuracies), and what it does learn " +
	"is not what the RFM learns. CelebA would decide, about a week of a core for a seed."

// featuresAbout explains the comparison in Figs. 1, 2 and 15.
var featuresAbout = study.About{
	Done: "A network of two hidden layers and a recursive feature machine of one iteration learn the same " +
		"images, on the unit sphere. The top eigenvectors and the diagonals of their feature matrices are " +
		"compared.",
	Deviations: []string{
		"CelebA is used at scale paper. At scale small its attributes are replaced by pairs of classes of MNIST " +
			"and of CIFAR-10, scaled to 16×16, and by drawn heads with and without a hat, with different images " +
			"for every seed. The network has 512 units in each layer there.",
		biasesKept,
	},
	Controls: []string{
		"The same correlations are measured with the network before training, and between the RFM of one task " +
			"and the network of another on images of the same size.",
		"What the images alone explain is measured by the first principal component of the training images, with " +
			"and without centring, and by the variance of every pixel.",
	},
	Conventions: []string{
		"Nothing is chosen on test images: the network is the one after the last epoch.",
		"A correlation is Pearson's, over the elements of vectors. For eigenvectors it is the absolute value, as " +
			"their sign is arbitrary.",
	},
}

// StandIns implements [study.Substituter].
func (s *FeaturesSpec) StandIns() map[string]string { return celebaStandIns(s.Tasks) }

// Run implements Spec.
func (s *FeaturesSpec) Run(ctx context.Context, in study.Setting) (*study.Outcome, error) {
	if len(s.Tasks) == 0 || s.Iterations < 1 || s.Overview < 0 || s.Overview >= len(s.Tasks) {
		return nil, input.Errorf("%d tasks, %d of them of the overview, and %d iterations: want at least one task "+
			"and iteration, and fewer of the overview than there are", len(s.Tasks), s.Overview, s.Iterations)
	}
	o := &study.Outcome{Matrices: map[string]*mat.Dense{}}
	var found []*taskFeatures
	for _, t := range s.Tasks {
		f, err := s.runTask(ctx, in, t, o)
		if err != nil {
			return nil, err
		}
		found = append(found, f)
	}
	if in.Dry() {
		return nil, nil
	}
	for i, f := range found {
		o.Matrices[fmt.Sprintf("task-%d-diagonals", i+1)] = record.StackRows(f.Net.Diagonal, f.RFM.Diagonal)
		o.Matrices[fmt.Sprintf("task-%d-eigenvectors", i+1)] = record.StackRows(
			slices.Concat(f.Net.Vectors, f.RFM.Vectors)...)
	}
	first, second := found, found
	if s.Overview > 0 {
		first, second = found[:s.Overview], found[s.Overview:]
	}
	setTaskMeasures(found, "", o)
	setTaskMeasures(first, fig1Tasks, o)
	setTaskMeasures(second, fig2Tasks, o)
	o.Tables = featureTables(found)
	return o, addFeatureFigures(found, o)
}
