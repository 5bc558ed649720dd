package experiments

import (
	"maps"
	"math"
	"path/filepath"
	"slices"

	"github.com/ansatz-lab/ansatz/data/array"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"gonum.org/v1/gonum/mat"
)

// Outcome is what the experiment found with a seed, as far as it shows it; nil
// where the seed was not run. It is not to be changed. The matrices of a record
// that was read from a folder stay there: see [ExperimentRecord.Matrix].
func (e *ExperimentRecord) Outcome(seed uint64) *Outcome {
	if k := slices.Index(e.Seeds, seed); k >= 0 {
		return e.seeds[k].outcome
	}
	return nil
}

// ValueNames lists the values that any seed found, in the order of the alphabet.
func (e *ExperimentRecord) ValueNames() []string {
	names := map[string]bool{}
	for _, o := range e.outcomes() {
		for name := range o.Values {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// Values is a value as every seed found it, in the order of Seeds; NaN where one
// did not.
func (e *ExperimentRecord) Values(name string) []float64 {
	all := make([]float64, 0, len(e.seeds))
	for _, o := range e.outcomes() {
		v, there := o.Values[name]
		if !there {
			v = math.NaN()
		}
		all = append(all, v)
	}
	return all
}

// Charts are the charts over the seeds: curves of means with bands, Low to High,
// of one standard deviation, or of one seed what that found. [Chart.Figure] draws
// them. There are none where nothing was run.
func (e *ExperimentRecord) Charts() []Chart {
	outcomes := e.outcomes()
	if len(outcomes) == 0 {
		return nil
	}
	all := slices.Clone(outcomes[0].Charts)
	for k := range all {
		all[k].Series = nil
		for s := range outcomes[0].Charts[k].Series {
			all[k].Series = append(all[k].Series, seriesOverSeeds(outcomes, k, s))
		}
	}
	return all
}

// Figure draws the chart, as curves or as bars, with its caption.
func (c Chart) Figure() (report.Figure, error) {
	f, err := c.draw(c.Series)
	f.Caption = c.Caption
	return f, err
}

// Matrix reads a matrix that a seed found from the folder out of the results, which
// [ExperimentRun.Out] was and [Collect] reads. Its name is one of
// [Outcome.Matrices]. A file that is missing or malformed is an error.
func (e *ExperimentRecord) Matrix(out string, seed uint64, name string) (*mat.Dense, error) {
	f := ExperimentRun{Experiment: e.experiment, Out: out}.folder(e.Hash, seed)
	path := filepath.Join(string(f), name+".npy")
	a, err := array.ReadNPY(path)
	if err != nil {
		return nil, err
	}
	if len(a.Shape) != 2 || a.Len() == 0 {
		return nil, badInput("%s has the shape %v: want a matrix", path, a.Shape)
	}
	rows, columns := a.Shape[0], a.Shape[1]
	if a.Fortran {
		return mat.DenseCopyOf(mat.NewDense(columns, rows, a.Float64s()).T()), nil
	}
	return mat.NewDense(rows, columns, a.Float64s()), nil
}
