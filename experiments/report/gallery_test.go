package report

import (
	"flag"
	"fmt"
	"image"
	_ "image/jpeg"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/ansatz-lab/ansatz/internal/chromium"
	xdraw "golang.org/x/image/draw"
)

// The gallery is a report of made-up but realistic results. Tests use it as
// their material; with -gallery DIR it is saved for people to look at, with
// screenshots of the page:
//
//	go test ./experiments/report -run Gallery -gallery /tmp/gallery

var galleryDir = flag.String("gallery", "", "folder to save the gallery to, with screenshots")

func TestGallery(t *testing.T) {
	if *galleryDir == "" {
		t.Skip("no -gallery folder to save to")
	}
	page := *gallery()
	for _, s := range page.Sections {
		page.Panels = append(page.Panels, s.Figures...)
	}
	path, err := page.Save(*galleryDir)
	if err != nil {
		t.Fatal(err)
	}
	b := chromium.Open(t)
	for _, view := range []struct {
		name          string
		width, height int
	}{
		{"phone", 390, 844}, {"tablet", 820, 1180}, {"desktop", 1440, 900},
	} {
		for _, scheme := range []string{"light", "dark"} {
			stem := filepath.Join(*galleryDir, "screenshots", view.name+"-"+scheme)
			b.Load("file://"+path, view.width, view.height, scheme)
			keep(t, stem+".png", b.Screenshot(false))
			keep(t, stem+"-page.png", b.Screenshot(true))
			b.Eval(`document.querySelector('.picture button').click()`, nil)
			keep(t, stem+"-dialog.png", b.Screenshot(false))
		}
	}
	b.Load("file://"+path, 680, 900, "dark")
	b.Print()
	keep(t, filepath.Join(*galleryDir, "screenshots", "print.png"), b.Screenshot(true))
}

