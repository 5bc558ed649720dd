package record

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/input"
)

// writeText returns a function that writes one file and a record to a folder.
func writeText(name, text string) func(string) error {
	return func(dir string) error {
		return errors.Join(os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666),
			os.WriteFile(filepath.Join(dir, FileName), []byte(`{"record": "toy"}`), 0o666))
	}
}

// New results replace the old ones as a whole, and the user's files stay. If writing fails, the old results stay.
func TestWriteResults(t *testing.T) {
	out := filepath.Join(t.TempDir(), "a", "out")
	if err := WriteResults(out, func(dir string) error {
		return errors.Join(writeText("model", "old")(dir), os.Mkdir(filepath.Join(dir, "figures"), 0o777),
			os.WriteFile(filepath.Join(dir, "figures", "old.svg"), nil, 0o666))
	}); err != nil {
		t.Fatal(err)
	}
	mine := filepath.Join(out, "mine", "notes.txt")
	if err := errors.Join(os.Mkdir(filepath.Dir(mine), 0o777), os.WriteFile(mine, []byte("mine"), 0o666)); err != nil {
		t.Fatal(err)
	}
	failed := errors.New("it failed")
	if err := WriteResults(out, func(dir string) error {
		return errors.Join(writeText("model", "half")(dir), failed)
	}); !errors.Is(err, failed) {
		t.Error(err)
	}
	check := func(name, want string) {
		t.Helper()
		if got, err := os.ReadFile(filepath.Join(out, name)); err != nil || string(got) != want {
			t.Errorf("%s holds %q, %v", name, got, err)
		}
	}
	check("model", "old")
	if err := WriteResults(out, func(dir string) error {
		if err := WriteResults(out, writeText("model", "other")); !input.IsError(err) {
			t.Errorf("two processes write at once: %v", err)
		}
		return writeText("model", "new")(dir)
	}); err != nil {
		t.Fatal(err)
	}
	check("model", "new")
	check("mine/notes.txt", "mine")
	if _, err := os.Stat(filepath.Join(out, "figures")); err == nil {
		t.Error("figures of the old results are left")
	}
	if err := WriteResults(out, writeText("model", "newer")); err != nil { // the lock was given back
		t.Error(err)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(out), ".*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// The files of a training or a benchmark that can be resumed are not replaced by other results.
func TestWriteResultsKeepsRuns(t *testing.T) {
	for _, name := range []string{"run.checkpoint", "tabular.json"} {
		out := t.TempDir()
		if err := os.WriteFile(filepath.Join(out, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
		for _, err := range []error{CheckOut(out), WriteResults(out, writeText("model", "new"))} {
			if !input.IsError(err) || !strings.Contains(err.Error(), "--resume goes on with") {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// Results are not written beside a plan, whose merging would replace them. Merging itself writes there.
func TestCheckOutKeepsPlans(t *testing.T) {
	out := t.TempDir()
	if err := os.WriteFile(filepath.Join(out, "plan.json"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := CheckOut(out); !input.IsError(err) || !strings.Contains(err.Error(), "holds a plan") {
		t.Error(err)
	}
	if err := WriteResults(out, writeText("model", "new")); err != nil {
		t.Error(err)
	}
}

// A record or a page that ansatz did not write is not replaced.
func TestWriteResultsRefuses(t *testing.T) {
	for name, text := range map[string]string{FileName: `{"mine": 1}`, "report.html": "<p>mine</p>"} {
		out := t.TempDir()
		path := filepath.Join(out, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		for _, err := range []error{CheckOut(out), WriteResults(out, writeText("model", "new"))} {
			if !input.IsError(err) || !strings.Contains(err.Error(), "that ansatz did not write") {
				t.Errorf("%s: %v", name, err)
			}
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != text {
			t.Errorf("%s holds %q, %v", name, got, err)
		}
	}
}

// Results are moved into a folder of the user's. The folder itself stays, since the shell may be in it.
func TestWriteResultsIntoOwnFolder(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.WriteFile("mine", []byte("mine"), 0o666); err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"old", "new"} {
		if err := WriteResults(".", writeText("model", text)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile("model"); err != nil || string(got) != text {
			t.Errorf("%q, %v", got, err)
		}
	}
	after, err := os.Stat(dir)
	if err != nil || !os.SameFile(before, after) {
		t.Errorf("the folder that the shell is in was replaced: %v", err)
	}
	entries, err := os.ReadDir(".")
	if err != nil || len(entries) != 4 { // mine, model, the record and the manifest
		t.Errorf("%v, %v", entries, err)
	}
}

// New results replace all earlier ones, even those of another command, both in a folder that is exchanged and in one
// into which they are moved. The user's files stay.
func TestWriteResultsRemovesStaleFiles(t *testing.T) {
	for _, own := range []bool{false, true} {
		out := filepath.Join(t.TempDir(), "out")
		if err := WriteResults(out, func(dir string) error {
			return errors.Join(writeText("metric.npy", "old")(dir), os.Mkdir(filepath.Join(dir, "model"), 0o777),
				writeText("model/old", "old")(dir))
		}); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(out, "mine"), nil, 0o666); err != nil {
			t.Fatal(err)
		}
		if own {
			t.Chdir(out)
		}
		if err := WriteResults(out, func(dir string) error {
			return errors.Join(os.Mkdir(filepath.Join(dir, "model"), 0o777), writeText("model/new", "new")(dir))
		}); err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]bool{"metric.npy": false, "model/old": false, "model/new": true, "mine": true} {
			if _, err := os.Stat(filepath.Join(out, name)); err == nil != want {
				t.Errorf("own folder %v: %s: %v, want it there: %v", own, name, err, want)
			}
		}
	}
}

// resultNames ignores names in a manifest that lie outside its folder, and a manifest that cannot be read.
func TestHostileManifest(t *testing.T) {
	for _, text := range []string{`{"files": ["../mine", "/mine", "..", ".", "", "a/b"]}`, "{", `{"files": 3}`} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, manifestFile), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if got := resultNames(dir); !slices.Equal(got, replacedNames) {
			t.Errorf("%s: %v", text, got)
		}
	}
}

// Results are moved into a folder in such an order that if the process ends in between, the same command accepts the
// folder again, and a record is there only with all of its files.
func TestWriteResultsInOrder(t *testing.T) {
	names := []string{"report.html", "figures", "model", FileName, "tables"}
	slices.SortStableFunc(names, func(a, b string) int { return moveRank(a) - moveRank(b) })
	if want := []string{"figures", "model", "tables", FileName, "report.html"}; !slices.Equal(names, want) {
		t.Errorf("moved in the order %v, want %v", names, want)
	}
	out := t.TempDir()
	if err := WriteResults(out, writeText("report.html", "page")); err != nil {
		t.Fatal(err)
	}
	if err := Retract(out); err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(out); err != nil || len(entries) != 0 {
		t.Errorf("left: %v, %v", entries, err)
	}
}

// CheckOut finds a file, a folder or a link at a path where results of another kind will be written, before anything is
// computed.
func TestCheckOutNames(t *testing.T) {
	for name, make := range map[string]func(path string) error{
		"figures":     func(path string) error { return os.WriteFile(path, nil, 0o666) },
		"tables":      func(path string) error { return os.Symlink("nowhere", path) },
		"report.html": func(path string) error { return os.Mkdir(path, 0o777) },
	} {
		out := t.TempDir()
		if err := make(filepath.Join(out, name)); err != nil {
			t.Fatal(err)
		}
		if err := CheckOut(out); !input.IsError(err) || !strings.Contains(err.Error(), name+" takes the place of") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// WriteModel replaces a model as a whole, and leaves the other files in the folder, both in a folder of its own and in
// the working directory.
func TestWriteModel(t *testing.T) {
	// model returns a function that writes the text to the files of a single model, a tree or an average.
	model := func(text string, files ...string) func(string) error {
		return func(dir string) (err error) {
			for _, name := range files {
				path := filepath.Join(dir, name)
				err = errors.Join(err, os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(text), 0o666))
			}
			return err
		}
	}
	const mine, page = "leaf-7/notes.txt", FileName
	for _, out := range []string{filepath.Join(t.TempDir(), "models", "a"), "."} {
		if out == "." {
			t.Chdir(t.TempDir())
		}
		// A record beside a model does not belong to the model.
		if err := model("mine", filepath.Join(out, mine), filepath.Join(out, page))(""); err != nil {
			t.Fatal(err)
		}
		failed := errors.New("it failed")
		for i, c := range []struct{ files []string }{
			{[]string{"model.json", "leaf-0001/model.json", "leaf-0002/model.json"}},
			{[]string{"model.json", "leaf-0001/model.json"}},
			{[]string{"ensemble.json", "member-1/model.json", "member-2/model.json"}},
			{[]string{"model.json", "model.safetensors"}},
		} {
			if err := WriteModel(out, func(dir string) error {
				return errors.Join(model("half", c.files[0])(dir), failed)
			}); !errors.Is(err, failed) {
				t.Fatal(err)
			}
			text := string(rune('a' + i))
			if err := WriteModel(out, func(dir string) error {
				if err := WriteModel(out, model("other", "model.json")); !input.IsError(err) {
					t.Errorf("two processes save at once: %v", err)
				}
				return model(text, c.files...)(dir)
			}); err != nil {
				t.Fatal(err)
			}
			var found []string
			err := filepath.WalkDir(out, func(path string, d os.DirEntry, err error) error {
				if err != nil || d.IsDir() {
					return err
				}
				name, _ := filepath.Rel(out, path)
				content, err := os.ReadFile(path)
				if want := map[bool]string{true: "mine", false: text}[name == mine || name == page]; string(content) != want {
					t.Errorf("%s: %s holds %q, want %q", out, name, content, want)
				}
				found = append(found, filepath.ToSlash(name))
				return err
			})
			want := append([]string{mine, page}, c.files...)
			slices.Sort(want)
			slices.Sort(found)
			if err != nil || !slices.Equal(found, want) {
				t.Errorf("%s: found %q, want %q (%v)", out, found, want, err)
			}
		}
	}
}
