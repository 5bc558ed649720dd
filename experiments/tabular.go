package experiments

import (
	"context"
	"errors"

	"github.com/ansatz-lab/ansatz/graph/backend"
)

// Tabular is a benchmark of methods on tables that knows its tables.
type Tabular struct {
	spec    TabularSpec
	members []tabularMember
}

// NewTabular finds the tables of a benchmark. Its errors are the input's.
func NewTabular(s TabularSpec) (*Tabular, error) {
	s = s.withDefaults()
	if err := s.check(); err != nil {
		return nil, err
	}
	members, err := findMembers(s)
	if err != nil {
		return nil, err
	}
	return &Tabular{spec: s, members: members}, nil
}

// TabularRun says how a benchmark is run. The zero value keeps everything in
// memory.
type TabularRun struct {
	Out      string // the folder for records and report
	Resume   bool   // goes on with the run in Out, if there is one
	Progress func(TabularProgress)

	noReport bool    // the folder is for records alone
	fits     Setting // where fits are kept, until the folder serves no more; the zero value for nowhere
}

// TabularProgress is how far a benchmark is: Done of Total tables read, or
// methods run on them, in earlier runs too.
type TabularProgress struct {
	Stage       string // reading or fitting
	Done, Total int
	// Work is the share of what this run has to fit that is done, about.
	Work float64
	// Dataset is the table that was read, or on which Ended has just ended.
	Dataset string
	Ended   *TabularResult // nil between
}

// Check says, before anything is computed, whether Run can write to the folder
// and go on from what is there. It changes nothing.
func (t *Tabular) Check(r TabularRun) error {
	_, err := openTabularFolder(r, t.spec)
	return err
}

// Run compares the methods, tables and methods in parallel, each fit on one
// thread: the record does not depend on how many there are, nor on interruptions.
// OpenBLAS is set to one thread for the process. A table that fails is noted with
// its reason. A run that is interrupted returns an [*InterruptedError].
func (t *Tabular) Run(ctx context.Context, r TabularRun) (_ *TabularRecord, err error) {
	s := &tabularSession{Tabular: t, run: r}
	release, err := hold(r.Out, holdFile)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, release()) }()
	if r.noReport {
		s.folder = &tabularFolder{dir: r.Out, scratch: true}
	} else if s.folder, err = openTabularFolder(r, t.spec); err != nil {
		return nil, err
	}
	if err := s.plan(ctx); err != nil {
		return nil, s.explain(ctx, err)
	}
	if err := s.folder.begin(t.spec); err != nil {
		return nil, err
	}
	if err := s.restore(); err != nil {
		return nil, err
	}
	backend.SetBLASThreads(1)
	if err := s.doAll(ctx); err != nil {
		return nil, s.explain(ctx, err)
	}
	record := s.record()
	if r.noReport {
		return record, nil
	}
	return record, s.folder.finish(record)
}

// explain says what an error means for the run.
func (s *tabularSession) explain(ctx context.Context, err error) error {
	if ctx.Err() != nil && s.folder != nil {
		return &InterruptedError{Checkpoint: s.folder.dir}
	}
	return err
}
