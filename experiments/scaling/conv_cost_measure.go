package scaling

import (
	"context"
	"math"
	"time"

	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/rfm"
)

// ConvCostRecord is what a [ConvCost] measured.
type ConvCostRecord struct {
	Spec ConvCostSpec `json:"spec"`
	// Points are the sizes of the three sweeps, in their order, each once.
	Points []ConvCostPoint `json:"points"`
	// Pooled are the CNTK and the one averaged over positions on small images.
	Pooled []ConvCostPoint `json:"pooled"`
	// Exponents are those of n, of the depth and of the size in the seconds of the
	// parts, from the two largest of each; absent where a sweep has but one size.
	Exponents []ConvCostExponent `json:"exponents,omitempty"`
	Kernels   string             `json:"kernels"` // instruction set
	Version   string             `json:"version"`
}

// ConvCostPoint is the seconds of the parts for n images of Size×Size pixels.
type ConvCostPoint struct {
	Kernel   string  `json:"kernel"`
	Examples int     `json:"n"`
	Depth    int     `json:"depth"`
	Size     int     `json:"size"`
	Matrix   float64 `json:"kernel_seconds"` // the kernel matrix, its symmetric half once
	Solve    float64 `json:"solve_seconds"`
	AGOP     float64 `json:"agop_seconds"`
	Predict  float64 `json:"predict_seconds"`
	// Seconds of a pair of images: of n(n+1)/2 in the kernel matrix, of n² in the
	// AGOP, for all outputs together, and in predictions.
	MatrixPair  float64 `json:"kernel_seconds_per_pair"`
	AGOPPair    float64 `json:"agop_seconds_per_pair"`
	PredictPair float64 `json:"predict_seconds_per_pair"`
	// Bytes that the process held at its peak beyond those before; 0 where the
	// system does not tell.
	FitBytes  int64 `json:"fit_peak_bytes"`
	AGOPBytes int64 `json:"agop_peak_bytes"`
}

// ConvCostExponent says that the seconds of a part grow as a power of n, of the
// depth and of the size; 0 where that was not measured.
type ConvCostExponent struct {
	Part     string  `json:"part"`
	Examples float64 `json:"n"`
	Depth    float64 `json:"depth"`
	Size     float64 `json:"size"`
}

// convParts are the parts that are timed.
var convParts = []struct {
	name string
	of   func(ConvCostPoint) float64
}{
	{"kernel", func(p ConvCostPoint) float64 { return p.Matrix }},
	{"solve", func(p ConvCostPoint) float64 { return p.Solve }},
	{"agop", func(p ConvCostPoint) float64 { return p.AGOP }},
	{"predict", func(p ConvCostPoint) float64 { return p.Predict }},
}

// measure takes the least times of several fits, and their largest peaks.
func (c *ConvCost) measure(ctx context.Context, s convSize) (*ConvCostPoint, error) {
	e := c.examples(s)
	least := &ConvCostPoint{
		Kernel: s.kernel, Examples: s.n, Depth: s.depth, Size: s.size,
		Matrix: math.Inf(1), Solve: math.Inf(1), AGOP: math.Inf(1), Predict: math.Inf(1),
	}
	for range c.spec.Repeats {
		p, err := c.once(ctx, s, e)
		if err != nil {
			return nil, err
		}
		least.Matrix, least.Solve = min(least.Matrix, p.Matrix), min(least.Solve, p.Solve)
		least.AGOP, least.Predict = min(least.AGOP, p.AGOP), min(least.Predict, p.Predict)
		least.FitBytes, least.AGOPBytes = max(least.FitBytes, p.FitBytes), max(least.AGOPBytes, p.AGOPBytes)
	}
	n := float64(s.n)
	least.MatrixPair, least.AGOPPair, least.PredictPair = least.Matrix/(n*(n+1)/2), least.AGOP/(n*n), least.Predict/(n*n)
	return least, nil
}

// once times a fit, the AGOP over its images and predictions for them.
func (c *ConvCost) once(ctx context.Context, s convSize, e rfm.ImageExamples) (*ConvCostPoint, error) {
	kernel, err := rfm.ParseConvKernel(s.kernel, s.depth, 0)
	if err != nil {
		return nil, err
	}
	p := &ConvCostPoint{}
	m := rfm.ConvMachine{
		Kernel: kernel, Patch: c.spec.Patch, Ridges: []float64{1e-3}, KernelScale: true,
		Backend: c.spec.Backend, Threads: c.spec.Threads,
	}
	start := time.Now()
	solving := start
	// What follows the last report of the kernel is the regression.
	m.Progress = func(at rfm.ConvProgress) {
		if at.Stage == "kernel" {
			solving = time.Now()
		}
	}
	var model *rfm.ConvModel
	if p.FitBytes, err = record.PeakMemory(func() (err error) {
		start = time.Now()
		model, err = study.Setting{}.FitConv(ctx, "", m, e)
		return err
	}); err != nil {
		return nil, err
	}
	p.Matrix, p.Solve = solving.Sub(start).Seconds(), time.Since(solving).Seconds()
	if p.AGOPBytes, err = record.PeakMemory(func() error {
		start = time.Now()
		_, err := model.AGOP(ctx, e.X)
		return err
	}); err != nil {
		return nil, err
	}
	p.AGOP = time.Since(start).Seconds()
	start = time.Now()
	_, err = model.Predict(ctx, e.X)
	p.Predict = time.Since(start).Seconds()
	return p, err
}

// fit takes the exponents from the last two of every sweep.
func (r *ConvCostRecord) fit() {
	for _, part := range convParts {
		e := ConvCostExponent{Part: part.name}
		for _, sweep := range r.sweeps() {
			if k := len(sweep.points); k > 1 {
				last, before := sweep.points[k-1], sweep.points[k-2]
				*sweep.into(&e) = math.Log(part.of(last)/part.of(before)) / math.Log(sweep.x(last)/sweep.x(before))
			}
		}
		r.Exponents = append(r.Exponents, e)
	}
}
