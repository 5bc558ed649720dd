package measure

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

// drawn returns random probabilities of n rows for count classes, rounded so that there are ties, and classes drawn
// with these probabilities.
func drawn(n, count int, rng *rand.Rand) (*mat.Dense, []int) {
	p, classes := mat.NewDense(n, count, nil), make([]int, n)
	for i := range n {
		row := p.RawRowView(i)
		sum := 0.
		for k := range row {
			row[k] = math.Round(10*rng.Float64()) + .5
			sum += row[k]
		}
		u := rng.Float64() * sum
		for k := range row {
			if u -= row[k]; u < 0 {
				classes[i] = k
				break
			}
		}
		for k := range row {
			row[k] /= sum
		}
	}
	return p, classes
}

func find(t *testing.T, all []Named, name string) Estimate {
	t.Helper()
	i := slices.IndexFunc(all, func(m Named) bool { return m.Name == name })
	if i < 0 {
		t.Fatalf("no %s among %v", name, all)
	}
	return all[i].Estimate
}

// scikit-learn 1.2.1 gives these values for these probabilities: accuracy_score, balanced_accuracy_score, log_loss,
// roc_auc_score (multi_class="ovr", average="macro") and brier_score_loss (two classes). For three classes the Brier
// score is the mean over rows of the sum of the squared errors, computed by hand.
func TestMeasuresEqualScikitLearn(t *testing.T) {
	two := mat.NewDense(6, 2, []float64{.9, .1, .8, .2, .35, .65, .4, .6, .6, .4, .2, .8})
	three := mat.NewDense(6, 3, []float64{.7, .2, .1, .1, .8, .1, .3, .3, .4, .5, .25, .25, .2, .5, .3, .1, .2, .7})
	for _, c := range []struct {
		p       *mat.Dense
		classes []int
		want    map[string]float64
	}{
		{two, []int{0, 1, 1, 0, 0, 1}, map[string]float64{"accuracy": 4. / 6, "balanced_accuracy": 2. / 3,
			"log_loss": 0.6326402085231227, "auc": 7. / 9, "brier": 0.22208333333333333}},
		{three, []int{0, 1, 2, 1, 1, 2}, map[string]float64{"accuracy": 5. / 6, "balanced_accuracy": 8. / 9,
			"log_loss": 0.6553709521242775, "auc": 0.9629629629629629, "brier": 0.3558333333333334}},
	} {
		got := Classes(c.p, c.classes, Decide(c.p, nil), 1)
		for name, want := range c.want {
			if v := find(t, got, name); math.Abs(v.Value-want) > 1e-9 || !(v.Low <= v.Value && v.Value <= v.High) {
				t.Errorf("%s of %d classes: %+v, scikit-learn says %v", name, len(c.want), v, want)
			}
		}
	}
	n := Numbers([]float64{1, 2.5, 2, 4.5}, []float64{1, 2, 3, 4}, 1)
	for name, want := range map[string]float64{"rmse": math.Sqrt(1.5 / 4), "mae": .5, "r2": 1 - 1.5/5} {
		if v := find(t, n, name); math.Abs(v.Value-want) > 1e-12 {
			t.Errorf("%s: %v, want %v", name, v.Value, want)
		}
	}
}

// TestAreaCountsPairs checks the area under the curve, which is computed from sorted rows with weights, against the
// share of pairs in the right order, counted pair by pair.
func TestAreaCountsPairs(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	p, classes := drawn(60, 3, rng)
	weights := make([]float64, 60)
	for range 60 {
		weights[rng.IntN(60)]++
	}
	want := 0.
	for k := range 3 {
		wins, pairs := 0., 0.
		for i, wi := range weights {
			for j, wj := range weights {
				if classes[i] == k && classes[j] != k {
					pairs += wi * wj
					switch d := p.At(i, k) - p.At(j, k); {
					case d > 0:
						wins += wi * wj
					case d == 0:
						wins += wi * wj / 2
					}
				}
			}
		}
		want += wins / pairs / 3
	}
	if got := areas(p, classes)(weights); math.Abs(got-want) > 1e-12 {
		t.Errorf("%v, want %v", got, want)
	}
}

