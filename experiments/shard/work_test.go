package shard

import (
	"context"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/ansatz-lab/ansatz/internal/lock"
)

// A worker goes on after a unit that fails. The next worker keeps the complete units and makes only those that failed
// or were interrupted.
func TestWorkerGoesOn(t *testing.T) {
	p, out := wordPlan(t, 2), t.TempDir()
	if err := p.Write(out); err != nil {
		t.Fatal(err)
	}
	failing := &wordJob{fail: "learns"}
	err := Worker{Plan: p, Job: failing, Out: out}.Run(t.Context(), p.Units)
	var failed *FailedError
	if !errors.As(err, &failed) || len(failed.Units) != 1 || len(failing.made) != len(sentence) {
		t.Fatalf("%v after %v", err, failing.made)
	}
	s := StatusOf(p, out)
	if s.Whole != len(sentence)-1 || !slices.ContainsFunc(s.Shards,
		func(s ShardStatus) bool { return s.State == Failed && s.Error == "learns: it fails" }) {
		t.Errorf("%+v", s)
	}
	ctx, stop := context.WithCancel(t.Context())
	var stopped *StoppedError
	if err := (Worker{Plan: p, Job: &wordJob{fail: "learns", stop: stop}, Out: out}).Run(ctx, p.Units); !errors.As(err,
		&stopped) || !stopped.Interrupts || stopped.Done != len(sentence)-1 {
		t.Errorf("interrupted: %v", err)
	}
	again := &wordJob{}
	if err := (Worker{Plan: p, Job: again, Out: out}).Run(t.Context(), p.Units); err != nil ||
		!slices.Equal(again.made, []string{"learns"}) {
		t.Errorf("%v after %v", err, again.made)
	}
	if s := StatusOf(p, out); s.Whole != len(sentence) || len(s.Missing()) > 0 {
		t.Errorf("%+v", s)
	}
}

// A worker leaves out a unit that another process makes, and Merge returns an error while another process merges.
func TestBesideOthers(t *testing.T) {
	p, out := wordPlan(t, 2), t.TempDir()
	if err := p.Write(out); err != nil {
		t.Fatal(err)
	}
	l, err := folder(out).lockUnit(p.Units[4].ID)
	if err != nil {
		t.Fatal(err)
	}
	j := &wordJob{}
	var stopped *StoppedError
	if err := (Worker{Plan: p, Job: j, Out: out}).Run(t.Context(), p.Units); !errors.As(err, &stopped) ||
		stopped.ByOthers != 1 || slices.Contains(j.made, "its") {
		t.Errorf("%v after %v", err, j.made)
	}
	if s := StatusOf(p, out); s.Whole != len(sentence)-1 ||
		!slices.ContainsFunc(s.Shards, func(s ShardStatus) bool { return s.State == Running && s.Now == "its" }) {
		t.Errorf("%+v", s)
	}
	if err := l.Release(); err != nil {
		t.Fatal(err)
	}
	if err := (Worker{Plan: p, Job: j, Out: out}).Run(t.Context(), p.Units); err != nil {
		t.Error(err)
	}
	if l, err = folder(out).lockUnit("merge"); err != nil {
		t.Fatal(err)
	}
	if err := Merge(t.Context(), p, j, out); !errors.Is(err, lock.ErrHeld) {
		t.Errorf("merged beside another: %v", err)
	}
	if err := errors.Join(l.Release(), Merge(t.Context(), p, j, out)); err != nil {
		t.Error(err)
	}
}

// A clock that jumps forwards and backwards, and files of any time, do not change the result, because nothing depends
// on either.
func TestClockJumps(t *testing.T) {
	still, out := made(t)
	jumping, other := wordPlan(t, 3), t.TempDir()
	if err := jumping.Write(other); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(9, 9))
	when := func() time.Time { return time.Unix(rng.Int64N(1<<33)-1<<32, 0) } // 1833 to 2106
	for range 50 {
		u := jumping.Units[rng.IntN(len(jumping.Units))]
		if err := (Worker{Plan: jumping, Job: &wordJob{}, Out: other, Now: when}).Run(t.Context(),
			[]Unit{u}); err != nil {
			t.Fatal(err)
		}
		err := filepath.WalkDir(other, func(path string, _ fs.DirEntry, err error) error {
			return errors.Join(err, os.Chtimes(path, when(), when()))
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(Merge(t.Context(), still, &wordJob{}, out),
		Merge(t.Context(), jumping, &wordJob{}, other)); err != nil {
		t.Fatal(err)
	}
	a, err := os.ReadFile(filepath.Join(out, "words"))
	if b, err2 := os.ReadFile(filepath.Join(other, "words")); err != nil || err2 != nil || string(a) != string(b) {
		t.Errorf("%q and %q: %v, %v", a, b, err, err2)
	}
	for _, u := range jumping.Units {
		if r, err := ReadReceipt(folder(other).unit(u.ID)); err != nil || !(r.Seconds >= 0 && r.Seconds < 60) {
			t.Errorf("%s took %v s: %v", u.Name, r.Seconds, err)
		}
	}
}
