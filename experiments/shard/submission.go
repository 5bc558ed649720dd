package shard

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ansatz-lab/ansatz/internal/jsonfile"
	"github.com/ansatz-lab/ansatz/internal/lock"
	"github.com/ansatz-lab/ansatz/internal/words"
)

// SubmissionFile is the name of the record of what was submitted.
const SubmissionFile = "submission.json"

// Submission records how the work of a plan was last submitted.
type Submission struct {
	Format  int                 `json:"format"`
	Plan    string              `json:"plan"`   // its hash
	Engine  string              `json:"engine"` // local or slurm
	Options map[string][]string `json:"options"`
	Program string              `json:"program"`
	Folder  string              `json:"folder"` // in which it works
	When    time.Time           `json:"when"`
	Shards  []int               `json:"shards"` // those that were not complete, from 1 on
	// Mark is the last argument of both jobs' scripts. It identifies the jobs of this submission in Slurm's queue. It
	// is written before the jobs are submitted, so that they can be found even if their IDs could not be written; see
	// [Submission.AddMarked].
	Mark string `json:"mark,omitempty"`
	// Job is the ID of Slurm's array, and Merge that of the job after it. Earlier are jobs that had not ended when
	// this one was submitted.
	Job     string   `json:"job,omitempty"`
	Merge   string   `json:"merge,omitempty"`
	Earlier []string `json:"earlier,omitempty"`
}

// HasUnknownJobs reports whether Slurm may have jobs of the submission whose IDs were not recorded: the submitting
// process ended, or sbatch failed, before they were written.
func (s *Submission) HasUnknownJobs() bool { return s.Mark != "" && s.Merge == "" }

// AddMarked adds the jobs of the submission that are in Slurm's queue, by their marks. Tasks is the result of
// [ParseQueue] for all jobs.
func (s *Submission) AddMarked(tasks []Task) {
	if s.Mark == "" {
		return
	}
	for _, t := range tasks {
		if mark := " " + s.Mark; !strings.HasSuffix(t.Command, mark) {
			continue
		}
		switch {
		case t.Shard == 0 && s.Merge == "":
			s.Merge = t.Job
		case t.Shard > 0 && s.Job == "":
			s.Job = t.Job
		}
	}
}

// Write writes the submission into the folder of its plan.
func (s *Submission) Write(out string) error {
	s.Format = format
	return writeJSON(filepath.Join(out, SubmissionFile), s)
}

// ReadSubmission reads how the work of a plan was submitted. It returns nil if it was not, or if
// the submission is of another plan.
func ReadSubmission(p *Plan, out string) (*Submission, error) {
	path := filepath.Join(out, SubmissionFile)
	s := &Submission{}
	err := jsonfile.ReadStrict(path, jsonfile.Small, s)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil && s.Plan != p.Hash {
		return nil, nil
	}
	if err == nil {
		err = s.check(p)
	}
	if err != nil {
		return nil, inputError("%w: %s is not a submission of this version: remove it, and submit with all "+
			"options again", err,
			path)
	}
	return s, nil
}

// check returns an error unless the submission could have been written for the plan.
func (s *Submission) check(p *Plan) error {
	if s.Format != format {
		return fmt.Errorf("format %d, want %d: another version of ansatz submitted it", s.Format, format)
	}
	for _, id := range s.Jobs() {
		if !isJobID(id) {
			return fmt.Errorf("%q is not a Slurm job", id)
		}
	}
	for _, i := range s.Shards {
		if i < 1 || i > len(p.Shards) {
			return fmt.Errorf("shard %d: the plan has %s", i, words.Count(len(p.Shards), "shard"))
		}
	}
	return nil
}

// Jobs returns all Slurm jobs that may not have ended.
func (s *Submission) Jobs() []string {
	return slices.DeleteFunc(append([]string{s.Job, s.Merge}, s.Earlier...), func(id string) bool { return id == "" })
}

// BusyError reports that the work of a plan is being done or is queued.
type BusyError struct {
	Out string
	By  string // what does it
}

// Error says who is working, and what to do.
func (e *BusyError) Error() string {
	return fmt.Sprintf("%s: %s: wait (ansatz status shows its progress), or give --force to run beside it", e.Out, e.By)
}

// AsSubmitter calls do while no other process submits in the plan's folder. If another process does, the error is a
// [*BusyError].
func AsSubmitter(out string, do func() error) (err error) {
	l, err := folder(out).lockUnit("submit")
	if errors.Is(err, lock.ErrHeld) {
		return &InputError{&BusyError{out, "another process is submitting or running it"}}
	}
	if err != nil {
		return inputError("--out: %w: want a folder that can be written to", err)
	}
	defer func() { err = errors.Join(err, l.Release()) }()
	return do()
}
