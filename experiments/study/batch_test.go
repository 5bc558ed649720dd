package study

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/checkpoint"
	"github.com/ansatz-lab/ansatz/experiments/input"
)

// batchOf returns runs of toy experiments. The ID a=b stands for an experiment a that shows a part of the run of b.
func batchOf(t *testing.T, dir string, seeds int, specs map[string]*toySpec, ids ...string) []Run {
	t.Helper()
	var runs []Run
	for _, id := range ids {
		name, base, isView := strings.Cut(id, "=")
		e := toy(specs[name])
		if isView {
			of := toy(specs[base])
			of.ID = "toys/" + base
			e = &Experiment{Of: of, Paper: "toys", Title: "a part", Claims: of.Claims}
		}
		e.ID = "toys/" + name
		runs = append(runs, Run{Experiment: e, Scale: Small, Seeds: seeds, Out: dir})
	}
	return runs
}

// batchLog records the calls of a batch.
type batchLog struct{ begun, ended, shown []string }

func (l *batchLog) batch(p *Plan) *Batch {
	name := func(s PlannedSeed) string { return fmt.Sprint(s.Run.Experiment.ID, " ", s.Seed) }
	return &Batch{
		Plan:  p,
		Begin: func(s PlannedSeed) { l.begun = append(l.begun, name(s)) },
		End:   func(s PlannedSeed) { l.ended = append(l.ended, name(s)) },
		Show:  func(r *Record) error { l.shown = append(l.shown, r.ID); return nil },
	}
}

func plan(t *testing.T, runs []Run) *Plan {
	t.Helper()
	p, err := NewPlan(runs)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A run that several experiments show is made once. A run that fails does not keep others from being made, and the
// experiments that show it fail with it.
func TestBatch(t *testing.T) {
	dir, good, bad := t.TempDir(), 0, 0
	specs := map[string]*toySpec{"a": {ran: &good}, "bad": {Fail: true, Level: 7, ran: &bad},
		"c": {Level: 3, ran: &good}}
	runs := batchOf(t, dir, 3, specs, "a", "view=a", "bad", "badview=bad", "c")
	p := plan(t, runs)
	if len(p.Seeds) != 9 || len(p.There) != 0 {
		t.Errorf("%d seeds, %d there", len(p.Seeds), len(p.There))
	}
	var l batchLog
	err := l.batch(p).Run(t.Context())
	var failed *FailedError
	if !errors.As(err, &failed) || len(failed.Failed) != 2 || failed.Of != 5 || checkpoint.Interrupted(err) ||
		input.IsError(err) {
		t.Fatalf("%v", err)
	}
	for _, part := range []string{"2 of 5 experiments", "toys/bad, seed 0: it failed", "toys/badview: toys/bad"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q is not in %q", part, err)
		}
	}
	if good != 6 || bad != 1 || !slices.Equal(l.shown, []string{"toys/a", "toys/view", "toys/c"}) ||
		len(l.ended) != 9 || len(l.begun) != 7 {
		t.Errorf("made %d and %d, %+v", good, bad, l)
	}
	// Again with --resume: only what failed is left.
	for i := range runs {
		runs[i].Resume = true
	}
	specs["bad"].Fail = false
	p = plan(t, runs)
	if len(p.Seeds) != 3 || len(p.There) != 6 {
		t.Errorf("%d seeds, %d there", len(p.Seeds), len(p.There))
	}
}

func TestBatchOfOne(t *testing.T) {
	ran := 0
	var l batchLog
	err := l.batch(plan(t, batchOf(t, t.TempDir(), 2, map[string]*toySpec{"x": {Fail: true, ran: &ran}},
		"x"))).Run(t.Context())
	if err == nil || err.Error() != "toys/x, seed 0: it failed" {
		t.Errorf("%v", err)
	}
	if _, err := NewPlan(batchOf(t, t.TempDir(), 0, map[string]*toySpec{"x": {ran: &ran}}, "x")); !input.IsError(err) {
		t.Errorf("no seeds: %v", err)
	}
	// An experiment that cannot be run is shown all the same.
	absent := Run{Experiment: &Experiment{ID: "toys/absent", Absent: "it is lost"}, Seeds: 3, Out: t.TempDir()}
	if err := l.batch(plan(t, []Run{absent})).Run(t.Context()); err != nil ||
		!slices.Equal(l.shown, []string{"toys/absent"}) {
		t.Errorf("%v, %v", l.shown, err)
	}
}

