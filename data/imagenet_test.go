package data

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/data/array"
)

// writeImageNet writes a validation folder of the given number of classes with one image each. It returns the data
// folder and the ids of the classes.
func writeImageNet(t *testing.T, classes int) (dir string, ids []string) {
	t.Helper()
	dir = t.TempDir()
	photo := write(t, standIn(t, "imagenet", "x.JPEG"), t.TempDir(), "x.JPEG")
	for k := range classes {
		id := fmt.Sprintf("n%08d", 10*k)
		folder := filepath.Join(dir, "imagenet/val", id)
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Link(photo, filepath.Join(folder, fmt.Sprintf("ILSVRC2012_val_%08d.JPEG", k))); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	return dir, ids
}

func TestImageNet(t *testing.T) {
	dir, ids := writeImageNet(t, 1000)
	for _, split := range []string{"test", "validation"} {
		ds := mustOpen(t, "imagenet", Options{Dir: dir, Split: split})
		if ds.Len() != 1000 || !slices.Equal(ds.Classes(), ids) || splitOf(ds) != split ||
			ds.Shape() != (Shape{3, 224, 224}) {
			t.Fatalf("%d images of %v, %d classes, split %q", ds.Len(), ds.Shape(), len(ds.Classes()), splitOf(ds))
		}
		if _, label := mustRead(t, ds, 123); label != 123 {
			t.Errorf("label %d, want 123", label)
		}
	}
	_, err := Open("imagenet", Options{Dir: dir, Split: "train"})
	wantNotFound(t, err)

	var mapping strings.Builder
	for k, id := range ids {
		fmt.Fprintf(&mapping, "%s thing %d, other name of %d\n", id, k/2*2, k)
	}
	write(t, []byte(mapping.String()), dir, "imagenet/LOC_synset_mapping.txt")
	names := mustOpen(t, "imagenet", Options{Dir: dir}).Classes()
	if want := []string{"thing 0 (n00000000)", "thing 0 (n00000010)"}; !slices.Equal(names[:2], want) {
		t.Errorf("the first classes are %q, want %q", names[:2], want)
	}

	// In Kaggle's archive the folder val is further down.
	deep := filepath.Join(dir, "imagenet", "ILSVRC", "Data", "CLS-LOC")
	if err := os.MkdirAll(deep, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(dir, "imagenet", "val"), filepath.Join(deep, "val")); err != nil {
		t.Fatal(err)
	}
	if got := mustOpen(t, "imagenet", Options{Dir: dir}).Classes(); !slices.Equal(got, names) {
		t.Errorf("classes %q, want %q", got[:2], names[:2])
	}
}

func TestBadImageNet(t *testing.T) {
	flat := t.TempDir()
	write(t, nil, flat, "imagenet/val/ILSVRC2012_val_00000001.JPEG")
	few, _ := writeImageNet(t, 3)
	odd, _ := writeImageNet(t, 999)
	write(t, nil, odd, "imagenet/val/cat/1.JPEG")
	empty, _ := writeImageNet(t, 999)
	if err := os.Mkdir(filepath.Join(empty, "imagenet/val/n99999999"), 0o755); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]string{
		flat:  "ILSVRC2012_validation_ground_truth.txt",
		few:   "the folders of 1000 classes",
		odd:   "WordNet id",
		empty: "n99999999",
	} {
		_, err := Open("imagenet", Options{Dir: dir})
		wantFormatError(t, err, array.NoOffset)
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q does not mention %q", err, want)
		}
	}
	_, err := Open("imagenet:snakes", Options{Dir: flat})
	if f := wantFormatError(t, err, array.NoOffset); !strings.Contains(f.Hint,
		"ILSVRC2012_validation_ground_truth.txt") {
		t.Errorf("hint %q", f.Hint)
	}
}

func TestSnakes(t *testing.T) {
	dir := writeImageSet(t, "snakes")
	ds := mustOpen(t, "imagenet:snakes", Options{Dir: dir})
	if names := ds.Classes(); len(names) != 10 || names[0] != "thunder snake" || names[9] != "boa constrictor" {
		t.Errorf("classes %q", names)
	}
	if !slices.IsSorted(snakes()) {
		t.Error("the snakes are not in the order of their ids")
	}
	// Folders of other classes are ignored.
	write(t, nil, dir, "imagenet/val/n01440764/x.JPEG")
	if n := mustOpen(t, "imagenet:snakes", Options{Dir: dir}).Len(); n != ds.Len() {
		t.Errorf("%d images, want %d", n, ds.Len())
	}
}

const synsets = "n01440764 tench, Tinca tinca\nn02012849 crane\nn03126707 crane\n"

func TestSynsets(t *testing.T) {
	names, err := parseSynsets(&textFile{text: synsets}, []string{"n03126707", "n01440764"})
	if err != nil || !slices.Equal(names, []string{"crane (n03126707)", "tench"}) {
		t.Errorf("%q, %v", names, err)
	}
	for text, offset := range map[string]int64{
		synsets[:29]:             29, // the second id is missing
		"tench, Tinca tinca\n":   0,
		synsets + "n0201284 x\n": int64(len(synsets)),
		synsets + "n02012849\n":  int64(len(synsets)),
		synsets + synsets:        int64(len(synsets)),
		"n02012849 , crane\n":    0,
	} {
		_, err := parseSynsets(&textFile{path: "mapping", text: text}, []string{"n01440764", "n03126707"})
		wantFormatError(t, err, offset)
	}
	for n := range len(synsets) - 1 {
		_, err := parseSynsets(&textFile{path: "mapping", text: synsets[:n]}, []string{"n03126707"})
		if err != nil {
			var f *FormatError
			if !errors.As(err, &f) || f.Offset > int64(n) {
				t.Errorf("cut at byte %d: %v", n, err)
			}
		} else if n < len(synsets)-len("crane\n")+1 {
			t.Errorf("cut at byte %d: no error", n)
		}
	}
}

func TestImageNetSplitsOfOtherClasses(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{"train/n01", "train/n02", "val/n01", "val/n03"} {
		write(t, nil, dir, path, "a.JPEG")
	}
	d := &listed{root: filepath.Join(dir, "train")}
	if err := d.checkOtherSplit([]string{"n01"}); err != nil {
		t.Error(err)
	}
	wantFormatError(t, d.checkOtherSplit([]string{"n01", "n02"}), array.NoOffset)
	alone := &listed{root: filepath.Join(t.TempDir(), "val")}
	if err := alone.checkOtherSplit([]string{"n01"}); err != nil {
		t.Errorf("without a training split: %v", err)
	}
}
