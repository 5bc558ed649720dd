package kernelmachine

import (
	"context"
	"fmt"

	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/rfm"
)

// patchFigures draws a metric of patches of q×q of images of so many channels: its
// first eigenvectors as patches, and images beside ‖M^½h‖ and ‖Mh‖ of their
// patches h. Figures are named NAME-eigenvectors and NAME-responses; without
// images there is only the first.
func patchFigures(ctx context.Context, name string, m *rfm.Metric, channels, q int, x rfm.Images) ([]report.Figure, error) {
	vectors, err := EigenpatchFigure(name+"-eigenvectors", []string{""}, []*rfm.Metric{m}, channels, []int{q})
	if err != nil || x.Len() == 0 {
		return []report.Figure{vectors}, err
	}
	responses, err := responseFigure(ctx, name+"-responses", m, q, x)
	return []report.Figure{vectors, responses}, err
}

// EigenpatchFigure draws the first eigenvectors of metrics, a row each.
func EigenpatchFigure(name string, titles []string, metrics []*rfm.Metric, channels int, sides []int) (report.Figure, error) {
	var rows [][]report.Image
	for k, m := range metrics {
		all, err := Eigenpatches(m.Dense(), sides[k], record.ShownVectors)
		if err != nil {
			return report.Figure{}, err
		}
		var row []report.Image
		for i, e := range all {
			img := record.EigenpatchImage(e.Vector, channels, sides[k])
			img.Caption = fmt.Sprintf("%.1f %%", 100*e.Share)
			if i == 0 && titles[k] != "" {
				img.Caption = titles[k] + ": " + img.Caption
			}
			row = append(row, img)
		}
		rows = append(rows, row)
	}
	f, err := report.ImageGrid(name, nil, rows)
	f.Caption = "The first eigenvectors as patches, with their shares of the trace. Each is scaled to its own range; mid-grey is 0, and the largest element is positive."
	if channels != 1 && channels != 3 {
		f.Caption = "The first eigenvectors as patches, with their shares of the trace: at every place the norm over the channels, scaled to its own range."
	}
	f.Alt = "Eigenvectors of feature matrices, drawn as patches"
	f.Wide = true
	return f, err
}

// responseFigure draws images beside what a metric sees in them.
func responseFigure(ctx context.Context, name string, m *rfm.Metric, q int, x rfm.Images) (report.Figure, error) {
	x = x.Slice(0, min(x.Len(), record.ShownImages))
	rows := make([][]report.Image, x.Len())
	for i := range rows {
		rows[i] = []report.Image{record.ExampleImage(x, i)}
	}
	for _, whole := range []bool{false, true} {
		all, err := m.Responses(ctx, x, rfm.ResponseOptions{Whole: whole, Pad: q%2 == 1})
		if err != nil {
			return report.Figure{}, err
		}
		for i, r := range all {
			rows[i] = append(rows[i], record.ResponseImage(r))
		}
	}
	f, err := report.ImageGrid(name, []string{"image", "‖M^½h‖", "‖Mh‖"}, rows)
	f.Caption = "Images, and at every position the norms ‖M^½h‖ and ‖Mh‖ of the patch h there (zeros around the image); each picture is scaled to its own range."
	f.Alt = "Images beside what a feature matrix sees in them"
	return f, err
}
