package cnfapaper

import (
	"cmp"
	"context"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

// EdgesSpec asks whether convolutional kernel machines learn edge detectors. It measures the
// orientation of the eigenvectors of M, and compares the responses of M with the gradients of
// photographs (cnfa Figs. 3, 11 and 12).
type EdgesSpec struct {
	Machines []EdgeMachine `json:"machines" toml:"machines"` // all read colour images
	// Ablation fits the first machine again, to standardised pixels, and compares iterations of both.
	Ablation    bool                   `json:"ablation" toml:"ablation"`
	Photographs setups.PhotographsSpec `json:"photographs" toml:"photographs"`
	// Net, unless its Arch is "", is a network that learns the first machine's images. It is compared with that
	// machine, also on the photographs.
	Net     setups.PatchNetworkSpec `json:"net" toml:"net"`
	Images  int                     `json:"images" toml:"images"`   // test images on which it is compared
	Trained []WeightsSpec           `json:"trained" toml:"trained"` // further networks, whose weights are in files
	// Draws is how many rotations the nulls of the orientation have.
	Draws int `json:"draws" toml:"draws"`
}

// EdgeMachine is a kernel machine and the task it is fitted to. The names of its values and
// figures begin with its name.
type EdgeMachine struct {
	Name    string                  `json:"name" toml:"name"`
	Task    setups.PatchTask        `json:"task" toml:"task"`
	Machine setups.PatchMachineSpec `json:"machine" toml:"machine"`
}

// title names the machine for readers: its kernel, what it learns, and the dataset for which that stands in.
func (m EdgeMachine) title() string {
	kernel := map[string]string{"cntk": "CNTK-ConvRFM", "laplace": "Laplace-ConvRFM"}[m.Machine.Kernel]
	title := cmp.Or(kernel, m.Machine.Kernel) + ", " + m.Task.Name
	if m.Task.Paper != "" {
		title += " (for " + m.Task.Paper + ")"
	}
	return title
}

// WeightsSpec is a network with trained weights: its architecture and its file of weights, see [study.Setting.FindWeights].
type WeightsSpec struct {
	Arch    string `json:"arch" toml:"arch"`
	Weights string `json:"weights" toml:"weights"`
}

// edgesAbout explains how orientation is measured, for the texts of Figs. 3, 11 and 12.
var edgesAbout = study.About{
	Done: "ConvRFM learns images, and the eigenvectors of its M are tested for being edge detectors. On " +
		"photographs, what M extracts is compared with the norm of the image's gradient.",
	Controls: []string{
		"Random directions have some orientation too: the null is M with a random rotation.",
		"The second moment of the images' own patches has oriented eigenvectors as well if the images are " +
			"natural. What exceeds it was learned from labels.",
		"The correlation of ‖Mh‖ with gradients on photographs stands beside that with M = I.",
	},
	Conventions: []string{
		"The orientation of an eigenvector is the share (λ₁ − λ₂)/(λ₁ + λ₂) of its gradient energy at one " +
			"orientation, where λ₁ ≥ λ₂ are the eigenvalues of the sum over corners and channels of the outer " +
			"products of its gradients, taken at the corners between its pixels. It is 1 for an edge or a line, 0 " +
			"for a blob or a saddle, undefined for a constant. Over the first eight eigenvectors it is averaged " +
			"with the weights eigenvalue × gradient energy.",
		"Gradients of photographs are Sobel's, of the size of a patch.",
		"M is that of the best of five iterations (Appendix B): chosen on validation images at scale small, on " +
			"test images at scale paper, as in the published code. Charts and a table follow M over the " +
			"iterations.",
	},
}

// ablationAbout says what the edges depend on, for the texts of Figs. 3 and 12.
var ablationAbout = study.About{
	Controls: []string{
		"An ablation compares the first machine, iteration by iteration, with one that reads standardised " +
			"pixels. The claims are about pixels that are not standardised, as in the published code, and about " +
			"the chosen iteration.",
	},
}

// edgesStandIns says which images stand in for the paper's at scale small.
var edgesStandIns = study.About{
	Deviations: []string{
		"At scale small there are fewer images, different ones for every seed. Generated street digits stand in " +
			"for SVHN, CIFAR-10 is read at 24×24, and GTSRB is as large a part of it as the data folder has.",
		"The photographs are those in the folder photos of the data folder, or generated dead leaves if there is " +
			"no such folder.",
	},
}

// edgeCNTK returns the CNTK-ConvRFM of Figs. 3, 11 and 12, with patches of 3×3, for a task.
func edgeCNTK(name string, task setups.PatchTask) EdgeMachine {
	return EdgeMachine{name, task, convrfm(1, 1e-3)}
}

// edgeLaplace returns the Laplace-ConvRFM of Figs. 3, 11 and 12, with patches of 7×7, for a task.
func edgeLaplace(name string, task setups.PatchTask) EdgeMachine {
	return EdgeMachine{name, task, setups.PatchMachineSpec{
		Kernel: "laplace", Patch: 7, Iterations: 5, Layers: 1, Ridges: []float64{1e-3},
	}}
}

// smallEdges returns machines of Figs. 3, 11 and 12 at scale small, and paperEdges at scale paper, where test images
// also choose among the paper's ridges.
func smallEdges(machines ...EdgeMachine) []EdgeMachine {
	for k := range machines {
		machines[k].Machine.Sample = 100
	}
	return machines
}

func paperEdges(machines ...EdgeMachine) []EdgeMachine {
	for k := range machines {
		machines[k].Machine = asPublished(machines[k].Machine)
		machines[k].Machine.Ridges = paperRidges()
	}
	return machines
}

// smokeEdges returns a machine of Figs. 3, 11 and 12 for scale smoke, which fits in seconds. Its images stand in for
// the given dataset of the paper.
func smokeEdges(name, kernel string, patch int, paper string) EdgeMachine {
	m := setups.PatchMachineSpec{Kernel: kernel, Patch: patch, Iterations: 1, Layers: 1, Ridges: []float64{1e-3}}
	if kernel == "cntk" {
		m.Depth = 2
	}
	return EdgeMachine{name, standInFor(paper, photographTask("leaves", "deadleaves", 12, 40, 10, 10)), m}
}

// The tasks of Figs. 3, 11 and 12.
func smallStreetDigits() setups.PatchTask {
	return standInFor("SVHN", photographTask("digits", "streetdigits", 0, 600, 400, 400))
}
func smallSigns() setups.PatchTask { return photographTask("signs", "gtsrb", 32, 900, 400, 400) }
func edgeDigits() setups.PatchTask { return photographTask("digits", "svhn", 0, 4000, 500, 2000) }
func edgeSigns() setups.PatchTask  { return photographTask("signs", "gtsrb", 32, 4000, 500, 2000) }

// The photographs of Figs. 3, 11 and 12.
var (
	smokePhotographs = setups.PhotographsSpec{Folder: "photos", Count: 2, Size: 24}
	// The paper's photographs, from ImageNet, have this size.
	photographs224 = setups.PhotographsSpec{Folder: "photos", Count: 10, Size: 224}
)

// StandIns implements [study.Substituter].
func (s *EdgesSpec) StandIns() map[string]string {
	var tasks []setups.PatchTask
	for _, m := range s.Machines {
		tasks = append(tasks, m.Task)
	}
	return setups.StandIns(tasks...)
}

// Run implements Spec.
func (s *EdgesSpec) Run(ctx context.Context, in study.Setting) (*study.Outcome, error) {
	if len(s.Machines) == 0 || s.Draws < 2 || s.Images < 1 {
		return nil, input.Errorf("%d machines, %d draws and %d images: want at least 1, 2 and 1",
			len(s.Machines), s.Draws, s.Images)
	}
	o := &study.Outcome{Matrices: map[string]*mat.Dense{}}
	photographs, err := s.Photographs.Open(ctx, in, o)
	if err != nil {
		return nil, err
	}
	var found []*edgeResult
	for _, m := range s.Machines {
		f, err := s.fitMachine(ctx, in, m, photographs, o)
		if err != nil {
			return nil, err
		}
		found = append(found, f)
	}
	if s.Ablation {
		if err := s.ablate(ctx, in, found[0], photographs, o); err != nil {
			return nil, err
		}
	}
	if !in.Dry() {
		if err := addEdges(ctx, found, photographs, o); err != nil {
			return nil, err
		}
	}
	return o, s.compareNetworks(ctx, in, found, photographs, o)
}

// addEdges adds the measures, tables, charts and figures of the machines.
func addEdges(ctx context.Context, found []*edgeResult, photographs rfm.Images, o *study.Outcome) error {
	for _, f := range found {
		addMetrics(o, f.Name, f.fitted)
		f.setMeasures(o)
	}
	o.Tables = append(o.Tables, edgesTable(found), eigenvectorsTable(found))
	o.Charts = edgeCharts(found)
	return addEdgeFigures(ctx, found, photographs, o)
}
