package experiments

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/ansatz-lab/ansatz/data"
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

// benchmark compares methods on tables within an experiment, in which it has a name.
func (in Setting) benchmark(ctx context.Context, name string, s TabularSpec, members []tabularMember) (*TabularRecord, error) {
	s.Seed, s.Threads, s.Dir = in.Seed, in.Threads, in.DataDir
	if s = s.withDefaults(); len(members) == 0 {
		return nil, badInput("there are no tables")
	}
	if err := s.check(); err != nil {
		return nil, err
	}
	defer backend.SetBLASThreads(in.Threads) // which the benchmark sets to 1
	run := TabularRun{Progress: func(p TabularProgress) {
		if p.Stage == "fitting" {
			in.report("tables", p.Done, p.Total)
		}
	}}
	var err error
	if run.Out, err = in.keptAt("tables, "+name, s); err != nil {
		return nil, err
	}
	if run.Out != "" {
		run.noReport, run.fits = true, in
		run.fits.Kept = filepath.Join(run.Out, "fits")
	}
	r, err := (&Tabular{spec: s, members: members}).Run(ctx, run)
	if err == nil && len(r.Results().Datasets) == 0 {
		err = badInput("nothing has a score: %s", r.Summary())
	}
	return r, err
}

// tablesIn lists the tables of a folder of the data folder.
func (in Setting) tablesIn(folder string) ([]tabularMember, error) {
	root, err := data.FindTables(folder, in.DataDir)
	var missing *data.NotFoundError
	if errors.As(err, &missing) || errors.Is(err, fs.ErrNotExist) {
		return nil, badInput("there is no folder %s of tables in the data folder: put tables there, .arff or .csv, or set the source to %q", folder, generatedTables)
	}
	if err != nil {
		return nil, err
	}
	return pathMembers(filepath.Clean(root))
}

// usedTables takes note of the tables, and of what failed.
func (o *Outcome) usedTables(r *TabularRecord) {
	for _, d := range r.Datasets {
		if d.Error != "" {
			continue
		}
		rows := fmt.Sprintf("%d rows", d.Rows)
		if d.Rows < d.TableRows {
			rows = fmt.Sprintf("%d of %d rows, drawn", d.Rows, d.TableRows)
		}
		o.Data = append(o.Data, DataUsed{Name: fmt.Sprintf("%s: %s, %d features", d.Name, rows, d.Features), SHA256: d.SHA256})
	}
	for _, f := range r.failures() {
		o.Notes = append(o.Notes, "Without a score: "+f+".")
	}
}
