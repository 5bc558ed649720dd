package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestReport checks that report writes its page to the path of --out and an index, and lists the verdicts of the
// claims. With --commands it prints the commands that made the results.
func TestReport(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	if code, _, stderr := ansatz(t, "run", "rfm/fig9", "--scale", "smoke", "--seeds", "1", "--out", dir,
		"--quiet"); code != exitDone {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	var v struct {
		Claims []struct{ Experiment, Verdict string }
	}
	index := filepath.Join(dir, "README.md")
	for out, want := range map[string]string{
		"": filepath.Join(dir, "report.html"), other: filepath.Join(other, "report.html"),
		filepath.Join(other, "all.html"): filepath.Join(other, "all.html"),
	} {
		args := []string{"report", dir, "--index", index}
		if out != "" {
			args = append(args, "--out", out)
		}
		v.Claims = nil
		code, stderr := ansatzJSON(t, &v, args...)
		if code != exitDone || len(v.Claims) == 0 || v.Claims[0].Experiment != "rfm/fig9" ||
			!strings.Contains(stderr, want) {
			t.Errorf("--out %q: exit %d, %+v: %s", out, code, v, stderr)
		}
		for _, path := range []string{want, index} {
			if text, err := os.ReadFile(path); err != nil || !strings.Contains(string(text), "rfm/fig9") {
				t.Errorf("%s: %v", path, err)
			}
		}
	}
	if code, out, _ := ansatz(t, "report", dir); code != exitDone || !strings.Contains(out, "above null") {
		t.Errorf("exit %d: %s", code, out)
	}
	const command = "ansatz run rfm/fig9 --scale smoke --seeds 1"
	if code, out, _ := ansatz(t, "report", dir, "--commands"); code != exitDone || out != command+"\n" {
		t.Errorf("exit %d: %q, want %q", code, out, command)
	}
	var commands []string
	if code, _ := ansatzJSON(t, &commands, "report", dir, "--commands"); code != exitDone || !slices.Equal(commands, []string{command}) {
		t.Errorf("exit %d: %q, want %q", code, commands, command)
	}
	for _, args := range [][]string{{"--commands"}, {dir, "--commands", "--redraw"}, {other, "--commands"},
		{}, {dir, dir}, {other}, {filepath.Join(dir, "nothere")},
		{dir, "--index", filepath.Join(dir, "nothere", "x.md")}, {dir, "--index", dir},
		{dir, "--index", filepath.Join(dir, "report.html")}} {
		if code, _, stderr := ansatz(t, append([]string{"report"}, args...)...); code != exitUsage || len(stderr) < 20 {
			t.Errorf("%q: exit %d: %s", args, code, stderr)
		}
	}
}
