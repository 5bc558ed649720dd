package main

import (
	"strings"
	"testing"
)

func TestListFilters(t *testing.T) {
	var l struct {
		Scale       string
		Experiments []struct {
			ID, Paper, Kind, Of, Absent string
			Claims                      int
			Seconds, Bytes              float64
			Specs                       map[string]any
		}
	}
	for _, c := range []struct {
		args  []string
		check func(i int) bool
	}{
		{[]string{"--paper", "ntk", "--kind", "table,other"},
			func(i int) bool { return l.Experiments[i].Paper == "ntk" && l.Experiments[i].Kind != "figure" }},
		{[]string{"rfm/fig1*", "cnfa"}, func(i int) bool {
			return strings.HasPrefix(l.Experiments[i].ID, "rfm/fig1") || l.Experiments[i].Paper == "cnfa"
		}},
		{[]string{"--under", "2m", "--scale", "smoke"}, func(i int) bool {
			return l.Experiments[i].Seconds < 120 && l.Experiments[i].Seconds > 0 && l.Scale == "smoke"
		}},
		{[]string{"--attempted"}, func(i int) bool {
			return l.Experiments[i].Absent == "" &&
				len(l.Experiments[i].Specs) >= 3 // smoke, small and paper; a few have medium too
		}},
	} {
		l.Scale, l.Experiments = "", nil // else JSON would be merged into those of the last case
		code, stderr := ansatzJSON(t, &l, append([]string{"list"}, c.args...)...)
		if code != exitDone || len(l.Experiments) == 0 {
			t.Errorf("%q: exit %d, %d: %s", c.args, code, len(l.Experiments), stderr)
		}
		for i := range l.Experiments {
			if !c.check(i) {
				t.Errorf("%q lists %+v", c.args, l.Experiments[i])
			}
		}
	}
	for _, bad := range [][]string{{"nothere"}, {"--paper", "x"}, {"--kind", "x"}, {"--under", "-1s"},
		{"--under", "soon"}, {"--scale", "x"}} {
		if code, _, stderr := ansatz(t, append([]string{"list"}, bad...)...); code != exitUsage || len(stderr) < 20 {
			t.Errorf("%q: exit %d: %s", bad, code, stderr)
		}
	}
}
