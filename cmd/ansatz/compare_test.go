package main

import (
	"encoding/csv"
	"path/filepath"
	"strings"
	"testing"
)

func TestCompareCommand(t *testing.T) {
	dir := t.TempDir()
	if code, _, stderr := ansatz(t, "run", "rfm/lowrank", "rfm/tutorial", "--scale", "smoke", "--seeds", "2", "--out",
		dir); code != exitDone {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	var c struct {
		Claims []struct {
			Experiment, Scale, Claim, Paper, Want, Verdict string
			Ours, Error                                    *float64
		}
		Verdicts map[string]int
	}
	code, stderr := ansatzJSON(t, &c, "compare", dir, "rfm/lowrank")
	if code != exitDone || len(c.Claims) == 0 || c.Claims[0].Experiment != "rfm/lowrank" || c.Claims[0].Ours == nil ||
		c.Claims[0].Error == nil || c.Claims[0].Want == "" || c.Verdicts["inconclusive"] != len(c.Claims) {
		t.Errorf("exit %d, %+v: %s", code, c, stderr)
	}
	for format, part := range map[string]string{"text": "rfm/tutorial", "md": "| experiment ", "latex": `\toprule`,
		"json": `"claims": [`, "csv": "experiment,kind,claim,verdict,ours"} {
		code, out, stderr := ansatz(t, "compare", dir, "--format", format, "--paper", "rfm")
		if code != exitDone || !strings.Contains(out, part) ||
			strings.Contains(out, "experiments: ") != (format == "text") {
			t.Errorf("%s: exit %d: %s\n%s", format, code, stderr, out)
		}
		if format == "csv" {
			if rows, err := csv.NewReader(strings.NewReader(out)).ReadAll(); err != nil || len(rows) < 3 {
				t.Errorf("%d rows: %v", len(rows), err)
			}
		}
	}
	for _, args := range [][]string{{}, {filepath.Join(dir, "nothere")}, {dir, "--format", "word"},
		{dir, "--verdict", "true"}, {dir, "--scale", "x"}, {dir, "--paper", "x"}, {dir, "nothere"}} {
		if code, out, stderr := ansatz(t, append([]string{"compare"}, args...)...); code != exitUsage ||
			len(stderr) < 20 || out != "" {
			t.Errorf("%q: exit %d: %s", args, code, stderr)
		}
	}
	if code, _, stderr := ansatz(t, "estimates", "--jobs", "--scale"); code != exitUsage || !strings.Contains(stderr, "at most one") {
		t.Errorf("estimates with two modes: exit %d: %s", code, stderr)
	}
	// The command estimates makes its table of costs from the results in the folder.
	if code, out, stderr := ansatz(t, "estimates", dir); code != exitDone ||
		!strings.Contains(out, "id,scale,seconds,mib\n") || !strings.Contains(out, "rfm/lowrank,smoke,") {
		t.Errorf("exit %d: %s%s", code, out, stderr)
	}
}
