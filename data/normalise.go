package data

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/ansatz-lab/ansatz/data/array"
)

// The values of Normalisation.Name.
const (
	noNormalisation       = "none"
	imagenetNormalisation = "imagenet"
	datasetNormalisation  = "dataset"
	givenNormalisation    = "given" // constants as MEAN/STD
)

// Normalisation shifts and scales pixels: p becomes (p - Mean[c]) / Std[c] in
// channel c. Mean and Std have the same length: a value per channel, or one value
// for all channels. The zero value changes nothing.
type Normalisation struct {
	Name      string    // "none", "imagenet", "dataset", or "given"
	Mean, Std []float32 // in units of pixels, whose range is [0,1]
}

// ImageNet returns the constants of torchvision's networks, for red, green and blue.
func ImageNet() Normalisation {
	return Normalisation{
		Name: imagenetNormalisation,
		Mean: []float32{.485, .456, .406},
		Std:  []float32{.229, .224, .225},
	}
}

// Apply normalises images in place. The last axis of px is the channel. The normalisation must have passed
// [Normalisation.Check].
func (n Normalisation) Apply(px []float32) {
	channels := min(len(n.Mean), len(n.Std))
	for c := range channels {
		mean, std := n.Mean[c], n.Std[c]
		for k := c; k < len(px); k += channels {
			px[k] = (px[k] - mean) / std
		}
	}
}

// Check returns an error unless n fits images of that many channels: as many means as standard deviations, either one or
// one per channel, all finite, and the standard deviations positive.
func (n Normalisation) Check(channels int) error {
	if len(n.Mean) != len(n.Std) {
		return n.fail("as many means as standard deviations", fmt.Sprintf("%d and %d", len(n.Mean), len(n.Std)))
	}
	if l := len(n.Mean); l > 1 && l != channels {
		return n.fail(fmt.Sprintf("images of %d channels, one for each of its constants", l),
			fmt.Sprintf("images of %d", channels))
	}
	for c := range n.Mean {
		if !isFinite(n.Mean[c]) {
			return n.fail("a finite mean", fmt.Sprint(n.Mean[c]))
		}
		if !isFinite(n.Std[c]) || n.Std[c] <= 0 {
			return n.fail("a positive standard deviation", fmt.Sprint(n.Std[c]))
		}
	}
	return nil
}

// fail returns an error about n.
func (n Normalisation) fail(want, got string) error {
	return &FormatError{
		Path:   "normalisation " + n.String(),
		Offset: array.NoOffset,
		Want:   want,
		Got:    got,
		Hint:   "take none, imagenet, or MEAN/STD with one number or one per channel",
	}
}

// String returns n in the form that [ParseNormalisation] reads: "none", "imagenet" or the constants, such as
// "0.1307/0.3081". A normalisation measured on a dataset becomes its constants, so that reading it back does not need the
// dataset.
func (n Normalisation) String() string {
	switch {
	case len(n.Mean) == 0 && len(n.Std) == 0:
		return noNormalisation
	case n.Name == imagenetNormalisation:
		return imagenetNormalisation
	}
	return joinFloats(n.Mean) + "/" + joinFloats(n.Std)
}

func joinFloats(v []float32) string {
	var s []string
	for _, f := range v {
		s = append(s, strconv.FormatFloat(float64(f), 'g', -1, 32))
	}
	return strings.Join(s, ",")
}

// ParseNormalisation reads "none", "imagenet", "dataset", or MEAN/STD, where each is
// one number or a comma-separated list with one per channel, as in "0.1307/0.3081".
// For "dataset" it calls ds, which usually runs [Measure] on the training split. If ds
// is nil, "dataset" is an error.
//
// It does not check the number of channels; [Normalisation.Check] does. It returns a [*FormatError], or the error of
// ds.
func ParseNormalisation(s string, ds func() (Normalisation, error)) (Normalisation, error) {
	switch s {
	case noNormalisation:
		return Normalisation{Name: noNormalisation}, nil
	case imagenetNormalisation:
		return ImageNet(), nil
	case datasetNormalisation:
		if ds == nil {
			return Normalisation{}, parseError(s, 0, "a normalisation that needs no dataset", s, nil)
		}
		return ds()
	}
	return parseConstants(s)
}

// parseConstants reads MEAN/STD.
func parseConstants(s string) (Normalisation, error) {
	means, stds, ok := strings.Cut(s, "/")
	if !ok {
		return Normalisation{}, parseError(s, 0, "none, imagenet, dataset or MEAN/STD", strconv.Quote(s), nil)
	}
	n := Normalisation{Name: givenNormalisation}
	var err error
	if n.Mean, err = parseFloats(s, 0, means); err != nil {
		return Normalisation{}, err
	}
	if n.Std, err = parseFloats(s, len(means)+1, stds); err != nil {
		return Normalisation{}, err
	}
	channels := max(len(n.Mean), len(n.Std))
	n.Mean, n.Std = repeat(n.Mean, channels), repeat(n.Std, channels)
	if err := n.Check(channels); err != nil {
		return Normalisation{}, err
	}
	return n, nil
}

// parseFloats reads the comma-separated list that begins at byte at of s.
func parseFloats(s string, at int, list string) ([]float32, error) {
	var v []float32
	for field := range strings.SplitSeq(list, ",") {
		f, err := strconv.ParseFloat(strings.TrimSpace(field), 32)
		if err != nil {
			return nil, parseError(s, at, "a number", strconv.Quote(field), errors.Unwrap(err))
		}
		v = append(v, float32(f))
		at += len(field) + 1
	}
	return v, nil
}

// repeat returns n copies of a single value, and any longer v as it is.
func repeat(v []float32, n int) []float32 {
	if len(v) == 1 {
		for len(v) < n {
			v = append(v, v[0])
		}
	}
	return v
}

// parseError returns an error at a byte offset of the text s.
func parseError(s string, offset int, want, got string, err error) error {
	return &FormatError{
		Path:   "normalisation " + strconv.Quote(s),
		Offset: int64(offset),
		Want:   want,
		Got:    got,
		Hint:   "as in 0.1307/0.3081 or 0.485,0.456,0.406/0.229,0.224,0.225",
		Err:    err,
	}
}

func isFinite(v float32) bool {
	return !math.IsNaN(float64(v)) && !math.IsInf(float64(v), 0)
}

// Scales returns the divisor of pixels for each channel, applied after [Normalisation.Means] are subtracted.
func (n Normalisation) Scales(channels int) []float64 { return spreadOut(n.Std, channels, 1) }

// Means returns the number to subtract from pixels, for each channel.
func (n Normalisation) Means(channels int) []float64 { return spreadOut(n.Mean, channels, 0) }

// spreadOut returns a value for each channel. Values may have one for each, one for all, or none, which gives neutral.
func spreadOut(values []float32, channels int, neutral float64) []float64 {
	out := make([]float64, channels)
	for c := range out {
		out[c] = neutral
		if len(values) > 0 {
			out[c] = float64(values[min(c, len(values)-1)])
		}
	}
	return out
}
