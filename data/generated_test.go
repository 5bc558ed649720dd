package data

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"testing"
)

// generatedSpecs lists generated sets: every kind but glyphs, most kinds with several arguments.
var generatedSpecs = []string{
	"bars", "bars:noise=2.5", "noisydigits", "noisydigits:noise=.5",
	"deadleaves", "deadleaves:disks", "deadleaves:leaves,textured",
	"star", "star:a=7,b=3", "star:deadleaves", "sidebyside", "sidebyside:deadleaves,bars",
	"spurious", "spurious:deadleaves,corner=lower-right,side=4,agree=.5,test=aligned",
	"streetdigits", "heads", "heads:attribute=smile,with=glasses,agree=.8",
}

// imageBits returns the label and the bits of the pixels of image i.
func imageBits(t testing.TB, ds Dataset, i int) string {
	t.Helper()
	px, label := mustRead(t, ds, i)
	raw := []byte{uint8(label)}
	for _, v := range px {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(v))
	}
	return string(raw)
}

// TestGeneratedGolden fails if an image changes, between versions of this package or between machines. An intended
// change needs a new version of the set.
func TestGeneratedGolden(t *testing.T) {
	golden := map[string]string{
		"bars":                       "76f544c337dec1f6fd29f42d2d06e470614fb397f444676333f54c50d9ebe1bb",
		"bars:noise=2.5":             "1727dcca17efe7714e56be76da0a087bfc979b4512caf390cb456589437e51b6",
		"noisydigits":                "ad3ba08f519d80aa294f6b0f47360c95ca6716c2c6f5426a5699ad4b21cd1757",
		"noisydigits:noise=.5":       "3a0026eeb7ce9db54626776b935ece3011eec68279286eecb25e66dec02197b1",
		"deadleaves":                 "36a80e54224dba55b38d82165f2e8045bbd3b501c8c8ce8e443aa497e9af15b9",
		"deadleaves:disks":           "6b0d0f176c5352ee24bef17f14ae4fcde55d8ba5da9c7b2f9e0a5a36c5682159",
		"deadleaves:leaves,textured": "e233fa9f054c8e49d9f71890622ca085c798f24ce13c08be64c3ce3ef62d6a20",
		"star":                       "d190e97a415ea04ac8aa11e7275e0fe1a1deb5c75297ce8edfda564ea4883ecc",
		"star:a=7,b=3":               "0d7f7ff714a546438329f3bab8678144850ea0b28488400a449a0db4f6c1de36",
		"star:deadleaves":            "1c8c75c22a6cd0d70637ff591ce2a11c2a636bf2f9868883a0846a95b657cfb0",
		"sidebyside":                 "efe3ec2f6aa6cd9163079057a689dc56dc415642607c9c6c06dd9e6b77b1945c",
		"sidebyside:deadleaves,bars": "061504792ab644eeb033081c8cd7e75c026a10a3bd71e634702dcc4d8433ccc6",
		"spurious":                   "75d1207c2975a637bcbb3a20b2a1ad368dbb9c44f4287f5cefc311e5891b8fd6",
		"spurious:deadleaves,corner=lower-right,side=4,agree=.5,test=aligned": "" +
			"02dc16dd094c381abdbd7b9e54d449b96a1747742ead003f6aa798c366bad616",
		"streetdigits": "e2992e62bd0041e28ed9c7faccc97f9ee4bd6d7d3e98e22f0e3ce73698824f0a",
		"heads":        "33bacf2a3c9cfc5f7142e5c12ac7322ddab31c0a026884f9c0ff1fcbd0a77850",
		"heads:attribute=smile,with=glasses,agree=.8": "" +
			"19b3f670a8640d4b507592b014a9add1cbc381cf0e369960da78ae90bf9f782b",
	}
	for _, spec := range generatedSpecs {
		h := sha256.New()
		for _, split := range []string{"train", "test"} {
			ds := mustOpen(t, spec, Options{Split: split})
			for i := range 20 {
				fmt.Fprint(h, imageBits(t, ds, i))
			}
		}
		if got := fmt.Sprintf("%x", h.Sum(nil)); got != golden[spec] {
			t.Errorf("digest of the images on %s:\n\t\t%q: %q,", runtime.GOARCH, spec, got)
		}
	}
}

// TestGeneratedContract checks the name, the split and the number of images of every set. It checks that an image
// depends neither on Count nor on the images read before, and that all ways of reading it agree.
func TestGeneratedContract(t *testing.T) {
	const n = 40
	for _, spec := range generatedSpecs {
		ds := mustOpen(t, spec, Options{Count: n, Split: "train"})
		if ds.Name() != spec || splitOf(ds) != "train" || ds.Len() != n {
			t.Errorf("%s: %q, %q, %d images", spec, ds.Name(), splitOf(ds), ds.Len())
		}
		labels, err := Labels(ds)
		if err != nil {
			t.Fatal(err)
		}
		many := mustOpen(t, spec, Options{Count: 4 * n, Split: "train"})
		for i := n - 1; i >= 0; i-- {
			bits := imageBits(t, ds, i)
			if bits != imageBits(t, many, i) {
				t.Fatalf("%s: image %d depends on Count or on what was read before", spec, i)
			}
			px, label := mustRead(t, ds, i)
			if label != labels[i] || len(ds.Classes()) > 0 && (label < 0 || label >= len(ds.Classes())) {
				t.Fatalf("%s: image %d has label %d, told is %d", spec, i, label, labels[i])
			}
			checkBytes8(t, ds, i, px, label)
		}
	}
}

