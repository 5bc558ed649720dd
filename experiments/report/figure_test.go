package report

import (
	"bytes"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/report/draw"
	"gonum.org/v1/plot/vg"
)

// chart makes a figure that has the text in every place for a text.
type chart func(name, text string) (Figure, error)

func charts() map[string]chart {
	nan, inf := math.NaN(), math.Inf(1)
	odd := []float64{0.5, nan, inf, -inf, 1e300, 0, 0.9, -0.2}
	index := []float64{0, 1, 2, nan, 4, 5, 6, 7}
	return map[string]chart{
		"layers": func(name, text string) (Figure, error) {
			return LayerChart(name, text, text, []LayerSeries{sampleSeries(text, 3, 0.1, 1),
				{Label: text, Value: []float64{0.1, 0.2, 0.3}}}, []string{text, text, text})
		},
		"layers with absent values": func(name, text string) (Figure, error) {
			return LayerChart(name, text, text, []LayerSeries{{text, odd, odd, odd, odd}, {text, odd, nil, nil, odd}},
				make([]string, 8))
		},
		"one layer": func(name, text string) (Figure, error) {
			return LayerChart(name, text, text, []LayerSeries{{Value: []float64{0.7}}}, []string{text})
		},
		"no layers": func(name, text string) (Figure, error) { return LayerChart(name, text, text, nil, nil) },
		"layers, no value": func(name, text string) (Figure, error) {
			return LayerChart(name, text, text, []LayerSeries{{Value: []float64{nan}}}, []string{text})
		},
		"160 layers": func(name, text string) (Figure, error) {
			return LayerChart(name, text, text, []LayerSeries{sampleSeries(text, 160, 0.1, 1),
				sampleSeries(text, 160, 0.1, 2)}, numbered("layer%d.conv", 160))
		},
		"matrices": func(name, text string) (Figure, error) {
			return HeatMaps(name, []Matrix{sampleMatrix(text, 27, 9, 1),
				{Title: text, Rows: 2, Cols: 4, Data: odd, Blocks: 1, RowNames: []string{text, "a"}},
				{Title: text, Rows: 1, Cols: 1, Data: []float64{0}}, {Title: text}})
		},
		"no matrices": func(name, text string) (Figure, error) { return HeatMaps(name, nil) },
		"large matrix": func(name, text string) (Figure, error) {
			return HeatMaps(name, []Matrix{sampleMatrix(text, 784, 28, 1)})
		},
		"images": func(name, text string) (Figure, error) {
			m := Image{Height: 2, Width: 4, Channels: 1, Pixels: odd, Caption: text}
			mapped := m
			mapped.Map = true
			return ImageGrid(name, []string{text, text}, [][]Image{{m, mapped, gradientImage(100)}, {},
				{{}, {Caption: text}}})
		},
		"no images": func(name, text string) (Figure, error) { return ImageGrid(name, nil, nil) },
		"lines": func(name, text string) (Figure, error) {
			return LineChart(name, text, text, text, []Series{{text, index, odd, odd, odd, true},
				{text, odd, index, nil, nil, false}, {}, {Label: text, X: []float64{3}, Y: []float64{3}}})
		},
		"no lines": func(name, text string) (Figure, error) { return LineChart(name, text, text, text, nil) },
		"one point": func(name, text string) (Figure, error) {
			return LineChart(name, text, text, text, []Series{{Label: text, X: []float64{0}, Y: []float64{1e-300}}})
		},
		"extremes": func(name, text string) (Figure, error) {
			return LineChart(name, text, text, text, []Series{{X: []float64{-1e150, 1e150},
				Y: []float64{1e150, -1e150}}})
		},
		"bars": func(name, text string) (Figure, error) {
			return BarChart(name, text, text, make([]string, 8), []Bars{{text, odd, odd}, {text, odd, nil}})
		},
		"no bars": func(name, text string) (Figure, error) { return BarChart(name, text, text, nil, nil) },
		"zero bar": func(name, text string) (Figure, error) {
			return BarChart(name, text, text, []string{text}, []Bars{{text, []float64{0}, nil}})
		},
	}
}

func TestChartsSound(t *testing.T) {
	t.Parallel()
	for name, make := range charts() {
		t.Run(name, func(t *testing.T) {
			f, err := make("stem", "Similarity of W − W₀")
			if err != nil {
				t.Fatal(err)
			}
			checkFigure(t, f)
		})
	}
}

