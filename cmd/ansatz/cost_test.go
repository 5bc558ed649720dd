package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestConvCost(t *testing.T) {
	dir := t.TempDir()
	code, out, errs := ansatz(t, "cost", "--kernel", "cnngp", "--examples", "2,4", "--depths", "1,2", "--sizes", "8,9",
		"--pooled-sizes", "8", "--channels", "1", "--json", "--out", dir)
	var r struct {
		Points []struct {
			Kernel string
			N      int
			Pair   float64 `json:"kernel_seconds_per_pair"`
		}
		Pooled []struct{ Kernel string }
	}
	if err := json.Unmarshal([]byte(out), &r); code != exitDone || err != nil {
		t.Fatalf("exit %d: %v %s", code, err, errs)
	}
	if len(r.Points) != 4 || r.Points[1].N != 4 || r.Points[0].Kernel != "cnngp" || r.Points[0].Pair <= 0 {
		t.Errorf("got %+v", r.Points)
	}
	if len(r.Pooled) != 2 || r.Pooled[1].Kernel != "cntk-gap" {
		t.Errorf("pooled %+v", r.Pooled)
	}
	if _, err := os.Stat(filepath.Join(dir, "report.html")); err != nil || !strings.Contains(errs, "report.html") {
		t.Errorf("%v, %s", err, errs)
	}
	code, out, errs = ansatz(t, "cost", "--kernel", "laplace", "--examples", "2", "--sizes", "8", "--pooled-sizes", "8")
	if code != exitDone || !strings.Contains(out, "laplace") {
		t.Errorf("exit %d: %s %s", code, out, errs)
	}
}

func TestConvCostRefuses(t *testing.T) {
	for _, args := range [][]string{
		{"--kernel", "gaussian"}, {"--depths", "1"}, {"--sizes", "8"}, {"--kernel", "cntk", "--features", "3"},
		{"--kernel", "cntk", "--sizes", "4"}, {"--kernel", "laplace", "--depths", "2"},
		{"--kernel", "cntk", "--examples", "4,2"},
	} {
		if code, _, errs := ansatz(t, append([]string{"cost"}, args...)...); code != exitUsage || errs == "" {
			t.Errorf("%q: exit %d: %s", args, code, errs)
		}
	}
}
