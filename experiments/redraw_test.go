package experiments

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// checkRedrawn checks that what is drawn in a folder is drawn again to the byte.
func checkRedrawn(t *testing.T, dir string) {
	t.Helper()
	want := readFiles(t, dir)
	for name := range want {
		if slices.Contains([]string{".html", ".svg", ".png", ".csv"}, filepath.Ext(name)) {
			if err := os.Remove(filepath.Join(dir, filepath.FromSlash(name))); err != nil {
				t.Fatal(err)
			}
		}
	}
	r, err := Redraw(t.Context(), dir)
	if err != nil || r.Pages == 0 || len(r.Left) > 0 {
		t.Fatalf("%+v, %v", r, err)
	}
	checkSameFiles(t, readFiles(t, dir), want, nil)
}

func TestRedrawDemo(t *testing.T) {
	d, err := RunDemo(t.Context(), DemoSpec{Epochs: 1, Train: 50, Images: 20}, nil)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if _, err := d.Save(dir); err != nil {
		t.Fatal(err)
	}
	checkRedrawn(t, dir)
}

func TestRedrawNetworks(t *testing.T) {
	spec := TrainSpec{Arch: "cnn-max", Width: .1, Data: "glyphs", Train: 60, Test: 20, Epochs: 1, Batch: 20, Normalise: "none"}
	p, err := SpreadTrain(t.Context(), Networks{Spec: spec, Seeds: 2}, 1, 1)
	checkRedrawn(t, mergePlan(t, jobKinds{trainKind: openTrainJob}, p, err))
}

func TestRedrawCollection(t *testing.T) {
	c := &CollectionCheck{Dataset: "uci121", Tables: []MemberCheck{{Table: "iris", Rows: 150, Columns: 4}, {Table: "b", Problem: "<none>"}}}
	dir := t.TempDir()
	if _, err := c.Save(dir); err != nil {
		t.Fatal(err)
	}
	checkRedrawn(t, dir)
}

// A folder of results that is named by a link is drawn again too.
func TestRedrawLink(t *testing.T) {
	dir, link := t.TempDir(), filepath.Join(t.TempDir(), "link")
	if _, err := (&CollectionCheck{Dataset: "uci121"}).Save(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	if r, err := Redraw(t.Context(), link); err != nil || r.Pages != 1 {
		t.Errorf("%+v, %v", r, err)
	}
}
