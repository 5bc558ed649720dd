package setups

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/input"
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

// A record names the file of a network's weights with its digest. A file that is gone is an input error.
func TestRecordWeights(t *testing.T) {
	path := filepath.Join(t.TempDir(), "net-1.pth")
	if err := os.WriteFile(path, []byte("abc"), 0o666); err != nil {
		t.Fatal(err)
	}
	o := &study.Outcome{}
	err := RecordWeights(o, "net", path)
	want := study.DataUsed{Name: "net, weights of net-1.pth",
		SHA256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"}
	if err != nil || len(o.Data) != 1 || o.Data[0] != want {
		t.Errorf("%+v, %v", o.Data, err)
	}
	if err := RecordWeights(o, "net", path+".gone"); !input.IsError(err) {
		t.Errorf("%v", err)
	}
}
