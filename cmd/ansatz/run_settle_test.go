package main

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/study"
)

// noisy is an experiment with three measures. A claim about the first is decided at once, one about the second takes
// some seeds, and one about the third is never decided.
type noisy struct {
	Shift float64 `json:"shift" toml:"shift"`
}

var clear, faint, never = study.NewMeasure("clear"), study.NewMeasure("faint"), study.NewMeasure("never")

func (s *noisy) Run(_ context.Context, in study.Setting) (*study.Outcome, error) {
	if in.Dry() {
		return nil, nil
	}
	o := &study.Outcome{}
	sign := float64(1 - 2*int(in.Seed%2))
	o.Set(clear, 100+sign)
	o.Set(faint, s.Shift+sign)
	o.Set(never, sign)
	return o, nil
}

func noisyRun(id string, shift float64, out string, claims ...study.Claim) study.Run {
	e := &study.Experiment{ID: id, Paper: "toys", Title: "Noise", Claims: claims,
		Specs: map[study.Scale]study.Spec{study.Small: &noisy{shift}}}
	return study.Run{Experiment: e, Scale: study.Small, Out: out}
}

// TestUntilSettled checks that seeds are added, look by look, only to the experiments with undecided claims, until
// there are none or the maximum number of seeds is reached.
func TestUntilSettled(t *testing.T) {
	out := t.TempDir()
	above := study.AtLeast(0)
	runs := []study.Run{
		noisyRun("toys/clear", 1, out, clear.Claim("It is clear.", "", above)),
		noisyRun("toys/faint", 2, out, clear.Claim("It is clear.", "", above), faint.Claim("It is faint.", "", above)),
		noisyRun("toys/never", 1, out, never.Claim("It is never decided.", "", above)),
	}
	var stdout, stderr strings.Builder
	a := &app{streams: streams{out: &stdout, err: &stderr}, json: true, out: out}
	f := runFlags{scale: "small", seeds: 3, maxSeeds: 9, settle: true, jobs: 1}
	if err := a.runAll(t.Context(), runs, f); err != nil {
		t.Fatal(err)
	}
	var got runJSON
	if err := json.Unmarshal([]byte(stdout.String()), &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]int{"toys/clear": 3, "toys/faint": 5, "toys/never": 9}
	for _, r := range got.Experiments {
		if len(r.Seeds) != want[r.ID] || len(r.Looks) != 3 {
			t.Errorf("%s: %d seeds, looks %v", r.ID, len(r.Seeds), r.Looks)
		}
	}
	if len(got.Experiments) != 3 {
		t.Errorf("%d experiments are shown:\n%s", len(got.Experiments), stdout.String())
	}
	for _, line := range []string{"2 experiments with undecided claims after 3 seeds: going on to 5.", "after 5 seeds: going on to 9."} {
		if !strings.Contains(stderr.String(), line) {
			t.Errorf("no line %q in\n%s", line, stderr.String())
		}
	}
	if strings.Contains(stderr.String(), "there already") {
		t.Errorf("seeds of an earlier look are named:\n%s", stderr.String())
	}
	f.scale = "smoke"
	if err := a.runAll(t.Context(), runs, f); err == nil || !strings.Contains(err.Error(), "take --scale small") {
		t.Errorf("at scale smoke: %v", err)
	}
	f.scale, f.maxSeeds = "small", 2
	if err := a.runAll(t.Context(), runs, f); err == nil || !strings.Contains(err.Error(), "--max-seeds 2") {
		t.Errorf("with 2 seeds at most: %v", err)
	}
}
