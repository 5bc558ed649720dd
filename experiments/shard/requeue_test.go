package shard

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A task whose time is over is requeued as long as it makes progress.
func TestAgain(t *testing.T) {
	p, out := wordPlan(t, 2), t.TempDir()
	units, err := p.Shard(1)
	if err != nil {
		t.Fatal(err)
	}
	over := func(job string, between func()) error {
		a := BeginAttempt(p, out, 1, job)
		between()
		return a.Again(units[1])
	}
	nothing := func() {}
	leave := func(text string) func() {
		return func() {
			dir := folder(out).scratch(units[1].ID)
			if err := errors.Join(os.MkdirAll(dir, 0o777),
				os.WriteFile(filepath.Join(dir, "half"), []byte(text), 0o666)); err != nil {
				t.Fatal(err)
			}
		}
	}
	make1 := func() {
		if err := (Worker{Plan: p, Job: &wordJob{}, Out: out}).Run(t.Context(), units[:1]); err != nil {
			t.Fatal(err)
		}
	}
	for i, c := range []struct {
		job     string
		between func()
		stalled bool
	}{
		{"7", nothing, false}, {"7", nothing, false}, {"7", leave("a"), false}, {"7", nothing, false},
		{"7", nothing, false},
		{"7", make1, false}, {"7", nothing, false}, {"7", nothing, false}, {"7", nothing, true},
		{"8", nothing, false}, {"8", nothing, false}, {"8", nothing, true}, // resumed
	} {
		if err := over(c.job, c.between); (err != nil) != c.stalled {
			t.Errorf("%d: %v", i, err)
		}
	}
	s := StatusOf(p, out).Shards[0]
	if s.State != Failed || !strings.Contains(s.Error, "give ansatz resume a longer --time") ||
		!strings.Contains(s.Error, units[1].Name) {
		t.Errorf("%+v", s)
	}
	// A file time that changes is no progress. New content is, even if the file time stays the same.
	half := filepath.Join(folder(out).scratch(units[1].ID), "half")
	leaveAt := func(text string, at time.Time) func() {
		return func() {
			leave(text)()
			if err := os.Chtimes(half, at, at); err != nil {
				t.Fatal(err)
			}
		}
	}
	past, future := time.Unix(1, 0), time.Unix(1<<33, 0)
	leaveAt("a", past)()
	for i, c := range []struct {
		between func()
		stalled bool
	}{{leaveAt("b", past), false}, {leaveAt("b", future), false}, {leaveAt("b", past), false},
		{leaveAt("b", future), true}} {
		if err := over("10", c.between); (err != nil) != c.stalled {
			t.Errorf("with clocks, %d: %v", i, err)
		}
	}
	// A task that leaves another checkpoint each time, but completes no unit, is not requeued for ever either.
	for i := 1; ; i++ {
		if err := over("9", leave(strings.Repeat("x", i))); err != nil {
			break
		}
		if i > 2*mostRequeues {
			t.Fatal("it is made again for ever")
		}
	}
}
