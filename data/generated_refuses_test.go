package data

import (
	"testing"

	"github.com/ansatz-lab/ansatz/data/array"
)

func TestGeneratedRefuses(t *testing.T) {
	for _, c := range []struct {
		spec string
		o    Options
	}{
		{"bars:noise=-1", Options{}}, {"bars:noise=NaN", Options{}}, {"bars:noise=1e300", Options{}},
		{"bars:2", Options{}},
		{"bars", Options{Size: 16}}, {"bars", Options{Size: 32}}, {"bars", Options{Split: "validation"}},
		{"noisydigits:noise=x", Options{}}, {"noisydigits", Options{Size: 28}}, {"noisydigits:bars:x", Options{}},
		{"noisydigits:glyphs,glyphs", Options{}},
		{"deadleaves:discs", Options{}}, {"deadleaves:disks,rough", Options{}}, {"deadleaves", Options{Size: 257}},
		{"star:a=x", Options{}}, {"star:a=10", Options{}}, {"star:a=-1", Options{}}, {"star:a=1", Options{}},
		{"star:a=5,b=5", Options{}},
		{"star:deadleaves:disks", Options{}}, {"star", Options{Size: 9}}, {"star:c=1", Options{}},
		{"sidebyside:glyphs,deadleaves", Options{}}, {"sidebyside:deadleaves:disks,deadleaves:disks", Options{}},
		{"sidebyside:a,b,c", Options{}}, {"sidebyside:glyphs,bars:x", Options{}},
		{"sidebyside:bars", Options{Size: 32}},
		{"spurious:side=2", Options{}}, {"spurious:side=29", Options{}}, {"spurious:corner=left", Options{}},
		{"spurious:test=all", Options{}}, {"spurious:agree=1.1", Options{}}, {"spurious:deadleaves:disks", Options{}},
		{"streetdigits:mnist", Options{}}, {"heads:hat", Options{}}, {"heads:attribute=scarf", Options{}},
		{"heads:with=scarf", Options{}}, {"heads:agree=2", Options{}}, {"heads:test=none", Options{}},
		{"heads", Options{Size: 257}},
	} {
		_, err := Open(c.spec, c.o)
		if err == nil {
			t.Errorf("%s, %+v: no error", c.spec, c.o)
			continue
		}
		wantFormatError(t, err, array.NoOffset)
	}
	_, err := Open("star:star:star:star:star:star:glyphs", Options{})
	wantFormatError(t, err, array.NoOffset)
	_, err = Open("sidebyside:sidebyside", Options{Size: maxSize})
	wantFormatError(t, err, array.NoOffset)
	for _, spec := range []string{"noisydigits:nowhere", "star:nowhere", "sidebyside:glyphs,nowhere",
		"spurious:nowhere"} {
		_, err := Open(spec, Options{})
		wantNotFound(t, err)
	}
}

// TestGeneratedReadRefuses checks that Read refuses an image outside the set, and a destination of the wrong length.
func TestGeneratedReadRefuses(t *testing.T) {
	for _, spec := range generatedSpecs {
		ds := mustOpen(t, spec, Options{Count: 3})
		px := make([]float32, ds.Shape().Pixels()+1)
		for _, i := range []int{-1, ds.Len()} {
			if _, err := ds.Read(i, px[1:]); err == nil {
				t.Errorf("Read(%d) of %d images of %s: no error", i, ds.Len(), spec)
			}
		}
		for _, dst := range [][]float32{nil, px, px[2:]} {
			if _, err := ds.Read(0, dst); err == nil {
				t.Errorf("Read of %s into %d pixels: no error", spec, len(dst))
			}
		}
	}
}
