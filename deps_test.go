// Package ansatz_test checks the repository as a whole: which package may import which, the comments of exported
// symbols, and the quotations in the course.
package ansatz_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/ansatz-lab/ansatz/"

// mayImport lists, for every package except those in the list experiments, which packages of this module it may import.
// A package that is in neither list may not exist.
var mayImport = map[string][]string{
	"internal/pickle":      {},
	"internal/parallel":    {},
	"internal/golden":      {},
	"internal/words":       {},
	"internal/atomicfile":  {},
	"internal/tomlfile":    {},
	"internal/isolate":     {},
	"internal/memory":      {},
	"internal/jsonfile":    {},
	"internal/disk":        {},
	"graph/backend/kernel": {},
	"graph/backend":        {"graph/backend/kernel", "internal/parallel"},
	"graph/backend/gpu":    {"graph/backend", "graph/backend/gpu/device", "internal/words"},
	// Package gputest is for tests alone.
	"graph/backend/gpu/gputest": {"graph/backend", "graph/backend/gpu"},
	"graph/backend/gpu/device":  {"internal/atomicfile"},
	"graph/moment":              {"graph/backend"},
	"graph/optim":               {"graph/backend"},
	"graph/jacobian":            {"graph/backend"},
	"graph/arena":               {},
	"graph/values":              {},
	"graph":                     {"graph/arena", "graph/backend", "graph/backend/gpu", "graph/jacobian", "graph/moment", "graph/values", "internal/words"},
	"models/weights":            {"internal/pickle", "internal/atomicfile", "internal/memory", "internal/words"},
	"models":                    {"graph", "graph/backend", "graph/jacobian", "graph/optim", "graph/values", "internal/parallel", "internal/suggest", "internal/words", "models/gradientflow", "models/kernels", "models/weights"},
	"models/kernels":            {"graph", "graph/backend", "graph/jacobian"},
	"models/gradientflow":       {"graph/backend", "models/kernels"},
	"models/onnx":               {"internal/words"},
	"models/onnx/onnxtest":      {"internal/peer"},
	"models/fromonnx":           {"graph", "internal/words", "models", "models/onnx", "models/weights"},
	"models/layers":             {"graph", "models"},
	"models/infinite":           {"graph", "graph/backend", "internal/parallel", "internal/words", "models", "models/layers"},
	"models/archfile":           {"graph", "internal/suggest", "internal/tomlfile", "internal/words", "models", "models/layers", "models/weights"},
	"models/zoo":                {"graph", "models", "models/archfile", "models/layers", "models/weights"},
	"models/totoml": {
		"graph", "graph/backend", "graph/values", "models", "models/archfile", "models/fromonnx", "models/layers", "models/onnx",
		"models/weights", "models/zoo",
	},
	"internal/suggest":  {},
	"internal/peer":     {},
	"internal/realdata": {},
	"internal/random":   {},
	"internal/chromium": {},
	"data/turbojpeg":    {},
	"data/patches":      {"data"},
	"data/imagefile":    {"data/array", "data/turbojpeg"},
	"data": {
		"data/array", "data/catalogue", "data/heads", "data/imagefile", "data/leaves", "data/table", "data/table/dialect", "data/table/thrift",
		"internal/random", "internal/suggest",
	},
	"data/heads":         {"internal/random"},
	"data/leaves":        {"internal/random"},
	"data/array":         {"internal/pickle", "internal/atomicfile", "internal/isolate", "internal/memory"},
	"data/catalogue":     {},
	"data/fetch":         {"internal/atomicfile", "internal/disk", "internal/jsonfile", "internal/lock", "internal/parallel"},
	"data/table":         {"data/array", "data/table/dialect", "data/table/thrift", "internal/jsonfile", "internal/memory", "internal/random", "internal/words"},
	"data/table/dialect": {"data/array"},
	"data/table/thrift":  {},
	"cnfa":               {"graph", "graph/backend", "graph/moment", "graph/values", "internal/golden", "internal/parallel", "internal/suggest", "internal/words", "models"},
	"cnfa/energy":        {"cnfa"},
	"rfm": {
		"graph", "graph/backend", "graph/moment", "graph/optim", "internal/parallel", "internal/atomicfile", "internal/jsonfile",
		"internal/suggest", "internal/words", "models/weights", "rfm/columns", "rfm/crew", "rfm/tensors",
	},
	"rfm/columns":   {},
	"rfm/crew":      {"graph", "graph/backend", "internal/parallel", "rfm/tensors"},
	"rfm/responses": {"graph", "graph/backend", "rfm", "rfm/tensors"},
	"rfm/tensors":   {"graph", "graph/backend"},
	"rfm/svm":       {},
	"rfm/tree":      {"graph/backend", "internal/atomicfile", "internal/jsonfile", "internal/parallel", "internal/random", "rfm"},
	"internal/lock": {},
	"experiments/report": {
		"data/array", "experiments/report/axes", "experiments/report/draw", "experiments/report/explorer", "experiments/report/latex",
		"experiments/report/theme", "internal/atomicfile", "internal/words",
	},
	"experiments/report/axes":     {},
	"experiments/report/latex":    {},
	"experiments/report/draw":     {},
	"experiments/report/explorer": {},
	"experiments/report/theme":    {},
	"experiments/shard":           {"internal/atomicfile", "internal/disk", "internal/jsonfile", "internal/lock", "internal/words"},
	"experiments/cost":            {"internal/jsonfile", "models", "models/kernels"},
	"experiments/cost/measured":   {"experiments/cost"},
	"cmd/docs":                    {"experiments/report/draw", "experiments/report/theme", "internal/atomicfile"},
	"cmd/bench":                   {"graph/backend", "graph/backend/gpu", "graph/backend/gpu/device", "graph/jacobian", "internal/atomicfile", "models", "models/weights"},
	"cmd/stale":                   {"experiments", "experiments/record", "experiments/study", "internal/words"},
}

