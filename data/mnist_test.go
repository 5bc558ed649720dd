package data

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/internal/realdata"
)

// mnistPair returns IDX files of n images and labels. All pixels of image i are i, except that the one in row 1, column
// 2 is 255. Its label is i mod 10.
func mnistPair(n int) (images, labels []byte) {
	pix := make([]byte, n*28*28)
	lab := make([]byte, n)
	for i := range n {
		for k := range 28 * 28 {
			pix[i*28*28+k] = byte(i)
		}
		pix[i*28*28+30] = 255
		lab[i] = byte(i % 10)
	}
	return idxFile(idxUint8, pix, uint32(n), 28, 28), idxFile(idxUint8, lab, uint32(n))
}

func TestMNISTLayouts(t *testing.T) {
	images, labels := mnistPair(12)
	for _, folder := range []string{"mnist", "MNIST/raw", "."} {
		for split, prefix := range map[string]string{"train": "train", "test": "t10k", "": "t10k"} {
			dir := t.TempDir()
			write(t, gzipped(t, images), dir, folder, prefix+"-images-idx3-ubyte.gz")
			write(t, labels, dir, folder, prefix+"-labels-idx1-ubyte")
			ds := mustOpen(t, "mnist", Options{Dir: dir, Split: split})
			if ds.Len() != 12 || ds.Shape() != (Shape{1, 28, 28}) || len(ds.Classes()) != 10 || ds.Classes()[7] != "7" {
				t.Fatalf("%d images of %v, classes %q", ds.Len(), ds.Shape(), ds.Classes())
			}
			px, label := mustRead(t, ds, 11)
			if label != 1 || px[0] != 11./255 || px[30] != 1 || px[29] != 11./255 {
				t.Errorf("label %d, pixels %v", label, px[:32])
			}
		}
	}
}

func TestMNISTResized(t *testing.T) {
	images, labels := mnistPair(3)
	dir := t.TempDir()
	write(t, images, dir, "t10k-images-idx3-ubyte")
	write(t, labels, dir, "t10k-labels-idx1-ubyte")
	ds := mustOpen(t, "mnist", Options{Dir: dir, Size: 14})
	px, label := mustRead(t, ds, 2)
	if ds.Shape() != (Shape{1, 14, 14}) || label != 2 {
		t.Fatalf("shape %v, label %d", ds.Shape(), label)
	}
	// Halving averages columns 1 to 4 and rows 0 to 2 for the pixel in row 0, column 1, and so on. Far from the bright
	// pixel the level stays the same.
	if math.Abs(float64(px[100]-2./255)) > 1e-6 {
		t.Errorf("a flat region became %v, want %v", px[100], 2./255)
	}
	if px[1] <= 10./255 {
		t.Errorf("the bright pixel is gone: %v", px[:3])
	}
}

func TestMNISTBadInput(t *testing.T) {
	images, labels := mnistPair(3)
	badLabel := append([]byte(nil), labels...)
	badLabel[9] = 10
	for name, test := range map[string]struct {
		images, labels []byte
		offset         int64
		file           string
	}{
		"labels as images":   {labels, labels, 3, "images"},
		"images as labels":   {images, images, 3, "labels"},
		"image type":         {idxFile(idxInt8, nil, 0, 28, 28), labels, 2, "images"},
		"label type":         {images, idxFile(idxInt32, make([]byte, 12), 3), 2, "labels"},
		"other side":         {idxFile(idxUint8, make([]byte, 3*32*32), 3, 32, 32), labels, 8, "images"},
		"huge side":          {idxFile(idxUint8, nil, 3, 1<<31, 1<<31), labels, 8, "images"},
		"no images":          {idxFile(idxUint8, nil, 0, 28, 28), labels, 4, "images"},
		"more than 1 GiB":    {idxFile(idxUint8, nil, 1<<21, 28, 28), labels, 12, "images"},
		"images cut":         {images[:len(images)-1], labels, int64(len(images) - 1), "images"},
		"labels cut":         {images, labels[:len(labels)-1], int64(len(labels) - 1), "labels"},
		"fewer labels":       {images, idxFile(idxUint8, []byte{1, 2}, 2), 4, "labels"},
		"more labels":        {images, idxFile(idxUint8, []byte{1, 2, 3, 4}, 4), 4, "labels"},
		"label out of range": {images, badLabel, 9, "labels"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, test.images, dir, "mnist", "t10k-images-idx3-ubyte")
			write(t, test.labels, dir, "mnist", "t10k-labels-idx1-ubyte")
			_, err := Open("mnist", Options{Dir: dir})
			if f := wantFormatError(t, err, test.offset); !strings.Contains(filepath.Base(f.Path), test.file) {
				t.Errorf("error is about %s, want the %s", f.Path, test.file)
			}
		})
	}
}

func TestMNISTWithoutLabels(t *testing.T) {
	images, _ := mnistPair(3)
	dir := t.TempDir()
	write(t, images, dir, "mnist", "t10k-images-idx3-ubyte")
	_, err := Open("mnist", Options{Dir: dir})
	if n := wantNotFound(t, err); len(n.Looked) != 2 || !strings.Contains(n.Looked[1], "labels-idx1-ubyte.gz") {
		t.Errorf("looked for %q", n.Looked)
	}
}

func TestMNISTReal(t *testing.T) {
	dir := realdata.Folder(t, "mnist/train-images-idx3-ubyte.gz")
	test := mustOpen(t, "mnist", Options{Dir: dir})
	if _, label := mustRead(t, test, 0); test.Len() != 10000 || label != 7 {
		t.Errorf("%d test images, the first is a %d; want 10000 and 7", test.Len(), label)
	}
	train := mustOpen(t, "mnist", Options{Dir: dir, Split: "train"})
	if _, label := mustRead(t, train, 0); train.Len() != 60000 || label != 5 {
		t.Errorf("%d training images, the first is a %d; want 60000 and 5", train.Len(), label)
	}
	n, err := Measure(train, 0)
	if err != nil {
		t.Fatal(err)
	}
	// The constants in common use, to four digits.
	if math.Abs(float64(n.Mean[0])-.1307) > 5e-5 || math.Abs(float64(n.Std[0])-.3081) > 5e-5 {
		t.Errorf("training pixels have %v, want 0.1307/0.3081", n)
	}
}
