package cost

import (
	"math"
	"sync"
)

// model is what a unit of each term takes; no weight is negative.
type model struct{ seconds, bytes weights }

// weights maps the name of a term to what a unit of it takes.
type weights map[string]float64

// total returns what the terms take together, and false if no measured job has one of them.
func (w weights) total(t terms) (float64, bool) {
	sum := 0.
	for _, x := range t {
		weight, known := w[x.name]
		if !known && x.amount != 0 {
			return 0, false
		}
		sum += weight * x.amount
	}
	return sum, true
}

// fitted returns the model of all kinds of jobs, fitted once to the points that are not held back.
var fitted = sync.OnceValues(func() (model, error) {
	all, err := Measured()
	if err != nil {
		return model{}, err
	}
	var time, memory []terms
	var seconds, bytes []float64
	for _, p := range all {
		if !p.Held {
			time, seconds = append(time, p.Job.time()), append(seconds, p.Seconds)
			memory, bytes = append(memory, p.Job.memory()), append(bytes, p.Bytes)
		}
	}
	return model{fit(time, seconds), fit(memory, bytes)}, nil
})

// The fit ends when no sweep over the weights changes the estimate of a job by more than the share settled of what it takes.
const (
	mostSweeps = 20000
	settled    = 1e-7
)

// fit minimises the squares of relative errors, Σ (Σ w·terms / taken − 1)², over w ≥ 0, one
// coordinate after another: the problem is convex and small.
func fit(jobs []terms, taken []float64) weights {
	names, columns := columnsOf(jobs, taken)
	w := make([]float64, len(names))
	short := make([]float64, len(jobs)) // 1 − estimate / taken
	for i := range short {
		short[i] = 1
	}
	for range mostSweeps {
		moved := 0.
		for j, column := range columns {
			moved = max(moved, column.descend(&w[j], short))
		}
		if moved < settled {
			break
		}
	}
	all := weights{}
	for j, name := range names {
		all[name] = w[j]
	}
	return all
}

// column is a term as a share of what jobs take, in all jobs that have it.
type column struct {
	rows   []int
	shares []float64
	square float64 // Σ shares²
}

// columnsOf returns the columns of all terms of the jobs, with the names of the terms.
func columnsOf(jobs []terms, taken []float64) (names []string, columns []*column) {
	at := map[string]int{}
	for i, job := range jobs {
		for _, t := range job {
			if t.amount == 0 {
				continue
			}
			j, known := at[t.name]
			if !known {
				j = len(names)
				at[t.name], names, columns = j, append(names, t.name), append(columns, &column{})
			}
			share := t.amount / taken[i]
			columns[j].rows, columns[j].shares = append(columns[j].rows, i), append(columns[j].shares, share)
			columns[j].square += share * share
		}
	}
	return names, columns
}

// descend moves one weight to its optimum, and returns the largest change of a job's estimate, as a
// share of what the job takes.
func (c *column) descend(w *float64, short []float64) (moved float64) {
	gain := 0.
	for k, i := range c.rows {
		gain += c.shares[k] * short[i]
	}
	change := max(gain/c.square, -*w)
	*w += change
	for k, i := range c.rows {
		short[i] -= change * c.shares[k]
		moved = max(moved, math.Abs(change*c.shares[k]))
	}
	return moved
}