// Bootstrap intervals of a mean are about ±1.96 standard errors, are the same for the same seed, and contain the mean
// of the population in about 95 of 100 samples.
func TestIntervals(t *testing.T) {
	covered := 0
	const samples, n = 200, 100
	for s := range samples {
		rng := rand.New(rand.NewPCG(7, uint64(s)))
		f, y := make([]float64, n), make([]float64, n)
		for i := range f {
			f[i] = math.Abs(rng.NormFloat64())
		}
		mae := find(t, Numbers(f, y, uint64(s)), "mae")
		if mean := math.Sqrt(2 / math.Pi); mae.Low <= mean && mean <= mae.High {
			covered++
		}
		if s == 0 {
			if again := find(t, Numbers(f, y, 0), "mae"); again != mae {
				t.Errorf("%v, then %v", mae, again)
			}
			if width := mae.High - mae.Low; width < .15 || width > .35 { // 3.92·sd/√n with sd .603 is .236
				t.Errorf("an interval of %v", width)
			}
		}
	}
	if covered < 180 || covered > 198 { // of 200: 190 ± 3
		t.Errorf("%d of %d intervals hold the mean", covered, samples)
	}
}

// If all rows are of one class, only the accuracy and the losses are defined. If all targets are equal, R² is
// undefined.
func TestUndefinedMeasures(t *testing.T) {
	p := mat.NewDense(3, 2, []float64{.9, .1, .8, .2, .7, .3})
	names := func(all []Named) string {
		var out []string
		for _, m := range all {
			out = append(out, m.Name)
		}
		return strings.Join(out, " ")
	}
	if got := names(Classes(p, []int{0, 0, 0}, []int{0, 0, 1}, 1)); got != "accuracy log_loss brier" {
		t.Error(got)
	}
	if got := names(Numbers([]float64{1, 2}, []float64{3, 3}, 1)); got != "rmse mae" {
		t.Error(got)
	}
}

// Outputs that are the logarithms of the true probabilities over 3 get the slope 3, and the log-loss of the truth.
func TestTemperature(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	p, classes := drawn(6000, 3, rng)
	f := mat.NewDense(6000, 3, nil)
	f.Apply(func(i, k int, v float64) float64 { return math.Log(v)/3 + float64(i) }, p)
	d := FitTemperature(f, classes)
	if d == nil || math.Abs(d.Slope-3) > .15 || d.Rows != 6000 {
		t.Fatalf("%+v, want a slope of 3", d)
	}
	got, want := find(t, Classes(d.Probabilities(f), classes, classes, 1), "log_loss"), find(t, Classes(p, classes, classes, 1),
		"log_loss")
	if math.Abs(got.Value-want.Value) > .002 {
		t.Errorf("a log-loss of %v, the true probabilities have %v", got.Value, want.Value)
	}
	if _, e := Reliability(d.Probabilities(f), classes); e > .01 {
		t.Errorf("a calibration error of %v", e)
	}
	wrong := Temperature{Slope: 9}
	if _, e := Reliability(wrong.Probabilities(f), classes); e < .1 {
		t.Errorf("probabilities that are too sure have a calibration error of %v", e)
	}
	right := mat.NewDense(30, 2, nil)
	for i := range 30 {
		right.Set(i, i%2, 1)
	}
	ends := make([]int, 30)
	for i := range ends {
		ends[i] = i % 2
	}
	if d := FitTemperature(right, ends); d == nil || d.Slope > 10 {
		t.Errorf("%+v for rows without a mistake", d)
	}
	if d := FitTemperature(right.Slice(0, fewestRows-1, 0, 2).(*mat.Dense), ends[:fewestRows-1]); d != nil {
		t.Errorf("%+v from %d rows", d, fewestRows-1)
	}
}

