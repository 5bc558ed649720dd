package record

import (
	"math"
	"slices"
	"strconv"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/linalg"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/rfm"
	"github.com/ansatz-lab/ansatz/rfm/responses"
	"gonum.org/v1/gonum/mat"
)

// DatasetImage draws pixels in [0, 1] unchanged. If some are negative, as in normalised images, it scales them so that
// 0 is grey.
func DatasetImage(px []float32, s data.Shape) report.Image {
	img := report.Image{Height: s.Height, Width: s.Width, Channels: s.Channels}
	lo, hi := 0., 1.
	if slices.Min(px) < 0 {
		hi = float64(max(slices.Max(px), -slices.Min(px)))
		lo = -hi
	}
	for _, v := range px {
		img.Pixels = append(img.Pixels, (float64(v)-lo)/(hi-lo))
	}
	return img
}

// ExampleImage draws image i, scaled to its own range unless it lies between 0 and 1. If the images
// have neither one nor three channels, it draws the norm over the channels.
func ExampleImage(x rfm.Images, i int) report.Image {
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
		scaleToRange(img.Pixels)
	}
	return img
}

// RowImage draws an example, a row in (row, column, channel) order, scaled to its
// brightest pixel.
func RowImage(row []float64, s data.Shape, caption string) report.Image {
	img := report.Image{Height: s.Height, Width: s.Width, Channels: s.Channels, Pixels: slices.Clone(row),
		Caption: caption}
	if most := slices.Max(row); most > 0 {
		for i := range img.Pixels {
			img.Pixels[i] /= most
		}
	}
	return img
}

// PixelsImage draws a vector in (row, column, channel) order, scaled to its range; if some
// elements are negative, mid-grey is 0.
func PixelsImage(v []float64, s data.Shape, caption string) report.Image {
	img := report.Image{Height: s.Height, Width: s.Width, Channels: s.Channels, Caption: caption,
		Pixels: make([]float64, len(v))}
	lo, hi := slices.Min(v), slices.Max(v)
	if lo < 0 {
		hi = math.Max(-lo, hi)
		lo = -hi
	}
	for i, x := range v {
		if hi > lo {
			img.Pixels[i] = (x - lo) / (hi - lo)
		}
	}
	return img
}

// HeatImage draws a vector without negative elements, such as a diagonal of M, in a colour
// map: the sum over the channels, from 0 to its largest.
func HeatImage(v []float64, s data.Shape, caption string) report.Image {
	px := sumChannels(v, s)
	if most := slices.Max(px); most > 0 {
		for i := range px {
			px[i] /= most
		}
	}
	return report.Image{Height: s.Height, Width: s.Width, Channels: 1, Pixels: px, Caption: caption, Map: true}
}

// SignedImage draws a vector in grey, mid-grey being 0: the sum over the channels, with the
// sign that makes its mean positive.
func SignedImage(v []float64, s data.Shape, caption string) report.Image {
	px := sumChannels(v, s)
	most, sum := 0., 0.
	for _, x := range px {
		most, sum = math.Max(most, math.Abs(x)), sum+x
	}
	if most == 0 {
		most = 1
	}
	for i, x := range px {
		px[i] = .5 + math.Copysign(.5, sum)*x/most
	}
	return report.Image{Height: s.Height, Width: s.Width, Channels: 1, Pixels: px, Caption: caption}
}

// PatchImage draws a patch in (channel, row, column) order, with 0 as mid-grey. If the patch has neither one nor three
// channels, it draws the mean over the channels. A vector that is not a patch is drawn as a square or as one row.
func PatchImage(v []float64, patch []int) report.Image {
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
	top := math.SmallestNonzeroFloat64 // a patch of zeros is mid-grey
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

// EigenpatchImage draws an eigenvector of q×q patches: three channels in colour, one channel in grey, and otherwise
// the norm over the channels in a colour map.
func EigenpatchImage(v []float64, channels, q int) report.Image {
	if channels == 1 || channels == 3 {
		return PatchImage(v, []int{channels, q, q})
	}
	img := report.Image{Height: q, Width: q, Channels: 1, Pixels: make([]float64, q*q), Map: true}
	for i, x := range v {
		img.Pixels[i%(q*q)] += x * x
	}
	most := math.Max(slices.Max(img.Pixels), math.SmallestNonzeroFloat64)
	for i := range img.Pixels {
		img.Pixels[i] = math.Sqrt(img.Pixels[i] / most)
	}
	return img
}

// ResponseImage draws the response to patches, scaled to its own range.
func ResponseImage(r responses.Map) report.Image {
	img := report.Image{Height: r.Height, Width: r.Width, Channels: 1, Pixels: slices.Clone(r.Values)}
	scaleToRange(img.Pixels)
	return img
}

// MatrixPanel returns a matrix as a panel of [report.HeatMaps].
func MatrixPanel(title string, a *mat.SymDense) report.Matrix {
	d := a.SymmetricDim()
	return report.Matrix{Title: title, Rows: d, Cols: d, Data: linalg.Elements(a)}
}

// FeaturesPanel is [MatrixPanel] with the features' numbers, from 1, on both axes.
func FeaturesPanel(title string, a *mat.SymDense) report.Matrix {
	p := MatrixPanel(title, a)
	for i := range p.Rows {
		p.RowNames = append(p.RowNames, strconv.Itoa(i+1))
	}
	p.ColNames = p.RowNames
	return p
}

// sumChannels sums the channels of every pixel of a vector in (row, column, channel) order.
func sumChannels(v []float64, s data.Shape) []float64 {
	out := make([]float64, s.Height*s.Width)
	for i, x := range v {
		out[i/s.Channels] += x
	}
	return out
}

// scaleToRange scales numbers to lie between 0 and 1, in place; equal numbers become 0.
func scaleToRange(v []float64) {
	lo, hi := slices.Min(v), slices.Max(v)
	for i := range v {
		v[i] = (v[i] - lo) / math.Max(hi-lo, math.SmallestNonzeroFloat64)
	}
}

// StackRows returns the matrix whose rows are the vectors, all of one length.
func StackRows(rows ...[]float64) *mat.Dense {
	m := mat.NewDense(len(rows), len(rows[0]), nil)
	for i, r := range rows {
		m.SetRow(i, r)
	}
	return m
}

// The number of images and of layers for which a page shows how a network transforms images.
const (
	ShownImages = 4
	ShownLayers = 3
)

// ShownVectors is how many eigenvectors a page shows.
const ShownVectors = 8
