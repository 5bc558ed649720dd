package kernelmachine

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/job"
	"github.com/ansatz-lab/ansatz/experiments/job/jobtest"
)

// convRFMJobs opens the jobs of this kind of plan.
var convRFMJobs = job.Kinds{job.ConvRFMKind: OpenJob}

// Tiles of a kernel matrix from any shards make what ansatz convrfm --iters 0
// --kernel-out writes, to the bit.
func TestPlanConvRFM(t *testing.T) {
	for _, s := range []ConvRFMSpec{{Depth: 2}, {Kernel: "laplace", Precision: 64}} {
		s.Data, s.Size, s.Train, s.Test, s.Ridges = "glyphs", 9, 150, 1, []float64{1e-3}
		c, err := NewConvRFM(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		r, err := c.Run(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		if err := r.SaveKernel(t.Context(), filepath.Join(dir, kernelFile)); err != nil {
			t.Fatal(err)
		}
		for shards := 1; shards <= 3; shards++ {
			p, err := PlanConvRFM(t.Context(), s, 1, shards)
			if err == nil && (len(p.Units) < 3 || len(p.Shards) != shards) {
				t.Errorf("%d units in %d shards", len(p.Units), len(p.Shards))
			}
			jobtest.CheckSameFiles(t, jobtest.ReadFiles(t, jobtest.MergePlan(t, convRFMJobs, p, err)),
				jobtest.ReadFiles(t, dir), nil)
		}
	}
}

// A machine takes the kernel that was merged, and comes to the same numbers; that of
// other images it refuses.
func TestUseKernel(t *testing.T) {
	s := ConvRFMSpec{Depth: 2, Ridges: []float64{1e-3}}
	s.Data, s.Size, s.Train, s.Test = "glyphs", 9, 70, 10
	p, err := PlanConvRFM(t.Context(), s, 1, 2)
	path := filepath.Join(jobtest.MergePlan(t, convRFMJobs, p, err), kernelFile)
	var scores []float64
	for _, take := range []string{"", path} {
		c, err := NewConvRFM(t.Context(), s)
		if err == nil && take != "" {
			err = c.UseKernel(t.Context(), take)
		}
		if err != nil {
			t.Fatal(err)
		}
		r, err := c.Run(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		scores = append(scores, *r.Iterations[0].TestMSE)
		if strings.Contains(r.Conventions.Solver, path) != (take != "") {
			t.Errorf("the record says %q of the kernel", r.Conventions.Solver)
		}
	}
	if scores[0] != scores[1] {
		t.Errorf("errors %v", scores)
	}
	s.Seed = 5 // other glyphs
	c, err := NewConvRFM(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(filepath.Dir(path), "no.npy"), []byte("no kernel"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, other := range []string{path, filepath.Join(filepath.Dir(path), "no.npy"), "none.npy"} {
		if err := c.UseKernel(t.Context(), other); !input.IsError(err) || !strings.Contains(err.Error(), other) {
			t.Errorf("%s: %v", other, err)
		}
	}
}

// FuzzTilesUnit: a unit that others wrote is of columns of tiles that there are, or refused.
func FuzzTilesUnit(f *testing.F) {
	for _, text := range []string{
		`{"from":0,"to":2}`, `{"from":-1,"to":9223372036854775807}`, `{"from":0,"to":1,"more":2}`, `null`, `[]`,
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
