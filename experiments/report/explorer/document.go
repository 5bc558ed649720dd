// Package explorer describes what the interactive part of a report shows of a network: how its layers are joined, their
// similarities with the draws of their nulls, and the spectra and leading eigenvectors of CNFM and AGOP, at one time or
// along a training. A [Document] is plain data, small enough to stand in a page and in record.json; package report draws
// it.
package explorer

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// Document is what an explorer shows.
type Document struct {
	// Wiring says how the layers are joined, in the order of the forward pass; nil if that is not known.
	Wiring []Joint `json:"wiring,omitempty"`
	// Measures are the names of the similarities, such as Pearson, of which every point has a value.
	Measures []string `json:"measures"`
	// Times name the points of every layer, such as epochs; one for a trained network.
	Times  []string `json:"times"`
	Layers []Layer  `json:"layers"`
	// Images are those in which eigenvectors are looked for.
	Images []Image `json:"images,omitempty"`
}

// Joint is a place in the wiring: the input, a layer, a node at which branches meet, or the output.
type Joint struct {
	Layers []string `json:"layers,omitempty"` // names of layers, several where parts of one count as layers
	Op     string   `json:"op"`               // input, conv, linear, output, or the op at which branches meet
	From   []int    `json:"from,omitempty"`   // indices of the joints that it reads, all smaller
}

// Layer is a layer at all times.
type Layer struct {
	Name    string  `json:"name"`
	Kind    string  `json:"kind"`
	Filters int     `json:"filters"`
	Patch   []int   `json:"patch"`
	Points  []Point `json:"points"` // as many as the document's times
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
	// NullAngles are the means of these angles for spans of as many random directions among as many as the layer has.
	NullAngles []float32 `json:"null_angles,omitempty"`
}

// Value is a similarity with its null. What is not defined is absent.
type Value struct {
	Value  *float32  `json:"value,omitempty"`
	StdErr *float32  `json:"stderr,omitempty"`
	Null   *float32  `json:"null,omitempty"`
	NullSD *float32  `json:"null_sd,omitempty"`
	Draws  []float32 `json:"draws,omitempty"` // of the null, if they are known
}

// Spectrum holds eigenvalues and leading eigenvectors of a matrix.
type Spectrum struct {
	Trace  float32   `json:"trace"`
	Values []float32 `json:"values"` // in descending order, at most [MostValues]
	// Vectors are the leading eigenvectors in 8 bits, 128 for 0, each scaled to its largest element.
	Vectors [][]byte `json:"vectors,omitempty"`
	// Seen are, for every eigenvector, the places in the images that respond most.
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

// MostValues is the most eigenvalues of a spectrum.
const MostValues = 128

// NewSpectrum returns the spectrum with given eigenvalues, in descending order, and leading eigenvectors, as rows.
func NewSpectrum(values []float64, vectors *mat.Dense) *Spectrum {
	s := &Spectrum{}
	trace := 0.
	for i, v := range values {
		trace += v
		if i < MostValues {
			s.Values = append(s.Values, float32(v))
		}
	}
	s.Trace = float32(trace)
	n, _ := vectors.Dims()
	for i := range n {
		s.Vectors = append(s.Vectors, quantise(vectors.RawRowView(i)))
	}
	return s
}

// quantise returns a vector in 8 bits.
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

// Number returns v as an optional number, nil if it is not finite.
func Number(v float64) *float32 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	x := float32(v)
	return &x
}

// Numbers returns v in single precision.
func Numbers(v []float64) []float32 {
	out := make([]float32, len(v))
	for i, x := range v {
		out[i] = float32(x)
	}
	return out
}
