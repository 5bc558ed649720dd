package report

import (
	"slices"
	"testing"
)

// shade returns a picture of one grey pixel.
func shade(v float64) Image { return Image{Height: 1, Width: 1, Channels: 1, Pixels: []float64{v}} }

func TestRepeats(t *testing.T) {
	grid := func(rows []string, shades ...float64) Figure {
		var images [][]Image
		for _, v := range shades {
			images = append(images, []Image{shade(v)})
		}
		f, err := ImageGrid("grid", nil, images, rows...)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	heat := func(v float64) Figure {
		f, err := HeatMaps("heat", []Matrix{{Title: "M", Rows: 1, Cols: 1, Data: []float64{v}}, {Title: "I", Rows: 1, Cols: 1,
			Data: []float64{1}}})
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	names := []string{"seed 3", "seed 4"}
	for _, c := range []struct {
		of   []Figure
		want []string // names of rows, or titles
	}{
		{[]Figure{grid([]string{"a", "b"}, 0, 1), grid([]string{"a", "b"}, .5, 1)}, []string{"a, seed 3", "a, seed 4", "b"}},
		{[]Figure{grid([]string{"a", "a"}, 0, 1), grid([]string{"a", "a"}, 1, 0)},
			[]string{"a, seed 3", "a, seed 3", "a, seed 4", "a, seed 4"}},
		{[]Figure{grid(nil, 0, .2, 1), grid(nil, .5, .2, 0)}, []string{"", "seed 3", "seed 3", "seed 4", "seed 4"}},
		{[]Figure{grid(nil, 0), grid(nil, 0)}, nil},
		{[]Figure{grid(nil, 0), grid(nil, 0, 1)}, nil}, // different numbers of rows
		{[]Figure{heat(1), heat(2)}, []string{"M, seed 3", "M, seed 4", "I"}},
	} {
		f, err := Repeats(c.of, names)
		if err != nil {
			t.Fatal(err)
		}
		got := f.Description.Rows
		for _, m := range f.Description.Matrices {
			got = append(got, m.Title)
		}
		if !slices.Equal(got, c.want) || !f.Drawable() {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	if f, err := Repeats([]Figure{{Name: "old"}, {Name: "old"}}, names); err != nil || f.Name != "old" {
		t.Errorf("figures without descriptions: %q, %v", f.Name, err)
	}
	many := grid(nil, make([]float64, mostRepeatedRows)...)
	other := grid(nil, append(make([]float64, mostRepeatedRows-1), 1)...)
	if f, err := Repeats([]Figure{many, other}, names); err != nil || len(f.Description.Images) != mostRepeatedRows {
		t.Errorf("more rows than are shown: %d rows, %v", len(f.Description.Images), err)
	}
}
