package experiments

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/ansatz-lab/ansatz/experiments/spread"
	"github.com/ansatz-lab/ansatz/graph/backend"
)

// tabularSettings decide what a benchmark finds.
type tabularSettings struct {
	Spec    TabularSpec `json:"spec"`
	Backend string      `json:"backend,omitempty"` // which Spec does not write
}

// tableUnit is a table of a benchmark, on which all methods are run, as a unit of a
// plan.
type tableUnit struct {
	Dataset string `json:"dataset"`
	SHA256  string `json:"sha256"` // of what is in it
}

// SpreadTabular plans a benchmark: a unit is a table. It reads every table once.
// Merging leaves what [Tabular.Run] leaves. Of shards 0 is as many as suit.
func SpreadTabular(ctx context.Context, s TabularSpec, threads, shards int) (*spread.Plan, error) {
	s.Threads = max(1, threads)
	t, err := NewTabular(s)
	if err != nil {
		return nil, err
	}
	session := &tabularSession{Tabular: t}
	if err := session.plan(ctx); err != nil {
		return nil, err
	}
	var units []spread.Unit
	for _, table := range session.tables {
		if table.record.Error != "" {
			continue // merging notes it, as a run does
		}
		text, err := json.Marshal(tableUnit{table.name, table.digest})
		if err != nil {
			return nil, err
		}
		takes := estimated(s.Backend, t.spec.Precision, t.spec.job(table.size()))
		units = append(units, spread.Unit{Name: table.name, Spec: text, Seconds: takes.Seconds, Bytes: takes.Bytes})
	}
	title := fmt.Sprintf("%s on %d tables of %s", counted(len(t.spec.Methods), "method"), len(units), t.spec.name())
	return plannedWork{kind: tabularKind, title: title, units: units}.plan(threads, shards, tabularSettings{t.spec, s.Backend}, nil)
}

// spreadTabular makes tables of a benchmark.
type spreadTabular struct{ *Tabular }

func openTabularJob(p *spread.Plan, in JobSetting) (spread.Job, error) {
	var s tabularSettings
	if err := decodePlanned(p.Settings, &s); err != nil {
		return nil, err
	}
	s.Spec.Backend, s.Spec.Dir, s.Spec.Threads = s.Backend, in.DataDir, p.Threads
	t, err := NewTabular(s.Spec)
	return spreadTabular{t}, err
}

// Make implements [spread.Job]. Methods that were done before an interruption are not
// done again.
func (j spreadTabular) Make(ctx context.Context, u spread.Unit, room spread.Room) (spread.Made, error) {
	var unit tableUnit
	if err := decodePlanned(u.Spec, &unit); err != nil {
		return spread.Made{}, err
	}
	t := &Tabular{spec: j.spec}
	for _, m := range j.members {
		if m.name == unit.Dataset {
			t.members = append(t.members, m)
		}
	}
	s := &tabularSession{Tabular: t, folder: &tabularFolder{dir: room.Scratch, scratch: true}}
	s.run.fits = Setting{Seed: j.spec.Seed, Threads: j.spec.Threads, Kept: filepath.Join(room.Scratch, "fits")}
	s.run.Progress = func(p TabularProgress) { room.Progress(p.Stage, int(1000*p.Work), 1000) }
	if err := s.plan(ctx); err != nil {
		return spread.Made{}, err
	}
	if err := s.planned([]tableUnit{unit}); err != nil {
		return spread.Made{}, err
	}
	if err := s.folder.begin(t.spec); err != nil {
		return spread.Made{}, err
	}
	if err := s.restore(); err != nil {
		return spread.Made{}, err
	}
	backend.SetBLASThreads(1)
	if err := s.doAll(ctx); err != nil {
		return spread.Made{}, err
	}
	made := spread.Made{Data: map[string]string{unit.Dataset: unit.SHA256}}
	return made, s.keepNotes(room.Dir)
}

// planned refuses tables that are not those of the plan: missing, or with other
// contents.
func (s *tabularSession) planned(units []tableUnit) error {
	for _, u := range units {
		i := slices.IndexFunc(s.tables, func(p *tabularPlanned) bool { return p.name == u.Dataset })
		if i < 0 {
			return badInput("there is no table %s in %s, with which the plan was made", u.Dataset, s.spec.Benchmark)
		}
		table := s.tables[i]
		if table.record.Error != "" {
			return badInput("the table %s: %s", u.Dataset, table.record.Error)
		}
		if err := planned("the table "+u.Dataset, table.digest, u.SHA256); err != nil {
			return err
		}
	}
	return nil
}

// keepNotes writes what was found into another folder.
func (s *tabularSession) keepNotes(dir string) error {
	if err := os.Mkdir(filepath.Join(dir, tabularRecords), 0o777); err != nil {
		return err
	}
	to := &tabularFolder{dir: dir}
	for _, j := range s.jobs {
		if err := to.save(j.table, j.result); err != nil {
			return err
		}
	}
	return nil
}

// Merge implements [spread.Job]: it puts the notes where ansatz tabular leaves them,
// and writes the record over them.
func (j spreadTabular) Merge(ctx context.Context, units []spread.Folder, out string) error {
	s := &tabularSession{Tabular: j.Tabular, folder: &tabularFolder{dir: out}}
	if err := s.plan(ctx); err != nil {
		return err
	}
	var tables []tableUnit
	for _, u := range units {
		var unit tableUnit
		if err := decodePlanned(u.Spec, &unit); err != nil {
			return err
		}
		tables = append(tables, unit)
	}
	if err := s.planned(tables); err != nil {
		return err
	}
	if len(s.jobs) != len(units)*len(j.spec.Methods) {
		return badInput("%s has other tables than when the plan was made: restore it, or plan anew in another folder", j.spec.Benchmark)
	}
	if err := s.folder.begin(j.spec); err != nil {
		return err
	}
	for i, u := range units {
		if err := s.takeNotes(&tabularFolder{dir: u.Dir}, tables[i].Dataset); err != nil {
			return err
		}
	}
	if err := s.folder.finish(s.record()); err != nil {
		return err
	}
	return sweepPage(out)
}

// takeNotes takes up what was found on a table, failures too.
func (s *tabularSession) takeNotes(from *tabularFolder, table string) error {
	for _, j := range s.jobs {
		if j.table.name != table {
			continue
		}
		n, err := from.note(j.table, j.method.name)
		if err != nil {
			return err
		}
		j.result = &n.Result
		if err := s.folder.save(j.table, j.result); err != nil {
			return err
		}
	}
	return nil
}
