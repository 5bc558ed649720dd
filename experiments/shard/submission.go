package shard

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/ansatz-lab/ansatz/internal/atomicfile"
	"github.com/ansatz-lab/ansatz/internal/lock"
)

// SubmissionFile is the name of the record of what was submitted.
const SubmissionFile = "submission.json"

// Submission is how the work of a plan was last submitted.
type Submission struct {
	Format  int                 `json:"format"`
	Plan    string              `json:"plan"`   // its hash
	Engine  string              `json:"engine"` // local or slurm
	Options map[string][]string `json:"options"`
	Program string              `json:"program"`
	Folder  string              `json:"folder"` // in which it works
	When    time.Time           `json:"when"`
	Shards  []int               `json:"shards"` // those that were not complete, from 1 on
	// Job is Slurm's array and Merge the job after it. Earlier are arrays that were not over when this
	// one was submitted.
	Job     string   `json:"job,omitempty"`
	Merge   string   `json:"merge,omitempty"`
	Earlier []string `json:"earlier,omitempty"`
}

// Write writes the submission into the folder of its plan.
func (s *Submission) Write(out string) error {
	s.Format = format
	return atomicfile.WriteJSON(filepath.Join(out, SubmissionFile), s)
}

// ReadSubmission reads how the work of a plan was submitted. It returns nil if it was not, or if
// the submission is of another plan.
func ReadSubmission(p *Plan, out string) (*Submission, error) {
	path := filepath.Join(out, SubmissionFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	s, err := DecodeSubmission(text)
	if err != nil {
		return nil, inputError("%s: %w: remove it, and say anew how to submit", path, err)
	}
	if s.Plan != p.Hash {
		return nil, nil
	}
	return s, nil
}

// DecodeSubmission reads a submission and checks it.
func DecodeSubmission(text []byte) (*Submission, error) {
	s := &Submission{}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(s); err != nil {
		return nil, fmt.Errorf("it is no submission: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows it")
	}
	if s.Format != format {
		return nil, fmt.Errorf("format %d, want %d: another version of ansatz submitted it", s.Format, format)
	}
	for _, id := range s.Jobs() {
		if !isJobID(id) {
			return nil, fmt.Errorf("%q is no job of Slurm's", id)
		}
	}
	return s, nil
}

// Jobs returns all jobs of Slurm that may not be over.
func (s *Submission) Jobs() []string {
	return slices.DeleteFunc(append([]string{s.Job, s.Merge}, s.Earlier...), func(id string) bool { return id == "" })
}

// BusyError reports that the work of a plan is being done or is queued.
type BusyError struct {
	Out string
	By  string // what does it
}

// Error says what to do.
func (e *BusyError) Error() string {
	return fmt.Sprintf("%s: %s: wait (ansatz status shows how far it is), or give --force to work beside", e.Out, e.By)
}

// AsSubmitter calls do while no other process submits in the folder of the plan. If one does, the
// error is a [*BusyError].
func AsSubmitter(out string, do func() error) (err error) {
	l, err := folder(out).lockUnit("submit")
	if errors.Is(err, lock.ErrHeld) {
		return &InputError{&BusyError{out, "another process submits it, or has it made"}}
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Release()) }()
	return do()
}
