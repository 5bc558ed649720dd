package shard

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Shards take about the same time: none more than the fair share and a unit.
func TestDivide(t *testing.T) {
	var units []Unit
	total, longest := 0., 0.
	for i := range 100 {
		u := Unit{Seconds: float64(i * i % 37)} // of some it is not known
		units = append(units, u)
	}
	for _, u := range units {
		s := u.Seconds
		if s == 0 {
			s = 36
		}
		total, longest = total+s, max(longest, s)
	}
	for shards := 1; shards <= 100; shards++ {
		seen := 0
		for _, shard := range divide(units, shards) {
			load := 0.
			for _, k := range shard {
				if load += units[k].Seconds; units[k].Seconds == 0 {
					load += 36
				}
			}
			if seen += len(shard); load > total/float64(shards)+longest || len(shard) == 0 {
				t.Errorf("%d shards: one of %d units takes %v of %v", shards, len(shard), load, total)
			}
		}
		if seen != len(units) {
			t.Errorf("%d shards: %d units", shards, seen)
		}
	}
}

// A plan is read as it was written, another one is not put in its place, and one that
// is damaged is refused.
func TestPlanFile(t *testing.T) {
	p, out := wordPlan(t, 3), filepath.Join(t.TempDir(), "a", "b")
	if _, err := Read(out); !errors.Is(err, fs.ErrNotExist) || !isInput(err) {
		t.Errorf("no plan: %v", err)
	}
	if err := errors.Join(p.Write(out), p.Write(out)); err != nil {
		t.Fatal(err)
	}
	if back, err := Read(out); err != nil || back.String() != p.String() {
		t.Errorf("%v: %+v, want %+v", err, back, p)
	}
	if err := wordPlan(t, 2).Write(out); !isInput(err) {
		t.Errorf("another plan: %v", err)
	}
	for _, i := range []int{-1, 0, 4} {
		if _, err := p.Shard(i); !isInput(err) {
			t.Errorf("shard %d: %v", i, err)
		}
	}
	path := filepath.Join(out, PlanFile)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ from, to string }{{"learns", "learnt"}, {`"threads": 1`, `"threads": 2`},
		{`"version": "v1"`, `"version": "v0"`}, {"1,", "0,"}, {"{", "["}} {
		if err := os.WriteFile(path, []byte(strings.Replace(string(text), c.from, c.to, 1)), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(out); !isInput(err) {
			t.Errorf("%q for %q: %v", c.to, c.from, err)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	one := []Unit{{Name: "a", Spec: json.RawMessage(`1`)}}
	for _, c := range []struct {
		p      Plan
		shards int
	}{{Plan{Maker: Maker{Threads: 1}}, 1}, {Plan{Units: one}, 1}, {Plan{Units: one, Maker: Maker{Threads: 1}}, 0}} {
		if _, err := New(c.p, c.shards); !isInput(err) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	if _, err := New(Plan{Units: append(one, one...), Maker: Maker{Threads: 1}}, 1); err == nil {
		t.Error("a unit is there twice")
	}
}
