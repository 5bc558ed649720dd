package setups

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/linalg"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/rfm"
)

// openFew opens the images of a seed for a sweep.
func openFew(t *testing.T, name string, seed uint64, s SweepImages) *SweepExamples {
	t.Helper()
	o := &study.Outcome{}
	e, err := OpenSweep(t.Context(), study.Setting{Seed: seed}, name, 0, s, o)
	if err != nil {
		t.Fatal(err)
	}
	if len(o.Data) != 3 {
		t.Errorf("noted %+v", o.Data)
	}
	return e
}

// The images of a seed are consecutive ranges of the set: no image is in two parts, and the range of a seed's draw
// follows that of the draw before.
func TestOpenSweep(t *testing.T) {
	s := SweepImages{Train: 6, Validation: 4, Test: 5, Draws: 2}
	e := openFew(t, "glyphs", 0, s)
	if e.Train.X.Len() != 6 || e.Validation.X.Len() != 4 || e.Test.X.Len() != 5 || linalg.RowCount(e.Test.Y) != 5 ||
		len(e.Classes) != 10 {
		t.Fatalf("%d, %d, %d images", e.Train.X.Len(), e.Validation.X.Len(), e.Test.X.Len())
	}
	var seen [][]float32
	for _, x := range []rfm.Images{e.Train.X, e.Validation.X, e.Test.X} {
		for i := range x.Len() {
			if slices.ContainsFunc(seen, func(px []float32) bool { return slices.Equal(px, x.Image(i)) }) {
				t.Error("an image is there twice")
			}
			seen = append(seen, x.Image(i))
		}
	}
	// With two draws, seed 3 takes the second range. It begins at image 10, after the 6 + 4 images of the first, and
	// lies within the single longer range.
	long := openFew(t, "bars", 3, SweepImages{Train: 16, Validation: 4, Test: 5, Draws: 1})
	later := openFew(t, "bars", 3, s)
	if !slices.Equal(later.Train.X.Pixels, long.Train.X.Pixels[10*16*32:16*16*32]) {
		t.Error("the second stretch does not follow the first")
	}
	for _, bad := range []struct {
		name string
		s    SweepImages
	}{
		{"glyphs", SweepImages{}}, {"glyphs", SweepImages{Train: 1, Validation: 1, Test: 1}},
		{"nothere", s}, {"deadleaves:disks", s},
	} {
		if _, err := OpenSweep(t.Context(), (study.Setting{}), bad.name, 0, bad.s,
			&study.Outcome{}); !input.IsError(err) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}

// The draws of a set of files are disjoint, and not in the order of the set, which may be sorted by class. The draws of
// a generated set are in its order.
func TestDrawIndices(t *testing.T) {
	var all []int
	for lo := 0; lo < 40; lo += 10 {
		all = append(all, drawIndices("gtsrb", "train", 40, lo, 10)...)
	}
	if slices.IsSorted(all[:10]) {
		t.Errorf("the first draw is %v", all[:10])
	}
	if slices.Sort(all); !slices.Equal(all, indexRange(0, 40)) {
		t.Errorf("draws overlap: %v", all)
	}
	if got := drawIndices("bars:noise=2", "train", 40, 10, 3); !slices.Equal(got, []int{10, 11, 12}) {
		t.Errorf("of a generated set: %v", got)
	}
}

// The network can also be trained by plain gradient descent with its own rate, and its accuracies are listed beside
// those of Adam.
func TestSweepSGD(t *testing.T) {
	e := openFew(t, "bars:noise=0.01", 1, SweepImages{Train: 60, Validation: 20, Test: 40, Draws: 1})
	adam := SweepNetwork{Width: .25, Rate: 3e-3, Batch: 10, Epochs: 2}
	sgd := SweepNetwork{Optimiser: "sgd", Width: .25, Rate: .1, Batch: 10, Epochs: 15}
	s := SweepSpec{
		Machines: MachinesSpec{Depth: 2, Layers: 1, Patch: 3, Filters: 4, Iterations: 1, Ridges: []float64{1e-3}},
		Net:      adam, SGD: sgd,
	}
	c, err := s.Compare(t.Context(), study.Setting{}, e, false)
	if err != nil {
		t.Fatal(err)
	}
	if c.SGD == nil || c.SGD.Test < .8 {
		t.Fatalf("bars almost without noise: %+v", c.SGD)
	}
	if names := s.Names(); len(names) != len(c.Accuracies()) || len(names) != len(c.Rows("bars")) ||
		names[len(names)-1] != sgdName || c.Accuracies()[len(names)-1] != c.SGD.Test {
		t.Errorf("%v: %v", names, c.Accuracies())
	}
	if _, err := (SweepNetwork{Optimiser: "lion", Width: 1, Batch: 1, Epochs: 1}).Train(t.Context(), study.Setting{}, 2,
		e); !input.IsError(err) {
		t.Errorf("an unknown optimiser: %v", err)
	}
}

// fitMachines fits the machines of a spec to images.
func fitMachines(t *testing.T, s MachinesSpec, e *SweepExamples) *FittedMachines {
	t.Helper()
	l, err := s.Fit(t.Context(), study.Setting{Seed: 1}, e, true)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// The machines of one fit are the same as machines that are fitted separately.
func TestMachinesSpecFit(t *testing.T) {
	e := openFew(t, "bars", 1, SweepImages{Train: 30, Validation: 20, Test: 30, Draws: 1})
	s := MachinesSpec{Depth: 2, Layers: 2, Patch: 3, Filters: 5, Iterations: 2, Ridges: []float64{1e-5, 1e-2}}
	l := fitMachines(t, s, e)
	if len(l.Machines) != 3 || len(l.First) != 3 {
		t.Fatalf("%d machines, %d iterations", len(l.Machines), len(l.First))
	}
	for k, r := range l.Machines {
		m := s.machine()
		m.Validation, m.Layers = &e.Validation, max(k, 1)
		if k == 0 {
			m.Iterations = 0
		}
		model, err := study.Setting{Seed: 1}.FitConv(t.Context(), "", m, e.Train)
		if err != nil {
			t.Fatal(err)
		}
		test, err := model.Score(t.Context(), e.Test.X, e.Test.Y)
		if err != nil {
			t.Fatal(err)
		}
		if r.Layers != k || test.Accuracy != r.Test.Accuracy || math.Abs(test.MSE-r.Test.MSE) > 1e-9 {
			t.Errorf("%d layers: a machine by itself has %+v, that of the sweep %+v", k, test, r)
		}
		if !slices.Contains(s.Ridges, r.Ridge) || r.Iteration > s.Iterations {
			t.Errorf("%d layers: %+v", k, r)
		}
	}
	if a, b := l.First[0], l.Machines[0].Test; a != b &&
		!(math.IsNaN(a.R2) && a.Accuracy == b.Accuracy && a.MSE == b.MSE) {
		t.Errorf("iteration 0 has %+v, the CNTK %+v", a, b)
	}
	if a, b := l.First[l.Machines[1].Iteration], l.Machines[1].Test; a.Accuracy != b.Accuracy || a.MSE != b.MSE {
		t.Errorf("the chosen iteration has %+v, ConvRFM %+v", a, b)
	}
	for _, bad := range []MachinesSpec{
		{}, {Depth: 2, Layers: 3, Iterations: 1, Ridges: []float64{1}},
		{Depth: 9, Layers: 1, Iterations: 1, Ridges: []float64{1}},
	} {
		if _, err := bad.Fit(t.Context(), study.Setting{}, e, false); !input.IsError(err) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}

// In paper mode the test images select, and the validation scores are those of the test images.
func TestPaperModeChoosesOnTest(t *testing.T) {
	e := openFew(t, "bars", 2, SweepImages{Train: 24, Validation: 12, Test: 18, Draws: 1})
	s := SweepSpec{
		Machines:  MachinesSpec{Depth: 2, Layers: 1, Patch: 3, Filters: 4, Iterations: 1, Ridges: []float64{1e-3}},
		Net:       SweepNetwork{Width: .05, Rate: 1e-2, Batch: 8, Epochs: 3},
		PaperMode: true,
	}
	c, err := s.Compare(t.Context(), study.Setting{}, e, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range c.Machines {
		if r.Valid.Accuracy != r.Test.Accuracy {
			t.Errorf("%s was chosen by %v, tested %v", machineName(r.Layers), r.Valid.Accuracy, r.Test.Accuracy)
		}
	}
	if c.Net.Validation != c.Net.Test || c.Net.Epoch < 1 || c.Net.Epoch > 3 {
		t.Errorf("the network: %+v", c.Net)
	}
}

// A network learns images of bars almost without noise, and does not change them.
func TestSweepNetwork(t *testing.T) {
	e := openFew(t, "bars:noise=0.01", 1, SweepImages{Train: 60, Validation: 20, Test: 40, Draws: 1})
	before := slices.Clone(e.Train.X.Pixels)
	n, err := SweepNetwork{Width: .25, Rate: 3e-3, Batch: 10, Epochs: 15}.Train(t.Context(), study.Setting{}, 2,
		e)
	if err != nil {
		t.Fatal(err)
	}
	if n.Test < .95 {
		t.Errorf("bars almost without noise are learned to %v", n.Test)
	}
	if !slices.Equal(before, e.Train.X.Pixels) {
		t.Error("the images were changed")
	}
	for _, bad := range []SweepNetwork{
		{}, {Width: 1, Rate: 1, Batch: 0, Epochs: 1}, {Width: 1, Rate: 1, Batch: 1},
	} {
		if _, err := bad.Train(t.Context(), study.Setting{}, 2, e); !input.IsError(err) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	if _, err := (SweepNetwork{Width: 1, Rate: .1, Batch: 4, Epochs: 1}).Train(t.Context(), study.Setting{}, 9,
		e); !input.IsError(err) {
		t.Errorf("a depth that no network has: %v", err)
	}
}

// A network that diverges has no accuracies and a note, and the machines keep theirs.
func TestSweepNetworkDiverges(t *testing.T) {
	e := openFew(t, "bars", 1, SweepImages{Train: 24, Validation: 12, Test: 18, Draws: 1})
	s := SweepSpec{
		Machines: MachinesSpec{Depth: 2, Layers: 1, Patch: 3, Filters: 4, Iterations: 1, Ridges: []float64{1e-3}},
		Net:      SweepNetwork{Width: .05, Rate: 1e-2, Batch: 8, Epochs: 1},
		SGD:      SweepNetwork{Optimiser: "sgd", Width: .05, Rate: 1e12, Batch: 2, Epochs: 3},
	}
	c, err := s.Compare(t.Context(), study.Setting{}, e, false)
	if err != nil {
		t.Fatal(err)
	}
	if !c.SGD.Diverged || c.SGD.Epoch > 0 || !math.IsNaN(c.SGD.Test) || c.Net.Diverged || !(c.TestAccuracy(1) > 0) {
		t.Errorf("%+v and %+v", c.SGD, c.Net)
	}
	if notes := c.Notes("bars"); len(notes) != 1 || !strings.Contains(notes[0], "CNN, SGD") {
		t.Errorf("%q", notes)
	}
}
