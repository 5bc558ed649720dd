package progress

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ansatz-lab/ansatz/experiments/cost"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

func seedOf(id string, seed uint64, seconds float64) study.PlannedSeed {
	return study.PlannedSeed{Run: study.Run{Experiment: &study.Experiment{ID: id}}, Seed: seed,
		Cost: cost.Resources{Seconds: seconds}}
}

// TestBatchWork checks how much of a batch is done and how much time is left, which follow from the estimated times of
// the seeds.
func TestBatchWork(t *testing.T) {
	start := time.Unix(0, 0)
	at := func(seconds float64) time.Time { return start.Add(time.Duration(seconds * 1e9)) }
	seeds := []study.PlannedSeed{seedOf("a", 0, 10), seedOf("a", 1, 10), seedOf("b", 0, 20)}
	w := newBatchWork(seeds, 1, 1, start)
	w.begin(seeds[0], start)
	// A running seed counts for at most 95 % of its estimated time.
	for _, c := range []struct{ after, part, left float64 }{{0, 0, 40}, {5, .125, 35}, {100, 9.5 / 40, 30.5}} {
		if part, left, known := w.progress(at(c.after)); part != c.part || left.Seconds() != c.left || !known {
			t.Errorf("after %g s: %g, %v", c.after, part, left)
		}
	}
	w.end(seeds[0]) // after 20 s: seeds take twice their estimated time
	if part, left, _ := w.progress(at(20)); part != .25 || left.Seconds() != 60 || len(w.running) != 0 {
		t.Errorf("%g, %v", part, left)
	}
	// Without estimates, the time that is left is unknown until a seed is done.
	unknown := []study.PlannedSeed{seedOf("a", 0, 0), seedOf("a", 1, 0)}
	w = newBatchWork(unknown, 2, 2, start)
	w.begin(unknown[0], start)
	w.begin(unknown[1], start)
	if part, _, known := w.progress(at(3)); part != 0 || known {
		t.Errorf("%g", part)
	}
	w.end(unknown[1])
	if part, left, known := w.progress(at(4)); part != .5 || left.Seconds() != 4 || !known ||
		!slices.Equal(w.names(), []string{"a, seed 0"}) {
		t.Errorf("%g, %v", part, left)
	}
}

// TestBatchBars checks that the lines fit the terminal, that they are cleared before anything else is written, and that
// nothing is drawn after Close.
func TestBatchBars(t *testing.T) {
	var out bytes.Buffer
	b := &Batch{to: Terminal{W: &out, On: true}, width: func() int { return 60 }, stop: make(chan struct{})}
	start := time.Unix(0, 0)
	seeds := []study.PlannedSeed{seedOf("cnfa/fig3", 0, 100), seedOf("cnfa/fig3", 1, 100)}
	b.work = newBatchWork(seeds, 1, 1, start)
	b.work.begin(seeds[0], start)
	b.Update("fitting", 3, 10)
	b.since = start.Add(20 * time.Second)
	b.draw(start.Add(50 * time.Second))
	text := out.String()
	for _, part := range []string{"0 of 2 seeds", " 25 %", "3 min left", "cnfa/fig3, seed 0: fitting", "30 %",
		"3/10, 70 s left"} {
		if !strings.Contains(text, part) {
			t.Errorf("%q is not in %q", part, text)
		}
	}
	first, second := b.lines(start.Add(50*time.Second), 59)
	for _, line := range []string{first, second} {
		if n := len([]rune(line)); n > 59 {
			t.Errorf("%d characters: %s", n, line)
		}
	}
	out.Reset()
	b.Print(func() { out.WriteString("a table") })
	if out.String() != "\r\x1b[Ja table" {
		t.Errorf("%q", &out)
	}
	b.draw(start.Add(time.Minute))
	out.Reset()
	b.Close()
	b.Close()
	b.draw(start.Add(time.Hour))
	if out.String() != "\r\x1b[J" {
		t.Errorf("%q", &out)
	}
	for width := range 70 {
		if n := len([]rune(barLine("a long name of a stage", .5, "left", width))); n > max(width, 0) {
			t.Errorf("%d characters of %d", n, width)
		}
	}
}
