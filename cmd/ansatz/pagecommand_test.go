package main

import (
	"html"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPageCommand checks that a page holds the command that made it, with the flags that were given, also after the
// page was redrawn.
func TestPageCommand(t *testing.T) {
	for kind, line := range map[string]string{
		"rfm":   "ansatz rfm --data polynomial:tutorial --iters 1 --select last --test 20 --train 30",
		"ntk":   "ansatz ntk --arch mlp:4 --data glyphs --images 4",
		"train": "ansatz train --arch mlp:4 --batch 8 --data glyphs --epochs 1 --lr 0.05 --train 16",
	} {
		out := filepath.Join(t.TempDir(), "it's here")
		args := append(strings.Fields(line)[1:], "--out", out, "--quiet")
		if code, _, errs := ansatz(t, args...); code != exitDone {
			t.Fatalf("%s: exit %d: %s", line, code, errs)
		}
		for _, drawn := range []string{"first", "again"} {
			page, err := os.ReadFile(filepath.Join(out, "report.html"))
			if err != nil {
				t.Fatal(err)
			}
			want := ` data-command="` + html.EscapeString(line+" --out out/"+kind) + `"`
			if strings.Count(string(page), want) != 1 {
				t.Errorf("the page drawn %s does not have %s", drawn, want)
			}
			if code, _, errs := ansatz(t, "report", out, "--redraw"); code != exitDone {
				t.Fatalf("exit %d: %s", code, errs)
			}
		}
	}
}
