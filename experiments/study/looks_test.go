package study

import (
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/input"
)

func TestPlanLooks(t *testing.T) {
	for _, c := range []struct {
		first, most int
		want        Looks
	}{{3, 20, Looks{3, 5, 9, 15, 20}}, {3, 3, Looks{3}}, {4, 5, Looks{4, 5}}} {
		if got, err := PlanLooks(c.first, c.most); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("from %d to %d: %v, %v, want %v", c.first, c.most, got, err, c.want)
		}
	}
	for _, bad := range [][2]int{{2, 20}, {5, 4}, {0, 0}} {
		if _, err := PlanLooks(bad[0], bad[1]); !input.IsError(err) {
			t.Errorf("%v: %v", bad, err)
		}
	}
	if a, b := (Looks{3, 5, 9, 15, 20}).Confidence(), Looks(nil).Confidence(); math.Abs(a-.99) > 1e-12 || b != .95 {
		t.Errorf("confidences %v and %v", a, b)
	}
}

// TestLooksDecideRightly checks that at most 5 % of runs decide wrongly if seeds are added until a claim is decided.
// The true mean is 0, so it is wrong to decide that it is above a number just above 0, or that it is not above a number
// just below 0. With intervals of 95 % at every look, at least 8 % of runs decide wrongly.
func TestLooksDecideRightly(t *testing.T) {
	looks, err := PlanLooks(3, 20)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(5, 6))
	m := NewMeasure("m")
	const runs = 4000
	wrong := map[float64]int{}
	for range runs {
		x := make([]float64, looks[len(looks)-1])
		for i := range x {
			x[i] = rng.NormFloat64()
		}
		all := outcomesOf(m, x...)
		for _, confidence := range []float64{looks.Confidence(), usualConfidence} {
			for _, n := range looks {
				holds := m.Claim("It is above.", "", AtLeast(1e-9)).judgeWith(all[:n], confidence).Verdict
				fails := m.Claim("It is above.", "", AtLeast(-1e-9)).judgeWith(all[:n], confidence).Verdict
				if holds == Holds || fails == Fails { // either is wrong, as the mean is 0
					wrong[confidence]++
					break
				}
			}
		}
	}
	shared, usual := float64(wrong[looks.Confidence()])/runs, float64(wrong[usualConfidence])/runs
	if shared > .05 || shared < .01 || usual < .08 {
		t.Errorf("%.3f of runs decide wrongly with a shared level, %.3f at 95 %% a look", shared, usual)
	}
}

// A run is judged with the looks that were planned, also when it is collected or resumed. Other looks are refused.
func TestRunLooks(t *testing.T) {
	ran := 0
	out := t.TempDir()
	run := Run{Experiment: toy(&toySpec{ran: &ran}), Scale: Small, Seeds: 3, Out: out, Looks: Looks{3, 5}}
	r, err := run.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(r.Looks, run.Looks) || r.Undecided() == 0 || !strings.Contains(r.Claims[0].Method, "97.5 %") {
		t.Errorf("looks %v, %d undecided, %s", r.Looks, r.Undecided(), r.Claims[0].Method)
	}
	wide := *r.Claims[0].Error
	if text := r.ClaimsTable().Caption; !strings.Contains(text, "the 2 looks at 3 and 5") {
		t.Errorf("caption %q", text)
	}
	found, err := (Catalogue{run.Experiment}).Collect(out)
	if err != nil || len(found) != 1 || !slices.Equal(found[0].Looks, run.Looks) || *found[0].Claims[0].Error != wide {
		t.Fatalf("collected: %v, %v", found, err)
	}
	run.Looks, run.Resume = nil, true
	if again, err := run.Run(t.Context()); err != nil || *again.Claims[0].Error != wide {
		t.Errorf("without looks of its own: %v", err)
	}
	run.Looks = Looks{3, 8}
	if _, err := NewPlan([]Run{run}); !input.IsError(err) || !strings.Contains(err.Error(), "3 and 5 seeds, not at 3 and 8") {
		t.Errorf("other looks: %v", err)
	}
	path := filepath.Join(out, "toys", "one", r.Hash, looksFile)
	if err := os.WriteFile(path, []byte("[5, 3]"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := (Catalogue{run.Experiment}).Collect(out); !input.IsError(err) || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("damaged looks: %v", err)
	}
	if err := errors.Join(os.Remove(path), syscall.Mkfifo(path, 0o666)); err != nil {
		t.Fatal(err)
	}
	if _, err := (Catalogue{run.Experiment}).Collect(out); !input.IsError(err) || !strings.Contains(err.Error(), "regular file") {
		t.Errorf("looks in a pipe: %v", err)
	}
	free := Run{Experiment: toy(&toySpec{ran: &ran}), Scale: Small, Seeds: 3, Out: t.TempDir()}
	if r, err = free.Run(t.Context()); err != nil || r.Looks != nil || !(*r.Claims[0].Error < wide) || r.Claims[0].Method != "" {
		t.Errorf("a run of a given number of seeds: %v, %+v", err, r.Claims[0])
	}
}
