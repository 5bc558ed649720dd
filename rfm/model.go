package rfm

import (
	"context"
	"fmt"

	"github.com/ansatz-lab/ansatz/graph"
	"gonum.org/v1/gonum/mat"
)

// Model is a fitted kernel machine, f(x) = Σⱼ αⱼ K_M(x, zⱼ). Its methods may be used from several goroutines at once.
type Model struct {
	kernel    Kernel
	metric    *Metric
	centres   *mat.Dense // n×d
	alpha     *mat.Dense // n×outputs
	task      Task
	precision graph.Precision
	backend   string
	threads   int

	lens   *lens
	points *mat.Dense // the centres through the lens, n×r
}

// Kernel returns the kernel, without its metric.
func (m *Model) Kernel() Kernel { return m.kernel }

// Metric returns the M of the kernel.
func (m *Model) Metric() *Metric { return m.metric }

// Centres returns the points zⱼ, n×d. The caller must not change them.
func (m *Model) Centres() *mat.Dense { return m.centres }

// Coefficients returns the α of the centres, n×outputs. The caller must not change them.
func (m *Model) Coefficients() *mat.Dense { return m.alpha }

// Task returns the machine's task.
func (m *Model) Task() Task { return m.task }

// Predict returns the outputs for the rows of x, n×outputs. The last bits of a row's outputs may depend on the number
// of rows; see [Model.PredictRows].
func (m *Model) Predict(ctx context.Context, x *mat.Dense) (*mat.Dense, error) {
	n, _ := x.Dims()
	return m.predictBatches(ctx, x, n, true)
}

// PredictRows is like [Model.Predict], but its batches have one size however many rows there are. The outputs of a row are
// therefore the same whether it comes alone or among others. A few rows take as long as a whole batch.
func (m *Model) PredictRows(ctx context.Context, x *mat.Dense) (*mat.Dense, error) {
	return m.predictBatches(ctx, x, manyRows, false)
}

// predictBatches predicts in batches of the best size for the given number of rows. If shared is set, the members of the crew
// share the batches; otherwise all threads compute each batch together.
func (m *Model) predictBatches(ctx context.Context, x *mat.Dense, rows int, shared bool) (out *mat.Dense, err error) {
	if err := m.checkInputs(x); err != nil {
		return nil, err
	}
	err = m.with(func(on machinery) error {
		p, err := on.newPredictor(m.kernel, m.lens, m.points, m.alpha, rows)
		if err != nil {
			return err
		}
		if !shared {
			p.crew = nil
		}
		out, err = p.forward(ctx, "predict", x)
		return err
	})
	return out, err
}

// Score compares the predictions for the rows of x with the targets y, n×outputs.
func (m *Model) Score(ctx context.Context, x, y *mat.Dense) (Scores, error) {
	p, err := m.Predict(ctx, x)
	if err != nil {
		return Scores{}, err
	}
	return m.task.Score(p, y)
}

// AGOP returns the average gradient outer product of the model over the rows of x, (1/n) Σ over rows and outputs of
// ∇f∇fᵀ. If centred, it subtracts the mean gradient of every output first.
func (m *Model) AGOP(ctx context.Context, x *mat.Dense, centred bool) (out *Metric, err error) {
	if err := m.checkInputs(x); err != nil {
		return nil, err
	}
	err = m.with(func(on machinery) error {
		out, err = m.agop(ctx, on, x, centred, false)
		return err
	})
	return out, err
}

// On returns the model on a backend with a number of threads. The backend is native, go, or "" for the best; 0 threads
// is all cores.
func (m *Model) On(backend string, threads int) *Model {
	on := *m
	on.backend, on.threads = backend, threads
	return &on
}

// prepare computes the lens, and the centres through it.
func (m *Model) prepare() error {
	var err error
	if m.lens, err = m.metric.lensFor(m.kernel, m.centres); err != nil {
		return err
	}
	return m.with(func(on machinery) error {
		m.points, err = on.transform(context.Background(), m.lens, m.centres)
		return err
	})
}

// with opens the model's device and crew, calls do with them, and closes them.
func (m *Model) with(do func(on machinery) error) error {
	on, err := openMachinery(m.backend, m.threads, m.precision)
	if err != nil {
		return err
	}
	defer on.closeAll()
	return do(on)
}

func (m *Model) checkInputs(x *mat.Dense) error {
	n, d := x.Dims()
	if want := m.metric.Dim(); d != want {
		return fmt.Errorf("rfm: the model was fitted to %d features, these examples have %d", want, d)
	}
	if n == 0 {
		return errNoExamples
	}
	return nil
}

func (m *Model) predictOn(ctx context.Context, on machinery, x *mat.Dense) (*mat.Dense, error) {
	p, err := m.predictor(on, x)
	if err != nil {
		return nil, err
	}
	return p.forward(ctx, "predict", x)
}

// predictor builds the expression of the model for the rows of x.
func (m *Model) predictor(on machinery, x *mat.Dense) (*predictor, error) {
	n, _ := x.Dims()
	return on.newPredictor(m.kernel, m.lens, m.points, m.alpha, n)
}
