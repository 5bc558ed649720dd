package data

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/data/array"
	"github.com/ansatz-lab/ansatz/data/imagefile"
)

// imageSet is a small folder tree in a publisher's layout, and what torchvision reads from it; see
// testdata/make_image_sets.py.
type imageSet struct {
	Texts    map[string]string
	Numbered map[string]fileRun
	Opened   []opened
}

// fileRun describes the numbered files of a folder: a pattern for their names, and the first and the last number.
type fileRun struct {
	pattern     string
	first, last int
}

func (n *fileRun) UnmarshalJSON(raw []byte) error {
	return json.Unmarshal(raw, &[]any{&n.pattern, &n.first, &n.last})
}

// opened is what torchvision lists for a split of a set.
type opened struct {
	Spec, Split string
	Classes     []string
	Samples     int
	First       []string // as "PATH LABEL"
	SHA256      string   // of all samples, each followed by a line end
}

// imageSetNames maps the names of the sets in testdata/image_sets.json to the names that Open takes.
var imageSetNames = map[string]string{
	"aircraft": "aircraft", "caltech101": "caltech101", "celeba": "celeba",
	"dtd": "dtd", "gtsrb": "gtsrb", "snakes": "imagenet:snakes",
}

// readImageSet returns the set of that name in testdata/image_sets.json.
func readImageSet(t testing.TB, name string) imageSet {
	t.Helper()
	raw, err := os.ReadFile("testdata/image_sets.json")
	if err != nil {
		t.Fatal(err)
	}
	var sets map[string]imageSet
	if err := json.Unmarshal(raw, &sets); err != nil {
		t.Fatal(err)
	}
	s, ok := sets[name]
	if !ok {
		t.Fatalf("no set %q", name)
	}
	return s
}

