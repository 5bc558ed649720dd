package experiments

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/rfm"
)

// patchFigures draws a metric of patches of q×q of images of so many channels: its
// first eigenvectors as patches, and images beside ‖M^½h‖ and ‖Mh‖ of their
// patches h. Figures are named NAME-eigenvectors and NAME-responses; without
// images there is only the first.
func patchFigures(ctx context.Context, name string, m *rfm.Metric, channels, q int, x rfm.Images) ([]report.Figure, error) {
	vectors, err := eigenpatchFigure(name+"-eigenvectors", []string{""}, []*rfm.Metric{m}, channels, []int{q})
	if err != nil || x.Len() == 0 {
		return []report.Figure{vectors}, err
	}
	responses, err := responseFigure(ctx, name+"-responses", m, q, x)
	return []report.Figure{vectors, responses}, err
}

// eigenpatchFigure draws the first eigenvectors of metrics, a row each.
func eigenpatchFigure(name string, titles []string, metrics []*rfm.Metric, channels int, sides []int) (report.Figure, error) {
	var rows [][]report.Image
	for k, m := range metrics {
		all, err := eigenpatches(m.Dense(), sides[k], shownVectors)
		if err != nil {
			return report.Figure{}, err
		}
		var row []report.Image
		for i, e := range all {
			img := eigenpatchImage(e.vector, channels, sides[k])
			img.Caption = fmt.Sprintf("%.1f %%", 100*e.share)
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

// eigenpatchImage draws an eigenvector: in colour of three channels, in grey of
// one, and of others the norm over them in a colour map.
func eigenpatchImage(v []float64, channels, q int) report.Image {
	if channels == 1 || channels == 3 {
		return patchImage(v, []int{channels, q, q})
	}
	img := report.Image{Height: q, Width: q, Channels: 1, Pixels: make([]float64, q*q), Map: true}
	for i, x := range v {
		img.Pixels[i%(q*q)] += x * x
	}
	most := slices.Max(img.Pixels)
	for i := range img.Pixels {
		img.Pixels[i] = math.Sqrt(img.Pixels[i] / most)
	}
	return img
}

// responseFigure draws images beside what a metric sees in them.
func responseFigure(ctx context.Context, name string, m *rfm.Metric, q int, x rfm.Images) (report.Figure, error) {
	x = x.Slice(0, min(x.Len(), shownImages))
	rows := make([][]report.Image, x.Len())
	for i := range rows {
		rows[i] = []report.Image{exampleImage(x, i)}
	}
	for _, whole := range []bool{false, true} {
		all, err := m.Responses(ctx, x, rfm.ResponseOptions{Whole: whole, Pad: q%2 == 1})
		if err != nil {
			return report.Figure{}, err
		}
		for i, r := range all {
			rows[i] = append(rows[i], seenImage(r))
		}
	}
	f, err := report.ImageGrid(name, []string{"image", "‖M^½h‖", "‖Mh‖"}, rows)
	f.Caption = "Images, and at every position the norms ‖M^½h‖ and ‖Mh‖ of the patch h there (zeros around the image); each picture is scaled to its own range."
	f.Alt = "Images beside what a feature matrix sees in them"
	return f, err
}

// exampleImage draws an image: as it is where it lies between 0 and 1, else scaled
// to its own range; of other than one or three channels the norm over them.
func exampleImage(x rfm.Images, i int) report.Image {
	img := report.Image{Height: x.Height, Width: x.Width, Channels: x.Channels}
	if x.Channels != 1 && x.Channels != 3 {
		img.Channels, img.Map = 1, true
	}
	px := x.Image(i)
	for k := 0; k < len(px); k += x.Channels / img.Channels {
		v := float64(px[k])
		if img.Map {
			v = 0
			for _, p := range px[k : k+x.Channels] {
				v = math.Hypot(v, float64(p))
			}
		}
		img.Pixels = append(img.Pixels, v)
	}
	if lo, hi := slices.Min(img.Pixels), slices.Max(img.Pixels); lo < 0 || hi > 1 {
		toRange(img.Pixels)
	}
	return img
}

// seenImage draws a response, scaled to its own range.
func seenImage(r rfm.Response) report.Image {
	img := report.Image{Height: r.Height, Width: r.Width, Channels: 1, Pixels: slices.Clone(r.Values)}
	toRange(img.Pixels)
	return img
}

// toRange scales numbers to lie between 0 and 1; equal ones become 0.
func toRange(v []float64) {
	lo, hi := slices.Min(v), slices.Max(v)
	for i := range v {
		v[i] = (v[i] - lo) / math.Max(hi-lo, math.SmallestNonzeroFloat64)
	}
}
