package data

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/ansatz-lab/ansatz/data/array"
)

func TestPCam(t *testing.T) {
	want := setRecords(t)
	for split, file := range map[string]string{"train": "train", "validation": "valid", "test": "test"} {
		ds, err := Open("pcam", Options{Dir: "testdata/sets", Split: split})
		if !array.HDF5Available() {
			if !errors.Is(err, array.ErrNoHDF5) {
				t.Fatalf("without HDF5: %v", err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		wantSet(t, ds, setRecord{Labels: want["pcam/"+file].Labels, SHA256: want["pcam/"+file].SHA256})
		if ds.Shape() != (Shape{3, 96, 96}) || len(ds.Classes()) != 2 {
			t.Errorf("%v, classes %q", ds.Shape(), ds.Classes())
		}
	}
}

func TestPCamAbsent(t *testing.T) {
	_, err := Open("pcam", Options{Dir: t.TempDir()})
	wantNotFound(t, err)
}

// TestPCamStatedLabels checks that a file of 2 kB that states 2⁴⁰ labels takes no memory for them.
func TestPCamStatedLabels(t *testing.T) {
	if !array.HDF5Available() {
		t.Skip(array.ErrNoHDF5)
	}
	const name = "camelyonpatch_level_2_split_test_y.h5"
	text, err := os.ReadFile("testdata/sets/pcam/" + name)
	if err != nil {
		t.Fatal(err)
	}
	shape := func(labels uint64) (b []byte) {
		for _, n := range []uint64{labels, 1, 1, 1} {
			b = binary.LittleEndian.AppendUint64(b, n)
		}
		return b
	}
	dir := t.TempDir()
	for file, content := range map[string][]byte{
		name: bytes.ReplaceAll(text, shape(2), shape(1<<40)), "camelyonpatch_level_2_split_test_x.h5": nil,
	} {
		if err := os.WriteFile(filepath.Join(dir, file), content, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	_, err = Open("pcam", Options{Dir: dir})
	if f := wantFormatError(t, err, array.NoOffset); f.Got != "1099511627776" {
		t.Error(err)
	}
}
