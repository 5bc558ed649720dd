package experiments

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"time"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/models"
	"gonum.org/v1/gonum/mat"
)

// NTKSpec is what a measurement of the neural tangent kernel is asked for: Arch
// and Data at least. Other zero fields take fresh weights, a class an output, the
// test split, and pixels normalised by the dataset.
type NTKSpec struct {
	DataSpec
	Arch        string  // a name or the path of a TOML file
	Width       float64 // a factor on the architecture's widths; 0 is 1
	Init        string  // see [models.Architecture.SetInit]
	Weights     string  // a file of trained weights; "" draws fresh ones
	InitWeights string  // with Weights, one of those before training
	Outputs     int     // of a network of fresh weights; 0 is one a class
	Images      int     // the first so many of the split; negative is [DefaultKernelImages], or all if there are fewer
	Shift       int     // moves each by up to so many pixels
	Batch       int     // images at a time; 0 is what suits memory and caches
	Precision   int     // 32 or 64 bits of the gradients; 0 is 32
	Backend     string  // native or go; "" is native where it is built in
	Threads     int     // 0 is all cores
}

// DefaultKernelImages is how many images a kernel is of unless told.
const DefaultKernelImages = 100

// NTKMeasurement is a measurement of the neural tangent kernel that has its
// network and images.
type NTKMeasurement struct {
	spec         NTKSpec
	options      models.NTKOptions
	source       *source
	net, initial *models.Network // initial is nil unless InitWeights names it
	conv         NTKConventions
}

// NewNTK opens what the spec names. All its errors are the input's: a kernel that
// memory does not hold among them.
func NewNTK(s NTKSpec) (*NTKMeasurement, error) {
	m := &NTKMeasurement{spec: s}
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
	return m, m.describe()
}

// options turns flags into options.
func (s NTKSpec) options() (o models.NTKOptions, err error) {
	if o.Precision, err = parsePrecision(s.Precision); err != nil {
		return o, err
	}
	if err := checkBackend(s.Backend); err != nil {
		return o, err
	}
	if min(s.Batch, s.Threads, s.Shift, s.Outputs) < 0 {
		return o, badInput("--batch, --threads, --shift and --outputs must be at least 0")
	}
	if s.InitWeights != "" && s.Weights == "" {
		return o, badInput("--init-weights is what --weights is compared with: give both")
	}
	o.Threads, o.Backend, o.Batch = s.Threads, s.Backend, s.Batch
	return o, nil
}

// arch is the architecture with the spec's settings.
func (s NTKSpec) arch() (*models.Architecture, error) {
	a, err := lookup(s.Arch)
	if err != nil {
		return nil, err
	}
	return a, TrainSpec{Width: s.Width, Init: s.Init}.configure(a)
}

// openImages opens the images, but for their normalisation.
func (m *NTKMeasurement) openImages(a *models.Architecture) error {
	s := &m.spec
	s.Split = cmp.Or(s.Split, "test")
	src, err := openData(s.DataSpec, a)
	if err != nil {
		return err
	}
	have := src.set.Len()
	switch {
	case s.Images < 0:
		s.Images = min(DefaultKernelImages, have)
	case s.Images == 0:
		return badInput("--images 0: want at least 1")
	case s.Images > have:
		return badInput("--images %d: %s has %d", s.Images, src.set.Name(), have)
	}
	src.set = data.Head(src.set, s.Images)
	if s.Shift > 0 {
		if src.set, err = data.Shifted(src.set, s.Shift, s.Seed); err != nil {
			return badInput("--shift %d: %v", s.Shift, err)
		}
	}
	m.source = src
	return nil
}

// openNetwork opens or draws the weights, and says how images are normalised for
// them: as the weights say that they were trained, else by the dataset.
func (m *NTKMeasurement) openNetwork(a *models.Architecture) error {
	open := m.drawWeights
	if m.spec.Weights != "" {
		open = m.openWeights
	}
	if err := open(a); err != nil {
		return err
	}
	s := m.spec.DataSpec
	s.Normalise = cmp.Or(s.Normalise, m.conv.trainedWith, "dataset")
	return m.source.normalise(s, m.net.Arch)
}

// drawWeights draws fresh weights, once it is known that there is room.
func (m *NTKMeasurement) drawWeights(a *models.Architecture) error {
	s, in := m.spec, m.source.shape()
	outputs := cmp.Or(s.Outputs, len(m.source.set.Classes()))
	if outputs < 1 {
		return badInput("%s has no classes: give --outputs", s.Data)
	}
	f, err := a.Fresh(in, outputs, s.Seed)
	if err != nil {
		return &InputError{err}
	}
	if s.Outputs > 0 && f.Classes() != s.Outputs {
		return badInput("--outputs %d: %s has %d of its own", s.Outputs, a.Name, f.Classes())
	}
	if err := m.fits(f.Size(), f.Classes()); err != nil {
		return err
	}
	if m.net, err = a.InitNetwork(in, outputs, s.Seed); err != nil {
		return &InputError{err}
	}
	m.conv.Weights = fmt.Sprintf("fresh, %s, seed %d", m.net.Arch.Init, s.Seed)
	return nil
}

