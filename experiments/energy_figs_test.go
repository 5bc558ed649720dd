package experiments

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/models"
)

// The contrast sensitivity of Mannos and Sakrison is 1 at its peak, near 8 cycles
// a degree, and hardly anything at 0 and at 60.
func TestSensitivity(t *testing.T) {
	at := func(cycles float64) float64 { return sensitivity(cycles / pixelsPerDegree) }
	best, peak := 0., 0.
	for f := 0.; f < 60; f += .01 {
		if s := at(f); s > peak {
			best, peak = f, s
		}
	}
	if math.Abs(best-8) > .3 || math.Abs(peak-1) > .02 {
		t.Errorf("the peak is %.3f at %.2f cycles a degree", peak, best)
	}
	if at(0) > .06 || at(60) > .01 {
		t.Errorf("%.3f at 0, %.4f at 60", at(0), at(60))
	}
}

// Cosines have their own frequency, constants none, and colour no luminance.
func TestFrequencyOf(t *testing.T) {
	const q = 5
	grating := func(u, v int, channels ...float64) []float64 {
		var p []float64
		for _, c := range channels {
			for i := range q * q {
				p = append(p, c*cosine(u, i/q, q)*cosine(v, i%q, q))
			}
		}
		return p
	}
	grey := 1 / math.Sqrt(3)
	for _, c := range []struct {
		patch           []float64
		frequency, grey float64
	}{
		{grating(0, 0, grey, grey, grey), 0, 1},
		{grating(3, 0, grey, grey, grey), .3, 1},
		{grating(3, 4, grey, grey, grey), .5, 1},
		{grating(0, 2, 1/math.Sqrt2, -1/math.Sqrt2, 0), .2, 0},
		{grating(0, 2, 1, 0, 0), .2, 1. / 3},
	} {
		if f, l := frequencyOf(c.patch, 3, q), luminanceOf(c.patch, 3, q); math.Abs(f-c.frequency) > 1e-12 || math.Abs(l-c.grey) > 1e-12 {
			t.Errorf("%.3f cycles and %.3f of luminance, want %.3f and %.3f", f, l, c.frequency, c.grey)
		}
	}
}

