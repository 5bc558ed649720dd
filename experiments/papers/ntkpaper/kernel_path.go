package ntkpaper

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/similarity"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/experiments/train"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/models/kernels"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// pathPoint is the kernel Θ after some steps of training.
type pathPoint struct {
	Step           int
	kernels.Change // from the initial kernel
	// Velocity is ‖Θ − Θ′‖/(‖Θ′‖·t) in Frobenius norms, with Θ′ the kernel of the previous record and t the time since
	// then, which is learning rate times steps; 0 before the first step.
	Velocity float64
	// Labels is the centred alignment of Θ with the matrix that is 1 for two images of the same class and 0 otherwise,
	// see [kernels.Change]. Its null permutes the labels.
	Labels, Null, NullSD float64
}

// followed is what a checkpoint stores of a path.
type followed struct {
	Points []pathPoint
	Latest []float64 // the elements of the kernel of the last point
}

// kernelPath is the kernel at one width during training, from before the first step.
type kernelPath struct {
	followed
	task    string // "" for the first
	width   factor
	weights float64        // ‖w − w₀‖/‖w₀‖ at the end
	another kernels.Change // the control: from the initial kernel to that of other initial weights
	test    float64        // accuracy at the end
}

// last returns the point after the last step.
func (p *kernelPath) last() pathPoint { return p.Points[len(p.Points)-1] }

// labelsRise returns by how much training raised the alignment with the labels.
func (p *kernelPath) labelsRise() float64 { return p.last().Labels - p.Points[0].Labels }

// name returns what tables and charts call the path.
func (p *kernelPath) name() string { return cmp.Or(p.task, p.width.String()) }

// kernelFollower measures the kernel of a network that is being trained.
type kernelFollower struct {
	training *train.Training
	in       study.Setting
	rate     float64   // the learning rate
	px       []float32 // of the probes
	labels   []int
	initial  *mat.SymDense
	path     *kernelPath
}

// measureInitial reads the probe images, computes the initial kernel, and compares the kernel of other initial weights
// with it.
func (k *kernelFollower) measureInitial(ctx context.Context, probes int) error {
	set, _, err := k.training.Images().Probes(probes, "")
	if err != nil {
		return err
	}
	if k.px, k.labels, err = readImages(ctx, k.training.Images(), set, 0, set.Len()); err != nil {
		return err
	}
	net := k.training.Network()
	if k.initial, err = k.computeKernel(ctx, net); err != nil {
		return err
	}
	another, err := net.Arch.InitNetwork(net.Input, net.Classes,
		models.Stream(k.in.Seed, "other initial weights").Uint64())
	if err != nil {
		return err
	}
	kernel, err := k.computeKernel(ctx, another)
	if err != nil {
		return err
	}
	change, err := kernels.Compare(kernels.Kernel{kernel}, kernels.Kernel{k.initial})
	if err == nil {
		k.path.another = *change
	}
	return err
}

// measureStep adds the point after a step, unless the resumed run has it already.
func (k *kernelFollower) measureStep(ctx context.Context, step int) error {
	if n := len(k.path.Points); n > 0 && k.path.last().Step >= step {
		return nil
	}
	kernel, err := k.computeKernel(ctx, k.training.Network())
	if err != nil {
		return err
	}
	p := pathPoint{Step: step}
	change, err := kernels.Compare(kernels.Kernel{kernel}, kernels.Kernel{k.initial})
	if err != nil {
		return err
	}
	p.Change = *change
	if n := len(k.path.Points); n > 0 {
		before := mat.NewSymDense(kernel.SymmetricDim(), k.path.Latest)
		moved, err := kernels.Compare(kernels.Kernel{kernel}, kernels.Kernel{before})
		if err != nil {
			return err
		}
		p.Velocity = moved.Relative / (k.rate * float64(step-k.path.last().Step))
	}
	if err := p.alignLabels(kernel, k.labels, models.Stream(k.in.Seed, "labels permuted")); err != nil {
		return fmt.Errorf("labels: %w", err)
	}
	k.path.Points, k.path.Latest = append(k.path.Points, p), kernel.RawSymmetric().Data
	return nil
}

// alignLabels sets the alignment of a kernel with labels, and its null.
func (p *pathPoint) alignLabels(kernel *mat.SymDense, labels []int, rng *rand.Rand) error {
	align := func(at func(i int) int) (float64, error) {
		same := mat.NewSymDense(len(labels), nil)
		for i := range labels {
			for j := range i + 1 {
				if labels[at(i)] == labels[at(j)] {
					same.SetSym(i, j, 1)
				}
			}
		}
		c, err := kernels.Compare(kernels.Kernel{kernel}, kernels.Kernel{same})
		if err != nil {
			return math.NaN(), err
		}
		return c.Centred, nil
	}
	var err error
	if p.Labels, err = align(func(i int) int { return i }); err != nil {
		return err
	}
	null := make([]float64, similarity.NullDraws)
	for draw := range null {
		order := rng.Perm(len(labels))
		if null[draw], err = align(func(i int) int { return order[i] }); err != nil {
			return err
		}
	}
	p.Null, p.NullSD = stat.MeanStdDev(null, nil)
	return nil
}

