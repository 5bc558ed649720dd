package tangent

import (
	"cmp"
	"fmt"
	"math"
	"runtime"

	"github.com/ansatz-lab/ansatz/experiments/cost"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/train"
	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/internal/words"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/models/kernels"
)

// systemCopies is the memory of a linear system besides the weights, as a multiple of their size in
// float32: u, its tangent, a gradient, the solution that is kept, and the two directions of conjugate
// gradients.
const systemCopies = 10

// form returns the form of the kernel, which [LinearizeSpec.check] has read.
func (l *Linearization) form() kernels.Form {
	f, err := kernels.ParseForm(l.Spec.Kernel)
	if err != nil {
		panic(err)
	}
	return f
}

// approximates reports whether the kernel only approximates the linearization's, so that no u belongs to it.
func (l *Linearization) approximates() bool { return l.form() != kernels.Full }

// kernelRows returns the number of rows of an image in the kernel, over all blocks.
func (l *Linearization) kernelRows() int {
	blocks, rows := l.form().Layout(l.Training.Network().Classes)
	return blocks * rows
}

// room returns the sizes that decide how much memory the system takes, without a kernel for conjugate gradients.
func (l *Linearization) room() train.KernelRoom {
	net := l.Training.Network()
	r := train.KernelRoom{Parameters: net.Size(), Outputs: net.Classes, Width: cmp.Or(l.Spec.Width, 1),
		Copies: systemCopies}
	if l.Spec.Method == cgMethod {
		return r
	}
	r.Form, r.Images, r.Element, r.Flag = l.form(), l.Training.Images().Train.Len(), train.VectorsElement, "--train"
	if l.Spec.Method == exactMethod { // the gradients fit into the later work space of the eigenvectors
		const rows = 1 << 12
		r.Element = 8 + max(2, float64(backend.EigenbasisBytes(rows))/(rows*rows))
	}
	return r
}

// checkMemory returns an input error, with alternatives, for a system that is too large for memory.
func (l *Linearization) checkMemory() error {
	err := l.room().Check(record.AvailableMemory())
	switch {
	case err == nil || l.Spec.Method == cgMethod:
		return err
	case l.Spec.Method == exactMethod && !l.approximates() && l.kernelRows() > 1:
		return input.Errorf("%w; --kernel diagonal and --kernel trace, approximations, take %d and %d times less for each image "+
			"squared; --method cg needs no kernel", err, l.kernelRows(), l.kernelRows()*l.kernelRows())
	}
	return input.Errorf("%w; --method cg needs no kernel", err)
}

// kernelOptions returns the options of a run's kernels. Gradients may take as much memory as the eigenvectors need later.
func (l *Linearization) kernelOptions() models.NTKOptions {
	o := models.NTKOptions{Threads: l.Spec.Threads, Backend: l.Spec.Backend, Precision: l.Training.Plan.Options.Precision,
		Memory: record.AvailableMemory(), Form: l.form()}
	if need := int64(l.room().Bytes()); l.Spec.Method == exactMethod && (o.Memory == 0 || need < o.Memory) {
		o.Memory = max(need, leastKernel)
	}
	return o
}

// leastKernel is the number of bytes that any kernel may take.
const leastKernel = 2 << 30

// Notes returns sentences to print before the run: the estimate of [Linearization.Estimate], and which of --times are moved.
func (l *Linearization) Notes() (all []string) {
	for _, text := range []string{l.Estimate(), l.Spec.movedTimes()} {
		if text != "" {
			all = append(all, text)
		}
	}
	return all
}

// Estimate states in a sentence how much memory and, if known, time the system takes. It returns "" for conjugate gradients,
// whose number of steps is unknown.
func (l *Linearization) Estimate() string {
	room := l.room()
	if room.Images == 0 {
		return ""
	}
	need := room.Bytes()
	if block, err := cost.Of(l.tangentBlock(room.Images, 0)); err == nil { // its gradients take more where there are few rows
		need = max(need, min(block.Bytes, leastKernel))
	}
	text := fmt.Sprintf("The kernel of %d rows and its solution take about %s of memory", room.Images*l.kernelRows(),
		words.Bytes(need+cost.ProcessBytes))
	if seconds, known := l.seconds(); known {
		text += " and about " + record.FormatDuration(seconds)
	}
	return text + "."
}

// seconds estimates the time of the kernel, its eigenvectors and the predictions over time, with the native backend.
func (l *Linearization) seconds() (seconds float64, known bool) {
	threads := float64(cmp.Or(l.Spec.Threads, runtime.GOMAXPROCS(0)))
	images := l.Training.Images()
	took, err := cost.Of(l.tangentBlock(images.Train.Len(), 0))
	if err != nil || l.Spec.Method != exactMethod || !backend.Native() {
		return 0, false
	}
	passes, cross, err := l.predictionSeconds()
	if err != nil {
		return 0, false
	}
	if l.byCross() {
		passes = cross
	}
	blocks, rows := l.form().Layout(l.Training.Network().Classes)
	n := float64(images.Train.Len() * rows)
	return (took.Seconds + eigenSeconds*float64(blocks)*n*n*n + passes) / math.Pow(threads, threadsPower), true
}

// eigenSeconds times n³ is what the eigenvectors of n rows take on one thread in seconds, measured with 6000.
const eigenSeconds = 1e-10

// threadsPower says that T threads do the work of T^threadsPower.
const threadsPower = .7

// tangentBlock returns the job of the kernel of training images or, if held is not 0, of held-out with training images.
func (l *Linearization) tangentBlock(train, held int) cost.TangentBlock {
	net := l.Training.Network()
	k := net.Classes
	return cost.TangentsOf(net.Layers(), train, k).In(l.form(), k, 0).Block(train*k, held*k)
}

// heldImages returns the number of validation and test images.
func (l *Linearization) heldImages() (n int) {
	images := l.Training.Images()
	if images.Validation != nil {
		n += images.Validation.Len()
	}
	if images.Test != nil {
		n += images.Test.Len()
	}
	return n
}

// predictionSeconds estimates the seconds on one thread of predicting held-out images at all times: by passes through the
// network with u at every time, and by the kernel of held-out images with training images. A pass forward and one back or
// along u cost as much as a step of training; in single precision u is refined.
func (l *Linearization) predictionSeconds() (passes, cross float64, err error) {
	times, err := parseTimes(l.Spec.Times)
	held := l.heldImages()
	if err != nil || held == 0 {
		return 0, 0, err
	}
	train, net := l.Training.Images().Train.Len(), l.Training.Network()
	atTime := float64(train + held)
	if l.Training.Plan.Options.Precision != graph.Double {
		atTime += 6 * float64(train)
	}
	total := atTime * float64(len(times)*len(l.Spec.Ridges))
	p, err := cost.Of(cost.Training{Net: cost.NetOf(net.Layers()), Batch: linearBatch, Steps: total / linearBatch,
		Images: total})
	if err != nil {
		return 0, 0, err
	}
	c, err := cost.Of(l.tangentBlock(train, held))
	return p.Seconds, c.Seconds, err
}

// byCross reports whether held-out images are predicted by their kernel with the training images, in place of u at every
// time: always for a kernel that approximates, which has no u, otherwise if that is faster.
func (l *Linearization) byCross() bool {
	if l.cross != nil {
		return *l.cross
	}
	passes, cross, err := l.predictionSeconds()
	return l.approximates() || err == nil && cross < passes
}
