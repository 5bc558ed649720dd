package rfmpaper

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/experiments/tabular"
	"github.com/ansatz-lab/ansatz/graph/backend"
)

// The sources of tables, besides the two benchmarks of rfm, section 3.3.
const (
	// uciFolder is a folder of the data folder with tables of the UCI repository.
	uciFolder = "uci"
	// generatedTables are polynomials with few of their features, as tables.
	generatedTables = "generated"
)

// rfmMethod is the method that paper rfm is about.
const rfmMethod = "rfm"

// benchmarkIn compares methods on tables within an experiment, in which it has a name.
func benchmarkIn(ctx context.Context, in study.Setting, name string, s tabular.Spec, members []tabular.Member) (*tabular.Record, error) {
	s.Seed, s.Threads, s.Dir = in.Seed, in.Threads, in.DataDir
	if s = s.WithDefaults(); len(members) == 0 {
		return nil, input.Errorf("there are no tables")
	}
	if err := s.Check(); err != nil {
		return nil, err
	}
	defer backend.SetBLASThreads(in.Threads) // which the benchmark sets to 1
	run := tabular.Run{Progress: func(p tabular.Progress) {
		if p.Stage == "fitting" {
			in.Report("tables", p.Done, p.Total)
		}
	}}
	var err error
	if run.Out, err = in.CheckpointPath("tables, "+name, s); err != nil {
		return nil, err
	}
	if run.Out != "" {
		run.NoReport, run.Fits = true, in.WithCheckpoints(filepath.Join(run.Out, "fits"))
	}
	r, err := (&tabular.Tabular{Spec: s, Members: members}).Run(ctx, run)
	if err == nil && len(r.Results().Datasets) == 0 {
		err = input.Errorf("nothing has a score: %s", r.Summary())
	}
	return r, err
}

// tablesIn lists the tables of a folder of the data folder.
func tablesIn(in study.Setting, folder string) ([]tabular.Member, error) {
	root, err := data.FindTables(folder, in.DataDir)
	var missing *data.NotFoundError
	if errors.As(err, &missing) || errors.Is(err, fs.ErrNotExist) {
		return nil, input.Errorf("there is no folder %s of tables in the data folder: put tables there, .arff or .csv, or set the source to %q", folder, generatedTables)
	}
	if err != nil {
		return nil, err
	}
	return tabular.PathMembers(filepath.Clean(root))
}

// recordTables takes note of the tables, and of what failed.
func recordTables(o *study.Outcome, r *tabular.Record) {
	for _, d := range r.Datasets {
		if d.Error != "" {
			continue
		}
		rows := fmt.Sprintf("%d rows", d.Rows)
		if d.Rows < d.TableRows {
			rows = fmt.Sprintf("%d of %d rows, drawn", d.Rows, d.TableRows)
		}
		o.Data = append(o.Data, study.DataUsed{Name: fmt.Sprintf("%s: %s, %d features", d.Name, rows, d.Features), SHA256: d.SHA256})
	}
	for _, f := range r.Failures() {
		o.Notes = append(o.Notes, "Without a score: "+f+".")
	}
}
