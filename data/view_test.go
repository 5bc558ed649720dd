package data

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// seen returns what a view shows, step by step: it pads the image with zeros, crops it, and mirrors it. The image is in
// row, column, channel order.
func seen(v view, px []float32, s Shape) []float32 {
	pad := max(s.Height, s.Width)
	wide := s.Width + 2*pad
	padded := make([]float32, (s.Height+2*pad)*wide*s.Channels)
	for y := range s.Height {
		for k := range s.Width * s.Channels {
			padded[((y+pad)*wide+pad)*s.Channels+k] = px[y*s.Width*s.Channels+k]
		}
	}
	var out []float32
	for y := range s.Height {
		for x := range s.Width {
			if v.mirrored {
				x = s.Width - 1 - x
			}
			at := ((y+pad-v.down)*wide + x + pad - v.right) * s.Channels
			out = append(out, padded[at:at+s.Channels]...)
		}
	}
	return out
}

// views returns all views of an image of that shape.
func views(s Shape) []view {
	var all []view
	for down := 1 - s.Height; down < s.Height; down++ {
		for right := 1 - s.Width; right < s.Width; right++ {
			all = append(all, view{down, right, false}, view{down, right, true})
		}
	}
	return all
}

func TestViews(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, s := range []Shape{{1, 4, 5}, {3, 5, 3}, {2, 1, 1}} {
		pix := make([]uint8, s.Pixels())
		for k := range pix {
			pix[k] = uint8(1 + rng.IntN(255))
		}
		px := make([]float32, len(pix))
		for k, v := range interleaved(pix, s.Channels) {
			px[k] = float32(v) / 255
		}
		n := Normalisation{Mean: []float32{.3, .4, .5}[:s.Channels], Std: []float32{.1, .2, .3}[:s.Channels]}
		for _, v := range views(s) {
			want := seen(v, px, s)
			got := make([]float32, len(px))
			if v.draw(got, px, s); !slices.Equal(got, want) {
				t.Fatalf("%v of %v shows %v, want %v", v, s, got, want)
			}
			n.Apply(want)
			if newLevels(s.Channels, n).draw(got, pix, s, v); !slices.Equal(got, want) {
				t.Fatalf("%v of the bytes of %v shows %v, want %v", v, s, got, want)
			}
		}
	}
}

// opaque is a Dataset that hides all of a set but the Dataset interface, such as its bytes.
type opaque struct{ Dataset }

// TestReaderDoesWhatReadDoes checks that a reader makes the same pixels from the bytes of a set as from its Read.
func TestReaderDoesWhatReadDoes(t *testing.T) {
	dir := t.TempDir()
	writeCIFAR(t, dir)
	cifar := mustOpen(t, "cifar10", Options{Dir: dir, Split: "train"})
	for _, ds := range []Dataset{
		cifar,
		Head(cifar, 5),
		mustOpen(t, "cifar10", Options{Dir: dir, Size: 16}),
		mustOpen(t, "glyphs", Options{Count: 10}),
	} {
		n := Normalisation{Mean: []float32{.3}, Std: []float32{.7}}
		fast, slow := newReader(ds, n), newReader(opaque{ds}, n)
		got, want := make([]float32, ds.Shape().Pixels()), make([]float32, ds.Shape().Pixels())
		for i := range ds.Len() {
			for _, v := range []view{{}, {1, -2, true}} {
				label, err := fast.read(i, v, got)
				wantLabel, wantErr := slow.read(i, v, want)
				if label != wantLabel || err != nil || wantErr != nil || !slices.Equal(got, want) {
					t.Fatalf("image %d of %s as %v differs: labels %d and %d, errors %v and %v",
						i, ds.Name(), v, label, wantLabel, err, wantErr)
				}
			}
		}
	}
}

func TestLevelsOfOneConstantForAllChannels(t *testing.T) {
	one := newLevels(3, Normalisation{Mean: []float32{.5}, Std: []float32{.25}})
	each := newLevels(3, Normalisation{Mean: []float32{.5, .5, .5}, Std: []float32{.25, .25, .25}})
	if fmt.Sprint(one) != fmt.Sprint(each) || one[2][255] != 2 {
		t.Error("the constant is not that of every channel")
	}
}
