package energypaper

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/cnfa/energy"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/models"
)

// The contrast sensitivity of Mannos and Sakrison is 1 at its peak, near 8 cycles per degree, and almost 0 at 0 and at
// 60 cycles per degree.
func TestSensitivity(t *testing.T) {
	at := func(cycles float64) float64 { return contrastSensitivity(cycles / pixelsPerDegree) }
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

// A cosine grating has its own frequency, a constant patch has frequency 0, and a patch of opposite colours has no
// luminance.
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
		if f, l := meanFrequency(c.patch, 3, q),
			luminanceShare(c.patch, 3, q); math.Abs(f-c.frequency) > 1e-12 || math.Abs(l-c.grey) > 1e-12 {
			t.Errorf("%.3f cycles and %.3f of luminance, want %.3f and %.3f", f, l, c.frequency, c.grey)
		}
	}
}

// The matrix of correlations has those of the pairs, is symmetric and has ones on its diagonal. Its entries for
// networks on different components are NaN.
func TestProfileMatrix(t *testing.T) {
	s := compareAll(smokeEnergy, 4, smokeNet("net"), smokeNet("other"),
		setups.EnergyNetwork{Name: "large", Arch: "cnn1:5", Width: .1, Data: "deadleaves"})
	s.Pairs = setRange(5, 20, allPairs("models", "net", "other")...)
	o, err := s.Run(t.Context(), study.Setting{})
	if err != nil {
		t.Fatal(err)
	}
	m := o.Matrices["profile-correlations"]
	if r, c := m.Dims(); r != 6 || c != 6 {
		t.Fatalf("%d×%d", r, c)
	}
	if got := m.At(0, 1); math.Abs(got-o.Value(pearson.Of("models"))) > 1e-12 || got != m.At(1,
		0) || math.Abs(m.At(2, 2)-1) > 1e-12 {
		t.Errorf("%v of the pair's %v, and %v", got, o.Value(pearson.Of("models")), m.At(2, 2))
	}
	if !math.IsNaN(m.At(0, 2)) || math.IsNaN(m.At(0, 4)) {
		t.Errorf("%v with other components, %v with an initialisation", m.At(0, 2), m.At(0, 4))
	}
	middle := o.Matrices["profile-correlations-middle"]
	if !math.IsNaN(middle.At(0, 2)) {
		t.Errorf("%v with other components in the middle", middle.At(0, 2))
	}
	if drop := m.At(0, 1) - middle.At(0, 1); math.Abs(drop-o.Value(middleDrop.Of("models"))) > 1e-12 {
		t.Errorf("the drop is %v, and %v", drop, o.Value(middleDrop.Of("models")))
	}
}

// A panel shows each network of its pairs once, and the first of them also before training.
func TestPanelCharts(t *testing.T) {
	s := &ProfilesSpec{
		Training: smokeEnergy, Draws: 4, Networks: []setups.EnergyNetwork{smokeNet("a"), smokeNet("b"), smokeNet("c")},
		Pairs: []ProfilePair{newPair("g", "a", "b"), newPair("g", "a", "c"), newPair("g", "b", "c").onPanel("apart")},
	}
	o, err := s.Run(t.Context(), study.Setting{})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"profiles-g": "before training a b c", "profiles-apart": "before training b c",
		"changes-g": "before training a b c", "changes-apart": "before training b c"}
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

