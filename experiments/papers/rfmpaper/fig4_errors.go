package rfmpaper

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/experiments/tabular"
)

// compareErrors finds the values of panels c and d, and the sign test.
func compareErrors(o *study.Outcome, r *tabular.Record, all *tabular.Results) {
	_, more, less := meanLead(all, rfmMethod, "laplace")
	o.Values["sign_test"] = signTest(more, less)
	if more+less > 0 {
		o.Values["over_laplace"] = float64(more) / float64(more+less)
	}
	o.Values["iteration_0"] = unlearned(r)
	var decrease, rows, features []float64
	for _, p := range r.Pairs() {
		if d := p.Decrease(); !math.IsNaN(d) {
			decrease, rows, features = append(decrease, d), append(rows, math.Log(float64(p.Rows))), append(features, math.Log(float64(p.Features)))
		}
	}
	if len(decrease) == 0 {
		return
	}
	for _, by := range []struct {
		upper, trend string
		x            []float64
	}{{"decrease_many", "trend_rows", rows}, {"decrease_wide", "trend_features", features}} {
		o.Values[by.upper] = meanAbove(by.x, decrease)
		o.Values[by.trend] = stat.Correlation(by.x, decrease, nil)
	}
}

// meanAbove is the mean of y where x is at least its upper median.
func meanAbove(x, y []float64) float64 {
	sorted := slices.Sorted(slices.Values(x))
	sum, n := 0., 0
	for i := range x {
		if x[i] >= sorted[len(sorted)/2] {
			sum, n = sum+y[i], n+1
		}
	}
	return sum / float64(n)
}

// unlearned is the share of the folds in which RFM's iteration 0 was chosen.
func unlearned(r *tabular.Record) float64 {
	first, n := 0, 0
	for _, d := range r.Datasets {
		for _, m := range d.Methods {
			if m.Method != rfmMethod {
				continue
			}
			for _, f := range m.ByFold {
				if n++; f.Chosen.Iteration == 0 {
					first++
				}
			}
		}
	}
	return float64(first) / float64(n)
}

// errorPictures are panels c and d, of this seed.
func errorPictures(o *study.Outcome, r *tabular.Record) error {
	section, err := r.ComparisonSection()
	if err != nil || section == nil {
		return err
	}
	for _, f := range section.Figures {
		f.Alt = "Dots, one for each table"
		o.Figures = append(o.Figures, f)
	}
	return nil
}