func keep(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// gallery returns a report with every kind of figure and table. It is made
// once, for all tests, which must not change it.
var gallery = sync.OnceValue(func() *Page {
	layers := resnet20()
	before := sampleSeries("at initialisation", 19, 0.02, 1)
	after := sampleSeries("after training", 19, 0.15, 2)
	return &Page{
		Title: "Neural feature ansatz: ResNet-20 on CIFAR-10",
		Lead: "After training, most layers have a covariance that follows the average gradient outer product more " +
			"closely than chance would have it; the mean excess over the null is 0.15 ± 0.01. At initialisation " +
			"there is none.",
		Sections: []Section{
			{
				Heading: "Similarity by layer",
				Text: []string{
					"For every convolution, the covariance WᵀW of the filters is compared with the average gradient " +
						"outer product in " +
						"the patches that the layer reads. Much of the similarity is there for a random network too.",
					"What counts is therefore the excess over the null control, in which the alignment is destroyed " +
						"at random.",
				},
				Figures: []Figure{
					captioned(LayerChart("layers", "Most layers are above their null after training",
						"Pearson similarity of CNFM and AGOP",
						[]LayerSeries{before, after}, layers)),
					captioned(LayerChart("resnet50", "ResNet-50: all layers", "Pearson similarity of CNFM and AGOP",
						[]LayerSeries{sampleSeries("after training", 53, 0.2, 3)}, numbered("layer%d.conv", 53))),
					captioned(LayerChart("three", "A small network", "Pearson similarity of CNFM and AGOP",
						[]LayerSeries{sampleSeries("at initialisation", 3, 0, 4),
							sampleSeries("after training", 3, 0.2, 5)}, numbered("conv%d", 3))),
					captioned(LayerChart("three-series", "ResNet-20 with W − W₀", "Pearson similarity of CNFM and AGOP",
						[]LayerSeries{before, after, sampleSeries("with W − W₀", 19, 0.6, 6)}, layers)),
				},
				Tables: []Table{layerTable("layers", after, layers)},
				Facts: []Fact{{"Similarity", "Pearson, over all elements"}, {"Null", "100 random draws"},
					{"Centring", "none"}},
			},
			{
				Heading: "The matrices",
				Figures: []Figure{
					captioned(HeatMaps("matrices-27", []Matrix{sampleMatrix("CNFM", 27, 9, 0.01),
						sampleMatrix("AGOP", 27, 9, 3e-7)})),
					captioned(HeatMaps("matrices-147", []Matrix{
						sampleMatrix("CNFM", 147, 49, 0.01), sampleMatrix("AGOP", 147, 49, 1),
						sampleMatrix("AGOP, patches shuffled", 147, 49, 1)})),
					captioned(HeatMaps("matrices-784", []Matrix{sampleMatrix("CNFM", 784, 28, 0.01),
						sampleMatrix("AGOP", 784, 28, 1)})),
				},
			},
			{
				Heading: "What the matrices see",
				Figures: []Figure{
					captioned(ImageGrid("photographs", []string{"input image", "after √CNFM", "after √AGOP"},
						photographs(3))),
					captioned(ImageGrid("rings", nil, [][]Image{sampleRings(8), sampleRings(5)}, "one", "two of a kind")),
				},
			},
			{
				Heading: "Training and cost",
				Figures: []Figure{
					captioned(LineChart("training", "Similarity grows with training", "epoch",
						"mean Pearson similarity", sampleCurves())),
					captioned(BarChart("excess", "Mean excess over the null", "excess similarity",
						[]string{"ResNet-20", "VGG-11", "small CNN"},
						[]Bars{{"at initialisation", []float64{0.012, -0.02, 0.005}, []float64{0.01, 0.01, 0.01}},
							{"after training", []float64{0.15, 0.22, 0.31}, []float64{0.01, 0.02, 0.04}}})),
					captioned(LineChart("decades", "Error by width", "log2 of the width factor", "log₁₀ relative error",
						[]Series{{Label: "learned", X: []float64{-2, -1, 0, 1, 2, 3}, Y: []float64{-0.3, -1.2, -2, -2.9, -4, -5.1},
							Low:  []float64{-0.5, -1.4, -2.2, -3.1, -4.2, -5.3},
							High: []float64{-0.1, -1, -1.8, -2.7, -3.8, -4.9}},
							{Label: "fixed", X: []float64{-2, -1, 0, 1, 2, 3}, Y: []float64{0, -.1, -.3, -.5, -.6, -.7}}})),
					captioned(LineChart("tables", "Correlation over time", "log₁₀ ηT/width", "Pearson correlation",
						[]Series{{Label: "cat and dog", X: steps(0, 9), Y: steps(0.55, 0.99), Low: steps(0.5, 0.9), High: steps(0.6, 1.1)},
							{Label: "null", X: steps(0, 9), Y: steps(0.2, 0.25), Low: steps(0.1, 0.15), High: steps(0.3, 0.35)},
							{Label: "null, other", X: steps(0, 9), Y: steps(0.4, 0.4)},
							{Label: "paper (Table 3)", X: []float64{5, 5, 5}, Y: []float64{0.8, 0.81, 0.92}, Dots: true}})),
					captioned(LineChart("noise", "Accuracy by noise", "noise", "accuracy", []Series{noisy("CNN", 0.97),
						noisy("ConvRFM", 0.96), noisy("Laplace", 0.9), noisy("CNTK", 0.91), noisy("NTK", 0.92)})),
					captioned(BarChart("nulls", "Similarity by layer", "Pearson", numbered("layer%d.0.conv1", 6),
						[]Bars{{"trained", []float64{0.99, 0.95, 0.9, 0.8, 0.92, 0.97}, []float64{0.03, 0.03, 0.02, 0.1, 0.1, 0.2}},
							{"before training", []float64{0.5, 0.4, 0.6, 0.7, 0.65, 0.5}, nil},
							{"null, trained", []float64{0.8, 0.7, 0.6, 0.5, 0.4, 0.3}, []float64{0.03, 0.03, 0.02, 0.1, 0.1, 0.05}},
							{"null, before", []float64{0.5, 0.43, 0.5, 0.4, 0.3, 0.3}, nil},
							{"paper, trained", []float64{0.95, 0.9, math.NaN(), 0.9, 0.9, 0.88}, nil}})),
					captioned(BarChart("time", "Time by layer", "milliseconds", layers,
						[]Bars{{Values: sampleTimes(19)}})),
				},
				Tables: []Table{drawsTable(60, 12)},
			},
		},
		Provenance: []Fact{
			{"Version", "ansatz v0.1.0"}, {"Backend", "native (OpenBLAS 0.3.21)"}, {"Machine", "linux/amd64, 16 cores"},
			{"Data", "sha256:9b1e2f5a6c7d8e9f00112233445566778899aabbccddeeff0011223344556677"},
		},
	}
})

// captioned returns the figure with a caption. It panics on an error, because only the tests themselves can cause one.
func captioned(f Figure, err error) Figure {
	if err != nil {
		panic(err)
	}
	f.Caption = "A caption says what is shown, how it was measured and what to look for; this one stands in for all " +
		"of them."
	return f
}

func resnet20() []string {
	names := []string{"conv1"}
	for stage := 1; stage <= 3; stage++ {
		for block := range 3 {
			for conv := 1; conv <= 2; conv++ {
				names = append(names, fmt.Sprintf("layer%d.%d.conv%d", stage, block, conv))
			}
		}
	}
	return names
}

func numbered(format string, n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf(format, i+1)
	}
	return names
}

