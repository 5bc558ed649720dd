package report

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/csv"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The CSV beside a figure has the numbers that it shows, those of matrices with six digits and all others with all of
// theirs. Photographs have no CSV.
func TestNumbersOfCharts(t *testing.T) {
	third, nan := 1.0/3, math.NaN()
	for name, c := range map[string]struct {
		draw func() (Figure, error)
		want string
	}{
		"curves": {func() (Figure, error) {
			return LineChart("c", "", "", "", []Series{{Label: "a, b", X: []float64{0, 2}, Y: []float64{third, nan},
				Low: []float64{0, nan}, High: []float64{1, nan}}, {Label: "d", X: []float64{5}, Y: []float64{-1e-7}}})
		}, "series,x,y,low,high\n\"a, b\",0,0.3333333333333333,0,1\n\"a, b\",2,,,\nd,5,-1e-07,,\n"},
		"bars": {func() (Figure, error) {
			return BarChart("c", "", "", []string{"x", "y"},
				[]Bars{{"g", []float64{1, 2}, []float64{.5, nan}}, {Label: "h", Values: []float64{3, 4}}})
		}, "group,label,value,error\ng,x,1,0.5\ng,y,2,\nh,x,3,\nh,y,4,\n"},
		"layers": {func() (Figure, error) {
			return LayerChart("c", "", "", []LayerSeries{{Label: "s", Value: []float64{.9}, SE: []float64{.1},
				NullMean: []float64{.5}, NullSD: []float64{.2}}, {Label: "t", Value: []float64{1}}}, []string{"conv1"})
		}, "series,layer,value,se,null_mean,null_sd\ns,conv1,0.9,0.1,0.5,0.2\nt,conv1,1,,,\n"},
		"matrices": {func() (Figure, error) {
			return HeatMaps("c", []Matrix{{Title: "M", Rows: 1, Cols: 2, Data: []float64{third, nan}},
				{Title: "N", Rows: 1, Cols: 1, Data: []float64{-4}}})
		}, "matrix,row,column,block,value\nM,0,0,1,0.333333\nM,0,1,1,\nN,0,0,1,-4\n"},
		"pictures": {func() (Figure, error) {
			return ImageGrid("c", nil, [][]Image{{{Height: 2, Width: 1, Channels: 1, Pixels: []float64{0, .5},
				Caption: "v"}}, {{}, {Height: 1, Width: 1, Channels: 3, Pixels: []float64{.1, .2, .3}}}})
		}, "row,column,caption,y,x,channel,value\n0,0,v,0,0,0,0\n0,0,v,1,0,0,0.5\n1,1,,0,0,0,0.1\n1,1,,0,0,1,0.2\n" +
			"1,1,,0,0,2,0.3\n"},
		"photographs": {func() (Figure, error) { return ImageGrid("c", nil, [][]Image{{gradientImage(100)}}) }, ""},
	} {
		f, err := c.draw()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if diff := cmp.Diff(c.want, string(f.CSV)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// Matrices that are too large are written as means of blocks. The blocks cover each matrix completely, and their means,
// weighted by the sizes of the blocks, add up to the sum of its elements.
func TestNumbersOfLargeMatrices(t *testing.T) {
	m := Matrix{Title: "M", Rows: 301, Cols: 200, Data: make([]float64, 301*200)}
	sum := 0.0
	for i := range m.Data {
		m.Data[i] = math.Sin(float64(i))
		sum += m.Data[i]
	}
	lines, err := csv.NewReader(bytes.NewReader(heatNumbers(&Description{Matrices: []Matrix{m, m}}))).ReadAll()
	if err != nil || len(lines)-1 > maxNumbers {
		t.Fatalf("%d lines, %v", len(lines), err)
	}
	got, covered := 0.0, 0
	for _, l := range lines[1:] {
		number := func(j int) int { v, _ := strconv.Atoi(l[j]); return v }
		elements := min(number(3), m.Rows-number(1)) * min(number(3), m.Cols-number(2))
		v, err := strconv.ParseFloat(l[4], 64)
		if err != nil {
			t.Fatal(err)
		}
		got, covered = got+v*float64(elements), covered+elements
	}
	if covered != 2*len(m.Data) || math.Abs(got-2*sum) > 1e-2 || lines[1][3] != "2" {
		t.Errorf("blocks of %s cover %d of %d elements, which sum to %g, want %g", lines[1][3], covered, 2*len(m.Data),
			got, 2*sum)
	}
}

// TestPageOffersFiles checks that the page offers the numbers of a figure, if it has any, and the LaTeX that includes
// it, as files that a click saves.
func TestPageOffersFiles(t *testing.T) {
	p := &Page{Sections: []Section{{Figures: []Figure{{Name: "f", SVG: []byte(dotSVG), CSV: []byte("x\n1\n")},
		{Name: "g", SVG: []byte(dotSVG), Caption: "50 % of W₁", File: "runs/g"}}}}}
	page := writeHTML(t, p)
	want := `<a class="file" href="data:text/csv;charset=utf-8;base64,eAoxCg==" download="f.csv">CSV</a>`
	if strings.Count(page, want) != 1 || strings.Count(page, `class="file"`) != 3 {
		t.Errorf("no link %s in the page", want)
	}
	if got := p.Sections[0].Figures[1].LaTeX(); !strings.Contains(got, `{runs/g}`) ||
		!strings.Contains(got, `\caption{50 \% of W$_{1}$}`) {
		t.Errorf("LaTeX of a figure: %s", got)
	}
}

// TestNewFileView checks that the page contains a small file as it is, and a large one compressed without loss.
func TestNewFileView(t *testing.T) {
	small, err := newFileView("CSV", "a.csv", csvKind, []byte("x\n1\n"), true)
	if err != nil || small.Gzip != "" || small.URL != "data:text/csv;charset=utf-8;base64,eAoxCg==" {
		t.Errorf("%+v, %v", small, err)
	}
	content := strings.Repeat("0.12345,0.678\n", 1000)
	large, err := newFileView("CSV", "a.csv", csvKind, []byte(content), false)
	if err != nil || large.URL != "#" || len(large.Gzip) > len(content)/10 {
		t.Fatalf("%d bytes of %d, %v", len(large.Gzip), len(content), err)
	}
	r, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(
		strings.TrimSuffix(strings.TrimPrefix(string(large.Gzip), `data-gzip="`), `"`))))
	if err != nil {
		t.Fatal(err)
	}
	if back, err := io.ReadAll(r); err != nil || string(back) != content {
		t.Errorf("%d bytes came back, %v", len(back), err)
	}
}
