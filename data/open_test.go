package data

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/data/array"
)

func TestOpenUnknown(t *testing.T) {
	_, err := Open("svnh", Options{})
	wantNotFound(t, err)
	for _, want := range []string{"svnh", "cifar10", "glyphs", "mnist", "folder"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q does not mention %q", err, want)
		}
	}
}

func TestOpenAbsent(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"cifar10", "mnist"} {
		for _, split := range []string{"", "train", "test"} {
			_, err := Open(name, Options{Dir: dir, Split: split})
			n := wantNotFound(t, err)
			if n.Dataset != name || len(n.Looked) < 2 || !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("Open(%q) = %#v", name, n)
			}
			for _, want := range []string{dir, "--data-dir", "$ANSATZ_DATA", "ansatz data get"} {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %q does not mention %q", err, want)
				}
			}
		}
	}
}

func TestOpenDirIsFile(t *testing.T) {
	file := write(t, nil, t.TempDir(), "file")
	_, err := Open("mnist", Options{Dir: file})
	wantNotFound(t, err)
}

func TestOpenFile(t *testing.T) {
	_, err := Open(write(t, nil, t.TempDir(), "cat.jpg"), Options{})
	wantFormatError(t, err, array.NoOffset)
}

func TestOpenBadOptions(t *testing.T) {
	for _, o := range []Options{{Split: "valid"}, {Split: "validation"}, {Fit: "tight"}, {Size: -1},
		{Size: maxSize + 1}, {Count: -1}} {
		_, err := Open("glyphs", o)
		wantFormatError(t, err, array.NoOffset)
	}
}

func TestDirDefaults(t *testing.T) {
	t.Setenv("ANSATZ_DATA", "/from/env")
	if dir, err := (Options{}).dir("mnist"); dir != "/from/env" || err != nil {
		t.Errorf("with $ANSATZ_DATA: %q, %v", dir, err)
	}
	if dir, err := (Options{Dir: "/given"}).dir("mnist"); dir != "/given" || err != nil {
		t.Errorf("with Dir: %q, %v", dir, err)
	}
	t.Setenv("ANSATZ_DATA", "")
	cache, err := os.UserCacheDir()
	if err != nil {
		_, err := (Options{}).dir("mnist")
		wantNotFound(t, err)
		return
	}
	if dir, err := (Options{}).dir("mnist"); dir != filepath.Join(cache, "ansatz") || err != nil {
		t.Errorf("by default: %q, %v", dir, err)
	}
}

func TestNames(t *testing.T) {
	want := "aircraft bars caltech101 celeba cifar10 cifar100 deadleaves dtd emnist fashionmnist glyphs gtsrb " +
		"heads imagenet imagenet32 " +
		"mnist noisydigits pcam qmnist sidebyside spurious star stl10 streetdigits svhn"
	if got := strings.Join(Names(), " "); got != want {
		t.Errorf("Names() = %s", got)
	}
}

func TestShape(t *testing.T) {
	s := Shape{3, 20, 30}
	if s.Pixels() != 1800 || s.String() != "3×20×30" {
		t.Errorf("%v has %d pixels", s, s.Pixels())
	}
}

func TestReadRefusesBadCalls(t *testing.T) {
	dir := t.TempDir()
	write(t, encodePNG(t, 8, 8), dir, "a.png")
	for _, ds := range []Dataset{
		mustOpen(t, "glyphs", Options{Count: 3}),
		mustOpen(t, "glyphs", Options{Count: 3, Size: 14}),
		mustOpen(t, dir, Options{Size: 8}),
		Head(mustOpen(t, "glyphs", Options{}), 1),
	} {
		px := make([]float32, ds.Shape().Pixels()+1)
		for _, i := range []int{-1, ds.Len()} {
			if _, err := ds.Read(i, px[1:]); err == nil {
				t.Errorf("Read(%d) of %d images of %s: no error", i, ds.Len(), ds.Name())
			}
		}
		for _, dst := range [][]float32{nil, px, px[2:]} {
			if _, err := ds.Read(0, dst); err == nil {
				t.Errorf("Read of %s into %d pixels: no error", ds.Name(), len(dst))
			}
		}
	}
}
