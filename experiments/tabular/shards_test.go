package tabular

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/job"
	"github.com/ansatz-lab/ansatz/experiments/job/jobtest"
	"github.com/ansatz-lab/ansatz/experiments/shard"
)

// jobs opens the jobs of this kind of plan.
var jobs = job.Kinds{job.TabularKind: OpenJob}

// benchmarkOf writes a folder of tables, one of which has a single class.
func benchmarkOf(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	writeStrip(t, 60, 1, className, dir, "one.csv")
	writeStrip(t, 80, 2, className, dir, "two.csv")
	writeStrip(t, 70, 3, className, dir, "three.csv")
	writeStrip(t, 30, 4, func([4]float64, int) string { return "same" }, dir, "dull.csv")
	return dir
}

// For any number of shards, the merged tables are the files that ansatz tabular writes, except for times.
func TestPlanBenchmark(t *testing.T) {
	s := Spec{Benchmark: benchmarkOf(t), Methods: []string{"laplace", "rfm"}, Iters: 1}
	whole := t.TempDir()
	b, err := OpenBenchmark(s)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Run(t.Context(), Run{Out: whole}); err != nil {
		t.Fatal(err)
	}
	want := jobtest.ReadFiles(t, whole)
	for shards := 1; shards <= 3; shards++ {
		p, err := PlanBenchmark(t.Context(), s, 1, shards)
		out := jobtest.MergePlan(t, jobs, p, err)
		got := jobtest.ReadFiles(t, out)
		jobtest.CheckSameFiles(t, got, want, func(name string, text []byte) []byte {
			switch filepath.Ext(name) {
			case ".json":
				return jobtest.WithoutFields(t, text, "seconds")
			case ".html":
				return nil // the page shows times
			}
			return text
		})
		// From the same results, with their times, a resumed run writes the same bytes.
		again := t.TempDir()
		if err := os.CopyFS(filepath.Join(again, resultsFolder),
			os.DirFS(filepath.Join(out, resultsFolder))); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(again, specFile), got[specFile], 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := b.Run(t.Context(), Run{Out: again, Resume: true}); err != nil {
			t.Fatal(err)
		}
		jobtest.CheckSameFiles(t, got, jobtest.ReadFiles(t, again), nil)
	}
}

// A table whose contents have changed, a table that is missing and a table that was added later are refused.
func TestPlanBenchmarkForeign(t *testing.T) {
	dir := benchmarkOf(t)
	s := Spec{Benchmark: dir, Methods: []string{"laplace"}}
	p, err := PlanBenchmark(t.Context(), s, 1, 1)
	out := jobtest.MergePlan(t, jobs, p, err)
	writeStrip(t, 80, 5, className, dir, "two.csv")
	opened, err := jobs.Open(p, job.Setting{})
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range p.Units {
		_, err := opened.Make(t.Context(), u,
			shard.Room{Dir: t.TempDir(), Scratch: t.TempDir(), Progress: func(string, int, int) {}})
		if other := u.Name == "two"; other != input.IsError(err) || !other && err != nil {
			t.Errorf("%s: %v", u.Name, err)
		}
	}
	for _, c := range []struct {
		what   string
		change func()
	}{ // in this order
		{"other contents", func() {}},
		{"missing", func() { _ = os.Remove(filepath.Join(dir, "two.csv")) }},
		{"one more", func() {
			writeStrip(t, 80, 2, className, dir, "two.csv")
			writeStrip(t, 80, 2, className, dir, "more.csv")
		}},
	} {
		c.change()
		if opened, err = jobs.Open(p, job.Setting{}); err == nil {
			err = shard.Merge(t.Context(), p, opened, out)
		}
		if !input.IsError(err) {
			t.Errorf("%s: %v", c.what, err)
		}
	}
}
