package setups

import (
	"context"
	"fmt"
	"math"
	"os"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/kernelmachine"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/rfm"
	"github.com/ansatz-lab/ansatz/rfm/responses"
	"gonum.org/v1/gonum/mat"
)

// PhotographsSpec is a set of photographs to which patch operators are applied.
type PhotographsSpec struct {
	// Folder is below the data folder, unless it is an absolute path. If it does not exist, generated dead leaves are
	// used.
	Folder string `json:"folder" toml:"folder"`
	Count  int    `json:"count" toml:"count"`
	Size   int    `json:"size" toml:"size"`
}

// Open reads the photographs in colour, without normalisation, and records them. In a dry run they
// have no pixels.
func (s PhotographsSpec) Open(ctx context.Context, in study.Setting, o *study.Outcome) (rfm.Images, error) {
	if s.Count < 1 || s.Size < 8 {
		return rfm.Images{}, input.Errorf("%d photographs of %d pixels: want at least one of at least 8", s.Count,
			s.Size)
	}
	if in.Dry() {
		return rfm.Images{Height: s.Size, Width: s.Size, Channels: 3}, nil
	}
	path, err := in.DataPath(s.Folder)
	if err != nil {
		return rfm.Images{}, err
	}
	name, options := path, data.Options{Dir: in.DataDir, Size: s.Size, Fit: "stretch"}
	if _, err := os.Stat(path); err != nil {
		o.Notes = append(o.Notes, fmt.Sprintf("There is no folder %s: generated dead leaves stand in for its "+
			"photographs.", s.Folder))
		name, options = "deadleaves:disks", data.Options{Size: s.Size, Seed: in.Seed, Count: s.Count}
	}
	set, err := data.Open(name, options)
	if err != nil {
		return rfm.Images{}, &input.Error{Err: err}
	}
	set = data.Head(set, min(s.Count, set.Len()))
	if err := o.AddDataset("photographs", set); err != nil {
		return rfm.Images{}, err
	}
	shape := set.Shape()
	if shape.Channels != 3 {
		return rfm.Images{}, input.Errorf("the photographs in %s have %d channels: want colours", s.Folder,
			shape.Channels)
	}
	x, _, err := ReadImages(ctx, set)
	return x, err
}

// slopeFilters returns filters, channels × channels·q·q, that compute the derivative of each channel of an image in a
// direction at the scale of q×q patches: Sobel's filter of that size, with binomial smoothing across the direction and
// the difference of a binomial smoothing along it. On a ramp of slope 1 the result is 1. The angle is in degrees, 0 to
// the right and 90 up; q is at least 3.
func slopeFilters(angle float64, channels, q int) *mat.Dense {
	sin, cos := math.Sincos(angle * math.Pi / 180)
	smooth, slope := binomial(q), make([]float64, q)
	for k, v := range binomial(q - 2) {
		slope[k], slope[k+2] = slope[k]-v/2, slope[k+2]+v/2
	}
	w := mat.NewDense(channels, channels*q*q, nil)
	for c := range channels {
		for i := range q {
			for j := range q {
				w.Set(c, (c*q+i)*q+j, cos*smooth[i]*slope[j]-sin*slope[i]*smooth[j])
			}
		}
	}
	return w
}

// binomial returns n binomial coefficients over their sum.
func binomial(n int) []float64 {
	v := []float64{1}
	for len(v) < n {
		next := make([]float64, len(v)+1)
		for k, x := range v {
			next[k] += x / 2
			next[k+1] += x / 2
		}
		v = next
	}
	return v
}

// GradientNorms returns the norms of the gradients of images, over the channels, at the middles of
// the q×q patches within them.
func GradientNorms(ctx context.Context, x rfm.Images, q int) ([]responses.Map, error) {
	var w mat.Dense
	w.Stack(slopeFilters(0, x.Channels, q), slopeFilters(90, x.Channels, q))
	return responses.OfFilters(ctx, &w, x, responses.Options{})
}

// EdgeAlignment returns by how much the responses of an eigenvector follow the slopes of images across its edge more
// closely than those along it: the difference of the two correlations.
func EdgeAlignment(ctx context.Context, e kernelmachine.Eigenpatch, x rfm.Images, q int) (float64, error) {
	own, err := responses.OfFilters(ctx, mat.NewDense(1, len(e.Vector), e.Vector), x, responses.Options{})
	if err != nil {
		return 0, err
	}
	var alike [2]float64 // across the edge and along it
	for k, angle := range []float64{e.Orientation.Angle + 90, e.Orientation.Angle} {
		slopes, err := responses.OfFilters(ctx, slopeFilters(angle, x.Channels, q), x, responses.Options{})
		if err != nil {
			return 0, err
		}
		if alike[k], err = CorrelateResponses(own, slopes); err != nil {
			return 0, err
		}
	}
	return alike[0] - alike[1], nil
}
