package kernelmachine

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/job"
	"github.com/ansatz-lab/ansatz/experiments/job/jobtest"
	"github.com/ansatz-lab/ansatz/experiments/shard"
	"github.com/ansatz-lab/ansatz/rfm"
)

// convRFMJobs opens the jobs of this kind of plan.
var convRFMJobs = job.Kinds{job.ConvRFMKind: OpenJob}

// TestPlanConvRFM checks that, for any number of shards, the merged tiles give the files that ansatz convrfm --iters 0
// --kernel-out writes, to the bit. The kernel of the test images, used for predictions, is also the same for any number
// of shards.
func TestPlanConvRFM(t *testing.T) {
	for _, s := range []ConvRFMSpec{{Depth: 2}, {Kernel: "laplace", Precision: 64}} {
		s.Data, s.Size, s.Train, s.Test, s.Ridges = "glyphs", 9, 150, 20, []float64{1e-3}
		c, err := NewConvRFM(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		r, err := c.Run(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		if err := r.SaveKernel(t.Context(), filepath.Join(dir, "kernel.npy")); err != nil {
			t.Fatal(err)
		}
		var whole []byte
		for shards := 1; shards <= 3; shards++ {
			p, err := PlanConvRFM(t.Context(), s, 1, shards)
			if err == nil && (len(p.Units) < 6 || len(p.Shards) != shards) {
				t.Errorf("%d units in %d shards", len(p.Units), len(p.Shards))
			}
			got := jobtest.ReadFiles(t, jobtest.MergePlan(t, convRFMJobs, p, err))
			if whole == nil {
				whole = got["test-kernel.npy"]
			}
			if len(whole) < 8*20*150 || !bytes.Equal(got["test-kernel.npy"], whole) {
				t.Errorf("%d shards: another kernel of the test images, of %d bytes", shards, len(whole))
			}
			var merged mergedKernels
			if err := json.Unmarshal(got[mergedFile], &merged); err != nil || len(merged.SHA256) != 2 {
				t.Errorf("%d shards: digests of %d kernels, %v", shards, len(merged.SHA256), err)
			}
			delete(got, "test-kernel.npy")
			delete(got, mergedFile)
			jobtest.CheckSameFiles(t, got, jobtest.ReadFiles(t, dir), nil)
		}
	}
}

// TestUseKernel checks that a machine that reads merged kernels does not compute them again for M = I, and finds the
// same numbers, whichever images it selects on.
func TestUseKernel(t *testing.T) {
	for name, s := range map[string]ConvRFMSpec{
		"test":       {Ridges: []float64{1e-3}},
		"validation": {Ridges: []float64{1e-3, 1}, Iterations: 1, Validation: 21},
		"paper mode": {Ridges: []float64{1e-3, 1}, PaperMode: true},
	} {
		s.Data, s.Size, s.Train, s.Test, s.Depth = "glyphs", 9, 70, 300, 2
		p, err := PlanConvRFM(t.Context(), s, 1, 2)
		dir := jobtest.MergePlan(t, convRFMJobs, p, err)
		want := fitWithKernel(t, s, "", nil)
		for _, path := range []string{filepath.Join(dir, "kernel.npy"), dir} {
			got := fitWithKernel(t, s, path, func(p rfm.ConvProgress) {
				if p.Iteration == 0 && (p.Stage == "kernel" || path == dir && p.Stage == "validation") {
					t.Errorf("%s, %s: stage %s", name, path, p.Stage)
				}
			})
			if !strings.Contains(got.Conventions.Solver, path) || strings.Contains(want.Conventions.Solver, "read") {
				t.Errorf("%s: the record says %q of the kernel", name, got.Conventions.Solver)
			}
			for i, it := range got.Iterations {
				other := want.Iterations[i]
				it.Seconds, other.Seconds = 0, 0
				if !reflect.DeepEqual(it, other) {
					t.Errorf("%s, %s: iteration %d is %+v, want %+v", name, path, i, it, other)
				}
			}
		}
	}
}

// fitWithKernel fits a machine. The machine reads its kernel from path unless path is "".
func fitWithKernel(t *testing.T, s ConvRFMSpec, path string, progress func(rfm.ConvProgress)) *ConvRFMFit {
	t.Helper()
	c, err := NewConvRFM(t.Context(), s)
	if err == nil && path != "" {
		err = c.UseKernel(t.Context(), path)
	}
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.Run(t.Context(), progress)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestUseOtherKernel checks that kernels of other images and files that are no kernels are refused, with an error that
// names them.
func TestUseOtherKernel(t *testing.T) {
	s := ConvRFMSpec{Depth: 2, Ridges: []float64{1e-3}}
	s.Data, s.Size, s.Train, s.Test = "glyphs", 9, 70, 10
	p, err := PlanConvRFM(t.Context(), s, 1, 2)
	dir := jobtest.MergePlan(t, convRFMJobs, p, err)
	file := filepath.Join(dir, "kernel.npy")
	none := filepath.Join(t.TempDir(), "no.npy")
	if err := os.WriteFile(none, []byte("no kernel"), 0o666); err != nil {
		t.Fatal(err)
	}
	other, fewer := s, s
	other.Seed = 5 // other glyphs
	fewer.Test = 9
	for _, c := range []struct {
		spec       ConvRFMSpec
		path, want string
	}{
		{other, file, file}, {other, none, none}, {other, "none.npy", "none.npy"}, {other, t.TempDir(), "no plan"},
		{other, dir, "give the flags of its plan: the test images changed after the plan was made"}, {fewer, dir, "the test images changed after"},
	} {
		checkRefused(t, c.spec, c.path, c.want)
	}
	deeper := s
	deeper.Depth = 3
	checkRefused(t, deeper, dir, "the kernel matrix is not that")
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	whole[len(whole)/2] ^= 1 // in an entry that is not computed again
	if err := os.WriteFile(file, whole, 0o666); err != nil {
		t.Fatal(err)
	}
	checkRefused(t, s, dir, "kernel.npy has changed since it was merged")
	if err := os.Rename(filepath.Join(dir, "test-kernel.npy"), file); err != nil {
		t.Fatal(err)
	}
	checkRefused(t, s, file, "10×70 images: want 70×70")
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	checkRefused(t, s, dir, "no such file")
}

// checkRefused fails the test unless a machine refuses the kernel at path with an error that contains want.
func checkRefused(t *testing.T, s ConvRFMSpec, path, want string) {
	t.Helper()
	c, err := NewConvRFM(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.UseKernel(t.Context(), path); !input.IsError(err) || !strings.Contains(err.Error(), want) {
		t.Errorf("%s: %v, want %q", path, err, want)
	}
}

// TestDamagedTile checks that if one bit of a tile has changed, the merge fails and names the tile.
func TestDamagedTile(t *testing.T) {
	s := ConvRFMSpec{Depth: 2, Ridges: []float64{1e-3}}
	s.Data, s.Size, s.Train, s.Test = "glyphs", 9, 40, 10
	p, err := PlanConvRFM(t.Context(), s, 1, 2)
	dir := jobtest.MergePlan(t, convRFMJobs, p, err)
	last := p.Units[len(p.Units)-1]
	path := filepath.Join(dir, "units", last.ID, columnsFile)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text[len(text)-1] ^= 1
	if err := os.WriteFile(path, text, 0o666); err != nil {
		t.Fatal(err)
	}
	j, err := convRFMJobs.Open(p, job.Setting{})
	if err != nil {
		t.Fatal(err)
	}
	if err := shard.Merge(t.Context(), p, j, dir); !input.IsError(err) || !strings.Contains(err.Error(), last.Name) {
		t.Errorf("%v, want %q named", err, last.Name)
	}
}

// FuzzTilesUnit checks that a unit from outside is refused unless its columns exist.
func FuzzTilesUnit(f *testing.F) {
	for _, text := range []string{
		`{"matrix":"test","from":0,"to":2}`, `{"from":-1,"to":9223372036854775807}`, `{"from":0,"to":1,"more":2}`, `null`, `[]`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var c tileColumns
		if job.Decode([]byte(text), &c) == nil && c.check(5) == nil && (c.From < 0 || c.To > 5 || c.From >= c.To) {
			t.Errorf("columns %+v", c)
		}
	})
}
