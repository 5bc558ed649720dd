package tangent

import (
	"context"
	"fmt"
	"time"

	"github.com/ansatz-lab/ansatz/data/array"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/train"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/models/infinite"
	"github.com/ansatz-lab/ansatz/models/kernels"
	"gonum.org/v1/gonum/mat"
)

// InfiniteRecord is the kernel Θ∞ of the architecture at infinite width, and its distance from the network's kernel.
type InfiniteRecord struct {
	KernelRecord
	// Distance compares the network's Θ with Θ∞. For several outputs, Θ∞ repeats the kernel of one and is 0 between them.
	Distance KernelChangeRecord `json:"distance"`
}

// infiniteConvention says what Θ∞ is.
const infiniteConvention = "Θ∞ is the limit of infinite width of the same architecture, in closed form by arc-cosine " +
	"kernels, in float64; distance.relative is ‖Θ − Θ∞‖/‖Θ∞‖"

// checkInfinite returns an input error for a network whose kernel of infinite width is unknown, before anything is computed.
func (m *NTKMeasurement) checkInfinite() error {
	if !m.spec.Infinite {
		return nil
	}
	if input.IsONNX(m.spec.Arch) {
		return input.Errorf("--infinite-width: the kernel of infinite width is known layer by layer, and an ONNX file has no "+
			"layers but nodes: ansatz arch %s > network.toml writes many such networks as layers; then --arch network.toml",
			m.spec.Arch)
	}
	if err := infinite.Check(m.net.Arch, m.net.Input, record.AvailableMemory()); err != nil {
		return input.Errorf("--infinite-width: %v", err)
	}
	return nil
}

// measureInfinite computes the kernel of infinite width and compares the network's kernel with it.
func (m *NTKMeasurement) measureInfinite(ctx context.Context, now kernels.Kernel, px []float32,
	progress ProgressFunc) (*InfiniteRecord, error) {
	o := infinite.Options{Threads: m.options.Threads, Memory: record.AvailableMemory()}
	if progress != nil {
		o.Progress = func(done, total int) { progress("kernel of infinite width", done, total) }
	}
	start := time.Now()
	k, err := infinite.OfAll(ctx, m.net.Arch, m.net.Input, px, o)
	if err != nil {
		return nil, err
	}
	n, _ := k.Tangent.Dims()
	m.infinite = mat.NewSymDense(n, k.Tangent.RawMatrix().Data)
	limit := m.options.Form.Independent(m.infinite, m.net.Classes)
	found, err := m.decompose(&models.NTK{Gram: limit}, 0, time.Since(start).Seconds())
	if err != nil {
		return nil, err
	}
	distance, err := newKernelChange(now, limit)
	if err != nil {
		return nil, err
	}
	return &InfiniteRecord{found.KernelRecord, *distance}, nil
}

// SaveInfiniteGram writes the kernel of infinite width, images × images, as an NPY file. It writes nothing if path is "".
func (m *NTKMeasurement) SaveInfiniteGram(path string) error {
	if path == "" {
		return nil
	}
	return array.WriteNPY(path, m.infinite)
}

// text describes the distance in a sentence.
func (r *InfiniteRecord) text() string {
	d := r.Distance
	text := fmt.Sprintf("The kernel is %.1f %% from that of infinite width (‖Θ − Θ∞‖/‖Θ∞‖); its cosine with it is %.4f, "+
		"centred %.4f", 100*d.Relative, d.Cosine, d.Centred)
	if d.CosineNull != nil {
		text += fmt.Sprintf("; with eigenvectors rotated at random the cosine would be %.4f", *d.CosineNull)
	}
	return text + ". The kernel of infinite width took " + train.FormatSeconds(r.Seconds) + "."
}
