package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRFMTree checks that a tree is fitted and saved, and predicts a number or a class for new rows whose columns are
// in another order.
func TestRFMTree(t *testing.T) {
	path := writeFlowers(t, 600, 0, "a", "b", "colour", "kind", "price")
	for target, want := range map[string]string{"price": "test_r2", "kind": "test_accuracy"} {
		model := fitTable(t, path, "--target", target, "--leaf", "100", "--memory", "1G")
		rows, r := predictCSV(t, model, writeFlowers(t, 101, 0, "price", "kind", "extra", "colour", "b", "a"))
		if len(rows) != 102 || !strings.HasPrefix(strings.Join(rows[0], ","), "row,prediction") {
			t.Fatalf("%s: %d rows, header %v", target, len(rows), rows[0])
		}
		if score, there := r[want].(float64); !there || score < .85 {
			t.Errorf("%s: %s is %v", target, want, r[want])
		}
		if _, err := os.Stat(filepath.Join(model, "leaf-0002", "model.safetensors")); err != nil {
			t.Error(err)
		}
	}
}

// TestRFMTreeRefused checks that flags that do not go with a tree are refused, with a message that says what to do.
func TestRFMTreeRefused(t *testing.T) {
	path := writeFlowers(t, 100, 0, "a", "b", "price")
	for _, c := range []struct{ flags, want string }{
		{"--leaf 50 --memory 1M", "more --memory"},
		{"--leaf 50 --memory lots", "such as 8G"},
		{"--leaf 50 --memory 8", "with a unit"},
		{"--memory 8G", "--leaf"},
		{"--leaf 50 --metric-out M.npy", "--metric-out has no effect beside --leaf"},
		{"--leaf 50 --solver eigenpro", "--solver cholesky"},
	} {
		code, _, errs := ansatz(t, append([]string{"rfm", "--data", path, "--target", "price"},
			strings.Fields(c.flags)...)...)
		if code != exitUsage || !strings.Contains(errs, c.want) {
			t.Errorf("%s: exit %d: %s, want %q", c.flags, code, errs, c.want)
		}
	}
}
