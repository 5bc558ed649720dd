package tangent

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/cost"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/train"
	"github.com/ansatz-lab/ansatz/experiments/workload"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/models/kernels"
	"gonum.org/v1/gonum/mat"
)

// NTKSpec says which neural tangent kernel to measure. Only Arch and Data are required. By default
// the weights are fresh, the network has one output for each class, and the images are those of the
// test split, normalised by the dataset.
type NTKSpec struct {
	input.DataSpec
	Arch  string  // a name or the path of a TOML file
	Width float64 // a factor on the architecture's widths; 0 is 1
	Init  string  // see [models.Architecture.SetInit]
	// Parameterisation of the weights; see [models.ParseParameterisation]
	Parameterisation string
	Prefix           string // of the names in files of weights; see [models.Architecture]
	Weights          string // a file of trained weights; "" draws fresh ones
	InitWeights      string // with Weights: a file of the weights before training
	Kernel           string // the name of a [kernels.Form]; "" is full
	Infinite         bool   // also computes the kernel of infinite width, see [infinite.OfAll]
	ByLayer          bool   // also measures the part of the kernel that each layer contributes
	Outputs          int    // of a network of fresh weights; 0 is one for each class
	Images           int    // how many; negative is [DefaultKernelImages], or all if there are fewer
	Draw             uint64 // the seed that draws the images from the whole split; 0 takes the first images
	Shift            int    // each image is moved by at most so many pixels
	Batch            int    // images per pass; 0 chooses by memory and caches
	Precision        int    // 32 or 64 bits of the gradients; 0 is 32
	Backend          string // native, go or gpu; "" is $ANSATZ_BACKEND, else native where it is built in
	Threads          int    // 0 is all cores
}

// ProgressFunc receives the name of a stage of the work, and how many of its steps are done.
type ProgressFunc = func(stage string, done, total int)

// DefaultKernelImages is the number of images of a kernel by default.
const DefaultKernelImages = 100

// NTKMeasurement is a measurement of the neural tangent kernel of an open network on open images.
type NTKMeasurement struct {
	spec         NTKSpec
	options      models.NTKOptions
	Source       *input.Source
	net, initial *models.Network // initial is nil unless InitWeights names it
	conv         NTKConventions
	gram         kernels.Kernel // that Run computed
	infinite     *mat.SymDense  // the kernel of infinite width, images × images; nil unless spec.Infinite
	inBlocks     bool           // memory need not hold the kernel of all images
	halves       *halves        // of the images; nil unless spec.ByLayer
}

// NewNTK opens the network and the images that the spec names. It returns an [*input.Error] for
// input that cannot be measured, such as a kernel too large for memory.
func NewNTK(s NTKSpec) (*NTKMeasurement, error) { return openNTK(s, false) }

// openNTK is NewNTK. If inBlocks is set, it does not check whether memory holds the kernel.
func openNTK(s NTKSpec, inBlocks bool) (*NTKMeasurement, error) {
	m := &NTKMeasurement{spec: s, inBlocks: inBlocks}
	var err error
	if m.options, err = s.options(); err != nil {
		return nil, err
	}
	a, err := s.arch()
	if err != nil {
		return nil, err
	}
	if err := m.openImages(a); err != nil {
		return nil, err
	}
	if err := m.openNetwork(a); err != nil {
		return nil, err
	}
	if err := m.openHalves(); err != nil {
		return nil, err
	}
	if err := m.checkInfinite(); err != nil {
		return nil, err
	}
	return m, m.setConventions()
}

// options checks the flags and returns the options of the kernel.
func (s NTKSpec) options() (o models.NTKOptions, err error) {
	if o.Precision, err = input.ParsePrecision(s.Precision); err != nil {
		return o, err
	}
	if err := input.CheckBackend(s.Backend); err != nil {
		return o, err
	}
	if min(s.Batch, s.Threads, s.Shift, s.Outputs) < 0 {
		return o, input.Errorf("--batch, --threads, --shift and --outputs must be at least 0")
	}
	if s.InitWeights != "" && s.Weights == "" {
		return o, input.Errorf("--init-weights is compared with --weights: give both")
	}
	if o.Form, err = kernels.ParseForm(s.Kernel); err != nil {
		return o, input.Errorf("--kernel %w", err)
	}
	o.Threads, o.Backend, o.Batch, o.ByLayer = s.Threads, s.Backend, s.Batch, s.ByLayer
	return o, nil
}

// arch returns the architecture with the spec's settings.
func (s NTKSpec) arch() (*models.Architecture, error) {
	a, err := input.LookupArchitecture(s.Arch)
	if err != nil {
		return nil, err
	}
	return a, train.Spec{Width: s.Width, Init: s.Init, Parameterisation: s.Parameterisation, Prefix: s.Prefix}.Configure(a)
}

