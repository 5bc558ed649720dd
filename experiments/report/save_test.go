package report

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// filesIn returns the paths of the files in a folder, in order.
func filesIn(t *testing.T, dir string) []string {
	t.Helper()
	var paths []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(dir, path) // path is within dir
			paths = append(paths, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

func read(t *testing.T, elem ...string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(elem...))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestSave(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "report")
	page := smallPage()
	for range 2 { // the second time over the files of the first
		path, err := page.Save(dir)
		if err != nil {
			t.Fatal(err)
		}
		if want := filepath.Join(dir, "report.html"); path != want {
			t.Errorf("path %s, want %s", path, want)
		}
	}
	want := []string{"figures/dot.png", "figures/dot.svg", "figures/pixels.png", "report.html", "tables/mixed.csv"}
	if got := filesIn(t, dir); !slices.Equal(got, want) {
		t.Errorf("files %q, want %q", got, want)
	}
	if got := read(t, dir, "figures", "dot.svg"); got != dotSVG {
		t.Errorf("figure %q", got)
	}
	if got := read(t, dir, "report.html"); got != writeHTML(t, page) {
		t.Error("report.html is not the page")
	}
	if got := read(t, dir, "tables", "mixed.csv"); got != read(t, "testdata", "table.csv") {
		t.Errorf("table %q", got)
	}
}

func TestSaveKeepsOtherFiles(t *testing.T) {
	dir := t.TempDir()
	notes := filepath.Join(dir, "notes.txt")
	if err := os.WriteFile(notes, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := smallPage().Save(dir); err != nil {
		t.Fatal(err)
	}
	if got := read(t, notes); got != "mine" {
		t.Errorf("notes.txt holds %q", got)
	}
}

// A page that is not valid leaves no files, not even a folder.
func TestSaveBadPage(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "report")
	page := smallPage()
	page.Sections[0].Tables[0].Rows = [][]Cell{{}}
	if _, err := page.Save(dir); err == nil {
		t.Fatal("a ragged table was saved")
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the folder is there: %v", err)
	}
}

// If a file cannot be moved to its place, the error says which, an old report stays, and no temporary file is left.
func TestSaveBlocked(t *testing.T) {
	for _, blocked := range []string{"figures/dot.svg", "tables/mixed.csv", "report.html"} {
		dir := t.TempDir()
		if err := os.MkdirAll(filepath.Join(dir, blocked, "in the way"), 0o755); err != nil {
			t.Fatal(err)
		}
		old := filepath.Join(dir, "report.html")
		if blocked != "report.html" {
			if err := os.WriteFile(old, []byte("old"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		path, err := smallPage().Save(dir)
		if err == nil || path != "" || !strings.Contains(err.Error(), "saving "+filepath.Join(dir, blocked)) {
			t.Errorf("%s: path %q, error %v", blocked, path, err)
		}
		if blocked != "report.html" && read(t, old) != "old" {
			t.Errorf("%s: report.html changed", blocked)
		}
		checkNoTemporaries(t, dir)
	}
}

func checkNoTemporaries(t *testing.T, dir string) {
	t.Helper()
	for _, path := range filesIn(t, dir) {
		if strings.HasSuffix(path, ".tmp") {
			t.Errorf("%s was left behind", path)
		}
	}
}

func TestSaveNoFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(dir, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := smallPage().Save(dir); err == nil || !strings.Contains(err.Error(), "not a directory") {
		t.Errorf("error %v, want one of a path that is not a directory", err)
	}
}
