package data

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/data/array"
	"github.com/ansatz-lab/ansatz/internal/realdata"
)

func TestFolderOfClasses(t *testing.T) {
	dir := t.TempDir()
	picture := encodePNG(t, 10, 12)
	for _, file := range []string{
		"dog/2.png", "dog/10.PNG", "dog/notes.txt", "cat/b.Jpeg", "cat/a.jpg", "cat/.hidden.jpg",
		".git/x.png", "README.md", "Zebra/z.png",
	} {
		write(t, picture, dir, file)
	}
	ds := mustOpen(t, dir, Options{Size: 8})
	if want := []string{"Zebra", "cat", "dog"}; !slices.Equal(ds.Classes(), want) || !slices.IsSorted(ds.Classes()) {
		t.Errorf("classes are %q, want %q", ds.Classes(), want)
	}
	if got, want := ds.(*listed).paths, []string{"Zebra/z.png", "cat/a.jpg", "cat/b.Jpeg", "dog/10.PNG",
		"dog/2.png"}; !slices.Equal(got, want) {
		t.Errorf("files are %q, want %q", got, want)
	}
	if ds.Name() != filepath.Base(dir) || ds.Shape() != (Shape{3, 8, 8}) {
		t.Errorf("%s of %v", ds.Name(), ds.Shape())
	}
	for i, want := range []int{0, 1, 1, 2, 2} {
		if _, label := mustRead(t, ds, i); label != want {
			t.Errorf("image %d has label %d, want %d", i, label, want)
		}
	}
}

func TestFlatFolder(t *testing.T) {
	dir := t.TempDir()
	write(t, encodeJPEG(t, 10, 12), dir, "b.jpg")
	write(t, encodePNG(t, 12, 10), dir, "a.png")
	write(t, nil, dir, "notes", "todo.txt")
	ds := mustOpen(t, dir+"/", Options{})
	if ds.Len() != 2 || len(ds.Classes()) != 0 || ds.Shape() != (Shape{3, 224, 224}) ||
		ds.Name() != filepath.Base(dir) {
		t.Errorf("%s: %d images of %v, classes %q", ds.Name(), ds.Len(), ds.Shape(), ds.Classes())
	}
	px, label := mustRead(t, ds, 0)
	if label != -1 {
		t.Errorf("label %d, want -1", label)
	}
	// In the images of gradient, red grows with the column and green with the row.
	at := func(y, x, c int) float32 { return px[(y*224+x)*3+c] }
	if at(100, 10, 0) >= at(100, 200, 0) || at(10, 100, 1) >= at(200, 100, 1) {
		t.Error("the image is turned or its channels are swapped")
	}
}

func TestFolderFollowsLinks(t *testing.T) {
	elsewhere, dir := t.TempDir(), t.TempDir()
	write(t, encodePNG(t, 8, 8), elsewhere, "x.png")
	for link, target := range map[string]string{"class": elsewhere,
		"other/link.png": filepath.Join(elsewhere, "x.png")} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, link)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Skip("no symbolic links here:", err)
		}
	}
	ds := mustOpen(t, dir, Options{Size: 4})
	if got := strings.Join(ds.(*listed).paths, " "); got != "class/x.png other/link.png" {
		t.Errorf("files are %s", got)
	}
	if _, label := mustRead(t, ds, 1); label != 1 {
		t.Errorf("label %d, want 1", label)
	}
	if err := os.Symlink("nowhere", filepath.Join(dir, "other", "broken.jpg")); err != nil {
		t.Fatal(err)
	}
	_, err := Open(dir, Options{})
	if f := wantFormatError(t, err, array.NoOffset); filepath.Base(f.Path) != "broken.jpg" {
		t.Errorf("error is about %s", f.Path)
	}
}

