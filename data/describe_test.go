package data

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

func digest(t *testing.T, ds Dataset) string {
	t.Helper()
	info, err := Describe(ds)
	if err != nil {
		t.Fatal(err)
	}
	return info.SHA256
}

func TestDescribe(t *testing.T) {
	dir := t.TempDir()
	writeCIFAR(t, dir)
	info, err := Describe(mustOpen(t, "cifar10", Options{Dir: dir, Size: 16}))
	if err != nil {
		t.Fatal(err)
	}
	if info.Name != "cifar10" || info.Split != "test" || info.Images != 3 || info.Shape != (Shape{3, 16, 16}) ||
		len(info.Classes) != 10 {
		t.Errorf("described as %+v", info)
	}
	if want := fmt.Sprintf("%x", sha256.Sum256(cifarBatch(3, 1, 4))); info.SHA256 != want {
		t.Errorf("digest %s, of the file %s", info.SHA256, want)
	}
}

func TestDigestOfMNISTIsOfItsContent(t *testing.T) {
	images, labels := mnistPair(5)
	plain, zipped, other := t.TempDir(), t.TempDir(), t.TempDir()
	write(t, images, plain, "t10k-images-idx3-ubyte")
	write(t, labels, plain, "t10k-labels-idx1-ubyte")
	write(t, gzipped(t, images), zipped, "t10k-images-idx3-ubyte.gz")
	write(t, gzipped(t, labels), zipped, "t10k-labels-idx1-ubyte.gz")
	labels[len(labels)-1] ^= 1
	write(t, images, other, "t10k-images-idx3-ubyte")
	write(t, labels, other, "t10k-labels-idx1-ubyte")
	a := digest(t, mustOpen(t, "mnist", Options{Dir: plain}))
	b := digest(t, mustOpen(t, "mnist", Options{Dir: zipped}))
	c := digest(t, mustOpen(t, "mnist", Options{Dir: other}))
	if a != b || a == c {
		t.Errorf("plain %s, gzipped %s, with another label %s", a, b, c)
	}
}

func TestDigestOfFolder(t *testing.T) {
	digests := map[string]string{}
	for name, files := range map[string]map[string]string{
		"base":    {"a/x.png": "1", "b/y.png": "23"},
		"content": {"a/x.png": "1", "b/y.png": "24"},
		"split":   {"a/x.png": "12", "b/y.png": "3"},
		"name":    {"a/x.png": "1", "b/z.png": "23"},
		"class":   {"a/x.png": "1", "c/y.png": "23"},
	} {
		dir := t.TempDir()
		for path, content := range files {
			write(t, []byte(content), dir, path)
		}
		ds := mustOpen(t, dir, Options{})
		d := digest(t, ds)
		if other, ok := digests[d]; ok {
			t.Errorf("folders %s and %s have the same digest", name, other)
		}
		digests[d] = name
		// The digest depends on the files, not on the size at which they are read.
		if digest(t, mustOpen(t, dir, Options{Size: 32})) != d {
			t.Error("the digest depends on the size")
		}
		if err := os.Remove(filepath.Join(dir, "a", "x.png")); err != nil {
			t.Fatal(err)
		}
		if _, err := Describe(ds); err == nil {
			t.Error("a file is gone: no error")
		}
	}
}

func TestDigestOfGlyphs(t *testing.T) {
	digests := map[string]Options{}
	for _, o := range []Options{
		{Count: 10}, {Count: 11}, {Count: 10, Seed: 1}, {Count: 10, Split: "train"},
	} {
		d := digest(t, mustOpen(t, "glyphs", o))
		if other, ok := digests[d]; ok {
			t.Errorf("%+v and %+v have the same digest", o, other)
		}
		digests[d] = o
	}
	ten, more := mustOpen(t, "glyphs", Options{Count: 10}), mustOpen(t, "glyphs", Options{Count: 30})
	if digest(t, Head(more, 10)) != digest(t, ten) {
		t.Error("the first ten of thirty have another digest than ten")
	}
	if info, err := Describe(Head(more, 10)); err != nil || info.Split != "test" || info.Images != 10 {
		t.Errorf("a head is described as %+v, %v", info, err)
	}
}

func TestDigestOfForeignDataset(t *testing.T) {
	a := &table{shape: Shape{1, 1, 2}, images: [][]float32{{0, 1}}}
	b := &table{shape: Shape{1, 1, 2}, images: [][]float32{{0, .5}}}
	if digest(t, a) == digest(t, b) || digest(t, a) != digest(t, Head(a, 1)) {
		t.Error("the digest does not tell the pixels")
	}
	if _, err := Describe(&table{shape: Shape{1, 1, 1}, images: [][]float32{nil}}); err == nil {
		t.Error("an image that cannot be read: no error")
	}
}
