package experiments

import (
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/models"
	"gonum.org/v1/gonum/mat"
)

// profileOf is a profile on components of equal variance.
func profileOf(energies ...float64) *cnfa.EnergyProfile {
	return &cnfa.EnergyProfile{Energies: energies, Deviations: make([]float64, len(energies))}
}

func TestSpike(t *testing.T) {
	flat := profileOf(1, 1.1, .9, 1, 1.05, .95)
	if z := spike(profileOf(1, 1.1, .9, 5, 1.05, .95), flat, 4); !(z > 100) {
		t.Errorf("a spike at 4: %v", z)
	}
	if z := spike(profileOf(1, 1.3, 5, 1.2, 1.05, .95), flat, 4); !(z < 1) {
		t.Errorf("none at 4: %v", z)
	}
	// The scale of a profile does not matter.
	a, b := spike(profileOf(1, 2, 3, 1, 4, 1), flat, 5), spike(profileOf(7, 14, 21, 7, 28, 7), flat, 5)
	if math.Abs(a-b) > 1e-12 {
		t.Errorf("%v, %v after rescaling", a, b)
	}
	for _, p := range []*cnfa.EnergyProfile{profileOf(0, 0, 0, 0, 0, 0), profileOf(1, 2, 3)} {
		if z := spike(p, flat, 4); !math.IsNaN(z) {
			t.Errorf("%v: %v", p, z)
		}
	}
}

func TestShapeOf(t *testing.T) {
	low, high := shapeOf(profileOf(0, 0, 3, 3, 0, 0)) // root mean square √3
	if want := math.Sqrt(3); math.Abs(low-want) > 1e-12 || math.Abs(high-want) > 1e-12 {
		t.Errorf("%v, %v, want %v", low, high, want)
	}
	if low, high = shapeOf(profileOf(2, 2, 2, 2, 2, 2)); math.Abs(low)+math.Abs(high) > 1e-12 {
		t.Errorf("flat: %v, %v", low, high)
	}
	if low, _ = shapeOf(profileOf(0, 0, 0)); !math.IsNaN(low) {
		t.Errorf("zeros: %v", low)
	}
}

func TestLabelComponent(t *testing.T) {
	for text, want := range map[string]int{"pc:3": 3, "pc:12:5": 12} {
		if k, ok := labelComponent(text); !ok || k != want {
			t.Errorf("%s: %d, %v", text, k, ok)
		}
	}
	for _, text := range []string{"", "true", "random", "pc:x"} {
		if _, ok := labelComponent(text); ok {
			t.Errorf("%s is by a component", text)
		}
	}
}

