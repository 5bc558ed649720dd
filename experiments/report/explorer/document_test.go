package explorer

import (
	"encoding/json"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func TestRound(t *testing.T) {
	for v, want := range map[float64]float32{
		0: 0, 1: 1, .123449: .1234, -.123451: -.1235, 98765.4: 98770, 1.23456e-9: 1.235e-9,
	} {
		if got := Round(v); got != want {
			t.Errorf("%v: %v, want %v", v, got, want)
		}
	}
	if Number(math.NaN()) != nil || Number(math.Inf(-1)) != nil || *Number(-2.5) != -2.5 {
		t.Error("what is not finite is not absent, or what is finite is")
	}
}

// TestNewSpectrum checks that the trace is the sum of all eigenvalues, and that the elements of vectors are stored with
// their signs and relative to the largest.
func TestNewSpectrum(t *testing.T) {
	s := NewSpectrum([]float64{4, 2, 1}, 2, mat.NewDense(1, 4, []float64{.5, -.25, 0, .125}))
	if s.Trace != 7 || len(s.Values) != 2 || s.Values[0] != 4 {
		t.Errorf("%+v", s)
	}
	if got := s.Vectors[0]; got[0] != 255 || got[1] != 128-64 || got[2] != 128 || got[3] != 128+32 {
		t.Errorf("a vector is %v", got)
	}
	if s := NewSpectrum([]float64{1}, 9, nil); s.Vectors != nil || len(s.Values) != 1 {
		t.Errorf("without vectors: %+v", s)
	}
}

// TestNewImage checks that a large image is made smaller by replacing blocks of pixels by their means.
func TestNewImage(t *testing.T) {
	pixels := []float64{0, 1, .5, .5, 1, 0, .5, .5, 2, 2, -1, -1, 2, 2, -1, -1}
	got := NewImage(4, 4, 1, pixels, 2)
	if got.Height != 2 || got.Width != 2 || string(got.Pixels) != string([]byte{128, 128, 255, 0}) {
		t.Errorf("%+v", got)
	}
	if whole := NewImage(4, 4, 1, pixels, 4); len(whole.Pixels) != 16 || whole.Pixels[1] != 255 {
		t.Errorf("%+v", whole)
	}
}

// document returns a document of two layers at two times.
func document() *Document {
	d := &Document{Measures: []string{"Pearson"}, Layers: []Layer{{Name: "conv1"}, {Name: "linear"}}}
	for _, time := range []string{"first", "second"} {
		d.Add(time, []Point{{Values: make([]Value, 1)}, {Values: make([]Value, 1)}})
	}
	return d
}

func TestCheck(t *testing.T) {
	layers := []string{"conv1", "linear"}
	if err := document().Check(layers); err != nil {
		t.Error(err)
	}
	d := document()
	d.DropLast()
	if err := d.Check(layers); err != nil || len(d.Times) != 1 {
		t.Errorf("%d times, %v", len(d.Times), err)
	}
	for name, damage := range map[string]func(*Document){
		"no times":       func(d *Document) { *d = Document{Layers: d.Layers} },
		"a layer less":   func(d *Document) { d.Layers = d.Layers[1:] },
		"another layer":  func(d *Document) { d.Layers[1].Name = "conv2" },
		"a point less":   func(d *Document) { d.Layers[0].Points = d.Layers[0].Points[1:] },
		"a value more":   func(d *Document) { d.Layers[0].Points[1].Values = make([]Value, 2) },
		"a measure more": func(d *Document) { d.Measures = append(d.Measures, "cosine") },
	} {
		d := document()
		damage(d)
		if d.Check(layers) == nil {
			t.Errorf("%s: taken", name)
		}
	}
}

// TestJSON checks that a document is the same after it was written and read again, and that undefined values stay
// absent.
func TestJSON(t *testing.T) {
	d := document()
	d.Layers[0].Points[0].Values[0] = Value{Value: Number(.25), Draws: Numbers([]float64{.1, .2})}
	d.Layers[0].Points[0].CNFM = NewSpectrum([]float64{1}, 1, mat.NewDense(1, 2, []float64{1, -1}))
	text, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	var back Document
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	again, err := json.Marshal(&back)
	if err != nil || string(again) != string(text) {
		t.Errorf("%v: %s, then %s", err, text, again)
	}
	if v := back.Layers[0].Points[0].Values[0]; v.Null != nil || *v.Value != .25 {
		t.Errorf("%+v", v)
	}
}