// readPixels reads the images first ≤ i < last as the network does.
func (m *NTKMeasurement) readPixels(ctx context.Context, first, last int) ([]float32, error) {
	n := last - first
	px := make([]float32, n*m.Source.Dataset.Shape().Pixels())
	return px, m.Source.Loader.Load(ctx, first, last, px, make([]int, n))
}

// Run computes and measures the kernel. It reports to progress unless that is nil.
func (m *NTKMeasurement) Run(ctx context.Context, progress ProgressFunc) (*NTKRecord, error) {
	px, err := m.readPixels(ctx, 0, m.Source.Dataset.Len())
	if err != nil {
		return nil, err
	}
	now, err := m.measure(ctx, false, px, progress)
	if err != nil {
		return nil, err
	}
	var limit *InfiniteRecord
	if m.spec.Infinite {
		if limit, err = m.measureInfinite(ctx, now.Gram, px, progress); err != nil {
			return nil, err
		}
	}
	r, err := m.measureAgainstInitial(ctx, now, px, progress)
	if err == nil {
		r.Infinite = limit
	}
	return r, err
}

// measureAgainstInitial returns the record of a kernel, compared with the one before training where its weights are known.
func (m *NTKMeasurement) measureAgainstInitial(ctx context.Context, now *measuredKernel, px []float32,
	progress ProgressFunc) (*NTKRecord, error) {
	if m.initial == nil {
		return m.finish(now, nil)
	}
	before, err := m.measure(ctx, true, px, progress)
	if err != nil {
		return nil, err
	}
	return m.finish(now, before)
}

// measuredKernel is a kernel with its record.
type measuredKernel struct {
	KernelRecord
	*models.NTK
}

// network returns the network, or the one before training, and the options of its kernel.
func (m *NTKMeasurement) network(initial bool) (*models.Network, models.NTKOptions) {
	o := m.options
	o.Memory = record.AvailableMemory()
	if initial {
		o.ByLayer = false
		return m.initial, o
	}
	return m.net, o
}

// measure computes and decomposes the kernel of the network, or of the network before training.
func (m *NTKMeasurement) measure(ctx context.Context, initial bool, px []float32,
	progress ProgressFunc) (*measuredKernel, error) {
	n, o := m.network(initial)
	if progress != nil {
		stage := "kernel"
		if initial {
			stage = "kernel before training"
		}
		o.Progress = func(done, total int) { progress(stage, done, total) }
	}
	start := time.Now()
	ntk, err := n.NTK(ctx, px, o)
	if err != nil {
		return nil, err
	}
	return m.decompose(ntk, n.Size(), time.Since(start).Seconds())
}

// decompose computes the spectrum and the measures of a kernel, whose computation took the given seconds.
func (m *NTKMeasurement) decompose(ntk *models.NTK, parameters int, seconds float64) (*measuredKernel, error) {
	start := time.Now()
	s, err := kernels.NewSpectrum(ntk.Gram, m.options.Precision)
	if err != nil {
		return nil, err
	}
	k := &measuredKernel{NTK: ntk}
	k.Seconds, k.EigenSeconds = seconds, time.Since(start).Seconds()
	k.setMeasures(ntk.Gram, parameters, s)
	return k, nil
}

// finish returns the record of a kernel and of the kernel before training, which may be nil.
func (m *NTKMeasurement) finish(now, before *measuredKernel) (r *NTKRecord, err error) {
	r = m.newRecord()
	r.KernelRecord, m.gram = now.KernelRecord, now.Gram
	if m.spec.ByLayer {
		if r.Layers, err = m.measureLayers(now.Layers); err != nil {
			return nil, err
		}
	}
	if before == nil {
		return r, nil
	}
	r.Initial = &before.KernelRecord
	r.Change, err = newKernelChange(now.Gram, before.Gram)
	return r, err
}

// openImages opens the images, without their normalisation.
func (m *NTKMeasurement) openImages(a *models.Architecture) error {
	s := &m.spec
	s.Split = cmp.Or(s.Split, "test")
	src, err := input.Open(s.DataSpec, a)
	if err != nil {
		return err
	}
	n := src.Dataset.Len()
	switch {
	case s.Images < 0:
		s.Images = min(DefaultKernelImages, n)
	case s.Images == 0:
		return input.Errorf("--images 0: want at least 1")
	case s.Images > n:
		return input.Errorf("--images %d: %s has %d", s.Images, src.Dataset.Name(), n)
	}
	if src.Dataset, err = s.chooseImages(src.Dataset); err != nil {
		return err
	}
	if s.Shift > 0 {
		if src.Dataset, err = data.Shifted(src.Dataset, s.Shift, s.Seed); err != nil {
			return input.Errorf("--shift %d: %v", s.Shift, err)
		}
	}
	m.Source = src
	return nil
}

// chooseImages returns the images of the kernel.
func (s NTKSpec) chooseImages(set data.Dataset) (data.Dataset, error) {
	if s.Draw == 0 {
		return data.Head(set, s.Images), nil
	}
	return input.DrawImages("images", set, s.Images, s.Draw)
}

