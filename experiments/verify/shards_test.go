package verify

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/job"
	"github.com/ansatz-lab/ansatz/experiments/job/jobtest"
	"github.com/ansatz-lab/ansatz/models/weights"
	"github.com/ansatz-lab/ansatz/models/zoo"
)

// verifyJobs opens the jobs of this kind of plan.
var verifyJobs = job.Kinds{job.VerifyKind: OpenJob}

// For any number of shards, the merged groups of images give the files that ansatz verify writes, to the bit. Only the
// seconds are those of the units.
func TestPlanVerification(t *testing.T) {
	s := spec(t)
	s.Groups, s.Outputs, s.InitWeights, s.Alignments = 5, "probes:3", s.Weights, "all"
	for shards := 1; shards <= 3; shards++ {
		for _, threads := range []int{1, 2} {
			if threads == 2 && shards != 2 {
				continue
			}
			comparePlan(t, s, threads, shards)
		}
	}
}

// A verification of W − W₀ can be planned too.
func TestPlanMinusInit(t *testing.T) {
	s := spec(t)
	s.MinusInit, s.InitWeights = true, filepath.Join(t.TempDir(), "before.safetensors")
	a, err := zoo.Lookup(s.Arch)
	if err != nil {
		t.Fatal(err)
	}
	before, err := a.InitNetwork(a.Input, 3, 2)
	if err != nil {
		t.Fatal(err)
	}
	if err := weights.Save(s.InitWeights, before.StateDict(), nil); err != nil {
		t.Fatal(err)
	}
	comparePlan(t, s, 1, 2)
}

// comparePlan checks that a plan's merged result has the same files as the verification in one process.
func comparePlan(t *testing.T, s Spec, threads, shards int) {
	t.Helper()
	p, err := PlanVerification(s, threads, shards)
	if err == nil && len(p.Units) != (s.Groups+threads-1)/threads {
		t.Errorf("%d units of %d groups with %d threads", len(p.Units), s.Groups, threads)
	}
	got := jobtest.ReadFiles(t, jobtest.MergePlan(t, verifyJobs, p, err))
	var record Record
	if err := json.Unmarshal(got["record.json"], &record); err != nil {
		t.Fatal(err)
	}
	s.Threads = threads
	r := verified(t, s)
	r.Seconds = record.Seconds
	out := t.TempDir()
	if _, err := r.Save(t.Context(), out); err != nil {
		t.Fatal(err)
	}
	jobtest.CheckSameFiles(t, got, jobtest.ReadFiles(t, out), nil)
}

// If the weights or the architecture change under the same name, the old plan is refused and a new plan has other
// units.
func TestPlanVerificationForeign(t *testing.T) {
	s := spec(t)
	p, err := PlanVerification(s, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{s.Weights, s.Arch} {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		other := append(slices.Clone(text), "# another\n"...)
		if path == s.Weights {
			other = slices.Clone(text)
			other[len(other)-1] ^= 1
		}
		if err := os.WriteFile(path, other, 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := verifyJobs.Open(p, job.Setting{}); !input.IsError(err) || !strings.Contains(err.Error(), path) {
			t.Errorf("with another %s: %v", filepath.Base(path), err)
		}
		if q, err := PlanVerification(s, 1, 1); err != nil || q.Units[0].ID == p.Units[0].ID {
			t.Errorf("another %s has the same units, %v", filepath.Base(path), err)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if _, err := verifyJobs.Open(p, job.Setting{}); !input.IsError(err) || !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("without %s: %v", filepath.Base(path), err)
		}
		if err := os.WriteFile(path, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := verifyJobs.Open(p, job.Setting{}); err != nil {
		t.Errorf("with what was there: %v", err)
	}
}

// FuzzGroupsUnit checks that a unit from outside is refused unless its groups of images exist.
func FuzzGroupsUnit(f *testing.F) {
	for _, text := range []string{
		`{"from":0,"to":2}`, `{"from":-1,"to":9223372036854775807}`, `{"from":0,"to":1,"more":2}`, `null`, `[]`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var g imageGroups
		if job.Decode([]byte(text), &g) == nil && g.check(5) == nil && (g.From < 0 || g.To > 5 || g.From >= g.To) {
			t.Errorf("groups %+v", g)
		}
	})
}