// checkFigure checks what must hold for every figure.
func checkFigure(t *testing.T, f Figure) {
	t.Helper()
	if f.Name != "stem" || f.Alt == "" {
		t.Errorf("figure is named %q and described %q", f.Name, f.Alt)
	}
	if err := wellFormed(f.SVG); err != nil {
		t.Errorf("SVG: %v", err)
	}
	bare := regexp.MustCompile(`base64,[^'"]*`).ReplaceAll(f.SVG, nil) // pixels may spell anything
	if noNumber := regexp.MustCompile(`NaN|[+-]Inf`).Find(bare); noNumber != nil {
		t.Errorf("SVG has %q for a number", noNumber)
	}
	f = rendered(t, f, nil)
	img := decodePNG(t, f.PNG)
	size := img.Bounds().Size()
	width, height, err := draw.SVGSize(f.SVG)
	if ratio := float64(width*size.Y) / float64(height*size.X); err != nil || math.Abs(ratio-1) > .03 {
		t.Errorf("SVG of %d×%d (%v), PNG of %d×%d", width, height, err, size.X, size.Y)
	}
	if len(f.SVG) > 2<<20 || len(f.PNG) > 4<<20 || size.X > 2110 || size.Y > 8000 {
		t.Errorf("SVG of %d bytes, PNG of %d bytes, %d×%d", len(f.SVG), len(f.PNG), size.X, size.Y)
	}
}

// wellFormed returns an error unless data is well-formed XML.
func wellFormed(data []byte) error {
	d := xml.NewDecoder(bytes.NewReader(data))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

func TestChartsHostileText(t *testing.T) {
	t.Parallel()
	others := []string{"matrices", "images", "lines", "bars"}
	for i, text := range hostile() {
		for _, name := range []string{"layers", others[i%len(others)]} {
			f, err := charts()[name]("stem", text)
			if err != nil {
				t.Errorf("%s of %q: %v", name, text, err)
				continue
			}
			if err := wellFormed(f.SVG); err != nil {
				t.Errorf("%s of %q: %v", name, text, err)
			}
			for _, danger := range []string{"<script", "<img", "onerror=alert(1)>"} {
				if bytes.Contains(f.SVG, []byte(danger)) {
					t.Errorf("%s of %q: SVG has %s", name, text, danger)
				}
			}
		}
	}
}

func TestChartsDeterministic(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"layers", "matrices", "images", "lines", "bars"} {
		a, errA := charts()[name]("stem", "text")
		b, errB := charts()[name]("stem", "text")
		if errA != nil || errB != nil {
			t.Fatal(name, errA, errB)
		}
		a, b = rendered(t, a, nil), rendered(t, b, nil)
		if !bytes.Equal(a.SVG, b.SVG) || !bytes.Equal(a.PDF, b.PDF) || !bytes.Equal(a.PNG, b.PNG) || a.Alt != b.Alt {
			t.Errorf("%s differs from one time to the next", name)
		}
	}
}

func TestChartsConcurrent(t *testing.T) {
	done := make(chan error)
	for range 4 {
		go func() {
			_, err := charts()["layers"]("stem", "text")
			done <- err
		}()
	}
	for range 4 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

func TestChartsBadInput(t *testing.T) {
	two := []float64{1, 2}
	for _, c := range []struct {
		want string
		err  error
	}{
		{`layer chart "a/b": the name has '/' at byte 1`, second(LayerChart("a/b", "", "", nil, nil))},
		{`heat maps "": no name`, second(HeatMaps("", nil))},
		{`image grid "..": the name has '.' at byte 0`, second(ImageGrid("..", nil, nil))},
		{`line chart "é": the name has 'é' at byte 0`, second(LineChart("é", "", "", "", nil))},
		{`the name has 200 bytes`, second(BarChart(strings.Repeat("a", 200), "", "", nil, nil))},
		{`layer chart "f": series 1 ("s") has 2 values for 1 layers`,
			second(LayerChart("f", "", "", []LayerSeries{{Label: "s", Value: two}}, []string{"a"}))},
		{`series 1 (""): 1 errors or nulls for 2 layers`, second(LayerChart("f", "", "",
			[]LayerSeries{{Value: two, SE: two[:1]}}, []string{"a", "b"}))},
		{`9 series: want at most 8`, second(LayerChart("f", "", "", make([]LayerSeries, 9), nil))},
		{`401 layers: want at most 400`, second(LayerChart("f", "", "", nil, make([]string, 401)))},
		{`panel 1 ("m") has 2 elements for 2×2`, second(HeatMaps("f",
			[]Matrix{{Title: "m", Rows: 2, Cols: 2, Data: two}}))},
		{`panel 1 ("m") is -1×-2`, second(HeatMaps("f", []Matrix{{Title: "m", Rows: -1, Cols: -2, Data: two}}))},
		{`25 matrices: want at most 24`, second(HeatMaps("f", make([]Matrix, 25)))},
		{`row 1, column 1: an image of 2 channels`, second(ImageGrid("f", nil,
			[][]Image{{{Height: 1, Width: 1, Channels: 2, Pixels: two}}}))},
		{`row 2, column 1: an image of 2 values for 1×1×1`, second(ImageGrid("f", nil,
			[][]Image{{}, {{Height: 1, Width: 1, Channels: 1, Pixels: two}}}))},
		{`an image of -1×1`, second(ImageGrid("f", nil, [][]Image{{{Height: -1, Width: 1}}}))},
		{`image grid "f": 1 names for 2 rows`, second(ImageGrid("f", nil, make([][]Image, 2), "a"))},
		{`33 columns: want at most 32`, second(ImageGrid("f", make([]string, 33), nil))},
		{`51 rows: want at most 50`, second(ImageGrid("f", nil, make([][]Image, 51)))},
		{`series 1 ("s") has 0 values for 2 places`, second(LineChart("f", "", "", "",
			[]Series{{Label: "s", X: two}}))},
		{`series 1 ("s"): a band has 1 ends for 2 places`, second(LineChart("f", "", "", "",
			[]Series{{Label: "s", X: two, Y: two, Low: two[:1]}}))},
		{`65 curves: want at most 64`, second(LineChart("f", "", "", "", make([]Series, 65)))},
		{`bar chart "f": group 1 ("g") has 2 values for 0 labels`,
			second(BarChart("f", "", "", nil, []Bars{{Label: "g", Values: two}}))},
		{`group 1 ("g") has 1 errors for 2 labels`, second(BarChart("f", "", "", []string{"a", "b"},
			[]Bars{{Label: "g", Values: two, Errors: two[:1]}}))},
		{`9 groups: want at most 8`, second(BarChart("f", "", "", nil, make([]Bars, 9)))},
		{`401 labels: want at most 400`, second(BarChart("f", "", "", make([]string, 401), nil))},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) || !strings.HasPrefix(c.err.Error(), "report: ") {
			t.Errorf("error %v, want %s", c.err, c.want)
		}
	}
}