// writeImageSet writes the folder tree of the set of that name and returns the data folder.
func writeImageSet(t testing.TB, name string) string {
	t.Helper()
	s := readImageSet(t, name)
	dir := t.TempDir()
	for path, text := range s.Texts {
		write(t, []byte(text), dir, path)
	}
	for folder, n := range s.Numbered {
		first := write(t, standIn(t, name, n.pattern), dir, folder, fmt.Sprintf(n.pattern, n.first))
		for k := n.first + 1; k <= n.last; k++ { // making links is several times faster than writing files
			if err := os.Link(first, filepath.Join(dir, folder, fmt.Sprintf(n.pattern, k))); err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir
}

// standIn returns the content of the image that stands in for an image file of a set.
func standIn(t testing.TB, set, file string) []byte {
	t.Helper()
	name := "photo.jpg"
	switch {
	case set == "celeba":
		name = "face.jpg"
	case filepath.Ext(file) == ".ppm":
		name = "sign.ppm"
	}
	raw, err := os.ReadFile(filepath.Join("testdata/image_sets", name))
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// samplesOf returns the images of a set in the form of opened.First.
func samplesOf(ds Dataset) []string {
	d := ds.(*listed)
	lines := make([]string, d.Len())
	for i := range lines {
		lines[i] = fmt.Sprintf("%s %d", d.paths[i], d.labels[i])
	}
	return lines
}

func TestImageSetsAreThoseOfTorchvision(t *testing.T) {
	for name := range imageSetNames {
		dir := writeImageSet(t, name)
		for _, want := range readImageSet(t, name).Opened {
			t.Run(want.Spec+"/"+want.Split, func(t *testing.T) {
				var got []string
				splits := []string{want.Split}
				if want.Split == "" { // torchvision does not split this set
					splits = []string{"train", "test"}
				}
				for _, split := range splits {
					ds := mustOpen(t, want.Spec, Options{Dir: dir, Split: split})
					if want.Classes != nil && !slices.Equal(ds.Classes(), want.Classes) {
						t.Errorf("classes %q, torchvision has %q", ds.Classes(), want.Classes)
					}
					if splitOf(ds) != split || ds.Name() != want.Spec {
						t.Errorf("%s of split %q", ds.Name(), splitOf(ds))
					}
					got = append(got, samplesOf(ds)...)
				}
				if want.Split == "" {
					slices.Sort(got)
				}
				compareSamples(t, got, want)
			})
		}
	}
}

func compareSamples(t *testing.T, got []string, want opened) {
	t.Helper()
	if len(got) != want.Samples || len(got) < len(want.First) {
		t.Fatalf("%d images, torchvision has %d", len(got), want.Samples)
	}
	if first := got[:len(want.First)]; !slices.Equal(first, want.First) {
		t.Fatalf("the first are %q, of torchvision %q", first, want.First)
	}
	sum := sha256.Sum256([]byte(strings.Join(got, "\n") + "\n"))
	if fmt.Sprintf("%x", sum) != want.SHA256 {
		t.Error("images or labels after the first differ from torchvision's")
	}
}

func TestImageSetShapes(t *testing.T) {
	for set, native := range map[string]Shape{
		"aircraft": {3, 224, 224}, "caltech101": {3, 224, 224}, "celeba": {3, 218, 178},
		"dtd": {3, 224, 224}, "gtsrb": {3, 32, 32}, "snakes": {3, 224, 224},
	} {
		dir := writeImageSet(t, set)
		for size, want := range map[int]Shape{0: native, 20: {3, 20, 20}} {
			ds := mustOpen(t, imageSetNames[set], Options{Dir: dir, Size: size})
			if ds.Shape() != want {
				t.Errorf("%s at size %d is of %v, want %v", set, size, ds.Shape(), want)
			}
			labels, err := Labels(ds)
			if err != nil {
				t.Fatal(err)
			}
			for _, i := range []int{0, ds.Len() - 1} {
				if _, label := mustRead(t, ds, i); label != labels[i] {
					t.Errorf("image %d of %s has label %d, to Labels %d", i, set, label, labels[i])
				}
			}
			if err := CheckLabels(ds, len(ds.Classes())); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestImageSetFits(t *testing.T) {
	for set, byDefault := range map[string]string{"aircraft": fitStretch, "snakes": fitCrop, "celeba": fitStretch} {
		dir := writeImageSet(t, set)
		name := imageSetNames[set]
		picture, err := imagefile.Decode("x.jpg", standIn(t, set, "x.jpg"))
		if err != nil {
			t.Fatal(err)
		}
		for _, fit := range []string{"", fitCrop, fitStretch} {
			got, _ := mustRead(t, mustOpen(t, name, Options{Dir: dir, Size: 16, Fit: fit}), 0)
			want := make([]float32, 3*16*16)
			if fit == "" {
				fit = byDefault
			}
			picture.Fit(want, 16, fit == fitStretch)
			if !slices.Equal(got, want) {
				t.Errorf("%s with fit %q is not that of Picture.Fit", set, fit)
			}
		}
	}
}

func TestImageSetsAbsent(t *testing.T) {
	dir := t.TempDir()
	for set, name := range imageSetNames {
		k, _ := lookup(name)
		for _, split := range []string{"train", "test", "validation"} {
			if split == "validation" && !k.validation {
				continue
			}
			_, err := Open(name, Options{Dir: dir, Split: split})
			n := wantNotFound(t, err)
			if n.Dataset != k.name || len(n.Looked) < 2 {
				t.Errorf("Open(%q) = %#v", name, n)
			}
			hint := "ansatz data get " + set
			if k.name == "celeba" || k.name == "imagenet" {
				hint = "https://"
			}
			for _, want := range []string{dir, "--data-dir", "$ANSATZ_DATA", hint} {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %q does not mention %q", err, want)
				}
			}
		}
	}
}

// TestImageSetsIncomplete removes a file or a folder of a set, and checks that Open returns an error that names it.
func TestImageSetsIncomplete(t *testing.T) {
	for _, test := range []struct{ set, split, gone string }{
		{"aircraft", "test", "fgvc-aircraft-2013b/data/images"},
		{"aircraft", "test", "fgvc-aircraft-2013b/data/variants.txt"},
		{"aircraft", "train", "fgvc-aircraft-2013b/data/images_variant_train.txt"},
		{"caltech101", "test", "caltech101/101_ObjectCategories"},
		{"celeba", "test", "celeba/img_align_celeba"},
		{"celeba", "test", "celeba/list_attr_celeba.txt"},
		{"celeba", "test", "celeba/list_eval_partition.txt"},
		{"dtd", "validation", "dtd/dtd/images"},
		{"dtd", "validation", "dtd/dtd/labels/val1.txt"},
		{"gtsrb", "test", "gtsrb/GTSRB/Final_Test/Images"},
		{"gtsrb", "test", "gtsrb/GT-final_test.csv"},
		{"gtsrb", "train", "gtsrb/GTSRB/Training/00042"},
		{"gtsrb", "train", "gtsrb/GTSRB/Training/00041/00000_00001.ppm"},
		{"snakes", "test", "imagenet/val"},
		{"snakes", "test", "imagenet/val/n01742172"},
	} {
		dir := writeImageSet(t, test.set)
		if err := os.RemoveAll(filepath.Join(dir, test.gone)); err != nil {
			t.Fatal(err)
		}
		_, err := Open(imageSetNames[test.set], Options{Dir: dir, Split: test.split})
		wantNotFound(t, err)
		if gone := filepath.Join(dir, test.gone); !strings.Contains(err.Error(), gone) {
			t.Errorf("error %q does not mention %s", err, gone)
		}
	}
}

func TestImageOfSetIsMissing(t *testing.T) {
	for set, name := range imageSetNames {
		ds := mustOpen(t, name, Options{Dir: writeImageSet(t, set), Size: 8})
		file := ds.(*listed).file(1)
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
		mustRead(t, ds, 0)
		_, readErr := ds.Read(1, make([]float32, ds.Shape().Pixels()))
		_, describeErr := Describe(ds)
		for _, err := range []error{readErr, describeErr} {
			n := wantNotFound(t, err)
			if !slices.Equal(n.Looked, []string{file}) || n.Hint == "" || !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("image 1 of %s is gone: %#v", set, n)
			}
		}
	}
}

func TestImageOfSetIsDamaged(t *testing.T) {
	ds := mustOpen(t, "gtsrb", Options{Dir: writeImageSet(t, "gtsrb")})
	file := ds.(*listed).file(3)
	if err := os.Remove(file); err != nil { // other files are links to the same content
		t.Fatal(err)
	}
	write(t, standIn(t, "gtsrb", "x.ppm")[:100], file)
	_, err := ds.Read(3, make([]float32, ds.Shape().Pixels()))
	if f := wantFormatError(t, err, 100); f.Path != file {
		t.Errorf("the error is about %s, want %s", f.Path, file)
	}
}

// TestWordsOfImageSets checks that unknown arguments, and splits that a set does not have, are refused.
func TestWordsOfImageSets(t *testing.T) {
	dir := t.TempDir()
	for _, spec := range []string{"dtd:0", "dtd:11", "dtd:1,2", "aircraft:model", "celeba:smiling", "imagenet:cats",
		"gtsrb:roi", "caltech101:30"} {
		_, err := Open(spec, Options{Dir: dir})
		wantFormatError(t, err, array.NoOffset)
	}
	for _, spec := range []string{"gtsrb", "caltech101"} {
		_, err := Open(spec, Options{Dir: dir, Split: "validation"})
		wantFormatError(t, err, array.NoOffset)
	}
}

func TestDigestOfImageSets(t *testing.T) {
	seen := map[string]string{}
	for set, specs := range map[string][]string{
		"aircraft":   {"aircraft:variant", "aircraft:family"},
		"celeba":     {"celeba:Male", "celeba:Young"},
		"dtd":        {"dtd:1", "dtd:8"},
		"gtsrb":      {"gtsrb"},
		"caltech101": {"caltech101"},
		"snakes":     {"imagenet:snakes"},
	} {
		here, there := writeImageSet(t, set), writeImageSet(t, set)
		for _, spec := range specs {
			d := digest(t, mustOpen(t, spec, Options{Dir: here}))
			if again := digest(t, mustOpen(t, spec, Options{Dir: there, Size: 8, Fit: fitCrop})); again != d {
				t.Errorf("%s has another digest elsewhere", spec)
			}
			if other, twice := seen[d]; twice {
				t.Errorf("%s and %s have the same digest", spec, other)
			}
			seen[d] = spec
		}
	}
}

// TestImageSetsAtOnce checks that images that several goroutines read at once are the same as those read one by one.
func TestImageSetsAtOnce(t *testing.T) {
	ds := mustOpen(t, "gtsrb", Options{Dir: writeImageSet(t, "gtsrb"), Size: 8})
	n, pixels := ds.Len(), ds.Shape().Pixels()
	px, labels := make([]float32, n*pixels), make([]int, n)
	l := Loader{Dataset: ds, Workers: 8}
	if err := l.Load(context.Background(), 0, n, px, labels); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		want, label := mustRead(t, ds, i)
		if labels[i] != label || !slices.Equal(px[i*pixels:][:pixels], want) {
			t.Fatalf("image %d differs", i)
		}
	}
}

func TestCopyWhole(t *testing.T) {
	d := &listed{name: "set", root: "dir", paths: []string{"a.png"}, shape: Shape{3, 2, 4}}
	img := &imagefile.Picture{Width: 4, Height: 2, Channels: 3, Pix: make([]uint8, 3*4*2)}
	for k := range img.Pix {
		img.Pix[k] = uint8(8 * k)
	}
	dst := make([]float32, 3*2*4)
	if err := d.copyWhole(dst, 0, img); err != nil {
		t.Fatal(err)
	}
	for _, at := range []struct{ y, x, c int }{{0, 0, 0}, {0, 3, 1}, {1, 0, 2}, {1, 3, 2}} {
		if got, want := dst[(at.y*4+at.x)*3+at.c], float32(img.Pix[(at.y*4+at.x)*3+at.c])/255; got != want {
			t.Errorf("pixel %+v is %v, want %v", at, got, want)
		}
	}
	err := d.copyWhole(dst, 0, &imagefile.Picture{Width: 2, Height: 4, Channels: 3, Pix: img.Pix})
	wantFormatError(t, err, array.NoOffset)
}