func random(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

// sampleSeries returns similarities that fall from layer to layer, as real ones do. They lie above their null by about
// excess, with noise.
func sampleSeries(label string, n int, excess float64, seed uint64) LayerSeries {
	r := random(seed)
	s := LayerSeries{Label: label}
	for i := range n {
		null := 0.93 - 0.4*float64(i)/float64(max(1, n-1)) + 0.03*r.NormFloat64() - max(0, excess-0.3)
		s.Value = append(s.Value, min(0.985, null+excess*(0.4+r.Float64())+0.02*r.NormFloat64()))
		s.SE = append(s.SE, 0.004+0.01*r.Float64())
		s.NullMean = append(s.NullMean, min(0.97, null))
		s.NullSD = append(s.NullSD, 0.004+0.015*r.Float64())
	}
	return s
}

func layerTable(name string, s LayerSeries, layers []string) Table {
	t := Table{
		Name: name, Caption: "Similarity by layer after training, and its excess over the null.",
		Columns: []Column{
			{Name: "layer"}, {Name: "filters"}, {Name: "r", Help: "Pearson similarity of CNFM and AGOP", Numeric: true},
			{Name: "s.e.", Help: "standard error of r over images", Numeric: true},
			{Name: "null", Help: "mean r with the alignment destroyed", Numeric: true},
			{Name: "s.d.", Help: "standard deviation of the null", Numeric: true},
			{Name: "excess", Help: "r less the null; ✓ if clear of it", Numeric: true},
		},
	}
	for i, layer := range layers {
		m := s.mark(i)
		mark := Bad
		if m.above() {
			mark = Good
		}
		t.Rows = append(t.Rows, []Cell{
			{Text: layer}, {Text: "16×16×3×3", Mark: Muted}, decimal(m.value), decimal(m.se), decimal(m.null),
			decimal(m.sd),
			{Text: fmt.Sprintf("%.3f", m.value-m.null), Value: m.value - m.null, Mark: mark},
		})
	}
	return t
}

func decimal(v float64) Cell { return Cell{Text: fmt.Sprintf("%.3f", v), Value: v} }

func drawsTable(rows, columns int) Table {
	r := random(7)
	t := Table{Name: "draws", Caption: "Single draws of the null.", Columns: []Column{{Name: "layer"}}}
	for j := range columns {
		t.Columns = append(t.Columns, Column{Name: fmt.Sprintf("draw %d", j+1), Numeric: true})
	}
	for _, name := range numbered("block%d.conv1", rows) {
		row := []Cell{{Text: name}}
		for range columns {
			row = append(row, decimal(0.6+0.1*r.NormFloat64()))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// sampleMatrix returns a symmetric matrix of low rank, whose neighbouring rows are correlated like pixels.
func sampleMatrix(title string, n, block int, scale float64) Matrix {
	r := random(uint64(n) + uint64(len(title)))
	const rank = 5
	w := make([]float64, n*rank)
	for i := range w {
		w[i] = r.NormFloat64()
		if i >= rank {
			w[i] = 0.8*w[i-rank] + 0.6*w[i]
		}
	}
	m := Matrix{Title: title, Rows: n, Cols: n, Blocks: block, Data: make([]float64, n*n)}
	for i := range n {
		for j := range n {
			for k := range rank {
				m.Data[i*n+j] += scale * w[i*rank+k] * w[j*rank+k]
			}
		}
	}
	return m
}

func sampleCurves() []Series {
	r := random(8)
	series := make([]Series, 3)
	for k, label := range []string{"after training", "null control", "with W − W₀"} {
		series[k].Label = label
		for i := range 61 {
			x := float64(i)
			y := []float64{0.95, 0.62, 0.9}[k] - []float64{0.43, 0.1, 0.8}[k]*math.Exp(-x/14) + 0.006*r.NormFloat64()
			series[k].X, series[k].Y = append(series[k].X, x), append(series[k].Y, y)
			series[k].Low, series[k].High = append(series[k].Low, y-0.03), append(series[k].High, y+0.03)
		}
	}
	return series
}

func sampleTimes(n int) []float64 {
	r := random(9)
	times := make([]float64, n)
	for i := range times {
		times[i] = math.Abs(100 * r.NormFloat64())
	}
	return times
}

func sampleRings(n int) []Image {
	var images []Image
	for k := range n {
		m := Image{Height: 28, Width: 28, Channels: 1, Map: k%2 == 1, Caption: fmt.Sprintf("radius %d", k+3)}
		for i := range 28 * 28 {
			off := math.Hypot(float64(i%28)-13.5, float64(i/28)-13.5) - float64(k+3)
			m.Pixels = append(m.Pixels, math.Exp(-off*off/6))
		}
		images = append(images, m)
	}
	return images
}

// photographs returns n rows of three pictures: one, and two that stand for the results of applying matrices to it. If
// the project's photographs are missing, it uses gradients.
func photographs(n int) [][]Image {
	paths, _ := filepath.Glob("/work/shared/data/photos/*.jpg") // a well-formed pattern: no error
	var rows [][]Image
	for i := range n {
		m := gradientImage(224)
		if i < len(paths) {
			m = photograph(paths[i], 224)
		}
		left, right := mapped(m, 1), mapped(m, 8)
		right.Map = true
		rows = append(rows, []Image{m, left, right})
	}
	return rows
}

// photograph reads a picture and scales it to a square. It panics if the picture cannot be read.
func photograph(path string, side int) Image {
	f, err := os.Open(path)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	src, _, err := image.Decode(f)
	if err != nil {
		panic(err)
	}
	dst := image.NewRGBA(image.Rect(0, 0, side, side))
	xdraw.CatmullRom.Scale(dst, dst.Bounds(), src, src.Bounds(), xdraw.Src, nil)
	m := Image{Height: side, Width: side, Channels: 3, Caption: filepath.Base(path)}
	for i := 0; i < len(dst.Pix); i += 4 {
		for _, v := range dst.Pix[i : i+3] {
			m.Pixels = append(m.Pixels, float64(v)/255)
		}
	}
	return m
}

func gradientImage(side int) Image {
	m := Image{Height: side, Width: side, Channels: 3, Caption: "gradient"}
	for i := range side * side {
		x, y := float64(i%side)/float64(side), float64(i/side)/float64(side)
		m.Pixels = append(m.Pixels, x, y, 1-x)
	}
	return m
}

// mapped returns a grey image of the differences between each pixel and the one that is the given number of rows and
// columns away.
func mapped(m Image, apart int) Image {
	out := Image{Height: m.Height, Width: m.Width, Channels: 1, Caption: fmt.Sprintf("differences over %d px", apart)}
	n := m.Height * m.Width
	for i := range n {
		j := min(i+apart*(m.Width+1), n-1)
		out.Pixels = append(out.Pixels, 3*math.Abs(m.Pixels[3*i+1]-m.Pixels[3*j+1]))
	}
	return out
}

// steps returns ten numbers from lo to hi.
func steps(lo, hi float64) []float64 {
	var x []float64
	for i := range 10 {
		x = append(x, lo+(hi-lo)*float64(i)/9)
	}
	return x
}

// noisy returns accuracies at four levels of noise, with their spread.
func noisy(label string, from float64) Series {
	s := Series{Label: label}
	for i := range 4 {
		y := from - 0.06*float64(i*i)
		s.X, s.Y = append(s.X, float64(i)*0.1), append(s.Y, y)
		s.Low, s.High = append(s.Low, y-0.03), append(s.High, y+0.05)
	}
	return s
}