func TestWeights(t *testing.T) {
	names := []string{"no", "yes", "a=b"}
	w, err := ParseWeights("balanced", names, []int{0, 0, 0, 1})
	if err != nil || w[0] != 4./9 || w[1] != 4./3 || w[2] != 0 {
		t.Errorf("%v, %v", w, err)
	}
	if w, err := ParseWeights("yes=5,a=b=2", names, nil); err != nil || !slices.Equal(w, []float64{1, 5, 2}) {
		t.Errorf("%v, %v", w, err)
	}
	for text, want := range map[string]string{"yes": "CLASS=WEIGHT", "yes=0": "above 0", "yes=NaN": "above 0",
		"yess=2": "did you mean yes"} {
		if _, err := ParseWeights(text, names, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	// With weights the rarer class is chosen if missing it costs enough. The probabilities decide, not the outputs.
	d := Decision{Weights: []float64{1, 5}, Temperature: &Temperature{Slope: 2}}
	f := mat.NewDense(2, 2, []float64{.8, .2, 1.5, -1})
	if got := d.Decide(f); !slices.Equal(got, []int{1, 0}) {
		t.Errorf("%v of %v", got, mat.Formatted(d.Probabilities(f)))
	}
}

// A result is equal after it was written as JSON and read again.
func TestResultJSON(t *testing.T) {
	p := mat.NewDense(2, 2, []float64{.9, .1, .3, .7})
	r := OfClasses(Decision{Weights: []float64{1, 2}}, p, []int{0, 1}, []string{"a", "b"}, 1)
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var back Result
	if err := json.Unmarshal(text, &back); err != nil || !reflect.DeepEqual(back, r) {
		t.Errorf("%v: %s", err, text)
	}
	if s := r.Sentence(); !strings.Contains(s, "log-loss 0.23") || !strings.Contains(s, "class weights") ||
		!strings.Contains(s, "not calibrated") || !strings.Contains(r.Table().Caption, "not calibrated") {
		t.Error(s)
	}
	if s, err := r.Section(); err != nil || len(s.Figures) != 1 || len(s.Tables[0].Rows) != len(r.Measures) {
		t.Errorf("%+v, %v", s, err)
	}
}

// TestTemperatureOfFewRows checks that even with few rows a fitted temperature turns the outputs of a kernel machine
// into better probabilities than [Shares]: its mean log-loss is at most 0.7 times as large. The mean is over tables
// whose classes are far apart, and tables whose classes overlap. Where classes are far apart, the log-loss may be
// larger.
func TestTemperatureOfFewRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	const classes, features, fitted, tested, tables = 3, 4, 40, 200, 30
	draw := func(n int, spread float64) (x, y *mat.Dense, labels []int) {
		x, y = mat.NewDense(n, features, nil), mat.NewDense(n, classes, nil)
		for i := range n {
			k := rng.IntN(classes)
			labels = append(labels, k)
			y.Set(i, k, 1)
			for j := range features {
				x.Set(i, j, spread*rng.NormFloat64())
			}
			x.Set(i, k, x.At(i, k)+1)
		}
		return x, y, labels
	}
	for _, held := range []int{fewestRows, 8, 12, 19} {
		shares, calibrated := 0., 0.
		for i := range tables {
			spread := []float64{.2, .5, 1}[i%3]
			x, y, _ := draw(fitted, spread)
			m := rfm.Machine{Kernel: rfm.Laplace{Bandwidth: 2}, Task: rfm.Classification, Ridge: 1e-3, Select: rfm.Last}
			model, err := m.Fit(t.Context(), x, y)
			if err != nil {
				t.Fatal(err)
			}
			outputs := func(n int) (*mat.Dense, []int) {
				x, _, labels := draw(n, spread)
				f, err := model.Predict(t.Context(), x)
				if err != nil {
					t.Fatal(err)
				}
				return f, labels
			}
			temperature := FitTemperature(outputs(held))
			f, labels := outputs(tested)
			loss := func(p *mat.Dense) (sum float64) {
				for i, k := range labels {
					sum -= math.Log(max(p.At(i, k), leastProbability)) / tested
				}
				return sum
			}
			shares, calibrated = shares+loss(Shares(f))/tables, calibrated+loss(temperature.Probabilities(f))/tables
		}
		if calibrated > .7*shares {
			t.Errorf("calibrated on %d rows, a log-loss of %.3f; shares have %.3f", held, calibrated, shares)
		}
	}
}
