package measure

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"

	"github.com/ansatz-lab/ansatz/internal/parallel"
)

// Estimate is a measure on some rows, with a 95 % interval of its values on bootstrap samples. A sample has as many
// rows, drawn with replacement; the interval is Efron's percentile interval.
type Estimate struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// level is the share of the bootstrap values within an interval.
const level = .95

// Named is an estimate with the name of its measure, as [Classes] and [Numbers] list them.
type Named struct {
	Name string `json:"name"`
	Estimate
}

// measure is a measure of weighted rows. A row's weight is how often it was drawn. It is NaN where it is undefined.
type measure struct {
	name string
	of   func(weights []float64) float64
}

// fewDraws and manyDraws bound the number of bootstrap samples; drawnOutputs is about how many outputs all samples have.
const (
	fewDraws, manyDraws = 200, 1000
	drawnOutputs        = 2e7
)

// bootstraps returns the number of bootstrap samples of n rows with that many outputs.
func bootstraps(n, outputs int) int {
	return max(fewDraws, min(manyDraws, int(drawnOutputs/float64(max(n*outputs, 1)))))
}

// estimate returns the measures that are defined on n rows of outputs, with their intervals. The same seed gives the
// same samples on any number of cores.
func estimate(n, outputs int, seed uint64, measures []measure) []Named {
	draws := bootstraps(n, outputs)
	values := make([][]float64, len(measures))
	for k := range values {
		values[k] = make([]float64, draws)
	}
	// Computing a sample cannot fail.
	_ = parallel.Run(context.Background(), runtime.GOMAXPROCS(0), draws, nil, func(int) (func(context.Context, int) error, error) {
		weights := make([]float64, n)
		return func(_ context.Context, d int) error {
			clear(weights)
			rng := rand.New(rand.NewPCG(seed, uint64(d)))
			for range n {
				weights[rng.IntN(n)]++
			}
			for k, m := range measures {
				values[k][d] = m.of(weights)
			}
			return nil
		}, nil
	})
	ones := make([]float64, n)
	for i := range ones {
		ones[i] = 1
	}
	var out []Named
	for k, m := range measures {
		value := m.of(ones)
		if math.IsNaN(value) || math.IsInf(value, 0) {
			continue
		}
		e := Estimate{Value: value}
		e.Low, e.High = interval(values[k], value)
		out = append(out, Named{m.name, e})
	}
	return out
}

// interval returns the interval that holds the share level of the finite values; on a sample that lacks a class a
// measure may be undefined. If no value is finite, both ends are value.
func interval(values []float64, value float64) (low, high float64) {
	defined := slices.DeleteFunc(slices.Clone(values), func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
	slices.Sort(defined)
	at := func(share float64) float64 {
		return defined[int(math.Round(share*float64(len(defined)-1)))]
	}
	if len(defined) == 0 {
		return value, value
	}
	return at((1 - level) / 2), at((1 + level) / 2)
}
