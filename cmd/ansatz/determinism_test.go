package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/graph/backend/gpu/gputest"
	"github.com/ansatz-lab/ansatz/models/weights"
)

// A trial is a command line whose numbers are of one kind of the table in
// ARCHITECTURE.md, and which writes matrices of others.
type trial struct {
	kind     string
	args     []string // with ARCH, WEIGHTS, TABLE and OUT in the place of paths
	matrices map[string]string
}

var trials = map[string]trial{
	"verify": {kind: "similarities", args: []string{"verify", "--arch", "ARCH", "--weights", "WEIGHTS", "--data",
		"glyphs", "--images", "24", "--groups", "4", "--null-draws", "4"}},
	"train": {kind: "training", args: []string{"train", "--arch", "ARCH", "--data", "glyphs", "--train", "96", "--test",
		"40", "--epochs", "2", "--batch", "16",
		"--opt", "adam", "--shift", "2", "--track-ansatz", "6", "--probe-images", "16"}},
	"rfm": {kind: "kernel machines", args: []string{"rfm", "--data", "glyphs", "--train", "90", "--test", "40",
		"--iters", "2", "--metric-out", "OUT/M.npy"}, matrices: map[string]string{"M.npy": "metrics"}},
	"convrfm": {kind: "kernel machines", args: []string{"convrfm", "--data", "glyphs", "--train", "16", "--test", "40",
		"--size", "8", "--depth", "2", "--iters", "1", "--select", "last", "--kernel-out", "OUT/K.npy", "--metric-out",
		"OUT/M.npy"}, matrices: map[string]string{"K.npy": "convolutional kernels", "M.npy": "metrics"}},
	"hyperbf": {kind: "descent", args: []string{"hyperbf", "--data", "glyphs", "--train", "60", "--test", "40",
		"--iters", "2", "--steps", "10"}},
	"ntk": {kind: "spectra", args: []string{"ntk", "--arch", "ARCH", "--data", "glyphs", "--images", "6",
		"--gram-out", "OUT/gram.npy"}, matrices: map[string]string{"gram.npy": "tangent kernels"}},
	"tabular": {kind: "kernel machines", args: []string{"tabular", "--benchmark", "TABLE", "--protocol", "grinsztajn", "--configs", "2", "--repeats", "2", "--iters", "1",
		"--methods", "rfm,laplace"}},
	"run": {kind: "experiments", args: []string{"run", "rfm/fig7", "--scale", "smoke", "--seeds", "1"}},
}

// waves writes a table of numbers to predict.
func waves(t *testing.T) (path string) {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	b.WriteString("x,y,z\n")
	for range 40 {
		x, y := rng.Float64()*4, rng.NormFloat64()
		fmt.Fprintf(&b, "%g,%g,%g\n", x, y, math.Sin(x)+y*y/9)
	}
	path = filepath.Join(t.TempDir(), "waves.csv")
	if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// Every command leaves the same bytes with the same seed, backend and threads, but
// for provenance, and numbers within the stated tolerances with others.
func TestDeterminism(t *testing.T) {
	arch, file := smallFiles(t)
	out := filepath.Join(t.TempDir(), "out")
	places := strings.NewReplacer("ARCH", arch, "WEIGHTS", file, "TABLE", waves(t), "OUT", out)
	stated := statedTolerances(t)
	for _, name := range slices.Sorted(maps.Keys(trials)) {
		tr := trials[name]
		t.Run(name, func(t *testing.T) {
			t.Setenv("ANSATZ_BACKEND", "") // which run sets
			made := func(flags ...string) *leavings {
				t.Helper()
				return tr.run(t, places, out, flags...)
			}
			first := made("--threads", "2")
			sameBytes(t, first, made("--threads", "2"))
			for _, n := range []string{"1", "3"} {
				first.within(t, tr, made("--threads", n), func(kind string) float64 { return stated[kind].threads })
			}
			for _, name := range gputest.Backends(t) {
				if name == input.BackendName("") {
					continue // which first was made on
				}
				other := made("--threads", "2", "--backend", name)
				sameBytes(t, other, made("--threads", "2", "--backend", name))
				first.within(t, tr, other, func(kind string) float64 { return stated[kind].backends })
			}
		})
	}
}

// leavings are what a command printed and wrote.
type leavings struct {
	printed []byte
	files   map[string][]byte
}

// run runs the command into an empty folder.
func (tr trial) run(t *testing.T, places *strings.Replacer, out string, flags ...string) *leavings {
	t.Helper()
	if err := os.RemoveAll(out); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(out, 0o777); err != nil {
		t.Fatal(err)
	}
	args := []string{"--seed", "7", "--json", "--quiet", "--out", out}
	for _, a := range tr.args {
		args = append(args, places.Replace(a))
	}
	code, stdout, errs := ansatz(t, append(args, flags...)...)
	if code != exitDone {
		t.Fatalf("exit %d: %s", code, errs)
	}
	l := &leavings{printed: []byte(stdout), files: map[string][]byte{}}
	dir := os.DirFS(out)
	err := fs.WalkDir(dir, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			l.files[name], err = fs.ReadFile(dir, name)
		}
		return err
	})
	if err != nil || len(l.files) == 0 {
		t.Fatalf("%d files, %v", len(l.files), err)
	}
	return l
}

