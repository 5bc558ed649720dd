package experiments

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"gonum.org/v1/gonum/mat"
)

// The figures of a verification that show the network and images.
const (
	firstLayerName   = "first-layer"
	eigenvectorsName = "first-layer-eigenvectors"
	responsesName    = "responses"
)

// Save writes the report into a folder: report.html, its figures and tables, and
// record.json with what they show. It returns the path of the report.
func (r *Verified) Save(ctx context.Context, dir string) (string, error) {
	if err := r.addPictures(ctx); err != nil {
		return "", err
	}
	return saveRecord(dir, r)
}

// addPictures adds those of the first layer, and of images as some layers see them.
func (r *Verified) addPictures(ctx context.Context) error {
	first, err := r.of.firstLayerFigures(r.result)
	if err != nil {
		return err
	}
	seen, err := r.of.responsesFigure(ctx, r.result)
	if seen != nil {
		first = append(first, *seen)
	}
	r.page.Figures = first
	return err
}

// largestPicture is the largest d×d matrix that is drawn.
const largestPicture = 784

// firstLayerFigures show the matrices of the first layer and their eigenvectors; there
// are none if the layer is not among the results or too large.
func (v *Verification) firstLayerFigures(r *cnfa.Verification) ([]report.Figure, error) {
	if len(r.Layers) == 0 || r.Layers[0].Name != v.net.Layers()[0].Name || r.Layers[0].Err != nil {
		return nil, nil
	}
	l := r.Layers[0]
	if l.PatchSize() > largestPicture {
		return nil, nil
	}
	w := v.net.Filters(l.Name)
	panels := []report.Matrix{matrixPanel("CNFM, WᵀW", cnfa.CNFM(w), l), matrixPanel("AGOP, WᵀSW", l.AGOP(w), l)}
	if v.initial != nil {
		initial := matrixPanel("CNFM, initial", cnfa.CNFM(v.initial.Filters(l.Name)), l)
		panels = append([]report.Matrix{initial}, panels...)
	}
	heat, err := report.HeatMaps(firstLayerName, panels)
	if err != nil {
		return nil, err
	}
	heat.Caption = fmt.Sprintf("Feature matrices of %s, %d×%d, rows and columns in the order (channel, row, column). The initial one is of %s.",
		l.Name, l.PatchSize(), l.PatchSize(), v.conv.Init)
	vectors, err := eigenvectorFigure(l, w)
	return []report.Figure{heat, vectors}, err
}

func matrixPanel(title string, m *mat.SymDense, l cnfa.LayerResult) report.Matrix {
	d := m.SymmetricDim()
	p := report.Matrix{Title: title, Rows: d, Cols: d, Data: make([]float64, 0, d*d)}
	if len(l.Patch) == 3 && l.Patch[0] > 1 {
		p.Blocks = l.Patch[1] * l.Patch[2]
	}
	for i := range d {
		for j := range d {
			p.Data = append(p.Data, m.At(i, j))
		}
	}
	return p
}

// shownVectors is how many eigenvectors are drawn.
const shownVectors = 8

// eigenvectorFigure draws the top eigenvectors of both matrices as patches.
func eigenvectorFigure(l cnfa.LayerResult, w *mat.Dense) (report.Figure, error) {
	b, err := l.AGOPFactor(w)
	if err != nil {
		return report.Figure{}, err
	}
	var rows [][]report.Image
	columns := []string{}
	for _, m := range []struct {
		name   string
		factor *mat.Dense
	}{{"CNFM", w}, {"AGOP", b}} {
		values, vectors, err := cnfa.Eigenvectors(m.factor, shownVectors)
		if err != nil {
			return report.Figure{}, err
		}
		var row []report.Image
		for i, v := range values {
			img := patchImage(vectors.RawRowView(i), l.Patch)
			img.Caption = fmt.Sprintf("%s, λ = %.3g", m.name, v)
			row = append(row, img)
		}
		rows = append(rows, row)
		for len(columns) < len(row) {
			columns = append(columns, fmt.Sprint(len(columns)+1))
		}
	}
	for i := range rows {
		for len(rows[i]) < len(columns) {
			rows[i] = append(rows[i], report.Image{})
		}
	}
	f, err := report.ImageGrid(eigenvectorsName, columns, rows)
	f.Caption = "The leading eigenvectors of either matrix as patches, each scaled to its own range; mid-grey is 0."
	f.Alt = "Leading eigenvectors of the CNFM and of the AGOP of the first layer, drawn as patches"
	return f, err
}

