package data

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/data/array"
	"github.com/ansatz-lab/ansatz/internal/realdata"
)

var cifarNames = "airplane automobile bird cat deer dog frog horse ship truck"

// cifarBatch returns records with the given labels. The red, green and blue bytes of the pixel in row y and column x
// are y, x and the label.
func cifarBatch(labels ...byte) []byte {
	var raw []byte
	for _, l := range labels {
		raw = append(raw, l)
		for c := range 3 {
			for k := range 32 * 32 {
				raw = append(raw, [3]byte{byte(k / 32), byte(k % 32), l}[c])
			}
		}
	}
	return raw
}

// writeCIFAR writes a small CIFAR-10: the training labels are 0 to 9, the test labels 3, 1, 4.
func writeCIFAR(t testing.TB, dir string) {
	t.Helper()
	write(t, []byte(strings.ReplaceAll(cifarNames, " ", "\n")+"\n\n"), dir, "batches.meta.txt")
	write(t, cifarBatch(3, 1, 4), dir, "test_batch.bin")
	for k := range 5 {
		write(t, cifarBatch(byte(2*k), byte(2*k+1)), dir, fmt.Sprintf("data_batch_%d.bin", k+1))
	}
}

func TestCIFAR(t *testing.T) {
	root := t.TempDir()
	folder := filepath.Join(root, "cifar-10-batches-bin")
	writeCIFAR(t, folder)
	for _, dir := range []string{root, folder} {
		train := mustOpen(t, "cifar10", Options{Dir: dir, Split: "train"})
		if train.Len() != 10 || train.Shape() != (Shape{3, 32, 32}) ||
			strings.Join(train.Classes(), " ") != cifarNames {
			t.Fatalf("%d images of %v, classes %q", train.Len(), train.Shape(), train.Classes())
		}
		for i := range 10 {
			if _, label := mustRead(t, train, i); label != i {
				t.Errorf("training image %d has label %d", i, label)
			}
		}
		px, label := mustRead(t, mustOpen(t, "cifar10", Options{Dir: dir}), 2)
		at := (5*32 + 7) * 3
		if label != 4 || px[at] != 5./255 || px[at+1] != 7./255 || px[at+2] != 4./255 {
			t.Errorf("label %d, pixel %v, want 4 and 5, 7, 4 of 255", label, px[at:at+3])
		}
	}
}

func TestCIFARMissingBatch(t *testing.T) {
	dir := t.TempDir()
	writeCIFAR(t, dir)
	for _, file := range []string{"data_batch_3.bin", "batches.meta.txt"} {
		if err := os.Remove(filepath.Join(dir, file)); err != nil {
			t.Fatal(err)
		}
		_, err := Open("cifar10", Options{Dir: dir, Split: "train"})
		if n := wantNotFound(t, err); len(n.Looked) != 1 || filepath.Base(n.Looked[0]) != file {
			t.Errorf("looked for %q, want %s", n.Looked, file)
		}
	}
}

func TestCIFARBadBatch(t *testing.T) {
	good := cifarBatch(1, 2)
	for name, test := range map[string]struct {
		raw    []byte
		offset int64
	}{
		"empty":         {nil, 0},
		"label only":    {good[:1], 0},
		"one byte less": {good[:len(good)-1], 3073},
		"one byte more": {append(good[:len(good):len(good)], 0), 2 * 3073},
		"second label":  {cifarBatch(9, 10), 3073},
		"text":          {bytes.Repeat([]byte("x"), 3073), 0},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			writeCIFAR(t, dir)
			write(t, test.raw, dir, "test_batch.bin")
			_, err := Open("cifar10", Options{Dir: dir})
			wantFormatError(t, err, test.offset)
		})
	}
}

func TestCIFARTruncated(t *testing.T) {
	raw := cifarBatch(1, 2)
	for n := range raw {
		err := newCIFAR10("test").addRecords(new(planes), "file", raw[:n])
		if n == (1 + cifarPixels) {
			if err != nil {
				t.Error(err)
			}
			continue
		}
		wantFormatError(t, err, int64(n/(1+cifarPixels)*(1+cifarPixels)))
	}
}

func TestCIFARBadClasses(t *testing.T) {
	for _, names := range []string{"", "airplane\nautomobile\n", strings.ReplaceAll(cifarNames, " ", "\n") + "\nten"} {
		_, err := newCIFAR10("test").parseClasses("file", []byte(names))
		wantFormatError(t, err, int64(len(strings.TrimSpace(names))))
	}
}

func TestReadFileLimit(t *testing.T) {
	path := write(t, make([]byte, 10), t.TempDir(), "f")
	if raw, err := readFile(path, 10); len(raw) != 10 || err != nil {
		t.Errorf("read %d bytes, %v", len(raw), err)
	}
	_, err := readFile(path, 9)
	wantFormatError(t, err, array.NoOffset)
	_, err = readFile(filepath.Dir(path), 1<<20)
	wantFormatError(t, err, array.NoOffset)
}

func TestCIFARReal(t *testing.T) {
	dir := realdata.Folder(t, "cifar-10-batches-bin/test_batch.bin")
	for split, want := range map[string]int{"train": 50000, "test": 10000} {
		ds := mustOpen(t, "cifar10", Options{Dir: dir, Split: split})
		perClass := make([]int, 10)
		for _, l := range ds.(eightBit).source.(*planes).labels {
			perClass[l]++
		}
		for class, n := range perClass {
			if n != want/10 {
				t.Errorf("%s: %d images of class %d, want %d", split, n, class, want/10)
			}
		}
	}
	test := mustOpen(t, "cifar10", Options{Dir: dir})
	info, err := Describe(test)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(filepath.Join(dir, "cifar-10-batches-bin", "test_batch.bin"))
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("%x", sha256.Sum256(raw)); info.SHA256 != want {
		t.Errorf("digest of the test split is %s, of its file %s", info.SHA256, want)
	}
}