// Every part of a class is a class, of images of that class unless labels are
// random.
func TestSplitLabels(t *testing.T) {
	set, err := data.Open("glyphs", data.Options{Split: "train", Count: 600})
	if err != nil {
		t.Fatal(err)
	}
	truth, err := data.Labels(set)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"split:3", "split:3:random"} {
		l, err := parseLabelling(text)
		if err != nil {
			t.Fatal(err)
		}
		got, err := splitLabels(set, l, 7)
		if err != nil {
			t.Fatal(err)
		}
		labels, err := data.Labels(got)
		if err != nil || len(got.Classes()) != 30 || got.Classes()[4] != set.Classes()[1]+", part 2" {
			t.Fatalf("%s: %q, %v", text, got.Classes(), err)
		}
		var kept int
		used := map[int]bool{}
		for i, label := range labels {
			used[label] = true
			if label/3 == truth[i] {
				kept++
			}
		}
		if want := l.shuffled; (kept < len(truth)) != want || len(used) != 30 {
			t.Errorf("%s: %d of %d images are in a part of their class, %d parts", text, kept, len(truth), len(used))
		}
		again, err := splitLabels(set, l, 7)
		if err != nil {
			t.Fatal(err)
		}
		if same, err := data.Labels(again); err != nil || !slices.Equal(same, labels) {
			t.Errorf("%s: other labels by the same seed, %v", text, err)
		}
	}
	for _, text := range []string{"split", "split:1", "split:1001", "split:x", "split:3:true", "split:3:random:"} {
		if _, err := parseLabelling(text); !IsInput(err) || !strings.Contains(err.Error(), "split:K[:random]") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// A first layer with larger filters keeps the size of the images.
func TestFirstKernel(t *testing.T) {
	for _, n := range []EnergyNetwork{{Name: "a", Arch: "vgg11_bn", Width: .125, First: 24, Kernel: 7}, {Name: "b", Arch: "resnet20", Kernel: 5}} {
		a, err := n.architecture()
		if err != nil {
			t.Fatal(err)
		}
		a.Width = n.Width
		net, err := a.InitNetwork(models.Shape{Channels: 3, Height: 32, Width: 32}, 10, 1)
		if err != nil {
			t.Fatalf("%s: %v", n.Arch, err)
		}
		if l := net.Layers(); l[0].Patch[1] != n.Kernel || l[0].Patch[2] != n.Kernel || l[1].Patch[1] != 3 {
			t.Errorf("%s: patches of %v and %v", n.Arch, l[0].Patch, l[1].Patch)
		}
	}
}

// The matrix of correlations holds the pairs' own, and is symmetric with ones on
// its diagonal; networks on other components are absent from it.
func TestProfileMatrix(t *testing.T) {
	s := matrixOf(smokeEnergy, 4, smokeNet("net"), smokeNet("other"), EnergyNetwork{Name: "large", Arch: "cnn1:5", Width: .1, Data: "deadleaves"})
	s.Pairs = among(5, 20, allPairs("models", "net", "other")...)
	o, err := s.Run(t.Context(), Setting{})
	if err != nil {
		t.Fatal(err)
	}
	m := o.Matrices["profile-correlations"]
	if r, c := m.Dims(); r != 6 || c != 6 {
		t.Fatalf("%d×%d", r, c)
	}
	if got := m.At(0, 1); math.Abs(got-o.Values["models_pearson"]) > 1e-12 || got != m.At(1, 0) || math.Abs(m.At(2, 2)-1) > 1e-12 {
		t.Errorf("%v of the pair's %v, and %v", got, o.Values["models_pearson"], m.At(2, 2))
	}
	if !math.IsNaN(m.At(0, 2)) || math.IsNaN(m.At(0, 4)) {
		t.Errorf("%v with other components, %v with an initialisation", m.At(0, 2), m.At(0, 4))
	}
	middle := o.Matrices["profile-correlations-middle"]
	if !math.IsNaN(middle.At(0, 2)) {
		t.Errorf("%v with other components in the middle", middle.At(0, 2))
	}
	if drop := m.At(0, 1) - middle.At(0, 1); math.Abs(drop-o.Values["models_middle_drop"]) > 1e-12 {
		t.Errorf("the drop is %v, and %v", drop, o.Values["models_middle_drop"])
	}
}

// A panel has the networks of its pairs once each, and the first one before
// training.
func TestPanelCharts(t *testing.T) {
	s := &ProfilesSpec{
		Training: smokeEnergy, Draws: 4, Networks: []EnergyNetwork{smokeNet("a"), smokeNet("b"), smokeNet("c")},
		Pairs: []ProfilePair{pairOf("g", "a", "b"), pairOf("g", "a", "c"), pairOf("g", "b", "c").in("apart")},
	}
	o, err := s.Run(t.Context(), Setting{})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"profiles-g": "before training a b c", "profiles-apart": "before training b c"}
	for _, c := range o.Charts {
		var labels []string
		for _, s := range c.Series {
			labels = append(labels, s.Label)
		}
		if got := strings.Join(labels, " "); got != want[c.Name] {
			t.Errorf("%s: %s", c.Name, got)
		}
		delete(want, c.Name)
	}
	if len(want) > 0 {
		t.Errorf("missing: %v", want)
	}
}

// The pairs of Table 3 are shared out between the figures that draw them.
func TestLinearFigures(t *testing.T) {
	shown := slices.Concat(energyFig4().Shows, energyFig8().Shows)
	if len(shown) != len(linearPairs()) {
		t.Errorf("%v", shown)
	}
	for _, e := range []*Experiment{energyFig4(), energyFig8()} {
		r, err := ExperimentRun{Experiment: e, Scale: Smoke, Seeds: 1, Out: t.TempDir()}.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		v := r.Outcome(0).Values
		var mean float64
		pairs := 0.
		for _, p := range linearPairs() {
			if "energy/"+p.figure == e.ID {
				mean, pairs = mean+v[p.key+"_random"], pairs+1
			}
		}
		name := strings.TrimPrefix(e.ID, "energy/") + "_random"
		if math.Abs(v[name]-mean/pairs) > 1e-12 {
			t.Errorf("%s: %v is not the mean of its pairs, %v", name, v[name], mean/pairs)
		}
	}
}
