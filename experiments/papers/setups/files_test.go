package setups

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/study"
)

// Weights are found in the data folder and in its subfolder weights, with or without torchvision's digest in the name.
func TestFindWeights(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data[1]") // no pattern
	in := study.Setting{DataDir: dir}
	put := func(name string) string {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, nil, 0o666)); err != nil {
			t.Fatal(err)
		}
		return path
	}
	if path, found, err := FindWeights(in, "a.pth"); found || err != nil || path != filepath.Join(dir, "a.pth") {
		t.Errorf("%q, %t, %v", path, found, err)
	}
	put("weights/b_bn-123.pth")
	// Each file is preferred to those before it.
	for _, file := range []string{"weights/b-owt-1.pth", "b-1.pth", "weights/b.pth", "b.pth"} {
		want := put(file)
		if path, found, err := FindWeights(in, "b.pth"); path != want || !found || err != nil {
			t.Errorf("%q, %t, %v; want %s", path, found, err, want)
		}
	}
	if path, found, err := FindWeights(in, filepath.Join(dir, "b.pth")); !found || err != nil {
		t.Errorf("%q, %t, %v", path, found, err)
	}
	if _, found, err := FindWeights(in, filepath.Join(dir, "none.pth")); found || err != nil {
		t.Errorf("%t, %v", found, err)
	}
}
