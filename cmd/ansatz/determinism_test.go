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

// A trial is a command line for [TestDeterminism]. Its kind is a row of the table of tolerances in ARCHITECTURE.md,
// which holds for the numbers that the command prints. matrices gives the kinds of the matrices that it writes, by file
// name.
type trial struct {
	kind     string
	args     []string // ARCH, WEIGHTS, TABLE and OUT stand for paths
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

// waves writes a CSV table of 40 rows, with a number to predict in the last column, and returns its path.
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

// TestDeterminism checks that every command prints and writes the same bytes if it is run again with the same seed,
// backend and number of threads. Only provenance may differ. With another number of threads or another backend, the
// numbers must agree within the tolerances in ARCHITECTURE.md.
func TestDeterminism(t *testing.T) {
	arch, file := smallFiles(t)
	out := filepath.Join(t.TempDir(), "out")
	places := strings.NewReplacer("ARCH", arch, "WEIGHTS", file, "TABLE", waves(t), "OUT", out)
	stated := statedTolerances(t)
	for _, name := range slices.Sorted(maps.Keys(trials)) {
		tr := trials[name]
		t.Run(name, func(t *testing.T) {
			t.Setenv("ANSATZ_BACKEND", "") // the command run sets it
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
					continue // first was made with it
				}
				other := made("--threads", "2", "--backend", name)
				sameBytes(t, other, made("--threads", "2", "--backend", name))
				first.within(t, tr, other, func(kind string) float64 { return stated[kind].backends })
			}
		})
	}
}

// leavings holds what a command printed on stdout and the files that it wrote, by name.
type leavings struct {
	printed []byte
	files   map[string][]byte
}

// run empties the folder out, runs the command with that folder as --out, and returns what it printed and wrote.
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

// sameBytes checks that two runs printed and wrote the same bytes, apart from provenance.
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

// isProvenance reports whether the name of a JSON field or a table column stands for provenance: when a result was
// computed, how long that took, and how much memory it needed.
func isProvenance(name string) bool {
	return strings.HasSuffix(name, "seconds") || slices.Contains([]string{"seconds_per_step", "peak_bytes", "made"},
		name)
}

// pageNumbers matches the numbers and the embedded data of an HTML page. They are not compared, because times occur
// both in the text and in the tables of a page. The other numbers are also in the files beside the page.
var pageNumbers = regexp.MustCompile(`data:(text|application)/[a-z;=,0-9-]*base64,[^"]*` + `|data-gzip="[^"]*"` +
	`|[0-9][0-9.,e+-]*( |&nbsp;)?(ns|µs|ms|s|min|h)?`)

// withoutProvenance returns the content of a file without provenance.
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
	case ".checkpoint": // its metadata holds times
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

// strip removes provenance from a JSON document.
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

// stripColumns returns a CSV table without the columns of provenance.
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
