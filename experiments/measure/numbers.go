package measure

import "math"

// Numbers returns measures of predictions for rows with the given targets, in the targets' unit, with intervals from
// bootstrap samples that the seed draws: rmse, the root mean squared error; mae, the mean absolute error; and r2, 1 −
// Σ(y − f)²/Σ(y − ȳ)², with ȳ the mean of the sample. If the targets do not vary, r2 is left out.
func Numbers(predictions, targets []float64, seed uint64) []Named {
	squares := func(w []float64) float64 {
		return mean(w, func(i int) float64 { d := targets[i] - predictions[i]; return d * d })
	}
	return estimate(len(targets), 1, seed, []measure{
		{"rmse",
			func(w []float64) float64 { return math.Sqrt(squares(w)) }},
		{"mae", func(w []float64) float64 {
			return mean(w, func(i int) float64 { return math.Abs(targets[i] - predictions[i]) })
		}},
		{"r2", func(w []float64) float64 {
			centre := mean(w, func(i int) float64 { return targets[i] })
			return 1 - squares(w)/mean(w, func(i int) float64 { d := targets[i] - centre; return d * d })
		}},
	})
}
