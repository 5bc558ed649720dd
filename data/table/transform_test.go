package table

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// wave returns the same matrix as testdata/make_tables.py uses, with ties, a constant column and columns of two scales.
func wave(n, d int) *mat.Dense {
	x := mat.NewDense(n, d, nil)
	x.Apply(func(i, j int, _ float64) float64 {
		v := float64((i*7919+j*104729)%1009) / 13
		switch j {
		case 1:
			return math.Floor(v / 10)
		case 2:
			return 0.1
		case 3:
			return (v - 40) * 1e-9
		}
		return v
	}, x)
	return x
}

// newRows returns rows on which no transform is fitted.
func newRows() *mat.Dense {
	var x mat.Dense
	x.Scale(1.1, wave(46, 5).Slice(40, 46, 0, 5))
	return &x
}

// sklearn is what scikit-learn returns for wave and newRows, and the sizes of its splits.
type sklearn struct {
	Transforms map[string]struct {
		Mean, Scale []float64
		New, Back   [][]float64
	}
	Grinsztajn map[string][2][3]int
}

func mustFit(t *testing.T, f Transform, x mat.Matrix, rows []int) {
	t.Helper()
	if err := f.Fit(x, rows); err != nil {
		t.Fatal(err)
	}
}

func TestStandardAgainstScikitLearn(t *testing.T) {
	var want sklearn
	readJSON(t, "testdata/sklearn.json", &want)
	var s Standard
	mustFit(t, &s, wave(40, 5), nil)
	w := want.Transforms["standard"]
	wantNear(t, "mean and scale", matrixOf([][]float64{s.Mean, s.Scale}), [][]float64{w.Mean, w.Scale})
	x := newRows()
	s.Apply(x)
	wantNear(t, "new rows", x, w.New)
	s.Invert(x)
	if !mat.EqualApprox(x, newRows(), 1e-12) {
		t.Error("the inverse differs")
	}
}

func TestQuantileAgainstScikitLearn(t *testing.T) {
	var want sklearn
	readJSON(t, "testdata/sklearn.json", &want)
	for name, c := range map[string]struct {
		q    Quantile
		rows int
	}{
		"uniform":   {Quantile{}, 40},
		"uniform10": {Quantile{Count: 10}, 40},
		"normal":    {Quantile{Normal: true}, 40},
		"normal7":   {Quantile{Count: 7, Normal: true}, 40},
		"large":     {Quantile{Normal: true}, 2500},
		"one":       {Quantile{}, 1},
	} {
		fitted := wave(c.rows, 5)
		mustFit(t, &c.q, fitted, nil)
		x := mat.NewDense(min(c.rows, 6)+6, 5, nil)
		x.Stack(fitted.Slice(0, min(c.rows, 6), 0, 5), newRows())
		c.q.Apply(x)
		wantNear(t, name, x, want.Transforms[name].New)
		c.q.Invert(x)
		wantNear(t, name+" back", x, want.Transforms[name].Back)
	}
}

func TestUnitSphere(t *testing.T) {
	var want sklearn
	readJSON(t, "testdata/sklearn.json", &want)
	x := newRows()
	var s UnitSphere
	mustFit(t, &s, x, nil)
	s.Apply(x)
	wantNear(t, "new rows", x, want.Transforms["sphere"].New)
	x = matrixOf([][]float64{{0, 0}, {1e-300, -1e-300}, {0, 0}, {1e300, 1e300}})
	s.Apply(x)
	if s.Zeros != 2 || x.At(0, 0) != 0 {
		t.Errorf("%d rows of norm 0", s.Zeros)
	}
	wantNear(t, "small and large", x.Slice(1, 4, 0, 2), [][]float64{{math.Sqrt2 / 2, -math.Sqrt2 / 2}, {0, 0},
		{math.Sqrt2 / 2, math.Sqrt2 / 2}})
}

// TestUnitSphereOfBalanceScale checks that the standardised data set balance-scale has one row of norm 0.
func TestUnitSphereOfBalanceScale(t *testing.T) {
	table, err := Open(realFile(t, "balance.scale.arff"))
	if err != nil {
		t.Fatal(err)
	}
	set, _ := mustEncode(t, table, EncodeOptions{})
	var standard Standard
	var sphere UnitSphere
	mustFit(t, &standard, set.X, nil)
	standard.Apply(set.X)
	sphere.Apply(set.X)
	if sphere.Zeros != 1 {
		t.Errorf("%d rows of norm 0, want 1", sphere.Zeros)
	}
}

func TestLog(t *testing.T) {
	y := []float64{0, math.E - 1, 1 - math.E, -1e6, 1e-12}
	x := Targets(y)
	mustFit(t, Log{}, x, nil)
	Log{}.Apply(x)
	wantNear(t, "logarithms", x, [][]float64{{0}, {1}, {-1}, {-math.Log(1e6 + 1)}, {1e-12}})
	if y[1] != x.At(1, 0) {
		t.Error("Targets is a copy")
	}
	Log{}.Invert(x)
	if want := []float64{0, math.E - 1, 1 - math.E, -1e6, 1e-12}; !floats.EqualApprox(y, want, 1e-9) ||
		math.Abs(y[4]/1e-12-1) > 1e-9 {
		t.Errorf("%v, want %v", y, want)
	}
}