// A network that reads normalised pixels has the profile, on the components of
// plain ones, of the network that computes the same of plain pixels.
func TestProfilesOfOtherPixels(t *testing.T) {
	set, err := data.Open("deadleaves", data.Options{Split: "train", Count: 40})
	if err != nil {
		t.Fatal(err)
	}
	n := data.Normalisation{Mean: []float32{.4, .5, .6}, Std: []float32{.1, .2, .4}}
	w := mat.NewDense(5, 27, nil)
	rng := models.Stream(1, "filters")
	w.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, w)
	plain := mat.DenseCopyOf(w) // acts on pixels as W does on normalised ones, but for a constant
	plain.Apply(func(_, j int, v float64) float64 { return v / float64(n.Std[j/9]) }, plain)
	b, err := openEnergyBasis(t.Context(), set, 3, 0, data.Normalisation{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := b.profile(w, n)
	if err != nil {
		t.Fatal(err)
	}
	want, err := b.profile(plain, data.Normalisation{})
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range got.Energies {
		if math.Abs(e-want.Energies[i]) > 1e-9*want.Energies[i] {
			t.Fatalf("component %d: %v, want %v", i+1, e, want.Energies[i])
		}
	}
	// On its own components it is the filters themselves.
	own, err := openEnergyBasis(t.Context(), set, 3, 0, n)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := own.inPixels(w, n), w; !mat.EqualApprox(got, want, 1e-12) {
		t.Error("filters were rescaled to the pixels that they read")
	}
}

// A correlation is marked where it lies above its null.
func TestAboveNullCell(t *testing.T) {
	for null, want := range map[float64]report.Mark{.1: report.Good, 1: report.Muted} {
		if got := aboveNullCell(.5, null).Mark; got != want {
			t.Errorf("0.5 above a null of deviation %v is marked %v, want %v", null, got, want)
		}
	}
}

// The number of filters of the first layer is set whatever the width is.
func TestFirstLayer(t *testing.T) {
	for _, n := range []EnergyNetwork{
		{Name: "a", Arch: "vgg11_bn", Width: .125, First: 24, Data: "cifar10"}, {Name: "b", Arch: "vgg16", First: 7}, {Name: "c", Arch: "cnn2", Width: .5, First: 9},
	} {
		a, err := n.architecture()
		if err != nil {
			t.Fatal(err)
		}
		a.Width = n.Width
		net, err := a.InitNetwork(models.Shape{Channels: 3, Height: 32, Width: 32}, 10, 1)
		if err != nil {
			t.Fatal(err)
		}
		if l := net.Layers(); l[0].Filters != n.First || l[1].Filters == n.First {
			t.Errorf("%s: %d and %d filters", n.Arch, l[0].Filters, l[1].Filters)
		}
	}
	if _, err := (EnergyNetwork{Name: "m", Arch: "mlp", First: 3}).architecture(); !IsInput(err) {
		t.Errorf("a perceptron: %v", err)
	}
}

// A file or dataset that is missing leaves its network out, and says so; the rest
// is compared.
func TestMissingNetworks(t *testing.T) {
	s := table1Smoke()
	s.Networks[2].Weights, s.Networks[3].Data = "nothing.pth", "cifar100"
	s.Networks = append(s.Networks, ofFaces(smokeNet("faces")))
	o, err := s.Run(t.Context(), Setting{DataDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	notes := strings.Join(o.Notes, "\n")
	if len(o.Notes) != 3 || !strings.Contains(notes, "wide is left out: there is no file") || !strings.Contains(notes, "deep is left out: the dataset cifar100") || !strings.Contains(notes, "faces is left out: the dataset celeba") {
		t.Errorf("notes: %s", notes)
	}
	if _, there := o.Values["widths_pearson"]; there || len(o.Tables[0].Rows) != 2 || len(o.Tables[1].Rows) != 3 {
		t.Errorf("%v, %d pairs, %d networks", o.Values, len(o.Tables[0].Rows), len(o.Tables[1].Rows))
	}
	for i := range s.Networks {
		s.Networks[i].Weights = "nothing.pth"
	}
	if _, err := s.Run(t.Context(), Setting{DataDir: t.TempDir()}); !IsInput(err) {
		t.Errorf("no network at all: %v", err)
	}
}

func TestBadEnergySpecs(t *testing.T) {
	for want, change := range map[string]func(*ProfilesSpec){
		"empty or there twice":    func(s *ProfilesSpec) { s.Networks[1].Name = s.Networks[0].Name },
		"want two of the network": func(s *ProfilesSpec) { s.Pairs[0].B = "another" },
		"not known of weights":    func(s *ProfilesSpec) { s.Change, s.Networks[0].Weights = true, "f.pth" },
		"want at least 3":         func(s *ProfilesSpec) { s.Pairs[0].From, s.Pairs[0].To = 3, 4 },
		"components 20 to 40":     func(s *ProfilesSpec) { s.Pairs[0].From, s.Pairs[0].To = 20, 40 },
		"has 1 classes":           func(s *ProfilesSpec) { s.Networks[0].Classes = "0" },
		"--epochs 0":              func(s *ProfilesSpec) { s.Training.Epochs = 0 },
		"loss \"hinge\"":          func(s *ProfilesSpec) { s.Networks[0].Loss = "hinge" },
		"nothing in the first":    func(s *ProfilesSpec) { s.Change, s.Networks[0].Freeze = true, `^layers\.0\.` },
	} {
		s := table1Smoke()
		change(s)
		if _, err := s.Run(t.Context(), Setting{}); !IsInput(err) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
	e := energyFig3()
	frozen, ok := e.Specs[Smoke].(*FrozenSpec)
	if !ok {
		t.Fatalf("%T", e.Specs[Smoke])
	}
	frozen.Freeze = `^layers\.2\.`
	if _, err := frozen.Run(t.Context(), Setting{}); !IsInput(err) || !strings.Contains(err.Error(), "moved all the same") {
		t.Errorf("another layer frozen: %v", err)
	}
	frozen.Last = 0
	if _, err := frozen.Run(t.Context(), Setting{}); !IsInput(err) {
		t.Errorf("no last epochs: %v", err)
	}
}

// The patterns that freeze first layers do, at every scale.
func TestFrozenPatterns(t *testing.T) {
	for scale, s := range energyFig3().Specs {
		frozen, ok := s.(*FrozenSpec)
		if !ok {
			t.Fatalf("%T", s)
		}
		for _, n := range frozen.Networks {
			a, err := n.architecture()
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