// Figs. 4 and 8 together draw every pair of Table 3 once, and the mean of each figure is that of its own pairs.
func TestLinearFigures(t *testing.T) {
	shown := slices.Concat(fig4().Shows, fig8().Shows)
	var want []string
	for _, p := range linearPairs() {
		want = append(want, "profiles-"+p.key, "optimum-"+p.key)
	}
	slices.Sort(shown)
	slices.Sort(want)
	if !slices.Equal(shown, want) {
		t.Errorf("%v, want %v", shown, want)
	}
	for _, e := range []*study.Experiment{fig4(), fig8()} {
		r, err := study.Run{Experiment: e, Scale: study.Smoke, Seeds: 1, Out: t.TempDir()}.Run(t.Context())
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

func TestBadEnergySpecs(t *testing.T) {
	for want, change := range map[string]func(*ProfilesSpec){
		"empty or there twice":              func(s *ProfilesSpec) { s.Networks[1].Name = s.Networks[0].Name },
		"want two of the network":           func(s *ProfilesSpec) { s.Pairs[0].B = "another" },
		"not known of weights":              func(s *ProfilesSpec) { s.Change, s.Networks[0].Weights = true, "f.pth" },
		"want at least 3":                   func(s *ProfilesSpec) { s.Pairs[0].From, s.Pairs[0].To = 3, 4 },
		"components 20 to 40":               func(s *ProfilesSpec) { s.Pairs[0].From, s.Pairs[0].To = 20, 40 },
		"training needs at least 2 classes": func(s *ProfilesSpec) { s.Networks[0].Classes = "0" },
		"--epochs 0":                        func(s *ProfilesSpec) { s.Training.Epochs = 0 },
		"loss \"hinge\"":                    func(s *ProfilesSpec) { s.Networks[0].Loss = "hinge" },
		"nothing in the first":              func(s *ProfilesSpec) { s.Change, s.Networks[0].Freeze = true, `^layers\.0\.` },
	} {
		s := table1Smoke()
		change(s)
		if _, err := s.Run(t.Context(), study.Setting{}); !input.IsError(err) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
	e := fig3()
	frozen, ok := e.Specs[study.Smoke].(*FrozenSpec)
	if !ok {
		t.Fatalf("%T", e.Specs[study.Smoke])
	}
	frozen.Freeze = `^layers\.2\.`
	if _, err := frozen.Run(t.Context(), study.Setting{}); !input.IsError(err) || !strings.Contains(err.Error(),
		"moved all the same") {
		t.Errorf("another layer frozen: %v", err)
	}
	frozen.Last = 0
	if _, err := frozen.Run(t.Context(), study.Setting{}); !input.IsError(err) ||
		!strings.Contains(err.Error(), "the last 0 epochs") {
		t.Errorf("no last epochs: %v", err)
	}
}

// At every scale the pattern Freeze matches the parameters of the first layer and no others.
func TestFrozenPatterns(t *testing.T) {
	for scale, s := range fig3().Specs {
		frozen, ok := s.(*FrozenSpec)
		if !ok {
			t.Fatalf("%T", s)
		}
		for _, n := range frozen.Networks {
			a, err := n.Architecture()
			if err != nil {
				t.Fatal(err)
			}
			a.Width = n.Width
			net, err := a.InitNetwork(models.Shape{Channels: 3, Height: 32, Width: 32}, 10, 1)
			if err != nil {
				t.Fatal(err)
			}
			pattern := regexp.MustCompile(frozen.Freeze)
			for _, p := range net.Parameters() {
				if first := strings.HasPrefix(p.Name, net.Layers()[0].Name+"."); first != pattern.MatchString(p.Name) {
					t.Errorf("%s, %s: %s is frozen: %v", scale, n.Name, p.Name, !first)
				}
			}
		}
	}
}

func TestLabelComponent(t *testing.T) {
	for text, want := range map[string]int{"pc:3": 3, "pc:12:5": 12} {
		if k, ok := parseComponent(text); !ok || k != want {
			t.Errorf("%s: %d, %v", text, k, ok)
		}
	}
	for _, text := range []string{"", "true", "random", "pc:x"} {
		if _, ok := parseComponent(text); ok {
			t.Errorf("%s is by a component", text)
		}
	}
}

// If a file or a dataset is missing, its network is left out with a note, and the other networks are compared.
func TestMissingNetworks(t *testing.T) {
	s := table1Smoke()
	s.Networks[2].Weights, s.Networks[3].Data = "nothing.pth", "cifar100"
	s.Networks = append(s.Networks, onFaces(smokeNet("faces")))
	o, err := s.Run(t.Context(), study.Setting{DataDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	notes := strings.Join(o.Notes, "\n")
	if len(o.Notes) != 3 || !strings.Contains(notes, "Without the network wide: there is no file") || !strings.Contains(notes,
		"Without the network deep: the dataset cifar100 is not") || !strings.Contains(notes, "Without the network faces: the dataset celeba") {
		t.Errorf("notes: %s", notes)
	}
	if !math.IsNaN(o.Value(pearson.Of("widths"))) || len(o.Tables[0].Rows) != 2 || len(o.Tables[1].Rows) != 3 {
		t.Errorf("%v, %d pairs, %d networks", o.Values, len(o.Tables[0].Rows), len(o.Tables[1].Rows))
	}
	for i := range s.Networks {
		s.Networks[i].Weights = "nothing.pth"
	}
	if _, err := s.Run(t.Context(), study.Setting{DataDir: t.TempDir()}); !input.IsError(err) {
		t.Errorf("no network at all: %v", err)
	}
}

func TestThirds(t *testing.T) {
	low, high := middleExcess(profileOf(0, 0, 3, 3, 0, 0)) // root mean square √3
	if want := math.Sqrt(3); math.Abs(low-want) > 1e-12 || math.Abs(high-want) > 1e-12 {
		t.Errorf("%v, %v, want %v", low, high, want)
	}
	if low, high = middleExcess(profileOf(2, 2, 2, 2, 2, 2)); math.Abs(low)+math.Abs(high) > 1e-12 {
		t.Errorf("flat: %v, %v", low, high)
	}
	if low, _ = middleExcess(profileOf(0, 0, 0)); !math.IsNaN(low) {
		t.Errorf("zeros: %v", low)
	}
	// The first component is above the middle third, but the first third is not.
	over, _ := middleExcess(profileOf(2, 0, 1.5, 1.5, 0, 0))
	first, middle, last := meanThirds(profileOf(2, 0, 1.5, 1.5, 0, 0))
	if rms := math.Sqrt(8.5 / 6); math.Abs(over+.5/rms) > 1e-12 || math.Abs(first-1/rms)+math.Abs(middle-1.5/rms)+last > 1e-12 {
		t.Errorf("%v over the first component; thirds of %v, %v and %v", over, first, middle, last)
	}
}

func TestSpike(t *testing.T) {
	flat := profileOf(1, 1.1, .9, 1, 1.05, .95)
	if z := spikeHeight(profileOf(1, 1.1, .9, 5, 1.05, .95), flat, 4); !(z > 100) {
		t.Errorf("a spike at 4: %v", z)
	}
	if z := spikeHeight(profileOf(1, 1.3, 5, 1.2, 1.05, .95), flat, 4); !(z < 1) {
		t.Errorf("none at 4: %v", z)
	}
	// The scale of a profile does not matter.
	a, b := spikeHeight(profileOf(1, 2, 3, 1, 4, 1), flat, 5), spikeHeight(profileOf(7, 14, 21, 7, 28, 7), flat, 5)
	if math.Abs(a-b) > 1e-12 {
		t.Errorf("%v, %v after rescaling", a, b)
	}
	for _, p := range []*energy.Profile{profileOf(0, 0, 0, 0, 0, 0), profileOf(1, 2, 3)} {
		if z := spikeHeight(p, flat, 4); !math.IsNaN(z) {
			t.Errorf("%v: %v", p, z)
		}
	}
}

// profileOf returns a profile with the given energies on components of equal variance.
func profileOf(energies ...float64) *energy.Profile {
	return &energy.Profile{Energies: energies, Deviations: make([]float64, len(energies))}
}
