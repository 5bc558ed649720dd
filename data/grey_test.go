package data

import (
	"bytes"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/ansatz-lab/ansatz/data/imagefile"
)

// greyPath returns the path of a file that testdata/make_grey.py wrote.
func greyPath(name string) string { return filepath.Join("testdata/grey", name) }

// planesOf returns the bytes of a PNG that Pillow wrote, channel by channel.
func planesOf(t *testing.T, name string, channels int) (pix []uint8, s Shape) {
	t.Helper()
	img, err := imagefile.Read(greyPath(name))
	if err != nil {
		t.Fatal(err)
	}
	for c := range channels {
		for k := c; k < len(img.Pix); k += 3 {
			pix = append(pix, img.Pix[k])
		}
	}
	return pix, Shape{channels, img.Height, img.Width}
}

// photoSet returns a set whose only image is the picture of testdata/make_grey.py.
func photoSet(t *testing.T) Dataset {
	t.Helper()
	pix, s := planesOf(t, "colour.png", 3)
	return eightBit{&planes{name: "colour", split: "test", shape: s, classes: []string{"a", "b"}, labels: []uint16{1},
		images: [][]uint8{pix}}, 0}
}

// wantPlanes fails the test unless the only image of ds has exactly the bytes of a PNG that Pillow wrote. The image of
// withoutBytes, a set that stores no bytes, may differ from the PNG by tolerance, in grey levels.
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
	imagefile.PlanesToUnit(wantUnit, want, s.Channels)
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

func TestGreyAgreesWithPillow(t *testing.T) {
	ds := photoSet(t)
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

func TestGreyRefuses(t *testing.T) {
	if made, err := Grey(&table{shape: Shape{2, 4, 4}}); err == nil || made != nil {
		t.Errorf("two channels: %v, error %v", made, err)
	}
}

// TestGreyKeepsTheRest checks that Grey changes the digest, and keeps the name, the split, the classes, the labels and
// the number of images.
func TestGreyKeepsTheRest(t *testing.T) {
	ds := photoSet(t)
	plain, err := Describe(ds)
	if err != nil {
		t.Fatal(err)
	}
	made, err := Grey(ds)
	if err != nil {
		t.Fatal(err)
	}
	info, err := Describe(made)
	if err != nil {
		t.Fatal(err)
	}
	if info.SHA256 == plain.SHA256 || info.Name != plain.Name || info.Split != "test" || info.Images != 1 ||
		!slices.Equal(info.Classes, plain.Classes) {
		t.Errorf("described as %+v, the colours as %+v", info, plain)
	}
	if labels := mustLabels(t, made); labels[0] != 1 {
		t.Errorf("label %d", labels[0])
	}
	if _, err := made.Read(1, make([]float32, info.Shape.Pixels())); err == nil {
		t.Error("it has an image 1")
	}
}

// TestGreyReportsErrors checks that Read returns an error for an image that cannot be read.
func TestGreyReportsErrors(t *testing.T) {
	made, err := Grey(&table{shape: Shape{3, 31, 45}, images: [][]float32{nil}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := made.Read(0, make([]float32, made.Shape().Pixels())); err == nil {
		t.Error("no error")
	}
}

// TestGreyInPipelines checks that a pipeline with four workers makes the same batches of grey images from the set's
// bytes as through Read.
func TestGreyInPipelines(t *testing.T) {
	p := cifarPipeline(t)
	shades, err := Grey(p.Dataset)
	if err != nil {
		t.Fatal(err)
	}
	p.Dataset, p.Normalisation, p.Workers = shades, Normalisation{}, 4
	want := fmt.Sprint(mustCollect(t, &p, 0, 0))
	p.Dataset = opaque{shades}
	if fmt.Sprint(mustCollect(t, &p, 0, 0)) != want {
		t.Error("without bytes: other batches")
	}
}
