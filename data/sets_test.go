package data

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/data/array"
)

// A setRecord holds what torchvision read from a split; see testdata/make_sets.py.
type setRecord struct {
	Labels  []int
	Classes []string
	SHA256  string // of all pixels, in image, row, column, channel order
}

func setRecords(t testing.TB) map[string]setRecord {
	t.Helper()
	raw, err := os.ReadFile("testdata/sets/sets.json")
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]setRecord
	if err := json.Unmarshal(raw, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// setImages returns n images of testdata/make_sets.py, beginning with number first, channel by channel.
func setImages(n int, s Shape, first int) []uint8 {
	var pix []uint8
	for i := first; i < first+n; i++ {
		for c := range s.Channels {
			for y := range s.Height {
				for x := range s.Width {
					pix = append(pix, uint8((31*i+17*c+5*y+3*x)%251))
				}
			}
		}
	}
	return pix
}

// turned returns square images with their rows and columns exchanged.
func turned(pix []uint8, side int) []uint8 {
	pix = slices.Clone(pix)
	transpose(pix, side)
	return pix
}

// wantSet fails the test unless the labels of ds are those recorded, and also the classes and the pixels if they were
// recorded.
func wantSet(t *testing.T, ds Dataset, want setRecord) {
	t.Helper()
	if ds.Len() != len(want.Labels) {
		t.Fatalf("%d images, want %d", ds.Len(), len(want.Labels))
	}
	labels, err := Labels(ds)
	if err != nil || !slices.Equal(labels, want.Labels) {
		t.Errorf("labels %v, %v, want %v", labels, err, want.Labels)
	}
	if len(want.Classes) > 0 && !slices.Equal(ds.Classes(), want.Classes) {
		t.Errorf("classes %q, want %q", ds.Classes(), want.Classes)
	}
	if want.SHA256 == "" {
		return
	}
	if got := pixelDigest(t, ds); got != want.SHA256 {
		t.Errorf("the pixels have the digest %s, want %s", got, want.SHA256)
	}
}

// pixelDigest returns the SHA-256 of the pixels, as bytes, in the order of setRecord. It fails the test if the label of
// an image is not the one that Read returns.
func pixelDigest(t *testing.T, ds Dataset) string {
	t.Helper()
	h := sha256.New()
	for i := range ds.Len() {
		px, label := mustRead(t, ds, i)
		if l, err := labelOf(ds, i); l != label || err != nil {
			t.Errorf("image %d has label %d, and %d when it is read: %v", i, l, label, err)
		}
		raw := make([]byte, len(px))
		for k, v := range px {
			raw[k] = byte(v*255 + .5)
		}
		h.Write(raw)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// writeDigits writes IDX files of 28×28 images and of their labels, with one number or a row of eight per image.
func writeDigits(t *testing.T, dir, prefix, labelFile string, pix, labels []byte) {
	t.Helper()
	n := uint32(len(pix) / 784)
	write(t, gzipped(t, idxFile(idxUint8, pix, n, 28, 28)), dir, prefix+"-images-idx3-ubyte.gz")
	file := idxFile(idxUint8, labels, n)
	if len(labels) > int(n) {
		file = idxFile(idxInt32, labels, n, 8)
	}
	write(t, file, dir, prefix+"-"+labelFile)
}

var grey28 = Shape{1, 28, 28}

func TestFashionMNIST(t *testing.T) {
	want := setRecords(t)
	for _, folder := range []string{"fashionmnist", "FashionMNIST/raw"} {
		dir := t.TempDir()
		for split, n := range map[string]int{"train": 12, "t10k": 7} {
			labels := make([]byte, n)
			for i := range labels {
				labels[i] = byte(i % 10)
			}
			writeDigits(t, filepath.Join(dir, folder), split, "labels-idx1-ubyte", setImages(n, grey28, 0), labels)
		}
		for _, split := range []string{"train", "test"} {
			wantSet(t, mustOpen(t, "fashionmnist", Options{Dir: dir, Split: split}), want["fashionmnist/"+split])
		}
	}
}

// TestEMNIST compares with torchvision, which leaves the images of EMNIST transposed and, for the letters, begins with
// an unused class "N/A".
func TestEMNIST(t *testing.T) {
	want := setRecords(t)
	for kind, n := range map[string]int{"balanced": 47, "byclass": 62, "bymerge": 47, "letters": 26, "digits": 10,
		"mnist": 10} {
		dir := t.TempDir()
		labels := make([]byte, n)
		for i := range labels {
			labels[i] = byte(i)
			if kind == "letters" {
				labels[i]++
			}
		}
		upright := setImages(n, grey28, 0)
		writeDigits(t, filepath.Join(dir, "emnist/gzip"), "emnist-"+kind+"-test", "labels-idx1-ubyte",
			turned(upright, 28), labels)
		ds := mustOpen(t, "emnist:"+kind, Options{Dir: dir})
		if ds.Name() != "emnist:"+kind || ds.Shape() != grey28 {
			t.Errorf("%s of %v", ds.Name(), ds.Shape())
		}
		record := want["emnist:"+kind+"/test"]
		h := sha256.Sum256(turned(upright, 28))
		if hex.EncodeToString(h[:]) != record.SHA256 {
			t.Errorf("%s: this test writes other images than torchvision read", kind)
		}
		h = sha256.Sum256(upright)
		record.SHA256 = hex.EncodeToString(h[:])
		if kind == "letters" {
			record.Classes = record.Classes[1:]
			for i := range record.Labels {
				record.Labels[i]--
			}
		}
		wantSet(t, ds, record)
	}
}

func TestEMNISTDefault(t *testing.T) {
	_, err := Open("emnist", Options{Dir: t.TempDir()})
	if n := wantNotFound(t, err); !strings.Contains(n.Looked[0], "emnist-balanced-test") {
		t.Errorf("looked for %q", n.Looked)
	}
	_, err = Open("emnist:capitals", Options{Dir: t.TempDir()})
	wantFormatError(t, err, array.NoOffset)
}

// qmnistLabels returns n rows of eight numbers, the first of which is the class.
func qmnistLabels(n int) []byte {
	var raw []byte
	for k := range 8 * n {
		raw = append(raw, 0, 0, 0, byte(k%10))
	}
	return raw
}

func TestQMNIST(t *testing.T) {
	want, dir := setRecords(t), t.TempDir()
	for split, n := range map[string]int{"train": 12, "test": 7} {
		writeDigits(t, filepath.Join(dir, "QMNIST/raw"), "qmnist-"+split, "labels-idx2-int", setImages(n, grey28, 0),
			qmnistLabels(n))
		ds := mustOpen(t, "qmnist", Options{Dir: dir, Split: split})
		wantSet(t, ds, want["qmnist/"+split])
		if got, h := pixelDigest(t, ds), sha256.Sum256(setImages(n, grey28, 0)); got != hex.EncodeToString(h[:]) {
			t.Errorf("%s has other pixels", split)
		}
	}
}

func TestQMNISTParts(t *testing.T) {
	const n = 10003
	dir := t.TempDir()
	pix := make([]byte, n*784)
	for i := range n {
		pix[i*784] = byte(i)
	}
	writeDigits(t, filepath.Join(dir, "qmnist"), "qmnist-test", "labels-idx2-int", pix, qmnistLabels(n))
	for part, want := range map[string]struct{ first, n int }{"": {0, n}, ":test10k": {0, 10000},
		":test50k": {10000, 3}} {
		ds := mustOpen(t, "qmnist"+part, Options{Dir: dir})
		if px, _ := mustRead(t, ds, 1); ds.Len() != want.n || px[0] != float32(byte(want.first+1))/255 ||
			ds.Name() != "qmnist"+part {
			t.Errorf("%s has %d images, the second begins with %v", ds.Name(), ds.Len(), px[0])
		}
	}
}

func TestQMNISTBadLabels(t *testing.T) {
	dir := t.TempDir()
	raw := qmnistLabels(7)
	raw[2*32+3] = 77
	writeDigits(t, filepath.Join(dir, "qmnist"), "qmnist-test", "labels-idx2-int", setImages(7, grey28, 0), raw)
	_, err := Open("qmnist", Options{Dir: dir})
	wantFormatError(t, err, 12+2*32)
}

func TestCIFARPython(t *testing.T) {
	want := setRecords(t)
	for _, dir := range []string{"testdata/sets", "testdata/sets/cifar-10-batches-py"} {
		for _, split := range []string{"train", "test"} {
			wantSet(t, mustOpen(t, "cifar10", Options{Dir: dir, Split: split}), want["cifar10/"+split])
		}
	}
	for _, split := range []string{"train", "test"} {
		fine := want["cifar100/"+split]
		wantSet(t, mustOpen(t, "cifar100", Options{Dir: "testdata/sets", Split: split}), fine)
		coarse := setRecord{SHA256: fine.SHA256}
		for _, l := range fine.Labels {
			coarse.Labels = append(coarse.Labels, l/5)
		}
		ds := mustOpen(t, "cifar100:coarse", Options{Dir: "testdata/sets", Split: split})
		wantSet(t, ds, coarse)
		if len(ds.Classes()) != 20 || ds.Classes()[3] != "coarse_3" {
			t.Errorf("classes %q", ds.Classes())
		}
	}
}

// TestCIFAR100Binary checks that the binary version has the same classes and the same digest as the Python version.
func TestCIFAR100Binary(t *testing.T) {
	dir := t.TempDir()
	var raw, fine, coarse bytes.Buffer
	pix := setImages(5, Shape{3, 32, 32}, 0)
	for i := range 5 {
		raw.Write([]byte{byte(7 * i / 5), byte(7 * i)})
		raw.Write(pix[i*cifarPixels : (i+1)*cifarPixels])
	}
	for k := range 100 {
		fmt.Fprintf(&fine, "fine_%d\n", k)
		if k < 20 {
			fmt.Fprintf(&coarse, "coarse_%d\n", k)
		}
	}
	write(t, raw.Bytes(), dir, "cifar-100-binary", "train.bin")
	write(t, fine.Bytes(), dir, "cifar-100-binary", "fine_label_names.txt")
	write(t, coarse.Bytes(), dir, "cifar-100-binary", "coarse_label_names.txt")
	for _, name := range []string{"cifar100", "cifar100:coarse"} {
		binary := mustOpen(t, name, Options{Dir: dir, Split: "train"})
		python := mustOpen(t, name, Options{Dir: "testdata/sets", Split: "train"})
		a, errA := Describe(binary)
		b, errB := Describe(python)
		if errA != nil || errB != nil || a.SHA256 != b.SHA256 || !slices.Equal(a.Classes, b.Classes) || a.Name != name {
			t.Errorf("binary %+v, %v\npython %+v, %v", a, errA, b, errB)
		}
	}
}

func TestSVHN(t *testing.T) {
	want := setRecords(t)
	for _, dir := range []string{"testdata/sets", "testdata/sets/svhn"} {
		for _, split := range []string{"train", "test"} {
			wantSet(t, mustOpen(t, "svhn", Options{Dir: dir, Split: split}), want["svhn/"+split])
		}
	}
	both := mustOpen(t, "svhn:extra", Options{Dir: "testdata/sets", Split: "train"})
	wantSet(t, both, setRecord{Labels: slices.Concat(want["svhn/train"].Labels, want["svhn/extra"].Labels)})
	wantSet(t, Head(both, 11), want["svhn/train"])
	wantSet(t, mustOpen(t, "svhn:extra", Options{Dir: "testdata/sets", Split: "test"}), want["svhn/test"])
}

// writeSTL writes an STL-10 in which image i has label i.
func writeSTL(t *testing.T, dir string, sizes map[string]int) {
	t.Helper()
	for split, n := range sizes {
		write(t, turned(setImages(n, Shape{3, 96, 96}, 0), 96), dir, "stl10_binary", split+"_X.bin")
		labels := make([]byte, n)
		for i := range labels {
			labels[i] = byte(i + 1)
		}
		if split != "unlabeled" {
			write(t, labels, dir, "stl10_binary", split+"_y.bin")
		}
	}
	write(t, []byte("airplane\nbird\ncar\ncat\ndeer\ndog\nhorse\nmonkey\nship\ntruck\n"), dir, "stl10_binary",
		"class_names.txt")
}

func TestSTL10(t *testing.T) {
	want, dir := setRecords(t), t.TempDir()
	writeSTL(t, dir, map[string]int{"train": 4, "test": 3, "unlabeled": 2})
	for _, split := range []string{"train", "test"} {
		wantSet(t, mustOpen(t, "stl10", Options{Dir: dir, Split: split}), want["stl10/"+split])
	}
	ds := mustOpen(t, "stl10:unlabeled", Options{Dir: dir})
	record := want["stl10/unlabeled"]
	record.Classes = nil
	wantSet(t, ds, record)
	if len(ds.Classes()) != 0 || splitOf(ds) != "unlabeled" {
		t.Errorf("unlabelled images of the split %q have the classes %q", splitOf(ds), ds.Classes())
	}
	small := mustOpen(t, "stl10", Options{Dir: dir, Size: 32})
	if px, label := mustRead(t, small, 2); len(px) != 3072 || label != 2 {
		t.Errorf("%d pixels, label %d", len(px), label)
	}
}

func TestSTL10Damaged(t *testing.T) {
	dir := t.TempDir()
	writeSTL(t, dir, map[string]int{"test": 2})
	folder := filepath.Join(dir, "stl10_binary")
	open := func() error { _, err := Open("stl10", Options{Dir: dir}); return err }
	write(t, []byte{1, 11}, folder, "test_y.bin")
	wantFormatError(t, open(), 1)
	write(t, []byte{1}, folder, "test_y.bin")
	wantFormatError(t, open(), array.NoOffset)
	write(t, make([]byte, stlPixels+5), folder, "test_X.bin")
	wantFormatError(t, open(), stlPixels)
	write(t, []byte("\n"), folder, "class_names.txt")
	write(t, make([]byte, stlPixels), folder, "test_X.bin")
	wantFormatError(t, open(), 0)
}

func TestImageNet32(t *testing.T) {
	shape := Shape{3, 32, 32}
	for _, dir := range []string{"testdata/sets", "testdata/sets/imagenet32-npz"} {
		var pix []uint8
		var labels []int
		for k := 1; k <= 10; k++ {
			pix = append(pix, setImages(1, shape, k)...)
			labels = append(labels, 100*k-1)
		}
		ds := mustOpen(t, "imagenet32", Options{Dir: dir, Split: "train"})
		wantSet(t, ds, setRecord{Labels: labels})
		for i := range ds.Len() {
			got, _, ok := bytesOf(ds, i, nil)
			if !ok || !bytes.Equal(got, pix[i*3072:(i+1)*3072]) {
				t.Errorf("%s: image %d has other pixels", dir, i)
			}
		}
		test := mustOpen(t, "imagenet32", Options{Dir: dir})
		wantSet(t, test, setRecord{Labels: []int{0, 999}})
		if names := test.Classes(); len(names) != 1000 || names[999] != "class 1000" {
			t.Errorf("%d classes", len(names))
		}
	}
}

func TestClassMap(t *testing.T) {
	var b strings.Builder
	for k := 1000; k >= 1; k-- {
		fmt.Fprintf(&b, "n%08d %d name_%d\n", k, k, k)
	}
	names, err := parseClassMap("map", []byte(b.String()))
	if err != nil || names[0] != "name_1" || names[999] != "name_1000" {
		t.Fatalf("%v, %d names", err, len(names))
	}
	line := int64(len("n00001000 1000 name_1000\n"))
	for text, offset := range map[string]int64{
		"": 0, "n1 1\n": 0, "n1 0 a\n": 0, "n1 1001 a\n": 0,
		"n00001000 1000 name_1000\nn00001000 1000 name_1000\n": line,
		"n00001000 1000 name_1000\n":                           line,
	} {
		_, err := parseClassMap("map", []byte(text))
		wantFormatError(t, err, offset)
	}
}
