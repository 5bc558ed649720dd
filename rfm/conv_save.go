package rfm

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/internal/jsonfile"
	"github.com/ansatz-lab/ansatz/models/weights"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

const convKind = "ansatz convolutional kernel machine, version 1"

// savedConv is what model.json holds.
type savedConv struct {
	Kind      string            `json:"kind"`
	Kernel    string            `json:"kernel"` // of the first layer
	Depth     int               `json:"depth"`
	Bandwidth float64           `json:"bandwidth,omitempty"`
	Patch     int               `json:"patch"`
	Pad       bool              `json:"pad"`
	Whole     bool              `json:"whole"`
	Linear    bool              `json:"linear"`
	Layers    int               `json:"layers"`
	Task      string            `json:"task"`
	Precision int               `json:"precision"`
	Images    int               `json:"images"`
	Shape     [3]int            `json:"shape"` // height, width, channels
	Outputs   int               `json:"outputs"`
	Backend   string            `json:"backend"` // that made the features
	SHA256    string            `json:"sha256"`  // of the arrays
	Metadata  map[string]string `json:"metadata,omitempty"`
}

// Save writes the model into a folder, which it creates if need be: as safetensors the training images, the coefficients,
// and the metric and filters of every layer, and as JSON a description with the caller's metadata.
func (m *ConvModel) Save(dir string, metadata map[string]string) error {
	arrays := &weights.StateDict{}
	x := m.images
	arrays.Set("images", tensor.New(tensor.WithShape(x.Len(), x.Height, x.Width, x.Channels),
		tensor.WithBacking(x.Pixels)))
	arrays.Set("alpha", denseTensor(m.alpha))
	for i, l := range m.layers {
		arrays.Set(layerName("metric", i), denseTensor(l.Metric.rows()))
		if l.Filters != nil {
			arrays.Set(layerName("filters", i), denseTensor(l.Filters))
		}
	}
	first := m.layers[0].Kernel
	s := savedConv{
		Kind: convKind, Kernel: first.String(), Depth: first.Depth(), Bandwidth: first.bandwidth(), Patch: m.patch,
		Pad: m.pad, Whole: m.whole,
		Linear: m.linear, Layers: len(m.layers), Task: m.task.String(), Precision: bitsOf(m.precision), Images: x.Len(),
		Shape: [3]int{x.Height, x.Width, x.Channels}, Backend: m.backend, SHA256: arrays.SHA256(), Metadata: metadata,
	}
	_, s.Outputs = m.alpha.Dims()
	if s.Backend == "" {
		s.Backend = backend.Default()
	}
	return writeSaved(dir, s, arrays)
}

// canOpen reports whether a backend can be opened in this build and on this machine.
func canOpen(name string) bool {
	d, err := backend.Open(backend.Options{Backend: name, Threads: 1})
	if err != nil {
		return false
	}
	d.Close()
	return true
}

func layerName(what string, layer int) string { return fmt.Sprintf("layer%d.%s", layer+1, what) }

// IsConvModel reports whether a folder holds a convolutional kernel machine, by its description.
func IsConvModel(dir string) bool {
	var s savedConv
	return jsonfile.Read(filepath.Join(dir, modelFile), jsonfile.Large, &s) == nil && s.Kind == convKind
}

// LoadConvModel reads a folder that [ConvModel.Save] wrote, and returns the model and its metadata. The
// features of the training images are computed again, on the backend that computed them first if it is
// available. The model runs on the best backend with all threads; see [ConvModel.On]. It returns a
// [*ModelError] or a [*weights.FormatError] if the folder holds something else, and a [*MemoryError] if the
// features of its training images would take more bytes than memory; 0 is no limit.
func LoadConvModel(dir string, memory int64) (*ConvModel, map[string]string, error) {
	var s savedConv
	arrays, err := readSaved(dir, &s)
	if err != nil {
		return nil, nil, err
	}
	wrong := func(err error) error {
		return &ModelError{Path: filepath.Join(dir, modelFile),
			Reason: "does not describe a convolutional kernel machine", Err: err}
	}
	m, err := s.model(arrays)
	if err != nil {
		return nil, nil, wrong(err)
	}
	if need := m.featureBytes(); memory > 0 && need > memory {
		return nil, nil, &MemoryError{Need: need, Limit: memory, Examples: m.images.Len(),
			Solver: "the features of a convolutional kernel machine"}
	}
	if canOpen(s.Backend) {
		m.backend = s.Backend
	}
	if err := m.prepare(); err != nil {
		return nil, nil, wrong(err)
	}
	return m.On("", 0), s.Metadata, nil
}

