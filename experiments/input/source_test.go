package input

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/models/weights"
)

// pictures writes a folder of PPM images of one colour, whose sizes are given as rows and columns, and returns its
// path.
func pictures(t *testing.T, sizes ...[2]int) string {
	t.Helper()
	dir := t.TempDir()
	for i, s := range sizes {
		text := fmt.Sprintf("P6 %d %d 255\n%s", s[1], s[0], strings.Repeat("\x64\xc8\x32", s[0]*s[1]))
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.ppm", i)), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestFolderSizes checks that the images of a folder are read at their own size if the network reads this size and it
// is not square, or if the network reads any size. Otherwise the error says which sizes the images have.
func TestFolderSizes(t *testing.T) {
	one, two := pictures(t, [2]int{2, 6}, [2]int{2, 6}), pictures(t, [2]int{2, 6}, [2]int{4, 6})
	for _, c := range []struct {
		dir           string
		height, width int
		want          string
	}{
		{one, 2, 6, ""}, {one, 0, 0, ""}, {one, 0, 6, ""},
		{one, 6, 2, "reads images of 3×6×2 (rows and columns of 0 are open), but those of " + one + " have 2×6"},
		{two, 2, 6, "reads images of 2×6 (rows × columns), but those of " + two + " differ in size: 0.ppm has 2×6 pixels " +
			"(rows × columns), 1.ppm has 4×6; scale them to this size before"},
		{two, 0, 0, "give --size"},
	} {
		a := &models.Architecture{Name: "net", Input: models.Shape{Channels: 3, Height: c.height, Width: c.width}}
		src, err := Open(DataSpec{Data: c.dir}, a)
		if c.want != "" {
			wantError(t, err, c.want)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if src.Shape() != (models.Shape{Channels: 3, Height: 2, Width: 6}) || !strings.Contains(src.Order, "of their own size, 2×6") {
			t.Errorf("%v, %s", src.Shape(), src.Order)
		}
		if _, err := src.Dataset.Read(1, make([]float32, 36)); err != nil {
			t.Error(err)
		}
	}
}

// TestGreyFolder checks that a network of one channel that came with its weights reads a folder of images in grey.
// Without weights the images keep their three channels, for which the network is then made.
func TestGreyFolder(t *testing.T) {
	a := &models.Architecture{Name: "net", Input: models.Shape{Channels: 1, Height: 4, Width: 4}}
	src, err := Open(DataSpec{Data: pictures(t, [2]int{4, 4})}, a)
	if err != nil || src.Dataset.Shape().Channels != 3 {
		t.Fatal(src, err)
	}
	a.Weights = new(weights.StateDict)
	src, err = Open(DataSpec{Data: pictures(t, [2]int{4, 4})}, a)
	if err != nil {
		t.Fatal(err)
	}
	pixels := make([]float32, 16)
	if _, err := src.Dataset.Read(0, pixels); err != nil {
		t.Fatal(err)
	}
	const want = (.299*0x64 + .587*0xc8 + .114*0x32) / 255
	if d := pixels[5] - want; d > 1e-6 || d < -1e-6 || !strings.Contains(src.Order, "in grey") {
		t.Errorf("%v, want %v; %s", pixels[5], want, src.Order)
	}
}

// TestNormalisationOfDamagedTraining checks that a damaged training split is an error where the images are normalised as it
// asks for. Without the split, the images that are there are measured.
func TestNormalisationOfDamagedTraining(t *testing.T) {
	dir := t.TempDir()
	set, err := data.Open("glyphs", data.Options{Count: 20})
	if err != nil {
		t.Fatal(err)
	}
	src := &Source{Dataset: set, options: data.Options{Dir: dir}}
	s := DataSpec{Data: "mnist", Normalise: "dataset"}
	if n, err := src.Normalisation(s, new(models.Architecture)); err != nil || n.Name != "dataset" {
		t.Errorf("without a training split: %v, %v", n, err)
	}
	for _, name := range []string{"train-images-idx3-ubyte", "train-labels-idx1-ubyte"} {
		if err := os.MkdirAll(filepath.Join(dir, "mnist"), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "mnist", name), []byte("damaged"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	_, err = src.Normalisation(s, new(models.Architecture))
	wantError(t, err, "train-")
}