// TestTransformsLearnOfTrainingRows checks that a transform is fitted on the training rows only.
func TestTransformsLearnOfTrainingRows(t *testing.T) {
	rows := []int{3, 1, 4, 1, 5, 9, 2, 6}
	for _, f := range []Inverse{&Standard{}, &Quantile{}, &Quantile{Normal: true, Count: 3}} {
		x, other := wave(40, 5), wave(40, 5)
		for i := 10; i < 40; i++ {
			other.SetRow(i, []float64{1, 2, 3, 4, 5})
		}
		mustFit(t, f, x, rows)
		f.Apply(x)
		mustFit(t, f, other, rows)
		f.Apply(other)
		if !mat.Equal(x.Slice(0, 10, 0, 5), other.Slice(0, 10, 0, 5)) {
			t.Errorf("%T learns of test rows", f)
		}
	}
}

func TestTransformErrors(t *testing.T) {
	for _, f := range []Transform{&Standard{}, &Quantile{}} {
		wantFormatError(t, f.Fit(wave(3, 2), []int{}))
		wantFormatError(t, f.Fit(matrixOf([][]float64{{1}, {math.NaN()}}), nil))
		wantFormatError(t, f.Fit(matrixOf([][]float64{{1}, {math.Inf(1)}}), nil))
		mustFit(t, f, wave(3, 2), nil)
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%T of 2 columns applied to 3", f)
				}
			}()
			f.Apply(wave(3, 3))
		}()
	}
	wantFormatError(t, (&Standard{}).Fit(matrixOf([][]float64{{1e300}, {-1e300}}), nil))
}

// TestStandardOfTinyNumbers checks that numbers whose squares are 0 in float64 are scaled like larger ones, and that a tiny
// constant is one.
func TestStandardOfTinyNumbers(t *testing.T) {
	for _, unit := range []float64{0x1p-330, 0x1p-450, 0x1p-600, 0x1p-1050} {
		x := matrixOf([][]float64{{1 * unit, unit}, {2 * unit, unit}, {6 * unit, unit}})
		f := &Standard{}
		mustFit(t, f, x, nil)
		if f.Mean[0] != 3*unit || f.Scale[1] != 1 {
			t.Errorf("%g: mean %g, scale of a constant %g", unit, f.Mean[0], f.Scale[1])
		}
		f.Apply(x)
		if v := x.At(2, 0); math.Abs(v-3/math.Sqrt(14./3)) > 1e-6 {
			t.Errorf("%g: 6 is scaled to %g", unit, v)
		}
	}
}

// TestQuantileOfExtremes checks that numbers near the limits of float64 do not become NaN or infinite, and stay in
// order.
func TestQuantileOfExtremes(t *testing.T) {
	const most = math.MaxFloat64
	for _, normal := range []bool{false, true} {
		q := Quantile{Normal: normal}
		x := matrixOf([][]float64{{-most}, {-1}, {0}, {5e-324}, {most}})
		mustFit(t, &q, x, nil)
		x.Apply(func(i, _ int, v float64) float64 { return v / 2 }, x)
		q.Apply(x)
		for i := range 5 {
			if !isFinite(x.At(i, 0)) || i > 0 && x.At(i, 0) < x.At(i-1, 0) {
				t.Errorf("%v", mat.Formatted(x))
			}
		}
		q.Invert(x)
		if !isFinite(mat.Sum(x)) {
			t.Errorf("%v", mat.Formatted(x))
		}
		x = matrixOf([][]float64{{-most}, {most}}) // their difference exceeds the largest float64
		q.Normal = false
		mustFit(t, &q, x, nil)
		x.SetRow(0, []float64{most / 2})
		q.Apply(x)
		wantNear(t, "most/2", x, [][]float64{{0.75}, {1}})
	}
}

func TestSelected(t *testing.T) {
	x, want := wave(8, 4), wave(8, 4)
	numeric := want.Slice(0, 8, 1, 2).(*mat.Dense)
	var all Standard
	mustFit(t, &all, numeric, []int{0, 1, 2})
	all.Apply(numeric)
	s := Selected{Columns: []int{1}, Transform: &Standard{}}
	mustFit(t, s, x, []int{0, 1, 2})
	s.Apply(x)
	if !mat.Equal(x, want) {
		t.Errorf("%v\n%v", mat.Formatted(x), mat.Formatted(want))
	}
	none := Selected{Transform: &Standard{}}
	mustFit(t, none, x, nil)
	none.Apply(x)
	if !mat.Equal(x, want) {
		t.Error("no columns, but a change")
	}
}