// With several jobs, as many seeds are made at once. Each seed is made once, and they begin in their order. The runs
// are shown in their order, whichever ends first.
func TestBatchJobs(t *testing.T) {
	const jobs = 3
	ran := 0
	var l batchLog
	b := l.batch(plan(t, batchOf(t, t.TempDir(), 3,
		map[string]*toySpec{"a": {ran: &ran}, "b": {Level: 1, ran: &ran}}, "a", "b")))
	var mu sync.Mutex
	var once sync.Once
	running, most := 0, 0
	full := make(chan struct{}) // closed once as many run as allowed
	b.Jobs = jobs
	b.Make = func(ctx context.Context, s PlannedSeed) error {
		mu.Lock()
		running++
		if most = max(most, running); most == jobs {
			once.Do(func() { close(full) })
		}
		mu.Unlock()
		<-full
		mu.Lock()
		defer mu.Unlock()
		running--
		s.Run.Made = nil
		return s.Make(ctx)
	}
	if err := b.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := []string{"toys/a 0", "toys/a 1", "toys/a 2", "toys/b 0", "toys/b 1", "toys/b 2"}
	if most != jobs || ran != 6 || !slices.Equal(l.begun, want) || len(l.ended) != 6 ||
		!slices.Equal(l.shown, []string{"toys/a", "toys/b"}) {
		t.Errorf("%d at once, %d made, %+v", most, ran, l)
	}
}

// An interrupted batch says how many seeds are done, and a resumed one makes only the others.
func TestBatchStopped(t *testing.T) {
	dir, ran := t.TempDir(), 0
	specs := map[string]*toySpec{"a": {ran: &ran}, "b": {Level: 1, ran: &ran}}
	runs := batchOf(t, dir, 2, specs, "a", "b")
	for name, stop := range map[string]func(cancel func()) error{
		"the command":  func(cancel func()) error { cancel(); return context.Canceled },
		"a job of its": func(func()) error { return &checkpoint.InterruptedError{} },
	} {
		ctx, cancel := context.WithCancel(t.Context())
		var l batchLog
		b := l.batch(plan(t, runs))
		b.Make = func(ctx context.Context, s PlannedSeed) error {
			if s.Run.Experiment.ID == "toys/b" && s.Seed == 1 {
				return stop(cancel)
			}
			return s.Make(ctx)
		}
		err := b.Run(ctx)
		var stopped *StoppedError
		if !errors.As(err, &stopped) || !checkpoint.Interrupted(err) || stopped.Done != 3 || stopped.Of != 4 ||
			stopped.Out != dir || !slices.Equal(l.shown, []string{"toys/a"}) {
			t.Errorf("%s: %v, %+v", name, err, l)
		}
		cancel()
	}
	for i := range runs {
		runs[i].Resume = true
	}
	ran = 0
	var l batchLog
	if err := l.batch(plan(t, runs)).Run(t.Context()); err != nil || ran != 1 || len(l.shown) != 2 {
		t.Errorf("%v, %d made, %+v", err, ran, l)
	}
}

// An error of Show is returned even if the command is interrupted at the same time. A run whose Show is interrupted
// counts as interrupted.
func TestBatchShowStopped(t *testing.T) {
	ran := 0
	for _, c := range []struct {
		err     error
		stopped bool
	}{{errors.New("the disk is full"), false}, {&checkpoint.InterruptedError{}, true}} {
		ctx, cancel := context.WithCancel(t.Context())
		b := &Batch{Plan: plan(t, batchOf(t, t.TempDir(), 1, map[string]*toySpec{"a": {ran: &ran}}, "a"))}
		b.Show = func(*Record) error { cancel(); return c.err }
		err := b.Run(ctx)
		if err == nil || checkpoint.Interrupted(err) != c.stopped || !c.stopped && !errors.Is(err, c.err) {
			t.Errorf("%v: %v", c.err, err)
		}
		cancel()
	}
}
