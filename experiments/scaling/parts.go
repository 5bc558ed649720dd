package scaling

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"gonum.org/v1/gonum/mat"
)

// PartSeconds are the seconds of the parts of an iteration of a kernel machine.
type PartSeconds struct {
	Matrix  float64 `json:"kernel_seconds"` // the kernel matrix, its symmetric half once
	Solve   float64 `json:"solve_seconds"`
	AGOP    float64 `json:"agop_seconds"`
	Predict float64 `json:"predict_seconds"`
}

// parts are the names of the parts in tables and figures.
var parts = []struct {
	name    string
	seconds func(PartSeconds) float64
}{
	{"kernel", func(s PartSeconds) float64 { return s.Matrix }},
	{"solve", func(s PartSeconds) float64 { return s.Solve }},
	{"agop", func(s PartSeconds) float64 { return s.AGOP }},
	{"predict", func(s PartSeconds) float64 { return s.Predict }},
}

// timeParts times the parts several times and returns the least seconds of each.
func timeParts(repeats int, once func() (PartSeconds, error)) (PartSeconds, error) {
	least := PartSeconds{math.Inf(1), math.Inf(1), math.Inf(1), math.Inf(1)}
	for range repeats {
		s, err := once()
		if err != nil {
			return least, err
		}
		least = PartSeconds{min(least.Matrix, s.Matrix), min(least.Solve, s.Solve), min(least.AGOP, s.AGOP),
			min(least.Predict, s.Predict)}
	}
	return least, nil
}

// sweep holds points P along which one size grows. The exponent of the size is a field of E.
type sweep[P, E any] struct {
	name, symbol string // of the size
	points       []P
	size         func(P) float64
	exponent     func(*E) *float64
}

// setExponents sets the exponents of a part from the last two points of every sweep that has two.
func setExponents[P, E any](e *E, sweeps []sweep[P, E], seconds func(P) float64) {
	for _, s := range sweeps {
		if k := len(s.points); k > 1 {
			last, before := s.points[k-1], s.points[k-2]
			*s.exponent(e) = math.Log(seconds(last)/seconds(before)) / math.Log(s.size(last)/s.size(before))
		}
	}
}

// curve returns y by the size, as decimal logarithms.
func (s sweep[P, E]) curve(label string, y func(P) float64) report.Series {
	return record.SeriesOf(label, s.points, func(p P) float64 { return math.Log10(s.size(p)) },
		func(p P) float64 { return math.Log10(y(p)) })
}

// partFields returns a column of seconds for each part. Its name ends in the suffix.
func partFields[P any](suffix string, seconds func(P) PartSeconds, help [4]string) []record.Field[P] {
	var fields []record.Field[P]
	for i, part := range parts {
		fields = append(fields, record.NumberField(part.name+suffix, "%.3g",
			func(p P) float64 { return part.seconds(seconds(p)) }).WithHelp(help[i]))
	}
	return fields
}

// sizesOr returns the sizes, or the others for nil.
func sizesOr(sizes []int, others ...int) []int {
	if sizes == nil {
		return others
	}
	return sizes
}

// checkSizes returns an [*input.Error] unless every list has rising sizes above 0.
func checkSizes(lists ...[]int) error {
	for _, sizes := range lists {
		rising := slices.IsSorted(sizes) && len(slices.Compact(slices.Clone(sizes))) == len(sizes)
		if len(sizes) == 0 || slices.Min(sizes) < 1 || !rising {
			return input.Errorf("sizes %v: want at least one, above 0, each larger than the one before", sizes)
		}
	}
	return nil
}

// drawNormal returns a matrix, rows×columns, of N(0, 1/columns): its rows have a norm of about 1.
func drawNormal(rng *rand.Rand, rows, columns int) *mat.Dense {
	m := mat.NewDense(rows, columns, nil)
	for i := range m.RawMatrix().Data {
		m.RawMatrix().Data[i] = rng.NormFloat64() / math.Sqrt(float64(columns))
	}
	return m
}

// provenance returns how a cost was measured, for its page.
func provenance(backend string, threads int, seed uint64, kernels, version string) []report.Fact {
	return []report.Fact{
		{Name: "backend", Value: backend}, {Name: "threads", Value: fmt.Sprint(threads)},
		{Name: "kernels", Value: kernels}, {Name: "seed", Value: fmt.Sprint(seed)}, {Name: "version", Value: version},
	}
}
