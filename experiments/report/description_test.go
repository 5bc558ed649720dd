package report

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/data/array"
)

// saved saves a page with one figure in a new folder, and returns the folder.
func saved(t *testing.T, f Figure) (dir string) {
	t.Helper()
	dir = t.TempDir()
	p := Page{Title: "t", Sections: []Section{{Figures: []Figure{f}}}}
	if _, err := p.Save(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// fromJSON returns a figure as it is read from the record in a folder: without its picture.
func fromJSON(t *testing.T, f Figure) Figure {
	t.Helper()
	text, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	var again Figure
	if err := json.Unmarshal(text, &again); err != nil {
		t.Fatal(err)
	}
	if !again.Empty() || again.CSV != nil {
		t.Error("the JSON of a figure has its picture")
	}
	return again
}

// Every chart can be redrawn from its description and its array, with the same bytes.
func TestRedraw(t *testing.T) {
	t.Parallel()
	all := charts()
	all["photographs"] = func(name, text string) (Figure, error) {
		return ImageGrid(name, nil, [][]Image{{gradientImage(90), gradientImage(70)}, {}, {gradientImage(70)}})
	}
	all["large doubles"] = func(name, text string) (Figure, error) {
		m := Matrix{Title: text, Rows: 200, Cols: 200}
		for i := range 200 * 200 {
			m.Data = append(m.Data, math.Sin(float64(i)))
		}
		return HeatMaps(name, []Matrix{m})
	}
	for name, draw := range all {
		f, err := draw("stem", "Similarity of W − W₀")
		if err != nil {
			t.Fatal(err)
		}
		f.Caption, f.Alt, f.Wide = "A caption.", "In words.", !f.Wide
		read := fromJSON(t, f)
		again, err := read.Redraw(saved(t, f))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !reflect.DeepEqual(read.Description.Images, fromJSON(t, f).Description.Images) {
			t.Errorf("%s: Redraw has changed the figure that it draws", name)
		}
		f, again = rendered(t, f, nil), rendered(t, again, nil)
		if !bytes.Equal(again.SVG, f.SVG) || !bytes.Equal(again.PNG, f.PNG) || !bytes.Equal(again.CSV, f.CSV) {
			t.Errorf("%s is drawn another way from its description", name)
		}
		if again.Caption != f.Caption || again.Alt != f.Alt || again.Wide != f.Wide {
			t.Errorf("%s: %q, %q, %v", name, again.Caption, again.Alt, again.Wide)
		}
	}
}

// Arrays have the smallest type that keeps what is drawn. If all parts of the figure have the same shape, the array's
// shape is their number followed by that shape. Otherwise the array is a list.
func TestArrayTypes(t *testing.T) {
	t.Parallel()
	mapped := gradientImage(90)
	mapped.Map, mapped.Channels, mapped.Pixels = true, 1, mapped.Pixels[:90*90]
	double := Matrix{Rows: 1, Cols: 2, Data: []float64{.1, .2}}
	for _, c := range []struct {
		draw  func() (Figure, error)
		want  array.Type
		shape []int
	}{
		{func() (Figure, error) { return ImageGrid("f", nil, [][]Image{{gradientImage(90), gradientImage(90)}}) },
			array.Uint8, []int{2, 90, 90, 3}},
		{func() (Figure, error) { return ImageGrid("f", nil, [][]Image{{gradientImage(90), gradientImage(70)}}) },
			array.Uint8, []int{3 * (90*90 + 70*70)}},
		{func() (Figure, error) { return ImageGrid("f", nil, [][]Image{{mapped}}) }, array.Float64,
			[]int{1, 90, 90, 1}},
		{func() (Figure, error) { return HeatMaps("f", []Matrix{double, double}) }, array.Float64, []int{2, 1, 2}},
		{func() (Figure, error) {
			return HeatMaps("f", []Matrix{{Rows: 1, Cols: 2, Data: []float64{.5, math.NaN()}}})
		}, array.Float32, []int{1, 1, 2}},
	} {
		f, err := c.draw()
		if err != nil {
			t.Fatal(err)
		}
		a, err := array.ReadNPY(filepath.Join(saved(t, f), "arrays", "f.npy"))
		if err != nil {
			t.Fatal(err)
		}
		if a.Type != c.want || !slices.Equal(a.Shape, c.shape) {
			t.Errorf("%v of shape %v, want %v of shape %v", a.Type, a.Shape, c.want, c.shape)
		}
	}
}

// If a figure cannot be redrawn, the error says why.
func TestRedrawErrors(t *testing.T) {
	t.Parallel()
	f, err := HeatMaps("f", []Matrix{{Rows: 1, Cols: 2, Data: []float64{1, 2}}})
	if err != nil {
		t.Fatal(err)
	}
	dir := saved(t, f)
	described := fromJSON(t, f)
	described.Description.Matrices[0].Rows = 2
	negative := fromJSON(t, f)
	negative.Description.Matrices = []Matrix{{Rows: -1, Cols: 1}, {Rows: 1, Cols: 3}}
	one, err := HeatMaps("f", []Matrix{{Rows: 1, Cols: 1, Data: []float64{1}}, {Rows: 1, Cols: 1, Data: []float64{2}}})
	if err != nil {
		t.Fatal(err)
	}
	unknown := fromJSON(t, f)
	unknown.Description.Chart = "pie"
	bare := fromJSON(t, f)
	bare.Description = nil
	for want, c := range map[string]struct {
		f   Figure
		dir string
	}{
		"no description":        {bare, dir},
		"chart is \"pie\"":      {unknown, dir},
		"want [1 2 2]":          {described, dir},
		"shape [-1 1]":          {negative, saved(t, one)},
		filepath.Join("arrays"): {fromJSON(t, f), t.TempDir()},
	} {
		if _, err := c.f.Redraw(c.dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	// Saving a figure whose array was not read keeps the existing file of the array.
	before, err := os.ReadFile(filepath.Join(dir, "arrays", "f.npy"))
	if err != nil {
		t.Fatal(err)
	}
	kept := fromJSON(t, f)
	kept.SVG = f.SVG
	p := Page{Title: "t", Sections: []Section{{Figures: []Figure{kept}}}}
	if _, err := p.Save(dir); err != nil {
		t.Fatal(err)
	}
	if after, err := os.ReadFile(filepath.Join(dir, "arrays", "f.npy")); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the array was changed, %v", err)
	}
}

func TestNumbersJSON(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{`["x"]`, `[[1]]`, `{}`, `[true]`} {
		if err := json.Unmarshal([]byte(bad), &Numbers{}); err == nil {
			t.Errorf("%s is read", bad)
		}
	}
	n := Numbers{1. / 3, math.NaN(), math.Inf(1), math.Inf(-1), 1e300}
	text, err := json.Marshal(n)
	if err != nil || string(text) != `[0.3333333333333333,null,"Infinity","-Infinity",1e+300]` {
		t.Fatalf("%s, %v", text, err)
	}
	var again Numbers
	if err := json.Unmarshal(text, &again); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		if again[i] != n[i] && !(math.IsNaN(again[i]) && math.IsNaN(n[i])) {
			t.Errorf("%v, not %v", again[i], n[i])
		}
	}
}
