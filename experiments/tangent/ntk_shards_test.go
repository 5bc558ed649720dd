package tangent

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/job"
	"github.com/ansatz-lab/ansatz/experiments/job/jobtest"
	"github.com/ansatz-lab/ansatz/experiments/shard"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/models/kernels"
	"github.com/ansatz-lab/ansatz/models/weights"
)

// ntkJobs opens the jobs of this kind of plan.
var ntkJobs = job.Kinds{job.NTKKind: OpenJob}

// trainedKernel returns the spec of the kernel of a small network, with weights before training to compare with.
func trainedKernel(t *testing.T) NTKSpec {
	t.Helper()
	s := smallKernel()
	s.Images, s.Batch, s.Normalise = 11, 2, "none"
	a, err := s.arch()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	s.Weights, s.InitWeights = filepath.Join(dir, "now.safetensors"), filepath.Join(dir, "before.safetensors")
	for seed, path := range []string{s.Weights, s.InitWeights} {
		n, err := a.InitNetwork(models.Shape{Channels: 1, Height: 28, Width: 28}, 10, uint64(seed))
		if err == nil {
			err = weights.Save(path, n.StateDict(), nil)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// oneProcess returns the files that a single process writes, with the times of the merged record.
func oneProcess(t *testing.T, s NTKSpec, threads int, merged NTKRecord) map[string][]byte {
	t.Helper()
	s.Threads = threads
	m := newKernel(t, s)
	r, err := m.Run(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Seconds, r.EigenSeconds = merged.Seconds, merged.EigenSeconds
	if r.Initial != nil {
		r.Initial.Seconds, r.Initial.EigenSeconds = merged.Initial.Seconds, merged.Initial.EigenSeconds
	}
	out := t.TempDir()
	if err := m.SaveGram(filepath.Join(out, gramFile)); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Save(out); err != nil {
		t.Fatal(err)
	}
	return jobtest.ReadFiles(t, out)
}

// TestPlanNTK checks that, for any number of shards, the merged blocks give the files that ansatz ntk writes, to the
// bit. Only the times are those of the units.
func TestPlanNTK(t *testing.T) {
	fresh := smallKernel()
	fresh.Images, fresh.Batch, fresh.Normalise = 11, 2, "none"
	trace, diagonal, layers := fresh, fresh, trainedKernel(t)
	trace.Kernel, diagonal.Kernel = kernels.Trace.String(), kernels.Diagonal.String()
	diagonal.ByLayer, layers.ByLayer = true, true
	for _, c := range []struct {
		spec            NTKSpec
		threads, shards int
	}{{fresh, 1, 1}, {fresh, 2, 4}, {trainedKernel(t), 1, 3}, {trace, 2, 3}, {diagonal, 2, 3},
		{layers, 1, 2}} {
		p, err := PlanNTK(c.spec, c.threads, c.shards)
		if err == nil && (len(p.Units) < c.shards || len(p.Shards) != c.shards) {
			t.Errorf("%d units in %d shards", len(p.Units), len(p.Shards))
		}
		got := jobtest.ReadFiles(t, jobtest.MergePlan(t, ntkJobs, p, err))
		var r NTKRecord
		if err := json.Unmarshal(got["record.json"], &r); err != nil || !(r.Seconds > 0 && r.EigenSeconds > 0) {
			t.Fatalf("%v, seconds %v and %v", err, r.Seconds, r.EigenSeconds)
		}
		jobtest.CheckSameFiles(t, got, oneProcess(t, c.spec, c.threads, r), nil)
		if c.spec.ByLayer != (len(r.Layers) == 5) {
			t.Errorf("by layer %v: %d layers", c.spec.ByLayer, len(r.Layers))
		}
	}
}

// TestPlanNTKForeign checks that a plan is refused if its weights have changed or are missing, and that an error names
// a block that was changed.
func TestPlanNTKForeign(t *testing.T) {
	s := trainedKernel(t)
	p, err := PlanNTK(s, 1, 2)
	out := jobtest.MergePlan(t, ntkJobs, p, err)
	last := p.Units[len(p.Units)-1]
	flip(t, filepath.Join(out, "units", last.ID, blockFile))
	j, err := ntkJobs.Open(p, job.Setting{})
	if err != nil {
		t.Fatal(err)
	}
	if err := shard.Merge(t.Context(), p, j, out); !input.IsError(err) || !strings.Contains(err.Error(), last.Name) ||
		!strings.Contains(last.Name, "before training") {
		t.Errorf("%v, want %q named", err, last.Name)
	}
	for _, path := range []string{s.InitWeights, s.Weights} {
		flip(t, path)
		if _, err := ntkJobs.Open(p, job.Setting{}); !input.IsError(err) || !strings.Contains(err.Error(), path) {
			t.Errorf("with another %s: %v", path, err)
		}
		if q, err := PlanNTK(s, 1, 2); err != nil || q.Units[0].ID == p.Units[0].ID {
			t.Errorf("another %s has the same units, %v", path, err)
		}
		flip(t, path)
	}
	if err := os.Remove(s.Weights); err != nil {
		t.Fatal(err)
	}
	if _, err := ntkJobs.Open(p, job.Setting{}); !input.IsError(err) || !strings.Contains(err.Error(), s.Weights) {
		t.Errorf("without weights: %v", err)
	}
}

// flip changes the last bit of a file.
func flip(t *testing.T, path string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text[len(text)-1] ^= 1
	if err := os.WriteFile(path, text, 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestNTKBlocks checks that there are enough blocks for the shards but no more than needed, and that each takes less
// memory than the whole kernel.
func TestNTKBlocks(t *testing.T) {
	s := smallKernel()
	s.Images, s.Batch, s.Normalise = 20, 2, "none"
	for shards, want := range map[int]int{1: 1, 2: 3, 4: 6, 55: 55, 100: 55} {
		p, err := PlanNTK(s, 1, shards)
		if err != nil || len(p.Units) != want {
			t.Errorf("%d shards: %d units, want %d, %v", shards, len(p.Units), want, err)
		}
	}
	p, err := PlanNTK(s, 1, 0)
	if err != nil || len(p.Units) != 21 {
		t.Errorf("%d units, want 21, %v", len(p.Units), err)
	}
	s.Images, s.Batch, s.Width = 2000, 0, 1
	p, err = PlanNTK(s, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	if p.MergeBytes == 0 {
		t.Skip("the cost models do not know this backend")
	}
	for _, u := range p.Units {
		if u.Bytes*8 > p.MergeBytes || !(u.Seconds > 0) {
			t.Fatalf("%s takes %.3g bytes, merging %.3g", u.Name, u.Bytes, p.MergeBytes)
		}
	}
}

// TestKernelInBlocks checks that a kernel that does not fit in memory is refused unless it is computed in blocks.
// Weights that do not fit are always refused.
func TestKernelInBlocks(t *testing.T) {
	s := smallKernel()
	s.Images = 20
	for _, inBlocks := range []bool{false, true} {
		m, err := openNTK(s, inBlocks)
		if err != nil {
			t.Fatal(err)
		}
		m.spec.Images = 1 << 30
		if err := m.checkMemory(m.net.Size(), m.net.Classes); input.IsError(err) == inBlocks {
			t.Errorf("in blocks %v: %v", inBlocks, err)
		}
	}
	s.Width = 3000
	if _, err := PlanNTK(s, 1, 0); !input.IsError(err) || !strings.Contains(err.Error(), "--width") {
		t.Errorf("weights that memory does not hold: %v", err)
	}
}

// FuzzBlockUnit checks that a unit from outside is refused unless its block exists.
func FuzzBlockUnit(f *testing.F) {
	for _, text := range []string{
		`{"rows":{"from":0,"to":2},"columns":{"from":2,"to":5}}`, `{"rows":{"from":-1,"to":9223372036854775807}}`,
		`{"initial":true,"more":2}`, `null`, `[]`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var b kernelBlock
		if job.Decode([]byte(text), &b) == nil && b.check(5) == nil && (b.Rows.From < 0 || b.Rows.From >= b.Rows.To ||
			b.Columns.From < b.Rows.From || b.Columns.To > 5 || b.Columns.From >= b.Columns.To) {
			t.Errorf("block %+v", b)
		}
	})
}