// computeKernel returns the mean of the outputs' kernels of a network at the probes.
func (k *kernelFollower) computeKernel(ctx context.Context, n *models.Network) (*mat.SymDense, error) {
	ntk, err := n.NTK(ctx, k.px, models.NTKOptions{Threads: k.in.Threads, Memory: record.AvailableMemory(), Form: kernels.Trace})
	if err != nil {
		return nil, err
	}
	return ntk.Gram[0], nil
}

// weightChange returns ‖w − w₀‖/‖w₀‖ over all parameters.
func weightChange(now, before *models.Network) float64 {
	change, norm := 0., 0.
	for _, p := range now.Parameters() {
		a, b := now.Value(p.Name).Float32s(), before.Value(p.Name).Float32s()
		for i := range a {
			change += float64(a[i]-b[i]) * float64(a[i]-b[i])
			norm += float64(b[i]) * float64(b[i])
		}
	}
	return math.Sqrt(change / norm)
}

// kernelTables returns a table with a row for the end of every path by width, and one of the other tasks, if there are any.
func kernelTables(paths, others []*kernelPath) []report.Table {
	type path = *kernelPath
	end := func(name, caption, column string, all []*kernelPath) report.Table {
		return record.TableOf(name, caption, all,
			record.TextField(column, path.name),
			record.NumberField("change", "%.3f", func(p path) float64 { return p.last().Relative }),
			record.NumberField("cosine", "%.4f", func(p path) float64 { return p.last().Cosine }),
			record.NumberField("cosine, centred", "%.4f", func(p path) float64 { return p.last().Centred }),
			record.NumberField("cosine, other weights", "%.4f", func(p path) float64 { return p.another.Cosine }),
			record.NumberField("centred, other weights", "%.4f", func(p path) float64 { return p.another.Centred }),
			record.NumberField("labels, before", "%.3f", func(p path) float64 { return p.Points[0].Labels }).
				WithHelp("centred alignment with the labels before training"),
			record.NumberField("labels, after", "%.3f", func(p path) float64 { return p.last().Labels }),
			record.NumberField("labels, null", "%.3f", func(p path) float64 { return p.last().Null }).
				WithHelp("with the labels permuted: mean"),
			record.NumberField("± null", "%.3f", func(p path) float64 { return p.last().NullSD }),
			record.NumberField("change of the weights", "%.3f", func(p path) float64 { return p.weights }),
			record.PercentField("test accuracy, %", func(p path) float64 { return p.test }))
	}
	tables := []report.Table{end("kernel", "The kernel after the last step against that of the initial weights, by width; "+
		"and, the control, that of other initial weights against it.", "width", paths)}
	if len(others) > 0 {
		tables = append(tables, end("others", "The same on other tasks, at the smallest width.", "task", others))
	}
	return tables
}

// kernelCharts draws the paths by step.
func kernelCharts(paths, others []*kernelPath) []study.Chart {
	all := append(append([]*kernelPath{}, paths...), others...)
	chart := func(name, title, label, caption string, of func(pathPoint) float64) study.Chart {
		c := study.Chart{Name: name, Title: title, XLabel: "log10 of the step", YLabel: label,
			Caption: caption + " On test images; widths are of MNIST, the other tasks have the smallest."}
		for _, p := range all {
			c.Series = append(c.Series, record.SeriesOf(p.name(), p.Points[1:],
				func(k pathPoint) float64 { return math.Log10(float64(k.Step)) }, of))
		}
		return c
	}
	labels := chart("labels", "Alignment with the labels", "centred alignment",
		"Centred alignment of the kernel with the matrix of equal classes. The null, that of the first curve, has the labels permuted.",
		func(k pathPoint) float64 { return k.Labels })
	null := record.SeriesOf("null", paths[0].Points[1:],
		func(k pathPoint) float64 { return math.Log10(float64(k.Step)) }, func(k pathPoint) float64 { return k.Null })
	labels.Series = append(labels.Series, null)
	return []study.Chart{
		chart("change", "Relative change of the kernel", "relative change ‖Θ − Θ₀‖/‖Θ₀‖", "Distance to the initial kernel.",
			func(k pathPoint) float64 { return k.Relative }),
		chart("velocity", "Relative velocity of the kernel", "log10 of the relative velocity of the kernel",
			"Distance to the kernel of the record before, relative to its size, by time: learning rate times steps.",
			func(k pathPoint) float64 { return math.Log10(k.Velocity) }),
		chart("cosine", "Alignment with the initial kernel", "cosine", "Cosine with the initial kernel.",
			func(k pathPoint) float64 { return k.Cosine }),
		chart("cosine-centred", "Alignment with the initial kernel, centred", "cosine",
			"Centred alignment with the initial kernel.", func(k pathPoint) float64 { return k.Centred }),
		labels,
	}
}