// openNetwork opens or draws the weights, and normalises the images as in the training of the
// weights, or by the dataset if the weights do not say how.
func (m *NTKMeasurement) openNetwork(a *models.Architecture) error {
	open := m.drawWeights
	if m.spec.Weights != "" {
		open = m.openWeights
	}
	if err := open(a); err != nil {
		return err
	}
	s := m.spec.DataSpec
	s.Normalise = cmp.Or(s.Normalise, m.conv.trainedWith, input.DeclaredNormalisation(m.spec.Arch), "dataset")
	return m.Source.Normalise(s, m.net.Arch)
}

// drawWeights checks that memory suffices, and draws fresh weights.
func (m *NTKMeasurement) drawWeights(a *models.Architecture) error {
	s, in := m.spec, m.Source.Shape()
	outputs := cmp.Or(s.Outputs, len(m.Source.Dataset.Classes()))
	if outputs < 1 {
		return input.Errorf("%s has no classes: give --outputs", s.Data)
	}
	f, err := train.FreshNetwork(a, in, outputs, s.Seed)
	if err != nil {
		return err
	}
	if s.Outputs > 0 && f.Classes() != s.Outputs {
		return input.Errorf("--outputs %d: %s has %d of its own", s.Outputs, a.Name, f.Classes())
	}
	if err := m.checkMemory(f.Size(), f.Classes()); err != nil {
		return err
	}
	if m.net, err = a.InitNetwork(in, outputs, s.Seed); err != nil {
		return &input.Error{Err: err}
	}
	m.conv.Weights = fmt.Sprintf("fresh, %s, seed %d", m.net.Arch.Initialisation(), s.Seed)
	return nil
}

// openWeights reads the trained weights, and those before training.
func (m *NTKMeasurement) openWeights(a *models.Architecture) error {
	s, in := m.spec, m.Source.Shape()
	if s.Init != "" {
		return input.Errorf("--init is for fresh weights, not for --weights")
	}
	net, state, err := input.OpenWeights(a, s.Weights, in)
	if err != nil {
		return err
	}
	if s.Outputs > 0 && net.Classes != s.Outputs {
		return input.Errorf("--outputs %d: the network in %s has %d", s.Outputs, s.Weights, net.Classes)
	}
	m.net = net
	m.conv.Weights, m.conv.WeightsSHA256, m.conv.trainedWith = s.Weights, state.SHA256(),
		state.Metadata()[input.NormalisationMetadata]
	if s.InitWeights != "" {
		trained := input.Trained{Path: s.Weights, Network: net, Metadata: state.Metadata()}
		if m.initial, err = trained.OpenInitial(a, s.InitWeights, in); err != nil {
			return err
		}
		m.conv.Initial = s.InitWeights
	}
	return m.checkMemory(net.Size(), net.Classes)
}

// checkMemory returns an input error if memory cannot hold the kernel or, in blocks, the weights.
func (m *NTKMeasurement) checkMemory(parameters, outputs int) error {
	r := train.KernelRoom{
		Parameters: parameters, Outputs: outputs, Form: m.options.Form, Width: cmp.Or(m.spec.Width, 1), Copies: 2,
		Images: m.spec.Images, Layers: m.layers(), Element: train.ValuesElement, Flag: "--images",
	}
	if m.spec.InitWeights != "" {
		r.Copies++
	}
	if m.inBlocks {
		r.Images = 0
	}
	return r.Check(record.AvailableMemory())
}

// layers returns the number of layers whose kernels are measured, 0 before the network is open.
func (m *NTKMeasurement) layers() int {
	if !m.spec.ByLayer || m.net == nil {
		return 0
	}
	return len(m.net.ParametersByLayer())
}

// Job returns the cost of the kernel of a network of fresh weights. It opens nothing, and leaves out
// the reading of the images.
func (s NTKSpec) Job() (cost.Job, error) {
	a, err := s.arch()
	if err != nil {
		return nil, err
	}
	set, err := train.Spec{Data: s.Data, Size: s.Size}.WithDefaults().SetFor(a)
	if err != nil {
		return nil, err
	}
	o, err := s.options()
	if err != nil {
		return nil, err
	}
	outputs := cmp.Or(s.Outputs, set.Classes)
	layers, err := workload.LayersFor(a, set.Shape, outputs)
	return cost.TangentsOf(layers, s.Images, outputs).In(o.Form, outputs, 0), err
}

// Job returns the cost of the kernel of one network.
func (m *NTKMeasurement) Job() cost.Tangents {
	j := cost.TangentsOf(m.net.Layers(), m.Source.Dataset.Len(), m.net.Classes).In(m.options.Form, m.net.Classes, m.layers())
	j.Reading = workload.ReadingOfSpec(m.spec.DataSpec, m.spec.Images,
		m.Source.Loader.Normalisation.Name == workload.ByDataset)
	return j
}