func second(_ Figure, err error) error { return err }

// rendered returns a figure with all its pictures.
func rendered(t testing.TB, f Figure, err error) Figure {
	t.Helper()
	if err == nil {
		f, err = f.Rendered()
	}
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// decodePNG returns the image of a PNG file.
func decodePNG(t *testing.T, data []byte) image.Image {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// colourAt returns the colour of a PNG at a point of the drawing, whose y
// grows upwards.
func colourAt(img image.Image, x, y vg.Length) color.NRGBA {
	px, py := int(x.Dots(draw.DPI)), img.Bounds().Dy()-1-int(y.Dots(draw.DPI))
	return color.NRGBAModel.Convert(img.At(px, py)).(color.NRGBA)
}

// embeddedImages returns the pictures within an SVG.
func embeddedImages(t *testing.T, svg []byte) []image.Image {
	t.Helper()
	var images []image.Image
	for _, part := range bytes.Split(svg, []byte("data:image/png;base64,"))[1:] {
		text, _, _ := bytes.Cut(part, []byte(`'`))
		data, err := base64.StdEncoding.DecodeString(string(text))
		if err != nil {
			t.Fatal(err)
		}
		images = append(images, decodePNG(t, data))
	}
	return images
}

// All series of a layer chart have different colours, whose shades for text are dark. After eight series the colours
// start again.
func TestSeriesColours(t *testing.T) {
	seen := make(map[color.NRGBA]bool)
	for i := range maxLayerSeries {
		c := draw.SeriesColour(i)
		if seen[c] {
			t.Errorf("colour %d is used before", i)
		}
		seen[c] = true
	}
	for i := range maxLayerSeries {
		if l := draw.Luminance(draw.Shade(draw.SeriesColour(i))); l > 0.18 {
			t.Errorf("text in colour %d has luminance %.2f", i, l)
		}
	}
	if draw.SeriesColour(8) != draw.SeriesColour(0) {
		t.Error("colours do not start again")
	}
}

// For narrow windows a page has a second drawing of each figure, in which the letters have the same size. A figure that
// is narrow anyway, or was not drawn here, has only one drawing.
func TestChartForPhones(t *testing.T) {
	chart, err := LineChart("a", "A curve", "step", "loss", []Series{{Label: "training", X: []float64{0, 1}, Y: []float64{1, 2}}})
	if err != nil {
		t.Fatal(err)
	}
	dot := Image{Width: 1, Height: 1, Channels: 1, Pixels: []float64{.5}}
	one, err := ImageGrid("b", nil, [][]Image{{dot}})
	if err != nil {
		t.Fatal(err)
	}
	many, err := ImageGrid("d", nil, [][]Image{slices.Repeat([]Image{dot}, 7)})
	if err != nil {
		t.Fatal(err)
	}
	page := writeHTML(t, &Page{Sections: []Section{{Figures: []Figure{chart, one, {Name: "c", SVG: []byte(dotSVG)}, many}}}})
	sources := regexp.MustCompile(`<picture><source media="([^"]*)" type="image/svg\+xml" srcset="[^"]*" width="(\d+)" `).
		FindAllStringSubmatch(page, -1)
	if len(sources) != 2 || sources[0][2] != "328" || sources[1][2] != "328" || !strings.Contains(sources[0][1], "screen and (max-width") {
		t.Errorf("drawings for phones: %.300q", sources)
	}
}
