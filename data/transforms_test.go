package data

import (
	"bytes"
	"fmt"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// transformPath returns the path of a file that testdata/make_transforms.py
// wrote.
func transformPath(name string) string { return filepath.Join("testdata/transforms", name) }

// planesOf returns the bytes of a PNG of Pillow, channel by channel.
func planesOf(t *testing.T, name string, channels int) (pix []uint8, s Shape) {
	t.Helper()
	f, err := os.Open(transformPath(name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	config, err := png.DecodeConfig(f)
	if err != nil {
		t.Fatal(err)
	}
	rgb := pillowPixels(t, transformPath(name))
	for c := range channels {
		for k := c; k < len(rgb); k += 3 {
			pix = append(pix, rgb[k])
		}
	}
	return pix, Shape{channels, config.Height, config.Width}
}

// photoSet returns the set of one picture of testdata/make_transforms.py.
func photoSet(t *testing.T, name string) Dataset {
	t.Helper()
	channels := 3
	if name == "grey" {
		channels = 1
	}
	pix, s := planesOf(t, name+".png", channels)
	return eightBit{&planes{name: name, split: "test", shape: s, classes: []string{"a", "b"}, labels: []uint16{1},
		images: [][]uint8{pix}}, 0}
}

// numbersOf reads a file of numbers, one a line.
func numbersOf(t *testing.T, name string) []float64 {
	t.Helper()
	text, err := os.ReadFile(transformPath(name))
	if err != nil {
		t.Fatal(err)
	}
	var v []float64
	for field := range strings.FieldsSeq(string(text)) {
		f, err := strconv.ParseFloat(field, 64)
		if err != nil {
			t.Fatal(err)
		}
		v = append(v, f)
	}
	return v
}

// wantPlanes fails the test unless the one image of a set has the bytes of a
// PNG of Pillow, and within tolerance in grey levels without bytes.
func wantPlanes(t *testing.T, ds, withoutBytes Dataset, name string, tolerance float64) {
	t.Helper()
	want, s := planesOf(t, name, ds.Shape().Channels)
	if ds.Shape() != s {
		t.Fatalf("%s: images of %v, want %v", name, ds.Shape(), s)
	}
	pix, label, ok := bytesOf(ds, 0, make([]uint8, s.Pixels()))
	if !ok || label != 1 || !bytes.Equal(pix, want) {
		t.Errorf("%s: other bytes than Pillow's, or none", name)
	}
	wantUnit := make([]float32, len(want))
	planesToUnit(wantUnit, want, s.Channels)
	if px, label := mustRead(t, ds, 0); label != 1 || !slices.Equal(px, wantUnit) {
		t.Errorf("%s: the pixels are not the bytes over 255", name)
	}
	if _, _, ok := bytesOf(withoutBytes, 0, make([]uint8, s.Pixels())); ok {
		t.Errorf("%s: bytes of a set without", name)
	}
	px, _ := mustRead(t, withoutBytes, 0)
	for k, v := range px {
		if d := math.Abs(float64(v-wantUnit[k])) * 255; d > tolerance {
			t.Fatalf("%s: value %d of floats differs by %.3f grey levels", name, k, d)
		}
	}
}

func mustResize(t *testing.T, ds Dataset, height, width int) Dataset {
	t.Helper()
	resized, err := Resize(ds, height, width)
	if err != nil {
		t.Fatal(err)
	}
	return resized
}

// TestResizeAgreesWithPillow scales up and down and by different factors. What
// is not rounded between the passes differs by up to one.
func TestResizeAgreesWithPillow(t *testing.T) {
	for _, name := range []string{"colour", "grey"} {
		ds := photoSet(t, name)
		for _, s := range [][2]int{{9, 13}, {31, 13}, {9, 45}, {64, 50}, {1, 1}, {100, 7}} {
			file := fmt.Sprintf("%s-%dx%d.png", name, s[0], s[1])
			wantPlanes(t, mustResize(t, ds, s[0], s[1]), mustResize(t, opaque{ds}, s[0], s[1]), file, 1.01)
		}
		if mustResize(t, ds, 31, 45) != ds {
			t.Error("a set of the right size is scaled")
		}
	}
}

// TestResizeOfFloatsAgreesWithPillow compares with Pillow's mode F.
func TestResizeOfFloatsAgreesWithPillow(t *testing.T) {
	for _, s := range [][2]int{{9, 13}, {64, 50}} {
		px, _ := mustRead(t, mustResize(t, opaque{photoSet(t, "colour")}, s[0], s[1]), 0)
		for k, want := range numbersOf(t, fmt.Sprintf("colour-%dx%d.txt", s[0], s[1])) {
			if math.Abs(float64(px[k])*255-want) > 1e-4 {
				t.Fatalf("%v: value %d is %v, want %v", s, k, px[k]*255, want)
			}
		}
	}
}

func TestCentreCropAgreesWithPillow(t *testing.T) {
	for _, name := range []string{"colour", "grey"} {
		ds := photoSet(t, name)
		cropped, err := CentreCrop(ds, 20)
		if err != nil {
			t.Fatal(err)
		}
		without, err := CentreCrop(opaque{ds}, 20)
		if err != nil {
			t.Fatal(err)
		}
		wantPlanes(t, cropped, without, name+"-crop20.png", 0)
	}
}

func TestGreyAgreesWithPillow(t *testing.T) {
	ds := photoSet(t, "colour")
	grey, err := Grey(ds)
	if err != nil {
		t.Fatal(err)
	}
	without, err := Grey(opaque{ds})
	if err != nil {
		t.Fatal(err)
	}
	wantPlanes(t, grey, without, "colour-grey.png", .51)
	if again, err := Grey(grey); again != grey || err != nil {
		t.Errorf("grey images are made grey: %v", err)
	}
}

func TestUnitSphereAgreesWithNumPy(t *testing.T) {
	ds := UnitSphere(photoSet(t, "colour"))
	px, label := mustRead(t, ds, 0)
	squares := 0.
	for _, v := range px {
		squares += float64(v) * float64(v)
	}
	if label != 1 || math.Abs(squares-1) > 1e-6 {
		t.Errorf("label %d, squared norm %v", label, squares)
	}
	for k, want := range numbersOf(t, "colour-sphere.txt") {
		if math.Abs(float64(px[k])-want) > 1e-8 {
			t.Fatalf("value %d is %v, want %v", k, px[k], want)
		}
	}
}

func TestUnitSphereLeavesZerosAlone(t *testing.T) {
	ds := &table{shape: Shape{1, 1, 2}, images: [][]float32{{0, 0}, {3, -4}}}
	for i, want := range [][]float32{{0, 0}, {.6, -.8}} {
		if px, label := mustRead(t, UnitSphere(ds), i); !slices.Equal(px, want) || label != i {
			t.Errorf("image %d is %v, want %v", i, px, want)
		}
	}
}

func TestTransformErrors(t *testing.T) {
	ds := photoSet(t, "colour")
	two := &table{shape: Shape{2, 4, 4}}
	for name, make := range map[string]func() (Dataset, error){
		"no height":      func() (Dataset, error) { return Resize(ds, 0, 5) },
		"no width":       func() (Dataset, error) { return Resize(ds, 5, -1) },
		"wide":           func() (Dataset, error) { return Resize(ds, 5, maxSize+1) },
		"no crop":        func() (Dataset, error) { return CentreCrop(ds, 0) },
		"crop too large": func() (Dataset, error) { return CentreCrop(ds, 32) },
		"two channels":   func() (Dataset, error) { return Grey(two) },
	} {
		if made, err := make(); err == nil || made != nil {
			t.Errorf("%s: %v, error %v", name, made, err)
		}
	}
}

// transformed returns a set under every transform that makes one from another.
func transformed(t *testing.T, ds Dataset) map[string]Dataset {
	t.Helper()
	crop, err := CentreCrop(ds, 20)
	if err != nil {
		t.Fatal(err)
	}
	grey, err := Grey(ds)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]Dataset{"resized": mustResize(t, ds, 8, 9), "cropped": crop, "grey": grey,
		"sphere": UnitSphere(ds)}
}

// TestTransformsKeepTheRest checks what does not change with the pixels, and
// that the digest does.
func TestTransformsKeepTheRest(t *testing.T) {
	ds := photoSet(t, "colour")
	plain, err := Describe(ds)
	if err != nil {
		t.Fatal(err)
	}
	digests := map[string]bool{plain.SHA256: true}
	for name, made := range transformed(t, ds) {
		info, err := Describe(made)
		if err != nil {
			t.Fatal(err)
		}
		if digests[info.SHA256] {
			t.Errorf("%s: the digest is that of another set", name)
		}
		digests[info.SHA256] = true
		if info.Name != plain.Name || info.Split != "test" || info.Images != 1 ||
			!slices.Equal(info.Classes, plain.Classes) {
			t.Errorf("%s: described as %+v", name, info)
		}
		if labels := mustLabels(t, made); labels[0] != 1 {
			t.Errorf("%s: label %d", name, labels[0])
		}
		if _, err := made.Read(1, make([]float32, info.Shape.Pixels())); err == nil {
			t.Errorf("%s: it has an image 1", name)
		}
	}
}

// TestTransformsReportErrors has an image that cannot be read.
func TestTransformsReportErrors(t *testing.T) {
	bad := &table{shape: Shape{3, 31, 45}, images: [][]float32{nil}}
	for name, made := range transformed(t, bad) {
		if _, err := made.Read(0, make([]float32, made.Shape().Pixels())); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestTransformsInPipelines reads them in batches, side by side, through bytes
// and without.
func TestTransformsInPipelines(t *testing.T) {
	p := cifarPipeline(t)
	grey, err := Grey(mustResize(t, p.Dataset, 16, 12))
	if err != nil {
		t.Fatal(err)
	}
	p.Dataset, p.Normalisation, p.Workers = grey, Normalisation{}, 4
	want := fmt.Sprint(mustCollect(t, &p, 0, 0))
	p.Dataset = opaque{grey}
	if fmt.Sprint(mustCollect(t, &p, 0, 0)) != want {
		t.Error("without bytes: other batches")
	}
}