// sameBytes compares what two runs left, provenance taken out.
func sameBytes(t *testing.T, a, b *leavings) {
	t.Helper()
	if x, y := withoutProvenance(t, ".json", a.printed), withoutProvenance(t, ".json", b.printed); !bytes.Equal(x, y) {
		t.Errorf("printed\n%s\nand then\n%s", x, y)
	}
	if x, y := slices.Sorted(maps.Keys(a.files)), slices.Sorted(maps.Keys(b.files)); !slices.Equal(x, y) {
		t.Fatalf("wrote %v and then %v", x, y)
	}
	for name, content := range a.files {
		x, y := withoutProvenance(t, name, content), withoutProvenance(t, name, b.files[name])
		if len(x) == 0 || !bytes.Equal(x, y) {
			t.Errorf("%s has %d bytes and then %d, and others", name, len(x), len(y))
		}
	}
}

// isProvenance says whether a name, of a value or of a column, is of when and where
// something was computed and what it took.
func isProvenance(name string) bool {
	return strings.HasSuffix(name, "seconds") || slices.Contains([]string{"seconds_per_step", "peak_bytes", "made"},
		name)
}

// Times stand on the page in words and in tables, whose numbers are in the files
// beside it.
var pageNumbers = regexp.MustCompile(`data:(text|application)/[a-z;=,0-9-]*base64,[^"]*` + `|data-gzip="[^"]*"` +
	`|[0-9][0-9.,e+-]*( |&nbsp;)?(ns|µs|ms|s|min|h)?`)

// withoutProvenance is the content of a file but for provenance.
func withoutProvenance(t *testing.T, name string, content []byte) []byte {
	t.Helper()
	switch path.Ext(name) {
	case ".json":
		out, err := json.Marshal(strip(parsed(t, content)))
		if err != nil {
			t.Fatal(err)
		}
		return out
	case ".csv":
		return stripColumns(t, content)
	case ".html":
		return pageNumbers.ReplaceAll(content, []byte("#"))
	case ".checkpoint": // its notes hold times
		d, err := weights.ReadSafetensors(bytes.NewReader(content), int64(len(content)))
		if err != nil {
			t.Fatal(err)
		}
		return []byte(d.SHA256())
	}
	return content
}

func parsed(t *testing.T, text []byte) (v any) {
	t.Helper()
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return v
}

// strip takes provenance out of a JSON document.
func strip(v any) any {
	switch v := v.(type) {
	case map[string]any:
		maps.DeleteFunc(v, func(name string, _ any) bool { return isProvenance(name) })
		for _, x := range v {
			strip(x)
		}
	case []any:
		for _, x := range v {
			strip(x)
		}
	}
	return v
}

// stripColumns takes provenance out of a table.
func stripColumns(t *testing.T, content []byte) []byte {
	t.Helper()
	rows, err := csv.NewReader(bytes.NewReader(content)).ReadAll()
	if err != nil || len(rows) == 0 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	var b bytes.Buffer
	for _, row := range rows {
		for j, cell := range row {
			if !isProvenance(rows[0][j]) {
				fmt.Fprintf(&b, "%q,", cell)
			}
		}
		b.WriteByte('\n')
	}
	return b.Bytes()
}
