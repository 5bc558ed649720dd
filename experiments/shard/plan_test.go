package shard

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Shards take about the same time: none takes more than the mean plus the longest unit.
func TestDivide(t *testing.T) {
	var units []Unit
	total, longest := 0., 0.
	for i := range 100 {
		u := Unit{Seconds: float64(i * i % 37)} // 0 is an unknown time
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

// A plan is the same after it was written and read again. Another plan does not replace it, and a damaged one is
// refused.
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

// A plan with impossible content is refused, even if its hash is right.
func TestPlanRefusesNonsense(t *testing.T) {
	for what, change := range map[string]func(p *Plan){
		"no units":        func(p *Plan) { p.Units, p.Shards = nil, nil },
		"empty shard":     func(p *Plan) { p.Shards = append(p.Shards, []int{}) },
		"threads":         func(p *Plan) { p.Threads = 1 << 30 },
		"negative time":   func(p *Plan) { p.Units[0].Seconds = -1 },
		"endless disk":    func(p *Plan) { p.Units[0].Disk = 1e300 },
		"negative memory": func(p *Plan) { p.MergeBytes = -1 },
	} {
		p, out := wordPlan(t, 3), t.TempDir()
		change(p)
		for i, u := range p.Units {
			p.Units[i].ID = idOf(p.Kind, p.Settings, u.Spec)
		}
		p.Hash = p.digest()
		if err := p.Write(out); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(out); !isInput(err) || !strings.Contains(err.Error(), PlanFile) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// If a pipe or a link is at the path of a file or folder to write, nothing is written to it. A file of a unit that has
// grown to a huge size is not read.
func TestHostileOutputs(t *testing.T) {
	p, out := made(t)
	if err := syscall.Mkfifo(filepath.Join(out, MergedFile), 0o666); err != nil {
		t.Skip(err)
	}
	if err := Merge(t.Context(), p, &wordJob{}, out); !isInput(err) || !strings.Contains(err.Error(), MergedFile) {
		t.Errorf("merged.json is a pipe: %v", err)
	}
	elsewhere := filepath.Join(t.TempDir(), "elsewhere")
	if err := errors.Join(os.Remove(filepath.Join(out, MergedFile)),
		os.Symlink(elsewhere, filepath.Join(out, SubmissionFile))); err != nil {
		t.Fatal(err)
	}
	if err := (&Submission{Plan: p.Hash}).Write(out); !isInput(err) {
		t.Errorf("submission.json is a link out of the folder: %v", err)
	}
	if _, err := os.Stat(elsewhere); err == nil {
		t.Error("it was written to where the link leads")
	}
	unit := folder(out).unit(p.Units[1].ID)
	if err := errors.Join(os.RemoveAll(unit), os.Symlink(elsewhere, unit)); err != nil {
		t.Fatal(err)
	}
	if err := (Worker{Plan: p, Job: &wordJob{}, Out: out}).Run(t.Context(), p.Units); !isInput(err) {
		t.Errorf("a unit is a link out of the folder: %v", err)
	}
	if _, err := os.Stat(elsewhere); err == nil {
		t.Error("it was made where the link leads")
	}
	word := filepath.Join(folder(out).unit(p.Units[0].ID), "sub", "word")
	if err := os.Truncate(word, 1<<40); err != nil {
		t.Skip(err)
	}
	var bad *MergeError
	if err := Merge(t.Context(), p, &wordJob{}, out); !errors.As(err, &bad) ||
		!strings.Contains(err.Error(), "1099511627776 bytes") {
		t.Errorf("a file of 1 TiB: %v", err)
	}
}

// If a pipe, a folder, or a huge, empty or deeply nested file is at the path of a file of a plan's folder, it is
// refused or counts as missing, and nothing is merged.
func TestHostileFolder(t *testing.T) {
	id := wordPlan(t, 3).Units[0].ID
	receipt := filepath.Join("units", id, ReceiptFile)
	for _, name := range []string{PlanFile, SubmissionFile, MergedFile, receipt,
		filepath.Join("failed", id+".json"), filepath.Join("locks", id+".lock")} {
		for kind, spoil := range map[string]func(path string) error{
			"pipe":   func(path string) error { return syscall.Mkfifo(path, 0o666) },
			"sparse": func(path string) error { return errors.Join(os.WriteFile(path, nil, 0o666), os.Truncate(path, 20<<30)) },
			"deep":   func(path string) error { return os.WriteFile(path, bytes.Repeat([]byte("["), 1<<20), 0o666) },
			"folder": func(path string) error { return os.Mkdir(path, 0o777) },
			"empty":  func(path string) error { return os.WriteFile(path, nil, 0o666) },
		} {
			p, out := made(t)
			path := filepath.Join(out, name)
			_ = os.Remove(path) // removes the plan itself, if name is PlanFile
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := spoil(path); err != nil {
				t.Skip(err)
			}
			_, planned := Read(out)
			_, submitted := ReadSubmission(p, out)
			if (planned != nil) != (name == PlanFile) || (submitted != nil) != (name == SubmissionFile) {
				t.Errorf("%s is a %s: %v, %v", name, kind, planned, submitted)
			}
			if s := StatusOf(p, out); s.Done || s.Merged {
				t.Errorf("%s is a %s: %+v", name, kind, s)
			}
			if err := Merge(t.Context(), p, &wordJob{}, out); err == nil && name == receipt {
				t.Errorf("%s is a %s: it is merged", name, kind)
			}
		}
	}
}
