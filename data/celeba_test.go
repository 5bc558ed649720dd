package data

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/data/array"
	"github.com/ansatz-lab/ansatz/data/imagefile"
)

// TestCelebAOfKaggle checks that the set opens the same from Kaggle's version, whose lists are CSV files and whose
// images are one folder deeper.
func TestCelebAOfKaggle(t *testing.T) {
	dir := writeImageSet(t, "celeba")
	texts := readImageSet(t, "celeba").Texts
	csv := func(text string) string {
		lines := strings.Split(strings.TrimSpace(text), "\n")
		for i, l := range lines {
			lines[i] = strings.Join(strings.Fields(l), ",") + "\r\n"
		}
		return strings.Join(lines, "")
	}
	want := map[string][]string{}
	for _, split := range []string{"train", "validation", "test"} {
		want[split] = samplesOf(mustOpen(t, "celeba:Bald", Options{Dir: dir, Split: split}))
	}
	_, table, _ := strings.Cut(texts["celeba/list_attr_celeba.txt"], "\n")
	write(t, []byte("image_id,"+csv(table)), dir, "celeba/list_attr_celeba.csv")
	write(t, []byte("image_id,partition\r\n"+csv(texts["celeba/list_eval_partition.txt"])), dir,
		"celeba/list_eval_partition.csv")
	for _, name := range []string{"list_attr_celeba.txt", "list_eval_partition.txt"} {
		if err := os.Remove(filepath.Join(dir, "celeba", name)); err != nil {
			t.Fatal(err)
		}
	}
	images := filepath.Join(dir, "celeba", "img_align_celeba")
	if err := os.Rename(images, images+"2"); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(images, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(images+"2", filepath.Join(images, "img_align_celeba")); err != nil {
		t.Fatal(err)
	}
	for split, want := range want {
		ds := mustOpen(t, "celeba:Bald", Options{Dir: dir, Split: split})
		if got := samplesOf(ds); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", split, got, want)
		}
		mustRead(t, ds, 0)
	}
}

func TestCelebAIsOfOneSize(t *testing.T) {
	dir := writeImageSet(t, "celeba")
	ds := mustOpen(t, "celeba", Options{Dir: dir})
	px, _ := mustRead(t, ds, 0)
	rgb, err := imagefile.Decode("", standIn(t, "celeba", ""))
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range [][2]int{{0, 0}, {217, 177}, {100, 3}} {
		for c := range 3 {
			if got, want := px[(at[0]*178+at[1])*3+c], float32(rgb.Pix[(at[0]*178+at[1])*3+c])/255; got != want {
				t.Errorf("channel %d at row %d, column %d is %v, want %v", c, at[0], at[1], got, want)
			}
		}
	}
	file := ds.(*listed).file(0)
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	write(t, encodeJPEG(t, 218, 178), file)
	_, err = ds.Read(0, px)
	if f := wantFormatError(t, err, array.NoOffset); f.Path != file || f.Got != "218×178" {
		t.Errorf("%v", err)
	}
	mustRead(t, mustOpen(t, "celeba", Options{Dir: dir, Size: 32}), 0)
}

func TestCelebAAttributes(t *testing.T) {
	names := celebaAttributes()
	if names[0] != "Smiling" {
		t.Errorf("the first attribute, the default, is %s", names[0])
	}
	slices.Sort(names)
	want := strings.Fields(strings.Split(readImageSet(t, "celeba").Texts["celeba/list_attr_celeba.txt"], "\n")[1])
	slices.Sort(want)
	if !slices.Equal(names, want) {
		t.Errorf("attributes %q, the list has %q", names, want)
	}
}

func TestCelebAEmptySplit(t *testing.T) {
	dir := writeImageSet(t, "celeba")
	const file = "celeba/list_eval_partition.txt"
	text := strings.ReplaceAll(readImageSet(t, "celeba").Texts[file], " 2\n", " 0\n")
	write(t, []byte(text), dir, file)
	_, err := Open("celeba", Options{Dir: dir})
	wantFormatError(t, err, int64(len(text)))
}