// model returns the model that the arrays hold, but without its lens and the features of its training images; see prepare.
func (s *savedConv) model(arrays *weights.StateDict) (*ConvModel, error) {
	if err := checkSaved(arrays, s.SHA256, s.Kind, convKind); err != nil {
		return nil, err
	}
	kernel, err := ParseConvKernel(s.Kernel, s.Depth, s.Bandwidth)
	if err != nil {
		return nil, err
	}
	if s.Layers < 1 || s.Layers > kernel.Depth() {
		return nil, fmt.Errorf("%d layers of a kernel of depth %d", s.Layers, kernel.Depth())
	}
	m := &ConvModel{patch: s.Patch, pad: s.Pad, whole: s.Whole, linear: s.Linear}
	if m.task, err = ParseTask(s.Task); err != nil {
		return nil, err
	}
	if m.precision, err = precisionOf(s.Precision); err != nil {
		return nil, err
	}
	if m.images, err = s.readImages(arrays); err != nil {
		return nil, err
	}
	if err := gridOf(m.images, m.patch, m.pad).check(kernel.Depth()); err != nil {
		return nil, err
	}
	if m.alpha, err = tensorDense(arrays, "alpha", s.Images, s.Outputs); err != nil {
		return nil, err
	}
	m.layers, err = s.readLayers(arrays, kernel)
	return m, err
}

// featureBytes returns the memory of the features of the training images.
func (m *ConvModel) featureBytes() int64 {
	total, grid := int64(0), gridOf(m.images, m.patch, m.pad)
	for _, l := range m.layers[:len(m.layers)-1] {
		filters, _ := l.Filters.Dims()
		at := grid.first()
		total += 4 * int64(m.images.Len()) * int64(at.size()) * int64(filters)
		grid.Height, grid.Width, grid.Channels = at.height, at.width, filters
	}
	return total
}

// readImages returns the training images.
func (s *savedConv) readImages(arrays *weights.StateDict) (Images, error) {
	x := Images{Height: s.Shape[0], Width: s.Shape[1], Channels: s.Shape[2]}
	t, there := arrays.Get("images")
	if !there {
		return x, fmt.Errorf("%s has no array images", arraysFile)
	}
	pixels, single := t.Data().([]float32)
	if want := (tensor.Shape{s.Images, x.Height, x.Width, x.Channels}); !single || !t.Shape().Eq(want) {
		return x, fmt.Errorf("%s: array images is %v of %v, want %v of float32", arraysFile, t.Shape(), t.Dtype(), want)
	}
	x.Pixels = pixels
	return x, x.Check("training")
}

// readLayers returns the layers. The shape of each follows from the layer before it.
func (s *savedConv) readLayers(arrays *weights.StateDict, kernel ConvKernel) ([]ConvLayer, error) {
	var layers []ConvLayer
	channels := s.Shape[2]
	for i := range s.Layers {
		if i > 0 {
			kernel = kernel.Shallower()
		}
		d := channels * s.Patch * s.Patch
		metric, err := readMetric(arrays, layerName("metric", i), d)
		if err != nil {
			return nil, err
		}
		l := ConvLayer{Kernel: kernel, Metric: metric}
		if i < s.Layers-1 {
			t, there := arrays.Get(layerName("filters", i))
			if !there || t.Dims() != 2 {
				return nil, fmt.Errorf("%s has no filters of layer %d", arraysFile, i+1)
			}
			channels = t.Shape()[0]
			if l.Filters, err = tensorDense(arrays, layerName("filters", i), channels, d); err != nil {
				return nil, err
			}
		}
		layers = append(layers, l)
	}
	return layers, nil
}

// readMetric returns a metric of d features, which the arrays hold as its diagonal, 1×d, or in full.
func readMetric(arrays *weights.StateDict, name string, d int) (*Metric, error) {
	rows := d
	if t, there := arrays.Get(name); there && t.Dims() == 2 && t.Shape()[0] == 1 {
		rows = 1
	}
	m, err := tensorDense(arrays, name, rows, d)
	if err != nil {
		return nil, err
	}
	if rows == 1 {
		return DiagonalMetric(m.RawRowView(0)), nil
	}
	return FullMetric(mat.NewSymDense(d, m.RawMatrix().Data)), nil
}

// prepare computes the lens of the last layer and the features of the training images.
func (m *ConvModel) prepare() error {
	return m.with(m.images, func(t *team) (err error) {
		if m.centres, err = m.featuresOn(context.Background(), t, m.images, len(m.layers)-1); err != nil {
			return err
		}
		k, grid := m.last().Kernel, gridOf(m.centres, m.patch, m.pad)
		m.patchView, err = patchViewFor(k, m.last().Metric, m.whole, m.centres, grid)
		return err
	})
}
