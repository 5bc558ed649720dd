package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/data/array"
)

// tolerance holds how far numbers of one kind may differ with another number of threads and on another backend.
type tolerance struct{ threads, backends float64 }

// statedTolerances reads the table under "Determinism" in ARCHITECTURE.md. Each kind has a line "| **kind**: … |
// threads | backends |".
func statedTolerances(t *testing.T) map[string]tolerance {
	t.Helper()
	text, err := os.ReadFile("../../ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## Determinism\n")
	section, _, _ = strings.Cut(section, "\n## ")
	all := map[string]tolerance{}
	rows := regexp.MustCompile(`(?m)^\| \*\*([^*]+)\*\*[^|]*\| (\S+) \| (\S+) \|$`)
	for _, row := range rows.FindAllStringSubmatch(section, -1) {
		threads, err1 := strconv.ParseFloat(row[2], 64)
		backends, err2 := strconv.ParseFloat(row[3], 64)
		if err1 != nil || err2 != nil || !(threads >= 0 && backends >= threads && backends < .1) {
			t.Fatalf("ARCHITECTURE.md, Determinism: %s", row[0])
		}
		all[row[1]] = tolerance{threads, backends}
	}
	for _, tr := range trials {
		kinds := []string{tr.kind, accuracies}
		for _, k := range tr.matrices {
			kinds = append(kinds, k)
		}
		for _, k := range kinds {
			if _, known := all[k]; !known {
				t.Fatalf("ARCHITECTURE.md, Determinism, has no %q", k)
			}
		}
	}
	return all
}

// accuracies is the kind of all numbers that count examples. If the two largest outputs of an example are nearly equal,
// it may or may not count. The same holds for pairs of examples, of which an AUC is the share in the right order, and
// for the examples in a bin.
const accuracies = "accuracies"

// within checks that the numbers and matrices of another run agree with those of this one within the stated tolerances.
func (l *leavings) within(t *testing.T, tr trial, other *leavings, stated func(kind string) float64) {
	t.Helper()
	a, b := numbersOf(parsed(t, l.printed)), numbersOf(parsed(t, other.printed))
	if len(a) != len(b) || len(a) == 0 {
		t.Errorf("printed %d numbers, and then %d", len(a), len(b))
	}
	for name, x := range a {
		kind := tr.kind
		if strings.Contains(name, "accuracy") || strings.Contains(name, "[auc]") || strings.HasPrefix(name, ".reliability") {
			kind = accuracies
		}
		y, there := b[name]
		if far := math.Abs(x-y) / max(1, math.Abs(x), math.Abs(y)); !there || !(far <= stated(kind)) {
			t.Errorf("%s is %v, and then %v (%t): off by %.2g, stated for %s is %g", name, x, y, there, far, kind,
				stated(kind))
		}
	}
	for name, kind := range tr.matrices {
		if far := farthest(t, l.files[name], other.files[name]); !(far <= stated(kind)) {
			t.Errorf("%s is off by %.2g, stated for %s is %g", name, far, kind, stated(kind))
		}
	}
}

// numbersOf returns the numbers of a JSON document by path, without provenance and without settings.
func numbersOf(v any) map[string]float64 {
	all := map[string]float64{}
	var walk func(at string, v any)
	walk = func(at string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for name, x := range v {
				if !slices.Contains([]string{"conventions", "spec", "machine"}, name) {
					walk(at+"."+name, x)
				}
			}
		case []any:
			for i, x := range v {
				index := strconv.Itoa(i)
				if m, is := x.(map[string]any); is && at == ".measures" {
					index = fmt.Sprint(m["name"])
				}
				walk(fmt.Sprintf("%s[%s]", at, index), x)
			}
		case float64:
			all[at] = v
		}
	}
	walk("", strip(v))
	return all
}

// farthest returns the largest difference between two matrices, in units of the largest entry of the first.
func farthest(t *testing.T, a, b []byte) float64 {
	t.Helper()
	var m [2][]float64
	for i, content := range [][]byte{a, b} {
		path := filepath.Join(t.TempDir(), "m.npy")
		if err := os.WriteFile(path, content, 0o666); err != nil {
			t.Fatal(err)
		}
		x, err := array.ReadNPY(path)
		if err != nil {
			t.Fatal(err)
		}
		m[i] = x.Float64s()
	}
	if len(m[0]) != len(m[1]) || len(m[0]) == 0 {
		t.Fatalf("matrices of %d and %d entries", len(m[0]), len(m[1]))
	}
	far, largest := 0., 0.
	for i, x := range m[0] {
		far, largest = max(far, math.Abs(x-m[1][i])), max(largest, math.Abs(x))
	}
	return far / largest
}
