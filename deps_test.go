// Package ansatz_test holds the house to its plan.
package ansatz_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/ansatz-lab/ansatz/"

// mayImport lists, for every package, what of ours it may import. A package
// that is not listed may not exist.
var mayImport = map[string][]string{
	"internal/pickle":      {},
	"internal/share":       {},
	"internal/whole":       {},
	"graph/backend/kernel": {},
	"graph/backend":        {"graph/backend/kernel", "internal/share"},
	"graph":                {"graph/backend"},
	"models/weights":       {"internal/pickle", "internal/whole"},
	"models":               {"graph", "graph/backend", "internal/share", "models/weights"},
	"internal/random":      {},
	"data/turbojpeg":       {},
	"data":                 {"data/array", "data/catalogue", "data/table", "data/turbojpeg", "internal/random"},
	"data/array":           {"internal/pickle", "internal/whole"},
	"data/catalogue":       {},
	"data/fetch":           {"internal/whole"},
	"data/table":           {"data/array", "internal/random"},
	"cnfa":                 {"graph", "graph/backend", "internal/share", "models"},
	"rfm":                  {"graph", "graph/backend", "internal/share", "internal/whole", "models/weights"},
	"internal/lock":        {},
	"experiments/report":   {"data/array", "internal/whole"},
	"experiments/spread":   {"internal/lock", "internal/whole"},
	"experiments/need":     {"models"},
	"experiments":          {"cnfa", "data", "data/array", "data/catalogue", "data/fetch", "data/table", "experiments/need", "experiments/report", "experiments/spread", "graph", "graph/backend", "internal/lock", "internal/share", "internal/whole", "models", "models/weights", "rfm"},
	"cmd/ansatz":           {"cnfa", "data", "data/array", "experiments", "experiments/spread", "graph/backend", "rfm"},
	"cmd/bench":            {"graph/backend", "models", "models/weights"},
}

// onlyIn lists what of others only some packages may import.
var onlyIn = map[string][]string{
	"gorgonia.org/gorgonia":             {"graph"},
	"gonum.org/v1/plot":                 {"experiments/report"},
	"github.com/spf13/cobra":            {"cmd/ansatz"},
	"github.com/nlpodyssey/gopickle":    {"internal/pickle"},
	"gonum.org/v1/netlib/blas/netlib":   {"graph/backend"},
	"github.com/schollz/progressbar/v3": {"cmd/ansatz"},
	"github.com/parquet-go/parquet-go":  {"data/table"},
	"github.com/sbinet/npyio":           {"data/array"},
	"gonum.org/v1/hdf5":                 {"data/array"},
	"golang.org/x/sys":                  {"graph/backend/kernel", "internal/whole"},
	// What reads the files of others can neither start a program nor load code.
	"os/exec": {"cmd/ansatz", "cmd/bench"},
	"plugin":  {},
}

func TestWhoImportsWhom(t *testing.T) {
	for dir, imports := range importsByPackage(t) {
		allowed, known := mayImport[dir]
		if !known {
			t.Errorf("package %s is not in the plan of the house (mayImport)", dir)
		}
		for _, i := range imports {
			if ours, is := strings.CutPrefix(i, module); is && !slices.Contains(allowed, ours) {
				t.Errorf("%s imports %s, it may import %v", dir, ours, allowed)
			}
			for other, where := range onlyIn {
				if (i == other || strings.HasPrefix(i, other+"/")) && !slices.Contains(where, dir) {
					t.Errorf("%s imports %s, only %v may", dir, i, where)
				}
			}
		}
	}
}

// importsByPackage parses every Go file that is not a test.
func importsByPackage(t *testing.T) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	err := filepath.WalkDir(".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && p != "." || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(p, ".go") || strings.HasSuffix(p, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), p, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		dir := path.Dir(filepath.ToSlash(p))
		for _, i := range f.Imports {
			name, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				return err
			}
			all[dir] = append(all[dir], name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
