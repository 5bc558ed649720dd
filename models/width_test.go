package models

import (
	"math"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/models/weights"
)

// The width factor multiplies every hidden width and nothing else.
func TestWidth(t *testing.T) {
	for _, name := range append(Names(), "vgg11 small", "mlp:7,3") {
		base, small := strings.CutSuffix(name, " small")
		a, err := Lookup(base)
		if err != nil {
			t.Fatal(err)
		}
		if small {
			a = a.On(Shape{3, 32, 32})
		}
		for _, factor := range []float64{3, .25, .3, 1e-9} {
			checkWidth(t, name, a, factor)
		}
	}
}

func checkWidth(t *testing.T, name string, a *Architecture, factor float64) {
	t.Helper()
	a.Width = 0
	one, err := a.network(a.Input, 10)
	if err != nil {
		t.Fatal(err)
	}
	a.Width = factor
	n, err := a.network(a.Input, 10)
	if err != nil {
		t.Errorf("%s ×%v: %v", name, factor, err)
		return
	}
	s, _ := a.Describe(a.Input, 10)
	for i, l := range n.layers {
		want := max(1, int(math.Round(factor*float64(one.layers[i].Filters))))
		if l.Name == s.head {
			want = 10
		}
		if l.Filters != want || i == 0 && l.PatchSize() != one.layers[0].PatchSize() {
			t.Errorf("%s ×%v: %s is %d×%d, at ×1 %d×%d", name, factor, l.Name, l.Filters, l.PatchSize(),
				one.layers[i].Filters, one.layers[i].PatchSize())
		}
	}
}

// The width factor also applies to the form for small images.
func TestWidthOfSmallForm(t *testing.T) {
	a, _ := Lookup("vgg11")
	a.Width = .25
	n, err := a.InitNetwork(Shape{3, 32, 32}, 10, 1)
	if err != nil {
		t.Fatal(err)
	}
	if head := n.Layers()[8]; head.Name != "classifier" || head.PatchSize() != 128 {
		t.Errorf("VGG-11 at a quarter of its width ends in %s of %d features, want classifier of 128",
			head.Name, head.PatchSize())
	}
}

func TestWidthMistakes(t *testing.T) {
	a, _ := Lookup("resnet20")
	for _, factor := range []float64{-1, math.NaN(), math.Inf(1), 1e9} {
		a.Width = factor
		if _, err := a.InitNetwork(a.Input, 10, 1); err == nil || !strings.Contains(err.Error(), "width factor") {
			t.Errorf("width factor %v: %v", factor, err)
		}
	}
}

// TestSetWidth checks that a width must be a finite number and not negative, and that a network that came with its
// weights accepts only the width 1.
func TestSetWidth(t *testing.T) {
	own := &Architecture{Name: "own", Weights: new(weights.StateDict)}
	for width, want := range map[float64]string{math.Inf(1): "finite", -1: "finite", .5: "TOML"} {
		if err := own.SetWidth(width); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the width %v gives %v: want %q", width, err, want)
		}
	}
	if err := own.SetWidth(1); err != nil || own.Width != 1 {
		t.Error(err)
	}
	free := new(Architecture)
	if err := free.SetWidth(.5); err != nil || free.Width != .5 {
		t.Error(err)
	}
}
