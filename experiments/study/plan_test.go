package study

import (
	"math"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/cost"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/record"
)

// planOf returns a plan of seeds with the given costs, each of another experiment.
func planOf(scale Scale, costs ...cost.Resources) *Plan {
	p := &Plan{}
	for i, c := range costs {
		p.Seeds = append(p.Seeds, PlannedSeed{Run: Run{Experiment: &Experiment{ID: "toys/" + string(rune('a'+i))},
			Scale: scale}, Cost: c})
	}
	return p
}

func TestEstimate(t *testing.T) {
	p := planOf(Small, cost.Resources{Seconds: 100, Bytes: 1 << 30}, cost.Resources{Seconds: 500, Bytes: 2 << 30},
		cost.Resources{}, cost.Resources{Seconds: 100, Bytes: 3 << 30})
	e := p.Estimate(1, 1)
	if e.Seconds != 700 || e.Bytes != 3<<30 || e.Seeds != 4 || e.Experiments != 4 || e.Largest != "toys/d" ||
		len(e.Unknown) != 1 || e.Unsure {
		t.Errorf("%+v", e)
	}
	if s := e.String(); s != "4 experiments, 4 seeds to run, about 12 min and 3.0 GiB; the time of toys/c is unknown" {
		t.Error(s)
	}
	// Two seeds at once take the memory of the two largest, and at least the time of the longest.
	if e := p.Estimate(2, 2); e.Seconds != 500 || e.Bytes != 5<<30 {
		t.Errorf("%+v", e)
	}
	if e := p.Estimate(1, 2); math.Abs(e.Seconds-700/record.Speedup(2)) > 1e-9 {
		t.Errorf("%+v", e)
	}
	if e := planOf(PaperScale, cost.Resources{}).Estimate(1, 1); !e.Unsure {
		t.Errorf("%+v", e)
	}
	if s := (&Plan{}).Estimate(2, 2).String(); s != "nothing is left to run" {
		t.Error(s)
	}
}

func TestCheckMemory(t *testing.T) {
	p := planOf(Small, cost.Resources{Seconds: 1, Bytes: 1 << 30}, cost.Resources{Seconds: 1, Bytes: 2 << 30})
	for _, c := range []struct {
		p          *Plan
		jobs       int
		have       int64
		want, also string
	}{
		{p, 1, 2 << 30, "", ""}, {p, 2, 3 << 30, "", ""}, {p, 2, 0, "", ""},
		{p, 2, 2 << 30, "--jobs 1 would fit", "3.0 GiB, but 2.0 GiB are free"},
		{p, 1, 1 << 30, "toys/b needs about 2.0 GiB", "--spec"}, {p, 1, 1 << 30, "--spec", "--memory 0"},
		{planOf(PaperScale, cost.Resources{Seconds: 1, Bytes: 2 << 30}), 2, 1 << 30, "--scale small", "toys/a"},
	} {
		err := c.p.CheckMemory(c.jobs, c.jobs, c.have)
		if c.want == "" && err != nil || c.want != "" &&
			(!input.IsError(err) || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.also)) {
			t.Errorf("%d jobs, %d bytes: %v, want %q", c.jobs, c.have, err, c.want)
		}
	}
}

func TestDuration(t *testing.T) {
	for seconds, want := range map[float64]string{
		.1: "1 s", 1: "1 s", 59: "59 s", 99: "99 s", 100: "2 min", 180: "3 min", 3560: "59 min", 3590: "1 h",
		6000: "1 h 40 min", 7200: "2 h", 40000: "11 h", 864000: "10 days",
	} {
		if got := record.FormatDuration(seconds); got != want {
			t.Errorf("%g s is %s, want %s", seconds, got, want)
		}
	}
}

// A number of seeds whose plan would fill the memory is refused.
func TestPlanTooManySeeds(t *testing.T) {
	run := Run{Experiment: &Experiment{ID: "toys/a"}, Scale: Small, Out: "out", Seeds: mostSeeds + 1}
	if _, err := NewPlan([]Run{run}); !input.IsError(err) || !strings.Contains(err.Error(), "want 1 to 100000") {
		t.Errorf("%v", err)
	}
}

// Seeds that would go on from 0 are refused.
func TestPlanSeedsEnd(t *testing.T) {
	run := Run{Experiment: &Experiment{ID: "toys/a"}, Scale: Small, Out: "out", Seeds: 2, Setting: Setting{Seed: math.MaxUint64}}
	if _, err := NewPlan([]Run{run}); !input.IsError(err) || !strings.Contains(err.Error(), "want at most 18446744073709551614") {
		t.Errorf("%v", err)
	}
}

// A scale without settings is an error that names those with settings.
func TestOtherScales(t *testing.T) {
	e := &Experiment{ID: "a/b", Specs: map[Scale]Spec{PaperScale: &otherSpec{}, Smoke: &otherSpec{}}}
	if _, err := e.SpecAt(Medium); !input.IsError(err) ||
		!strings.Contains(err.Error(), "a/b has no settings at scale medium: take --scale smoke or paper") {
		t.Error(err)
	}
	if text := otherScales(&Experiment{Absent: "too large"}); text != "it has none at any scale" {
		t.Error(text)
	}
}
