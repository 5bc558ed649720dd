package need

import "sync"

// model says what jobs of a kind take.
type model struct{ seconds, bytes weights }

// weights are what a unit of each term takes, none of them below 0.
type weights []float64

func (w weights) of(terms []float64) float64 {
	sum := 0.
	for i, t := range terms {
		sum += w[i] * t
	}
	return sum
}

// fitted are the models of all kinds, which are fitted once.
var fitted = sync.OnceValues(func() (map[string]model, error) {
	all, err := measured()
	if err != nil {
		return nil, err
	}
	models := map[string]model{}
	for kind := range kinds {
		var time, memory [][]float64
		var seconds, bytes []float64
		for _, p := range all {
			if p.Job.kind() == kind && !p.heldBack() {
				time, seconds = append(time, p.Job.time()), append(seconds, p.Seconds)
				memory, bytes = append(memory, p.Job.memory()), append(bytes, p.Bytes)
			}
		}
		if len(time) > 0 {
			models[kind] = model{fit(time, seconds), fit(memory, bytes)}
		}
	}
	return models, nil
})

// sweeps are enough for the weights to settle.
const sweeps = 5000

// fit is least squares of relative errors, Σ (Σ w·terms / taken − 1)², over w ≥ 0, by
// coordinates one after another: the problem is convex, and there are few.
func fit(terms [][]float64, taken []float64) weights {
	k := len(terms[0])
	rows := make([][]float64, len(terms))
	scale := make([]float64, k) // of a column, so that weights are alike
	for i, row := range terms {
		rows[i] = make([]float64, k)
		for j, t := range row {
			rows[i][j] = t / taken[i]
			scale[j] += rows[i][j] * rows[i][j]
		}
	}
	w, short := make(weights, k), make([]float64, len(rows)) // what is short of 1
	for i := range short {
		short[i] = 1
	}
	for range sweeps {
		for j := range w {
			if scale[j] == 0 {
				continue
			}
			gain := 0.
			for i := range rows {
				gain += rows[i][j] * short[i]
			}
			change := max(gain/scale[j], -w[j])
			w[j] += change
			for i := range rows {
				short[i] -= change * rows[i][j]
			}
		}
	}
	return w
}