// experiments lists the packages of the experiments and of the command in layers, from the bottom up. A package may
// import those of the layers below its own, and everything in mayImport.
var experiments = [][]string{
	{"experiments/input", "experiments/linalg", "experiments/interval"},
	{"experiments/record", "experiments/checkpoint", "experiments/workload", "experiments/settings"},
	{"experiments/similarity", "experiments/job", "experiments/examples", "experiments/measure", "experiments/importance"},
	{"experiments/job/jobtest", "experiments/study"},
	{"experiments/verify", "experiments/profile", "experiments/blueprint", "experiments/scaling", "experiments/datasets", "experiments/search"},
	{"experiments/train", "experiments/kernelmachine", "experiments/tabular"},
	{"experiments/tangent"},
	{"experiments/papers/setups"},
	// Package rfmpaper lists what theory checks of rfm's Table 1, and the benchmarks of rfmtables.
	{"experiments/papers/theory", "experiments/papers/rfmtables"},
	{
		"experiments/papers/cnfapaper", "experiments/papers/rfmpaper", "experiments/papers/hyperbfpaper",
		"experiments/papers/energypaper", "experiments/papers/ntkpaper", "experiments/papers/alignmentpaper",
	},
	{"experiments"}, // the registry
	{"experiments/overview", "experiments/calibrate"},
	{"cmd/ansatz/flagcheck", "cmd/ansatz/progress", "cmd/ansatz/usage"},
	{"cmd/ansatz"},
}

// allowed returns which packages of this module a package may import, and whether it is in one of the lists.
func allowed(dir string) ([]string, bool) {
	if imports, listed := mayImport[dir]; listed {
		return imports, true
	}
	all := slices.Collect(maps.Keys(mayImport))
	for _, floor := range experiments {
		if slices.Contains(floor, dir) {
			return all, true
		}
		all = append(all, floor...)
	}
	return nil, false
}

// onlyIn lists packages from outside of this module that only some packages may import.
var onlyIn = map[string][]string{
	"gorgonia.org/gorgonia":             {"graph"},
	"gonum.org/v1/plot":                 {"experiments/report", "experiments/report/draw"},
	"github.com/yuin/goldmark":          {"cmd/docs"},
	"github.com/spf13/cobra":            {"cmd/ansatz", "cmd/ansatz/flagcheck", "cmd/ansatz/usage"},
	"github.com/nlpodyssey/gopickle":    {"internal/pickle"},
	"gonum.org/v1/netlib/blas/netlib":   {"graph/backend"},
	"github.com/schollz/progressbar/v3": {"cmd/ansatz/progress"},
	"github.com/parquet-go/parquet-go":  {"data/table"},
	"github.com/sbinet/npyio":           {"data/array"},
	"gonum.org/v1/hdf5":                 {"data/array"},
	"golang.org/x/text":                 {"data/table/dialect"},
	"golang.org/x/sys":                  {"graph/backend/kernel", "internal/atomicfile", "internal/memory"},
	// A package that reads files from others may neither start a program nor load code.
	"os/exec": {"cmd/ansatz", "cmd/bench", "cmd/stale", "internal/chromium", "internal/isolate"},
	"plugin":  {},
}

func TestWhoImportsWhom(t *testing.T) {
	for dir, imports := range importsByPackage(t) {
		may, known := allowed(dir)
		if !known {
			t.Errorf("package %s is not in the plan of the house (mayImport, experiments)", dir)
			continue
		}
		for _, i := range imports {
			if ours, is := strings.CutPrefix(i, module); is && !slices.Contains(may, ours) {
				t.Errorf("%s imports %s, it may import %v", dir, ours, may)
			}
			for other, where := range onlyIn {
				if (i == other || strings.HasPrefix(i, other+"/")) && !slices.Contains(where, dir) {
					t.Errorf("%s imports %s, only %v may", dir, i, where)
				}
			}
		}
	}
}

// notOurs reports whether a folder holds no packages of this module: a hidden folder, test
// data, or a module of its own, as those below examples are.
func notOurs(dir string) bool {
	if dir == "." {
		return false
	}
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	name := filepath.Base(dir)
	return err == nil || strings.HasPrefix(name, ".") || name == "testdata"
}

// importsByPackage returns what each package imports, apart from its tests.
func importsByPackage(t *testing.T) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	err := filepath.WalkDir(".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && notOurs(p) {
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
		all[dir] = append(all[dir], []string{}...) // a package without imports counts too
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
