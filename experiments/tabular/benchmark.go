package tabular

import (
	"context"
	"errors"

	"github.com/ansatz-lab/ansatz/experiments/checkpoint"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// Benchmark compares methods on tables.
type Benchmark struct {
	Spec    Spec
	Members []Member
}

// OpenBenchmark finds the tables of a benchmark. Its errors are input errors.
func OpenBenchmark(s Spec) (*Benchmark, error) {
	s = s.WithDefaults()
	if err := s.Check(); err != nil {
		return nil, err
	}
	members, err := findMembers(s)
	if err != nil {
		return nil, err
	}
	return &Benchmark{Spec: s, Members: members}, nil
}

// Run says where a benchmark writes and what it reports. The zero value writes nothing.
type Run struct {
	Out     string // the folder for records and report
	Command string // that made the record, without --out, for the report; "" for none
	Resume  bool   // continues the run in Out, if there is one
	// Others are the paths of CSV files with results of other methods on the same tables, see [ReadResults].
	Others []string
	// Missing is drop (default) or impute: see [MissingRule].
	Missing  string
	Progress func(Progress)

	RecordsOnly bool // Out gets the records, but neither the settings nor a report
	// Checkpoints keeps the scores of fits until their table is done. The zero value keeps none.
	Checkpoints study.Setting
}

// Progress is the state of a run: Done of Total tables were read or, while fitting, Done of Total
// pairs of a table and a method are complete, those of earlier runs included.
type Progress struct {
	Stage       string // reading or fitting
	Done, Total int
	// Work estimates the share of this run's fits that is done.
	Work float64
	// Dataset is the table that was read, or the table of Ended.
	Dataset string
	About   string  // of a table of one's own that was read: its target, and what is left out
	Ended   *Result // the result that this report announces, or nil
}

// Check returns an input error if Run cannot write to its folder, continue the run there, or use the
// results of others. It computes nothing and changes nothing.
func (t *Benchmark) Check(r Run) error {
	if err := (&session{Benchmark: t, run: r}).readOthers(); err != nil {
		return err
	}
	_, err := openFolder(r, t.Spec)
	return err
}

// readOthers reads the results of others, and how missing scores are treated.
func (s *session) readOthers() (err error) {
	if s.missing, err = parseMissing(s.run.Missing); err == nil {
		s.others, err = s.openOthers(s.run.Others)
	}
	return err
}

// Run compares the methods. It works on several tables and methods in parallel, each fit on one
// thread, so the record depends neither on the number of threads nor on interruptions. OpenBLAS is
// set to one thread for the whole process. If a table fails, the record says why. If ctx ends, the
// error is an [*checkpoint.InterruptedError].
func (t *Benchmark) Run(ctx context.Context, r Run) (_ *Record, err error) {
	s := &session{Benchmark: t, run: r}
	if err := s.readOthers(); err != nil {
		return nil, err
	}
	release, err := input.LockFolder(r.Out, input.LockFile)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, release()) }()
	if r.RecordsOnly {
		s.folder = &folder{dir: r.Out, scratch: true}
	} else if s.folder, err = openFolder(r, t.Spec); err != nil {
		return nil, err
	}
	if err := s.readTables(ctx); err != nil {
		return nil, s.explainError(ctx, err)
	}
	if err := s.runRemaining(ctx); err != nil {
		return nil, s.explainError(ctx, err)
	}
	record := s.record()
	if r.RecordsOnly {
		return record, nil
	}
	return record, s.folder.finish(record)
}

// explainError returns the error, or an [*checkpoint.InterruptedError] if ctx ended.
func (s *session) explainError(ctx context.Context, err error) error {
	if ctx.Err() != nil && s.folder != nil {
		return &checkpoint.InterruptedError{Checkpoint: s.folder.dir}
	}
	return err
}

// TableSizes reads every table and returns the sizes. A table that cannot be read has no rows.
func (t *Benchmark) TableSizes(ctx context.Context) ([]TableSize, error) {
	s := &session{Benchmark: t}
	if err := s.readTables(ctx); err != nil {
		return nil, err
	}
	var sizes []TableSize
	for _, p := range s.tables {
		sizes = append(sizes, p.size())
	}
	return sizes, nil
}
