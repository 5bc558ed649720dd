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
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/shard"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/experiments/workload"
	"github.com/ansatz-lab/ansatz/graph/backend"
)

// shardSettings decide what a benchmark finds.
type shardSettings struct {
	Spec    Spec   `json:"spec"`
	Backend string `json:"backend,omitempty"` // which Spec does not write
}

// tableUnit is a table of a benchmark, on which all methods are run, as a unit of a
// plan.
type tableUnit struct {
	Dataset string `json:"dataset"`
	SHA256  string `json:"sha256"` // of what is in it
}

// SpreadTabular plans a benchmark: a unit is a table. It reads every table once.
// Merging leaves what [Tabular.Run] leaves. Of shards 0 is as many as suit.
func SpreadTabular(ctx context.Context, s Spec, threads, shards int) (*shard.Plan, error) {
	s.Threads = max(1, threads)
	t, err := NewTabular(s)
	if err != nil {
		return nil, err
	}
	session := &Session{Tabular: t}
	if err := session.ReadTables(ctx); err != nil {
		return nil, err
	}
	var units []shard.Unit
	for _, table := range session.Tables {
		if table.record.Error != "" {
			continue // merging notes it, as a run does
		}
		text, err := json.Marshal(tableUnit{table.Name, table.digest})
		if err != nil {
			return nil, err
		}
		takes := workload.Estimate(s.Backend, t.Spec.Precision, t.Spec.Job(table.Size()))
		units = append(units, shard.Unit{Name: table.Name, Spec: text, Seconds: takes.Seconds, Bytes: takes.Bytes})
	}
	title := fmt.Sprintf("%s on %d tables of %s", record.Count(len(t.Spec.Methods), "method"), len(units),
		t.Spec.name())
	return job.Work{Kind: job.TabularKind, Title: title, Units: units}.Plan(threads, shards,
		shardSettings{t.Spec, s.Backend}, nil)
}

// shardJob makes tables of a benchmark.
type shardJob struct{ *Tabular }

// OpenJob opens the job of a plan of this kind. It returns an [*input.Error] for a plan that does not
// fitTable what is on this machine.
func OpenJob(p *shard.Plan, in job.Setting) (shard.Job, error) {
	var s shardSettings
	if err := job.Decode(p.Settings, &s); err != nil {
		return nil, err
	}
	s.Spec.Backend, s.Spec.Dir, s.Spec.Threads = s.Backend, in.DataDir, p.Threads
	t, err := NewTabular(s.Spec)
	return shardJob{t}, err
}

// Make implements [shard.Job]. Methods that were done before an interruption are not
// done again.
func (j shardJob) Make(ctx context.Context, u shard.Unit, room shard.Room) (shard.Made, error) {
	var unit tableUnit
	if err := job.Decode(u.Spec, &unit); err != nil {
		return shard.Made{}, err
	}
	t := &Tabular{Spec: j.Spec}
	for _, m := range j.Members {
		if m.Name == unit.Dataset {
			t.Members = append(t.Members, m)
		}
	}
	s := &Session{Tabular: t, Folder: &Folder{dir: room.Scratch, scratch: true}}
	s.run.Fits = study.Setting{Seed: j.Spec.Seed, Threads: j.Spec.Threads}.
		WithCheckpoints(filepath.Join(room.Scratch, "fits"))
	s.run.Progress = func(p Progress) { room.Progress(p.Stage, int(1000*p.Work), 1000) }
	if err := s.ReadTables(ctx); err != nil {
		return shard.Made{}, err
	}
	if err := s.planned([]tableUnit{unit}); err != nil {
		return shard.Made{}, err
	}
	if err := s.Folder.create(t.Spec); err != nil {
		return shard.Made{}, err
	}
	if err := s.loadResults(); err != nil {
		return shard.Made{}, err
	}
	backend.SetBLASThreads(1)
	if err := s.runAll(ctx); err != nil {
		return shard.Made{}, err
	}
	made := shard.Made{Data: map[string]string{unit.Dataset: unit.SHA256}}
	return made, s.keepNotes(room.Dir)
}

// planned refuses tables that are not those of the plan: missing, or with other
// contents.
func (s *Session) planned(units []tableUnit) error {
	for _, u := range units {
		i := slices.IndexFunc(s.Tables, func(p *Planned) bool { return p.Name == u.Dataset })
		if i < 0 {
			return input.Errorf("there is no table %s in %s, with which the plan was made", u.Dataset, s.Spec.Benchmark)
		}
		table := s.Tables[i]
		if table.record.Error != "" {
			return input.Errorf("the table %s: %s", u.Dataset, table.record.Error)
		}
		if err := job.CheckUnchanged("the table "+u.Dataset, table.digest, u.SHA256); err != nil {
			return err
		}
	}
	return nil
}

// keepNotes writes what was found into another folder.
func (s *Session) keepNotes(dir string) error {
	if err := os.Mkdir(filepath.Join(dir, tabularRecords), 0o777); err != nil {
		return err
	}
	to := &Folder{dir: dir}
	for _, j := range s.jobs {
		if err := to.saveResult(j.table, j.result); err != nil {
			return err
		}
	}
	return nil
}

// Merge implements [shard.Job]: it puts the notes where ansatz tabular leaves them,
// and writes the record over them.
func (j shardJob) Merge(ctx context.Context, units []shard.Folder, out string) error {
	s := &Session{Tabular: j.Tabular, Folder: &Folder{dir: out}}
	if err := s.ReadTables(ctx); err != nil {
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
	if err := s.planned(tables); err != nil {
		return err
	}
	if len(s.jobs) != len(units)*len(j.Spec.Methods) {
		return input.Errorf("%s has other tables than when the plan was made: restore it, or plan "+
			"anew in another folder", j.Spec.Benchmark)
	}
	if err := s.Folder.create(j.Spec); err != nil {
		return err
	}
	for i, u := range units {
		if err := s.copyResults(&Folder{dir: u.Dir}, tables[i].Dataset); err != nil {
			return err
		}
	}
	if err := s.Folder.finish(s.record()); err != nil {
		return err
	}
	return record.SweepPage(out)
}

// copyResults copies the results on a table, failures included, from the folder of a unit.
func (s *Session) copyResults(from *Folder, table string) error {
	for _, j := range s.jobs {
		if j.table.Name != table {
			continue
		}
		n, err := from.readNote(j.table, j.method.name)
		if err != nil {
			return err
		}
		j.result = &n.Result
		if err := s.Folder.saveResult(j.table, j.result); err != nil {
			return err
		}
	}
	return nil
}
