package tabular

import (
	"context"
	"errors"

	"github.com/ansatz-lab/ansatz/experiments/checkpoint"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/graph/backend"
)

// Tabular is a benchmark of methods on tables that knows its tables.
type Tabular struct {
	Spec    Spec
	Members []Member
}

// NewTabular finds the tables of a benchmark. Its errors are the input's.
func NewTabular(s Spec) (*Tabular, error) {
	s = s.WithDefaults()
	if err := s.Check(); err != nil {
		return nil, err
	}
	members, err := findMembers(s)
	if err != nil {
		return nil, err
	}
	return &Tabular{Spec: s, Members: members}, nil
}

// Run says how a benchmark is run. The zero value keeps everything in
// memory.
type Run struct {
	Out      string // the folder for records and report
	Resume   bool   // goes on with the run in Out, if there is one
	Progress func(Progress)

	NoReport bool          // the folder is for records alone
	Fits     study.Setting // where fits are kept, until the folder serves no more; the zero value for nowhere
}

// Progress is how far a benchmark is: Done of Total tables read, or
// methods run on them, in earlier runs too.
type Progress struct {
	Stage       string // reading or fitting
	Done, Total int
	// Work is the share of what this run has to fit that is done, about.
	Work float64
	// Dataset is the table that was read, or on which Ended has just ended.
	Dataset string
	Ended   *Result // nil between
}

// Check says, before anything is computed, whether Run can write to the folder
// and go on from what is there. It changes nothing.
func (t *Tabular) Check(r Run) error {
	_, err := openFolder(r, t.Spec)
	return err
}

// Run compares the methods, tables and methods in parallel, each fit on one
// thread: the record does not depend on how many there are, nor on interruptions.
// OpenBLAS is set to one thread for the process. A table that fails is noted with
// its reason. A run that is interrupted returns an [*checkpoint.InterruptedError].
func (t *Tabular) Run(ctx context.Context, r Run) (_ *Record, err error) {
	s := &Session{Tabular: t, run: r}
	release, err := input.LockFolder(r.Out, input.LockFile)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, release()) }()
	if r.NoReport {
		s.Folder = &Folder{dir: r.Out, scratch: true}
	} else if s.Folder, err = openFolder(r, t.Spec); err != nil {
		return nil, err
	}
	if err := s.ReadTables(ctx); err != nil {
		return nil, s.explainError(ctx, err)
	}
	if err := s.Folder.create(t.Spec); err != nil {
		return nil, err
	}
	if err := s.loadResults(); err != nil {
		return nil, err
	}
	backend.SetBLASThreads(1)
	if err := s.runAll(ctx); err != nil {
		return nil, s.explainError(ctx, err)
	}
	record := s.record()
	if r.NoReport {
		return record, nil
	}
	return record, s.Folder.finish(record)
}

// explainError says what an error means for the run.
func (s *Session) explainError(ctx context.Context, err error) error {
	if ctx.Err() != nil && s.Folder != nil {
		return &checkpoint.InterruptedError{Checkpoint: s.Folder.dir}
	}
	return err
}