func TestBadFolders(t *testing.T) {
	for name, test := range map[string]struct {
		files []string
		want  string
	}{
		"empty":         {nil, "empty folder"},
		"only others":   {[]string{"a.txt", "b.heic"}, "2 other files"},
		"only hidden":   {[]string{".a.png"}, "empty folder"},
		"nested deeper": {[]string{"train/cat/a.png", "val/cat/a.png"}, filepath.FromSlash("/train")},
		"both":          {[]string{"a.png", "cat/b.png"}, "both"},
		"empty class":   {[]string{"cat/a.png", "dog/readme"}, "dog"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for _, f := range test.files {
				write(t, nil, dir, f)
			}
			_, err := Open(dir, Options{})
			wantFormatError(t, err, array.NoOffset)
			if !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), dir) {
				t.Errorf("error %q does not mention %q and the folder", err, test.want)
			}
		})
	}
}

func TestFolderImageErrors(t *testing.T) {
	dir := t.TempDir()
	write(t, encodePNG(t, 8, 8)[:40], dir, "cut.png")
	write(t, encodePNG(t, 8, 8), dir, "gone.png")
	ds := mustOpen(t, dir, Options{Size: 4})
	dst := make([]float32, ds.Shape().Pixels())
	_, err := ds.Read(0, dst)
	wantFormatError(t, err, 40)
	if !strings.Contains(err.Error(), filepath.Join(dir, "cut.png")) {
		t.Errorf("error %q does not name the file", err)
	}
	if err := os.Remove(filepath.Join(dir, "gone.png")); err != nil {
		t.Fatal(err)
	}
	if _, err := ds.Read(1, dst); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is gone: %v", err)
	}
}

// TestPhotos reads the photographs in the folder that this project's machines share.
func TestPhotos(t *testing.T) {
	dir := realdata.File(t, "photos")
	ds := mustOpen(t, dir, Options{Size: 64})
	if ds.Len() != 15 {
		t.Fatalf("%d photographs, want 15", ds.Len())
	}
	// The channel means that torchvision's Resize(73) and CenterCrop(64) give for the first photograph.
	px, _ := mustRead(t, ds, 0)
	for c, want := range []float64{.43791, .44014, .45731} {
		var sum float64
		for k := c; k < len(px); k += 3 {
			sum += float64(px[k])
		}
		if got := sum / 64 / 64; math.Abs(got-want) > 2e-4 {
			t.Errorf("channel %d has mean %.5f, want %.5f", c, got, want)
		}
	}
}

// TestNestedFolder checks that images in nested folders are listed in the order of torchvision's ImageFolder, and that
// Skipped returns the other files. Links that lead in a circle are refused.
func TestNestedFolder(t *testing.T) {
	dir := t.TempDir()
	for _, f := range []string{"cat/z.png", "cat/a/y.PNG", "cat/a-b/x.png", "cat/a/w/v.png", "cat/a/notes.txt", "dog/u.png",
		"readme.md"} {
		write(t, encodePNG(t, 1, 1), dir, f)
	}
	ds, err := openFolder(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	// ImageFolder sorts the folders that os.walk finds by path: cat, cat/a, cat/a-b, cat/a/w.
	want := []string{"cat/z.png", "cat/a/y.PNG", "cat/a-b/x.png", "cat/a/w/v.png", "dog/u.png"}
	if got := ds.(*listed).paths; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := Skipped(ds); !slices.Equal(got, []string{"readme.md", "cat/a/notes.txt"}) {
		t.Errorf("skipped: %v", got)
	}
	if err := os.Symlink(dir, filepath.Join(dir, "dog", "again")); err != nil {
		t.Skip(err)
	}
	if _, err := openFolder(dir, Options{}); err == nil || !strings.Contains(err.Error(), "deep") {
		t.Errorf("folders in a circle: %v", err)
	}
}

func TestPPMInFolder(t *testing.T) {
	dir := t.TempDir()
	write(t, []byte("P6 1 1 255\n\xff\x80\x00"), dir, "a.ppm")
	write(t, []byte("P5 1 1 255\n\x80"), dir, "b.PGM")
	ds := mustOpen(t, dir, Options{Size: 1})
	for i, want := range [][]float32{{1, 128. / 255, 0}, {128. / 255, 128. / 255, 128. / 255}} {
		if px, _ := mustRead(t, ds, i); fmt.Sprint(px) != fmt.Sprint(want) {
			t.Errorf("image %d is %v, want %v", i, px, want)
		}
	}
}
