package tabular

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/internal/atomicfile"
	"github.com/ansatz-lab/ansatz/internal/jsonfile"
)

// The files of a benchmark.
const (
	specFile      = record.TabularFile // the settings of the run
	resultsFolder = "records"          // holds a file for each dataset and method
	resultsFile   = "results.csv"      // for ansatz leaderboard
)

// folder holds the results of a run. A nil folder stores nothing.
type folder struct {
	dir string
	// scratch says that the folder only serves to resume: it has no settings, and damaged results
	// count as missing.
	scratch bool
}

// openFolder returns the folder of a run, nil if the run has none. A folder that holds another run is
// an input error. It changes nothing.
func openFolder(r Run, spec Spec) (*folder, error) {
	if r.Out == "" {
		return nil, nil
	}
	f := &folder{dir: r.Out}
	var begun Spec
	err := jsonfile.Read(f.path(specFile), jsonfile.Large, &begun)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return f, f.checkEmpty()
	case err == nil && !r.Resume:
		return nil, input.Errorf("%s holds a run already: give --resume to continue it, or another --out", r.Out)
	case err != nil:
		return nil, input.Errorf("the settings of the run in --out cannot be read: %w; give another --out", err)
	}
	if diff := record.ChangedSettings(spec, begun); len(diff) > 0 {
		return nil, input.Errorf("%s holds a run with other settings: %s; a run continues with its own settings; "+
			"give another --out for a new one", r.Out, strings.Join(diff, "; "))
	}
	return f, nil
}

// checkEmpty returns an input error if the folder holds a run of another kind.
func (f *folder) checkEmpty() error {
	for _, name := range []string{"record.json", record.TrainingFile, resultsFolder} {
		if _, err := os.Lstat(f.path(name)); err == nil {
			return input.Errorf("%s holds the results of another command (%s): give another --out", f.dir, name)
		}
	}
	return nil
}

func (f *folder) path(name string) string { return filepath.Join(f.dir, name) }

// create creates the folder and writes the settings into it.
func (f *folder) create(spec Spec) error {
	if f == nil {
		return nil
	}
	if err := atomicfile.MakeFolder(f.dir); err != nil {
		return &input.Error{Err: fmt.Errorf("--out: %w: give a folder that can be written to", err)}
	}
	if !f.scratch { // the settings come first: a folder of results without them seems to be another command's
		// The record is written again when all results are there.
		if err := errors.Join(record.Retract(f.dir), atomicfile.WriteJSON(f.path(specFile), spec)); err != nil {
			return err
		}
	}
	return atomicfile.MakeFolder(f.path(resultsFolder))
}

// storedResult is the file of one method on one dataset.
type storedResult struct {
	Dataset string `json:"dataset"`
	SHA256  string `json:"sha256"` // of the table
	// Version and Backend describe the program that made the result; earlier versions did not record them.
	Version string `json:"version,omitempty"`
	Backend string `json:"backend,omitempty"`
	Result  Result `json:"result"`
}

// resultPath returns the path of the file of one method on one dataset.
func (f *folder) resultPath(dataset, method string) string {
	return filepath.Join(f.dir, resultsFolder, fileName(dataset)+"--"+method+".json")
}

// fileName returns a file name for a dataset. If some file systems do not allow the dataset's name, it ends in a digest.
func fileName(dataset string) string {
	safe := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || strings.ContainsRune("._-", r) {
			return r
		}
		return '-'
	}, dataset)
	const longest = 100
	if safe != dataset || len(safe) > longest {
		sum := sha256.Sum256([]byte(dataset))
		safe = safe[:min(len(safe), longest)] + "-" + hex.EncodeToString(sum[:4])
	}
	return safe
}

// loadResult returns the result of an earlier run. It is nil if there is none, if the method failed, if
// the table has changed since, or if another backend made the result, since backends round differently.
func (f *folder) loadResult(s *plannedTable, method string, spec Spec) (*storedResult, error) {
	if f == nil {
		return nil, nil
	}
	n, err := f.readResult(s, method)
	if errors.Is(err, fs.ErrNotExist) || err != nil && f.scratch {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if n.SHA256 != s.digest || n.Result.Error != "" || !spec.hasBackend(n.Backend) {
		return nil, nil
	}
	return n, nil
}

// hasBackend reports whether the backend of a result is the spec's backend, or "" for an unknown backend.
func (s Spec) hasBackend(name string) bool { return name == "" || name == input.BackendName(s.Backend) }

// readResult reads the file of a method on a table. The error is [fs.ErrNotExist] if there is none.
func (f *folder) readResult(s *plannedTable, method string) (*storedResult, error) {
	path := f.resultPath(s.Name, method)
	n := &storedResult{}
	err := jsonfile.Read(path, jsonfile.Large, n)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err != nil || n.Dataset != s.Name || n.Result.Method != method {
		return nil, input.Errorf("%s is not a record of %s on %s: remove it, and it is computed again",
			path, method, s.Name)
	}
	return n, nil
}

// saveResult writes the file of a result.
func (f *folder) saveResult(s *plannedTable, r *Result, spec Spec) error {
	if f == nil {
		return nil
	}
	return atomicfile.WriteJSON(f.resultPath(s.Name, r.Method), storedResult{Dataset: s.Name, SHA256: s.digest,
		Version: record.Version(), Backend: input.BackendName(spec.Backend), Result: *r})
}

// finish writes the report and results.csv.
func (f *folder) finish(r *Record) error {
	if f == nil {
		return nil
	}
	if _, err := record.SaveRecord(f.dir, r); err != nil {
		return err
	}
	return errors.Join(record.SweepPage(f.dir), atomicfile.SweepFiles(f.path(resultsFolder)))
}
