package energypaper

import (
	"math"
	"slices"
	"testing"

	"github.com/ansatz-lab/ansatz/cnfa/energy"
	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/data/patches"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/similarity"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// A pair has equally many images of two classes, and the labels 0 and 1.
func TestOpenPair(t *testing.T) {
	s := &LinearTableSpec{Data: "glyphs", Images: 5}
	pair, err := s.openPair(study.Setting{}, linearPair{first: 7, second: 2})
	if err != nil {
		t.Fatal(err)
	}
	all, err := data.Open("glyphs", data.Options{Split: "train"})
	if err != nil {
		t.Fatal(err)
	}
	if got, of := pair.Classes(), all.Classes(); !slices.Equal(got, []string{of[7], of[2]}) {
		t.Errorf("classes %v", got)
	}
	labels, err := data.Labels(pair)
	if slices.Sort(labels); err != nil || !slices.Equal(labels, []int{0, 0, 0, 0, 0, 1, 1, 1, 1, 1}) {
		t.Errorf("labels %v, %v", labels, err)
	}
	s.Images = 1 << 30
	for _, p := range []linearPair{{first: 0, second: 99}, {first: 0, second: 1}} {
		if _, err := s.openPair(study.Setting{}, p); !input.IsError(err) {
			t.Errorf("classes %d and %d: %v", p.first, p.second, err)
		}
	}
}

// The measures are the correlations of profiles that the test computes itself.
func TestLinearMeasures(t *testing.T) {
	s := &LinearTableSpec{Data: "glyphs", Images: 10, Patch: 2, Width: 3, Splits: 3, Rate: .1, Batch: 10, Epochs: 5,
		Checked: 4, CheckedSteps: 3, SGDRate: 1}
	in := study.Setting{Seed: 2}
	set, err := s.openPair(in, linearPairs()[0])
	if err != nil {
		t.Fatal(err)
	}
	l, err := s.newLearnedPair(t.Context(), in, set)
	if err != nil {
		t.Fatal(err)
	}
	g := s.fullDescent(set.Len())
	if g.Steps != 10 || math.Abs(g.Time()-1./3) > 1e-15 {
		t.Errorf("%+v, ηT/width %v", g, g.Time())
	}
	got, err := l.measure(g)
	if err != nil {
		t.Fatal(err)
	}
	k, err := patches.Averages(t.Context(), set, 2)
	if err != nil {
		t.Fatal(err)
	}
	// profile runs gradient descent filter by filter and returns the energies of the filters.
	profile := func(y []float64, w0 *mat.Dense) []float64 {
		w := mat.DenseCopyOf(w0)
		m, d := w.Dims()
		for range g.Steps {
			gradient := make([]float64, d)
			for i, target := range y {
				f := -target
				for j := range m {
					f += mat.Dot(w.RowView(j), k.RowView(i)) / float64(m)
				}
				for c := range d {
					gradient[c] += 2 * f * k.At(i, c) / float64(len(y)*m)
				}
			}
			for j := range m {
				for c := range d {
					w.Set(j, c, w.At(j, c)-s.Rate*gradient[c])
				}
			}
		}
		e := make([]float64, d)
		for c := range e {
			for j := range m {
				v := mat.Dot(w.RowView(j), l.basis.ColView(c))
				e[c] += v * v
			}
			e[c] = math.Sqrt(e[c])
		}
		return e
	}
	truth := profile(l.truth, l.start)
	for i, want := range map[int]float64{
		linearRandom: stat.Correlation(truth, profile(l.rand, l.other), nil),
		linearSwapped: stat.Correlation(truth,
			profile(similarity.MapValues(l.truth, func(v float64) float64 { return 1 - v }), l.other), nil),
		linearFromZero: stat.Correlation(profile(l.truth, mat.NewDense(3, 4, nil)),
			profile(l.rand, mat.NewDense(3, 4, nil)), nil),
	} {
		if math.Abs(got[i]-want) > 1e-10 {
			t.Errorf("measure %d is %v, want %v", i, got[i], want)
		}
	}
	if mat.Equal(l.start, l.other) {
		t.Error("the network with random labels starts from the same filters")
	}
	if e, err := l.descentError(t.Context(), in); err != nil || e > 1e-12 {
		t.Errorf("descent is off by %v, %v", e, err)
	}
	// Without initial filters, as in the limit of infinite width, there is a closed form too.
	wide, err := l.closed.Descend(l.truth, nil, energy.Descent{Rate: .1, Width: 3, Steps: 10})
	if err != nil || len(wide) != 4 {
		t.Fatalf("%v, %v", wide, err)
	}
}

// Every task has one curve in one of the charts. A chart has the curves of at most four tasks and the two of the null.
func TestLabelCharts(t *testing.T) {
	for count, charts := range map[int]int{0: 1, 4: 1, 5: 2, 10: 3} {
		tasks := make([]*labelTask, count)
		for i := range tasks {
			tasks[i] = &labelTask{name: string(rune('a' + i)), correlations: []float64{0}}
		}
		all, curves := labelCharts("x", "X", tasks), ""
		for _, c := range all {
			if len(c.Series) > 6 {
				t.Errorf("%d tasks: %d curves in %s", count, len(c.Series), c.Name)
			}
			for _, s := range c.Series {
				if len(s.Label) == 1 {
					curves += s.Label
				}
			}
		}
		if len(all) != charts || curves != "abcdefghij"[:count] {
			t.Errorf("%d tasks: %d charts of %s", count, len(all), curves)
		}
	}
}

// The correlations of labels with projections agree with gonum's, and the largest of them is found.
func TestLabelTask(t *testing.T) {
	x := mat.NewDense(6, 2, []float64{1, 5, 2, 3, 3, 6, 4, 2, 5, 9, 6, 1})
	p := &projectedImages{x: x, labels: []int{0, 0, 2, 1, 1, 1}, classes: []string{"a", "b", "c"}}
	rest, pairs := p.labelTasks()
	if len(rest) != 3 || len(pairs) != 3 || pairs[0].name != "a and b" || pairs[2].first != 1 || pairs[2].second != 2 {
		t.Fatalf("%+v, %+v", rest, pairs)
	}
	for _, c := range []struct {
		task *labelTask
		rows []int
		y    []float64
	}{{rest[1], []int{0, 1, 2, 3, 4, 5}, []float64{0, 0, 0, 1, 1, 1}},
		{pairs[0], []int{0, 1, 3, 4, 5}, []float64{1, 1, 0, 0, 0}}} {
		c.task.correlate(p, 20, 1)
		for k := range 2 {
			var of []float64
			for _, row := range c.rows {
				of = append(of, x.At(row, k))
			}
			if want := stat.Correlation(of, c.y, nil); math.Abs(c.task.correlations[k]-want) > 1e-12 {
				t.Errorf("%s, component %d: %v, want %v", c.task.name, k+1, c.task.correlations[k], want)
			}
		}
		if c.task.largest != math.Max(math.Abs(c.task.correlations[0]),
			math.Abs(c.task.correlations[1])) || !(c.task.null > 0 && c.task.null <= 1) {
			t.Errorf("%+v", c.task)
		}
	}
}
