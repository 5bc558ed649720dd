package experiments

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/datasets"
	"github.com/ansatz-lab/ansatz/experiments/job"
	"github.com/ansatz-lab/ansatz/experiments/job/jobtest"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/experiments/train"
)

// checkRedrawn removes the pages, pictures and tables of a folder, draws them again, and checks that they are the same
// to the byte.
func checkRedrawn(t *testing.T, dir string) {
	t.Helper()
	want := jobtest.ReadFiles(t, dir)
	for name := range want {
		if slices.Contains([]string{".html", ".svg", ".pdf", ".png", ".csv"}, filepath.Ext(name)) {
			if err := os.Remove(filepath.Join(dir, filepath.FromSlash(name))); err != nil {
				t.Fatal(err)
			}
		}
	}
	r, err := Redraw(t.Context(), dir)
	if err != nil || r.Pages == 0 || len(r.Left) > 0 {
		t.Fatalf("%+v, %v", r, err)
	}
	jobtest.CheckSameFiles(t, jobtest.ReadFiles(t, dir), want, nil)
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
	spec := train.Spec{Arch: "cnn-max", Width: .1, Data: "glyphs", Train: 60, Test: 20, Epochs: 1, Batch: 20,
		Normalise: "none"}
	p, err := train.PlanNetworks(t.Context(), train.Networks{Spec: spec, Seeds: 2}, 1, 1)
	checkRedrawn(t, jobtest.MergePlan(t, job.Kinds{job.TrainKind: train.OpenJob}, p, err))
}

func TestRedrawCollection(t *testing.T) {
	c := &datasets.CollectionCheck{Dataset: "uci121", Tables: []datasets.MemberCheck{
		{Table: "iris", Rows: 150, Columns: 4}, {Table: "b", Problem: "<none>"},
	}}
	dir := t.TempDir()
	if _, err := c.Save(dir); err != nil {
		t.Fatal(err)
	}
	checkRedrawn(t, dir)
}

// A record that cannot be read does not keep the others from being drawn.
func TestRedrawDangling(t *testing.T) {
	dir := t.TempDir()
	if _, err := (&datasets.CollectionCheck{Dataset: "uci121"}).Save(filepath.Join(dir, "good")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("nothing", filepath.Join(dir, study.RunFile)); err != nil {
		t.Fatal(err)
	}
	if r, err := Redraw(t.Context(), dir); err != nil || r.Pages != 1 || len(r.Left) != 1 {
		t.Errorf("%+v, %v", r, err)
	}
}

// Redraw also works on a link to a folder of results.
func TestRedrawLink(t *testing.T) {
	dir, link := t.TempDir(), filepath.Join(t.TempDir(), "link")
	if _, err := (&datasets.CollectionCheck{Dataset: "uci121"}).Save(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	if r, err := Redraw(t.Context(), link); err != nil || r.Pages != 1 {
		t.Errorf("%+v, %v", r, err)
	}
}