// checkBytes8 compares the bytes of an image, if it has any, with its pixels.
func checkBytes8(t *testing.T, ds Dataset, i int, px []float32, label int) {
	t.Helper()
	s := ds.Shape()
	for _, scratch := range [][]uint8{nil, make([]uint8, s.Pixels())} {
		pix, told, ok := bytesOf(ds, i, scratch)
		if !ok {
			return
		}
		if told != label || len(pix) != len(px) {
			t.Fatalf("%s: image %d has %d bytes and label %d, want %d and %d",
				ds.Name(), i, len(pix), told, len(px), label)
		}
		for k, v := range interleaved(pix, s.Channels) {
			if px[k] != float32(v)/0xff {
				t.Fatalf("%s: image %d: pixel %d is %g as float, %d as byte", ds.Name(), i, k, px[k], v)
			}
		}
	}
}

func TestGeneratedHasBytes(t *testing.T) {
	for spec, want := range map[string]bool{
		"deadleaves": true, "streetdigits": true, "heads": true, "star": true, "sidebyside": true,
		"sidebyside:deadleaves,star": true, "spurious": true,
		"bars": false, "noisydigits": false, "spurious:bars": false, "sidebyside:glyphs,noisydigits": false,
	} {
		if _, _, ok := bytesOf(mustOpen(t, spec, Options{Count: 4}), 0, nil); ok != want {
			t.Errorf("%s: bytes %t, want %t", spec, ok, want)
		}
	}
}

func TestGeneratedConcurrently(t *testing.T) {
	const n = 24
	for _, spec := range generatedSpecs {
		want := make([]string, n)
		ds := mustOpen(t, spec, Options{Count: n})
		for i := range n {
			want[i] = imageBits(t, ds, i)
		}
		ds = mustOpen(t, spec, Options{Count: n}) // a new set, which has not kept any images yet
		got := make([][]string, 4)
		var wg sync.WaitGroup
		for w := range got {
			got[w] = make([]string, n)
			wg.Go(func() {
				for i := range n {
					got[w][(i+w*7)%n] = imageBits(t, ds, (i+w*7)%n)
				}
			})
		}
		wg.Wait()
		for _, g := range got {
			if !slices.Equal(g, want) {
				t.Errorf("%s: images depend on concurrency", spec)
			}
		}
	}
}

// TestGeneratedDiffer checks that no image occurs twice within a set, in both splits or with two seeds, and that their
// digests differ.
func TestGeneratedDiffer(t *testing.T) {
	for _, spec := range generatedSpecs {
		seen, told := map[string]string{}, map[string]string{}
		for _, o := range []Options{{Split: "train"}, {Split: "test"}, {Split: "train", Seed: 1},
			{Split: "test", Seed: 1}} {
			ds := mustOpen(t, spec, o)
			for i := range 15 {
				here := fmt.Sprintf("image %d of %s, %+v", i, spec, o)
				bits := imageBits(t, ds, i)
				if there, ok := seen[bits]; ok {
					t.Fatalf("%s is %s", here, there)
				}
				seen[bits] = here
			}
			info, err := Describe(Head(ds, 15))
			if err != nil {
				t.Fatal(err)
			}
			if there, ok := told[info.SHA256]; ok {
				t.Errorf("%+v has the digest of %s", o, there)
			}
			told[info.SHA256] = fmt.Sprintf("%+v", o)
		}
	}
}

// TestGeneratedDigests checks that sets with different arguments have different digests.
func TestGeneratedDigests(t *testing.T) {
	seen := map[string]string{}
	for _, spec := range append(slices.Clone(generatedSpecs),
		"bars:noise=2", "noisydigits:noise=2", "noisydigits:deadleaves", "deadleaves:disks,textured",
		"star:b=2", "sidebyside:glyphs,noisydigits", "sidebyside:noisydigits",
		"spurious:side=6", "spurious:agree=.2,test=aligned", "spurious:corner=upper-right", "spurious:test=none",
		"heads:attribute=glasses", "heads:with=smile,test=aligned",
		"heads:with=smile,test=aligned,agree=.7") {
		info, err := Describe(mustOpen(t, spec, Options{Count: 40}))
		if err != nil {
			t.Fatal(err)
		}
		if other, ok := seen[info.SHA256]; ok {
			t.Errorf("%s has the digest of %s", spec, other)
		}
		seen[info.SHA256] = spec
	}
}

func TestGeneratedCounts(t *testing.T) {
	for spec, want := range map[string][2]int{
		"bars": {500, 500}, "noisydigits": {2000, 2000}, "deadleaves": {10000, 2000},
		"star": {553, 1600}, "sidebyside": {10000, 2000}, "spurious": {10000, 2000},
		"streetdigits": {10000, 2000}, "heads": {10000, 2000},
	} {
		for k, split := range []string{"train", "test"} {
			if got := mustOpen(t, spec, Options{Split: split}).Len(); got != want[k] {
				t.Errorf("%s %s has %d images, want %d", spec, split, got, want[k])
			}
		}
	}
}
