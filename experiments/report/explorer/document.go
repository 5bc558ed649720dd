// Package explorer describes what the interactive part of a report shows of a network: how its layers are joined, their
// similarities with the draws of their nulls, and the spectra and leading eigenvectors of CNFM and AGOP, at one time or
// during training. For a kernel machine it has scores, and the spectra and eigenvectors of M by iteration. A [Document] is
// plain data, small enough to stand in a page and in record.json; package report puts it into a page.
package explorer

import (
	"fmt"
	"math"
	"strconv"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Document is what an explorer shows.
type Document struct {
	// Wiring says how the layers are joined, in the order of the forward pass; nil if that is not known.
	Wiring []Joint `json:"wiring,omitempty"`
	// Measures are the names of the similarities, such as Pearson. Every point has a value for each.
	Measures []string `json:"measures"`
	// Scores says that the measures are scores, such as accuracies, which have no null.
	Scores bool `json:"scores,omitempty"`
	// Names are the names of the two matrices if these are not CNFM and AGOP.
	Names []string `json:"names,omitempty"`
	// Times name the points of every layer, such as epochs; one for a trained network.
	Times  []string `json:"times"`
	Layers []Layer  `json:"layers"`
	// Images are the images with the spots where eigenvectors respond.
	Images []Image `json:"images,omitempty"`
}

// Joint is a place in the wiring: the input, a layer, a node at which branches meet, or the output.
type Joint struct {
	Layers []string `json:"layers,omitempty"` // names of layers, several if parts of one count as layers
	Op     string   `json:"op"`               // input, conv, linear, output, or the op at which branches meet
	From   []int    `json:"from,omitempty"`   // indices of the joints that it reads, all smaller
}

// Layer is a layer at all times.
type Layer struct {
	Name    string   `json:"name"`
	Kind    string   `json:"kind"`
	Filters int      `json:"filters"`
	Patch   []int    `json:"patch"`
	Columns []string `json:"columns,omitempty"` // names of the features of a table
	Points  []Point  `json:"points"`            // as many as the document's times
}

// Point is a layer at one time.
type Point struct {
	Values []Value   `json:"values"` // as many as the document's measures
	CNFM   *Spectrum `json:"cnfm,omitempty"`
	AGOP   *Spectrum `json:"agop,omitempty"`
	// Cosines are the inner products of the eigenvectors, a row for each of the CNFM.
	Cosines [][]float32 `json:"cosines,omitempty"`
	// Angles are the principal angles between the spans of the eigenvectors, in degrees and ascending.
	Angles []float32 `json:"angles,omitempty"`
	// NullAngles are the mean angles between spans of as many random directions in a space of the layer's dimension.
	NullAngles []float32 `json:"null_angles,omitempty"`
}

// Value is a similarity with its null. A number that is not defined is nil.
type Value struct {
	Value  *float32  `json:"value,omitempty"`
	StdErr *float32  `json:"stderr,omitempty"`
	Null   *float32  `json:"null,omitempty"`
	NullSD *float32  `json:"null_sd,omitempty"`
	Draws  []float32 `json:"draws,omitempty"` // the draws of the null, if they are known
}

// Spectrum holds eigenvalues and leading eigenvectors of a matrix.
type Spectrum struct {
	Trace  float32   `json:"trace"`
	Values []float32 `json:"values"` // in descending order, the leading ones
	// Vectors are the leading eigenvectors in 8 bits: 128 is 0, and 128 ± 127 are ± the largest absolute element.
	Vectors [][]byte `json:"vectors,omitempty"`
	// Seen has, for each eigenvector, the places in the images with the largest responses.
	Seen [][]Spot `json:"seen,omitempty"`
}

// Spot is a place in an image: the centre of a patch, as shares of the image's height and width, and its side.
type Spot struct {
	Image    int     `json:"image"`
	Row      float32 `json:"row"`
	Column   float32 `json:"column"`
	Height   float32 `json:"height"`
	Width    float32 `json:"width"`
	Response float32 `json:"response"`
}

// Image is an image in 8 bits, in the order (row, column, channel), of 1 or 3 channels.
type Image struct {
	Height   int    `json:"height"`
	Width    int    `json:"width"`
	Channels int    `json:"channels"`
	Pixels   []byte `json:"pixels"`
}

// Add adds a time with a point for each layer, in the order of Layers.
func (d *Document) Add(time string, points []Point) {
	d.Times = append(d.Times, time)
	for i, p := range points {
		d.Layers[i].Points = append(d.Layers[i].Points, p)
	}
}

// Check returns an error unless the document has the given layers, at least one time, and for each layer and time a point
// with a value for each measure.
func (d *Document) Check(layers []string) error {
	if len(d.Layers) != len(layers) || len(d.Times) == 0 {
		return fmt.Errorf("an explorer of %d layers at %d times, want %d layers", len(d.Layers), len(d.Times), len(layers))
	}
	for i, l := range d.Layers {
		if l.Name != layers[i] || len(l.Points) != len(d.Times) {
			return fmt.Errorf("%d points of layer %q in the explorer, want %d of %q", len(l.Points), l.Name, len(d.Times),
				layers[i])
		}
		for _, p := range l.Points {
			if len(p.Values) != len(d.Measures) {
				return fmt.Errorf("%d values of layer %q in the explorer, want %d", len(p.Values), l.Name, len(d.Measures))
			}
		}
	}
	return nil
}

// DropLast removes the last time with its points. There must be one.
func (d *Document) DropLast() {
	d.Times = d.Times[:len(d.Times)-1]
	for i := range d.Layers {
		l := &d.Layers[i]
		l.Points = l.Points[:len(l.Points)-1]
	}
}

// NewSpectrum returns a spectrum with the given eigenvalues, in descending order, of which it keeps at most the leading
// most, and with the leading eigenvectors, the rows of vectors; nil for none. The trace is the sum of all eigenvalues.
func NewSpectrum(values []float64, most int, vectors *mat.Dense) *Spectrum {
	s := &Spectrum{Trace: Round(floats.Sum(values)), Values: Numbers(values[:min(most, len(values))])}
	if vectors == nil {
		return s
	}
	n, _ := vectors.Dims()
	for i := range n {
		s.Vectors = append(s.Vectors, quantise(vectors.RawRowView(i)))
	}
	return s
}

// NewImage returns an image with sides of at most side pixels, in 8 bits, from pixels in [0, 1] in the order (row, column,
// channel). Each of its pixels is the mean of a block.
func NewImage(height, width, channels int, pixels []float64, side int) Image {
	block := (max(height, width) + side - 1) / side
	out := Image{Height: height / block, Width: width / block, Channels: channels}
	for r := range out.Height {
		for c := range out.Width {
			for k := range channels {
				sum := 0.
				for i := range block {
					for j := range block {
						sum += pixels[((r*block+i)*width+c*block+j)*channels+k]
					}
				}
				mean := sum / float64(block*block)
				out.Pixels = append(out.Pixels, byte(math.Round(255*min(1, max(0, mean)))))
			}
		}
	}
	return out
}

// quantise returns a vector in 8 bits, as [Spectrum] has it.
func quantise(v []float64) []byte {
	most := math.SmallestNonzeroFloat64
	for _, x := range v {
		most = max(most, math.Abs(x))
	}
	out := make([]byte, len(v))
	for i, x := range v {
		out[i] = byte(128 + math.Round(127*x/most))
	}
	return out
}

// Round returns v rounded to the four digits that a page shows.
func Round(v float64) float32 {
	digits, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 4, 64), 32)
	return float32(digits)
}

// Number returns v rounded by [Round], or nil if it is not finite.
func Number(v float64) *float32 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	x := Round(v)
	return &x
}

// Numbers returns the elements of v rounded by [Round].
func Numbers(v []float64) []float32 {
	out := make([]float32, len(v))
	for i, x := range v {
		out[i] = Round(x)
	}
	return out
}