// patchImage scales a patch, (channel, row, column), to a picture whose
// mid-grey is 0. Patches of other than 1 or 3 channels show their mean over
// channels; features show as one row.
func patchImage(v []float64, patch []int) report.Image {
	c, h, w := 1, 1, len(v)
	if len(patch) == 3 {
		c, h, w = patch[0], patch[1], patch[2]
	} else if side := int(math.Round(math.Sqrt(float64(len(v))))); side*side == len(v) {
		h, w = side, side
	}
	img := report.Image{Height: h, Width: w, Channels: c}
	if c != 1 && c != 3 {
		img.Channels = 1
	}
	top := 0.
	for _, x := range v {
		top = math.Max(top, math.Abs(x))
	}
	for p := range h * w {
		for k := range img.Channels {
			x := v[k*h*w+p]
			if img.Channels != c {
				x = 0
				for q := range c {
					x += v[q*h*w+p] / float64(c)
				}
			}
			img.Pixels = append(img.Pixels, .5+.5*x/top)
		}
	}
	return img
}

const (
	shownImages = 4
	shownLayers = 3
)

// responsesFigure shows images through M^½ of a few convolutions; nil without any.
func (v *Verification) responsesFigure(ctx context.Context, r *cnfa.Verification) (*report.Figure, error) {
	layers := convolutions(r)
	n := min(shownImages, r.Images)
	if len(layers) == 0 {
		return nil, nil
	}
	raw, px, err := v.firstImages(ctx, n)
	if err != nil {
		return nil, err
	}
	columns, rows := []string{"image"}, make([][]report.Image, n)
	for i := range rows {
		rows[i] = []report.Image{raw[i]}
	}
	for _, l := range layers {
		responses, err := cnfa.Responses(ctx, v.net, l, px)
		if err != nil {
			return nil, err
		}
		columns = append(columns, l.Name+", CNFM", l.Name+", AGOP")
		for i, s := range responses {
			rows[i] = append(rows[i], responseImage(s.CNFM, s), responseImage(s.AGOP, s))
		}
	}
	f, err := report.ImageGrid(responsesName, columns, rows)
	if err != nil {
		return nil, err
	}
	f.Caption = "Images, and at every position the norm ‖M^½h‖ of the patch h that the layer reads there, for M the CNFM and the AGOP; each picture is scaled to its own range."
	f.Alt = "Images beside what the feature matrices of some layers respond to in them"
	f.Wide = true
	return &f, nil
}

// convolutions chooses the first, the last and a middle convolution.
func convolutions(r *cnfa.Verification) []cnfa.LayerResult {
	var all []cnfa.LayerResult
	for _, l := range r.Layers {
		if l.Kind == "conv" && l.Err == nil {
			all = append(all, l)
		}
	}
	if len(all) <= shownLayers {
		return all
	}
	var chosen []cnfa.LayerResult
	for i := range shownLayers {
		chosen = append(chosen, all[i*(len(all)-1)/(shownLayers-1)])
	}
	return chosen
}

// firstImages returns the first n images as they are and as the network reads them.
func (v *Verification) firstImages(ctx context.Context, n int) (raw []report.Image, px []float32, err error) {
	s := v.source.set.Shape()
	px = make([]float32, n*s.Pixels())
	labels := make([]int, n)
	for i := range n {
		one := px[i*s.Pixels() : (i+1)*s.Pixels()]
		if _, err := v.source.set.Read(i, one); err != nil {
			return nil, nil, err
		}
		img := report.Image{Height: s.Height, Width: s.Width, Channels: s.Channels}
		for _, x := range one {
			img.Pixels = append(img.Pixels, float64(x))
		}
		raw = append(raw, img)
	}
	return raw, px, v.source.loader.Load(ctx, 0, n, px, labels)
}

func responseImage(v []float64, s cnfa.Response) report.Image {
	img := report.Image{Height: s.Height, Width: s.Width, Channels: 1, Pixels: slices.Clone(v)}
	lo, hi := slices.Min(v), slices.Max(v)
	for i := range img.Pixels {
		img.Pixels[i] = (img.Pixels[i] - lo) / math.Max(hi-lo, math.SmallestNonzeroFloat64)
	}
	return img
}
