package data

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/ansatz-lab/ansatz/data/array"
	"github.com/ansatz-lab/ansatz/internal/random"
)

// generated holds what all generated sets have in common.
type generated struct {
	name    string // as given to Open
	version string // changes whenever an image of the set changes
	split   string
	seed    uint64
	count   int
}

// newGenerated returns the common part of a generated set of count images.
func newGenerated(o Options, version string, count int) generated {
	return generated{name: o.args.spec, version: version, split: o.Split, seed: o.Seed, count: count}
}

func (g *generated) Name() string  { return g.name }
func (g *generated) Split() string { return g.split }
func (g *generated) Len() int      { return g.count }

// stream returns the source of random numbers of image i for a purpose, such as "label".
func (g *generated) stream(what string, i int) *random.Source {
	return random.New(g.seed, g.streamName(what), uint64(i))
}

func (g *generated) streamName(what string) string { return g.version + "/" + g.split + "/" + what }

// balanced returns the label of image i. Each block of as many consecutive images as
// there are classes holds every class once, in random order.
func (g *generated) balanced(i, classes int) int {
	return g.stream("label", i/classes).Perm(classes)[i%classes]
}

// identify writes the version, split, seed and index from which image i is generated.
func (g *generated) identify(w io.Writer, i int) error {
	_, err := fmt.Fprintf(w, "%s %s seed %d image %d\n", g.version, g.split, g.seed, i)
	return err
}

// countOr returns the requested number of images, or the default for the split.
func (o Options) countOr(train, test int) int {
	switch {
	case o.Count > 0:
		return o.Count
	case o.Split == trainSplit:
		return train
	}
	return test
}

// nativeSize returns an error if the options would scale images of that shape.
func (o Options) nativeSize(s Shape) error {
	if o.Size == 0 || o.Size == s.Height && o.Size == s.Width {
		return nil
	}
	return array.OptionError("size", fmt.Sprintf("0, as the images of %s are %v", o.args.spec, s), strconv.Itoa(o.Size))
}

// choice returns the value of a key, which must be among the allowed values. The first
// of these is the default.
func (a arguments) choice(key string, allowed ...string) (string, error) {
	v, given := a.values[key]
	switch {
	case !given:
		return allowed[0], nil
	case !slices.Contains(allowed, v):
		return "", a.fail(key+", one of "+strings.Join(allowed, ", "), strconv.Quote(v))
	}
	return v, nil
}