// openWeights reads the trained weights, and those before training.
func (m *NTKMeasurement) openWeights(a *models.Architecture) error {
	s, in := m.spec, m.source.shape()
	if s.Init != "" {
		return badInput("--init is for fresh weights, not for --weights")
	}
	net, state, err := openWeights(a, s.Weights, in)
	if err != nil {
		return err
	}
	if s.Outputs > 0 && net.Classes != s.Outputs {
		return badInput("--outputs %d: the network in %s has %d", s.Outputs, s.Weights, net.Classes)
	}
	m.net = net
	m.conv.Weights, m.conv.WeightsSHA256, m.conv.trainedWith = s.Weights, state.SHA256(), state.Metadata()[normalisationMetadata]
	if s.InitWeights != "" {
		if m.initial, _, err = openWeights(a, s.InitWeights, in); err != nil {
			return err
		}
		if m.initial.Classes != net.Classes {
			return badInput("%s has %d outputs, %s has %d", s.InitWeights, m.initial.Classes, s.Weights, net.Classes)
		}
		m.conv.Initial = s.InitWeights
	}
	return m.fits(net.Size(), net.Classes)
}

// fits refuses a kernel that memory does not hold.
func (m *NTKMeasurement) fits(parameters, outputs int) error {
	r := kernelRoom{
		parameters: parameters, outputs: outputs, width: cmp.Or(m.spec.Width, 1), copies: 2, images: m.spec.Images, element: valuesElement, flag: "--images",
	}
	if m.spec.InitWeights != "" {
		r.copies++
	}
	return r.check(availableMemory())
}

// pixels reads the images as the network does.
func (m *NTKMeasurement) pixels(ctx context.Context) ([]float32, error) {
	n := m.source.set.Len()
	px := make([]float32, n*m.source.set.Shape().Pixels())
	return px, m.source.loader.Load(ctx, 0, n, px, make([]int, n))
}

// Run measures. Progress, if not nil, is told how far it is.
func (m *NTKMeasurement) Run(ctx context.Context, progress func(stage string, done, total int)) (*NTKRecord, error) {
	px, err := m.pixels(ctx)
	if err != nil {
		return nil, err
	}
	r := m.record()
	if r.KernelRecord, r.gram, err = m.measure(ctx, m.net, px, "kernel", progress); err != nil || m.initial == nil {
		return r, err
	}
	before, gram, err := m.measure(ctx, m.initial, px, "kernel before training", progress)
	if err != nil {
		return nil, err
	}
	change, err := models.CompareKernels(r.gram, gram)
	if err != nil {
		return nil, err
	}
	r.Initial = &before
	r.Change = &KernelChangeRecord{change.Relative, change.Cosine, change.Centred}
	return r, nil
}

// measure computes and decomposes the kernel of a network.
func (m *NTKMeasurement) measure(ctx context.Context, n *models.Network, px []float32, stage string, progress func(stage string, done, total int)) (k KernelRecord, gram *mat.SymDense, err error) {
	o := m.options
	o.Memory = availableMemory()
	if progress != nil {
		o.Progress = func(done, total int) { progress(stage, done, total) }
	}
	start := time.Now()
	ntk, err := n.NTK(ctx, px, o)
	if err != nil {
		return k, nil, err
	}
	k.Seconds = time.Since(start).Seconds()
	start = time.Now()
	s, err := models.NewSpectrum(ntk.Gram, o.Precision)
	if err != nil {
		return k, nil, err
	}
	k.EigenSeconds = time.Since(start).Seconds()
	k.fill(ntk, s)
	return k, ntk.Gram, nil
}

// kernelDiagonal sums up the diagonal of a kernel, ‖∇f(x)‖² of every row.
func kernelDiagonal(k *mat.SymDense) (d DiagonalRecord) {
	n := k.SymmetricDim()
	d.Least, d.Largest = math.Inf(1), math.Inf(-1)
	squares := 0.
	for i := range n {
		v := k.At(i, i)
		d.Least, d.Largest = min(d.Least, v), max(d.Largest, v)
		d.Mean += v / float64(n)
		squares += v * v / float64(n)
	}
	d.SD = math.Sqrt(max(0, squares-d.Mean*d.Mean))
	return d
}

// precisionText names a precision in records.
func precisionText(p graph.Precision) string {
	if p == graph.Double {
		return "float64"
	}
	return "float32"
}
