package data

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/ansatz-lab/ansatz/data/array"
)

func TestCaltechSplit(t *testing.T) {
	dir := writeImageSet(t, "caltech101")
	open := func(split string, seed uint64) []string {
		ds := mustOpen(t, "caltech101", Options{Dir: dir, Split: split, Seed: seed})
		labels, err := Labels(ds)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.IsSorted(labels) || len(ds.Classes()) != 101 {
			t.Errorf("%d classes, sorted labels: %v", len(ds.Classes()), slices.IsSorted(labels))
		}
		count := make([]int, 101)
		for _, l := range labels {
			count[l]++
		}
		for class, n := range count {
			if want := 1 + class%4; split == "test" && n != want || split == "train" && n != 30 {
				t.Errorf("the %s split has %d images of class %d", split, n, class)
			}
		}
		return samplesOf(ds)
	}
	train, test := open("train", 3), open("test", 3)
	all := slices.Concat(train, test)
	slices.Sort(all)
	if n := len(all); n != len(slices.Compact(all)) || len(train) != 3030 {
		t.Errorf("%d images, %d of them for training, or some in both splits", n, len(train))
	}
	if !slices.Equal(open("train", 3), train) || slices.Equal(open("train", 4), train) {
		t.Error("the split is not a function of the seed")
	}
	// A golden value: the split must be the same in every version.
	if want := caltechGolden; !slices.Equal(test[:4], want) {
		t.Errorf("the test split of seed 3 begins with %q, want %q", test[:4], want)
	}
}

var caltechGolden = []string{"Faces/image_0024.jpg 0", "Faces_easy/image_0019.jpg 1", "Faces_easy/image_0026.jpg 1",
	"Leopards/image_0002.jpg 2"}

func TestCaltechIncomplete(t *testing.T) {
	for name, spoil := range map[string]func(root string) (path string, err error){
		"a class is missing": func(root string) (string, error) {
			return root,
				os.RemoveAll(filepath.Join(root, "Faces"))
		},
		"a class is too small": func(root string) (string, error) {
			class := filepath.Join(root, "Faces")
			return class, os.Remove(filepath.Join(class, "image_0001.jpg"))
		},
		"a class is empty": func(root string) (string, error) {
			class := filepath.Join(root, "Leopards")
			if err := os.RemoveAll(class); err != nil {
				return "", err
			}
			return class, os.Mkdir(class, 0o755)
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := writeImageSet(t, "caltech101")
			path, err := spoil(filepath.Join(dir, "caltech101", "101_ObjectCategories"))
			if err != nil {
				t.Fatal(err)
			}
			_, err = Open("caltech101", Options{Dir: dir})
			if f := wantFormatError(t, err, array.NoOffset); f.Path != path {
				t.Errorf("the error is about %s, want %s", f.Path, path)
			}
		})
	}
}
