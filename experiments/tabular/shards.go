package tabular

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/job"
	"github.com/ansatz-lab/ansatz/experiments/shard"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/experiments/workload"
	"github.com/ansatz-lab/ansatz/internal/words"
)

// planSettings are the settings of a plan that results depend on.
type planSettings struct {
	Spec    Spec   `json:"spec"`
	Backend string `json:"backend,omitempty"` // not in the JSON of Spec
}

// tableUnit is a unit of a plan: it runs all methods on one table.
type tableUnit struct {
	Dataset string `json:"dataset"`
	SHA256  string `json:"sha256"` // of its contents
}

// PlanBenchmark divides a benchmark into units, one for each table, and the units into shards; 0
// chooses the number of shards. It reads every table once. The merged folder equals the folder that
// [Benchmark.Run] writes.
func PlanBenchmark(ctx context.Context, s Spec, threads, shards int) (*shard.Plan, error) {
	s.Threads = max(1, threads)
	t, err := OpenBenchmark(s)
	if err != nil {
		return nil, err
	}
	run := &session{Benchmark: t}
	if err := run.readTables(ctx); err != nil {
		return nil, err
	}
	var units []shard.Unit
	for _, table := range run.tables {
		if table.record.Error != "" {
			continue // the merged record reports the error, as the record of a run does
		}
		text, err := json.Marshal(tableUnit{table.Name, table.digest})
		if err != nil {
			return nil, err
		}
		needs := workload.Estimate(s.Backend, t.Spec.Precision, t.Spec.Job(table.size()))
		units = append(units, shard.Unit{Name: table.Name, Spec: text, Seconds: needs.Seconds, Bytes: needs.Bytes,
			Disk: float64(len(t.Spec.Methods)) * job.NoteBytes})
	}
	title := fmt.Sprintf("%s on %s of %s", words.Count(len(t.Spec.Methods), "method"), words.Count(len(units), "table"),
		t.Spec.name())
	w := job.Work{Kind: job.TabularKind, Title: title, Backend: s.Backend, Units: units, MergeDisk: 4 * job.PageBytes}
	return w.Plan(threads, shards, planSettings{t.Spec, s.Backend}, nil)
}

// shardJob makes the units of a benchmark, which are its tables.
type shardJob struct {
	*Benchmark
	command string // of the record
}

// OpenJob opens the job of a plan that [PlanBenchmark] made. It returns an [*input.Error] if the benchmark
// is not on this machine.
func OpenJob(p *shard.Plan, in job.Setting) (shard.Job, error) {
	var s planSettings
	if err := job.Decode(p.Settings, &s); err != nil {
		return nil, err
	}
	s.Spec.Backend, s.Spec.Dir, s.Spec.Threads = s.Backend, in.DataDir, p.Threads
	t, err := OpenBenchmark(s.Spec)
	return shardJob{t, p.Command}, err
}

// Make implements [shard.Job]. After an interruption it runs only the methods that were not done.
func (j shardJob) Make(ctx context.Context, u shard.Unit, room shard.Room) (shard.Made, error) {
	var unit tableUnit
	if err := job.Decode(u.Spec, &unit); err != nil {
		return shard.Made{}, err
	}
	t := &Benchmark{Spec: j.Spec}
	for _, m := range j.Members {
		if m.Name == unit.Dataset {
			t.Members = append(t.Members, m)
		}
	}
	s := &session{Benchmark: t, folder: &folder{dir: room.Scratch, scratch: true}}
	s.run.Checkpoints = study.Setting{Seed: j.Spec.Seed, Threads: j.Spec.Threads}.
		WithCheckpoints(filepath.Join(room.Scratch, "fits"))
	s.run.Progress = func(p Progress) { room.Progress(p.Stage, int(1000*p.Work), 1000) }
	if err := s.readTables(ctx); err != nil {
		return shard.Made{}, err
	}
	if err := s.checkPlanned([]tableUnit{unit}); err != nil {
		return shard.Made{}, err
	}
	if err := s.runRemaining(ctx); err != nil {
		return shard.Made{}, err
	}
	made := shard.Made{Data: map[string]string{unit.Dataset: unit.SHA256}}
	return made, s.writeResults(room.Dir)
}

// checkPlanned returns an input error if a table of the plan is missing or has changed.
func (s *session) checkPlanned(units []tableUnit) error {
	for _, u := range units {
		i := slices.IndexFunc(s.tables, func(p *plannedTable) bool { return p.Name == u.Dataset })
		if i < 0 {
			return input.Errorf("the plan's table %s is not in %s", u.Dataset, s.Spec.Benchmark)
		}
		table := s.tables[i]
		if table.record.Error != "" {
			return input.Errorf("the table %s: %s", u.Dataset, table.record.Error)
		}
		if err := job.CheckUnchanged("the table "+u.Dataset, table.digest, u.SHA256); err != nil {
			return err
		}
	}
	return nil
}

// writeResults writes the results into another folder.
func (s *session) writeResults(dir string) error {
	if err := os.Mkdir(filepath.Join(dir, resultsFolder), 0o777); err != nil {
		return err
	}
	to := &folder{dir: dir}
	for _, j := range s.jobs {
		if err := to.saveResult(j.table, j.result, s.Spec); err != nil {
			return err
		}
	}
	return nil
}

// Merge implements [shard.Job]: it copies the results to where ansatz tabular leaves them, and writes
// the report.
func (j shardJob) Merge(ctx context.Context, units []shard.Folder, out string) error {
	s := &session{Benchmark: j.Benchmark, folder: &folder{dir: out}, run: Run{Command: j.command}}
	if err := s.readTables(ctx); err != nil {
		return err
	}
	var tables []tableUnit
	for _, u := range units {
		var unit tableUnit
		if err := job.Decode(u.Spec, &unit); err != nil {
			return err
		}
		tables = append(tables, unit)
	}
	if err := s.checkPlanned(tables); err != nil {
		return err
	}
	if len(s.jobs) != len(units)*len(j.Spec.Methods) {
		return input.Errorf("%s has changed since the plan was made: restore it, or plan anew in another folder",
			j.Spec.Benchmark)
	}
	if err := s.folder.create(j.Spec); err != nil {
		return err
	}
	for i, u := range units {
		if err := s.copyResults(&folder{dir: u.Dir}, tables[i].Dataset); err != nil {
			return err
		}
	}
	return s.folder.finish(s.record())
}

// copyResults copies the results on a table, failures included, from the folder of a unit.
func (s *session) copyResults(from *folder, table string) error {
	for _, j := range s.jobs {
		if j.table.Name != table {
			continue
		}
		n, err := from.readResult(j.table, j.method.name)
		if err != nil {
			return err
		}
		j.result = &n.Result
		if err := s.folder.saveResult(j.table, j.result, s.Spec); err != nil {
			return err
		}
	}
	return nil
}
