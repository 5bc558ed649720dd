package verify

import (
	"context"
	"fmt"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/similarity"
	"github.com/ansatz-lab/ansatz/rfm/responses"
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
	if err := r.AddPictures(ctx); err != nil {
		return "", err
	}
	return record.SaveRecord(dir, r)
}

// AddPictures draws the feature matrices of the first layer, and images as some layers see them.
func (r *Verified) AddPictures(ctx context.Context) error {
	first, err := r.of.firstLayerFigures(r.Result)
	if err != nil {
		return err
	}
	seen, err := r.of.responsesFigure(ctx, r.Result)
	if seen != nil {
		first = append(first, *seen)
	}
	r.page.Figures = first
	if err == nil {
		r.page.Explorer, err = r.of.explore(ctx, r.Result)
	}
	return err
}

// largestPicture is the largest d×d matrix that is drawn.
const largestPicture = 784

// firstLayerFigures draws the matrices of the first layer and their eigenvectors. It returns no figures if the layer
// was not measured or is too large.
func (v *Verification) firstLayerFigures(r *cnfa.Verification) ([]report.Figure, error) {
	if len(r.Layers) == 0 || r.Layers[0].Name != v.Net.Layers()[0].Name || r.Layers[0].Err != nil {
		return nil, nil
	}
	l := r.Layers[0]
	if l.PatchSize() > largestPicture {
		return nil, nil
	}
	w := v.Net.Filters(l.Name)
	panels := []report.Matrix{LayerPanel("CNFM, WᵀW", cnfa.CNFM(w), l), LayerPanel("AGOP, WᵀSW", l.AGOP(w), l)}
	caption := fmt.Sprintf("Feature matrices of %s, %d×%d, rows and columns in the order (channel, row, column).",
		l.Name, l.PatchSize(), l.PatchSize())
	if w0 := v.Options.Initial; w0 != nil {
		initial := LayerPanel("CNFM, initial", cnfa.CNFM(w0.Filters(l.Name)), l)
		panels = append([]report.Matrix{initial}, panels...)
		caption += fmt.Sprintf(" The initial one is of %s.", v.Conv.Init)
	}
	heat, err := report.HeatMaps(firstLayerName, panels)
	if err != nil {
		return nil, err
	}
	heat.Caption = caption
	vectors, err := eigenvectorFigure(l, w)
	return []report.Figure{heat, vectors}, err
}

// LayerPanel is a feature matrix of a layer as a panel of [report.HeatMaps], with a line
// between channels.
func LayerPanel(title string, m *mat.SymDense, l cnfa.LayerResult) report.Matrix {
	p := record.MatrixPanel(title, m)
	if len(l.Patch) == 3 && l.Patch[0] > 1 {
		p.Blocks = l.Patch[1] * l.Patch[2]
	}
	return p
}

// eigenvectorFigure draws the top eigenvectors of both matrices as patches.
func eigenvectorFigure(l cnfa.LayerResult, w *mat.Dense) (report.Figure, error) {
	cnfm, err := cnfa.CNFMFeatures(w, record.ShownVectors)
	if err != nil {
		return report.Figure{}, err
	}
	agop, err := l.AGOPFeatures(w, record.ShownVectors)
	if err != nil {
		return report.Figure{}, err
	}
	var rows [][]report.Image
	columns := []string{}
	for _, features := range []*cnfa.Features{cnfm, agop} {
		var row []report.Image
		shown, _ := features.Vectors.Dims()
		for i := range shown {
			img := record.PatchImage(features.Vectors.RawRowView(i), l.Patch)
			img.Caption = fmt.Sprintf("λ = %.3g", features.Values[i])
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
	f, err := report.ImageGrid(eigenvectorsName, columns, rows, "CNFM", "AGOP")
	f.Caption = "The leading eigenvectors of either matrix as patches, each scaled to its own range; mid-grey is 0."
	f.Alt = "Leading eigenvectors of the CNFM and of the AGOP of the first layer, drawn as patches"
	return f, err
}

// responsesFigure shows images transformed by M^½ of a few convolutions; nil if the network has none.
func (v *Verification) responsesFigure(ctx context.Context, r *cnfa.Verification) (*report.Figure, error) {
	layers := convolutions(r)
	n := min(record.ShownImages, r.Images)
	if len(layers) == 0 {
		return nil, nil
	}
	raw, px, err := similarity.FirstImages(ctx, v.Source.Loader, n)
	if err != nil {
		return nil, err
	}
	columns, rows := []string{"image"}, make([][]report.Image, n)
	for i := range rows {
		rows[i] = []report.Image{raw[i]}
	}
	for _, l := range layers {
		seen, err := cnfa.Responses(ctx, v.Net, l, px)
		if err != nil {
			return nil, err
		}
		columns = append(columns, l.Name+", CNFM", l.Name+", AGOP")
		for i, s := range seen {
			for _, values := range [][]float64{s.CNFM, s.AGOP} {
				rows[i] = append(rows[i],
					record.ResponseImage(responses.Map{Height: s.Height, Width: s.Width, Values: values}))
			}
		}
	}
	f, err := report.ImageGrid(responsesName, columns, rows)
	if err != nil {
		return nil, err
	}
	f.Caption = "Images, and at every position the norm ‖M^½h‖ of the patch h that the layer reads there, for M the " +
		"CNFM and the AGOP; each picture is scaled to its own range."
	f.Alt = "Images beside the responses of some layers' feature matrices to them"
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
	if len(all) <= record.ShownLayers {
		return all
	}
	var chosen []cnfa.LayerResult
	for i := range record.ShownLayers {
		chosen = append(chosen, all[i*(len(all)-1)/(record.ShownLayers-1)])
	}
	return chosen
}
