package tabular

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/checkpoint"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/internal/atomicfile"
)

// The files of a benchmark.
const (
	specFile      = "tabular.json" // the settings of the run
	resultsFolder = "records"      // holds a file for each dataset and method
	resultsFile   = "results.csv"  // for ansatz leaderboard
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
	text, err := os.ReadFile(f.path(specFile))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return f, f.checkEmpty()
	case err != nil:
		return nil, &input.Error{Err: fmt.Errorf("--out: %w", err)}
	case !r.Resume:
		return nil, input.Errorf("%s holds a run already: give --resume to go on with it, or another --out", r.Out)
	}
	var begun Spec
	if err := json.Unmarshal(text, &begun); err != nil {
		return nil, input.Errorf("%s: its settings cannot be read: %v; give another --out", f.path(specFile),
			err)
	}
	if diff := record.ChangedSettings(spec, begun); len(diff) > 0 {
		return nil, input.Errorf("%s holds a run with other settings: %s; a run goes on with the settings with which "+
			"it began; give another --out for a new one", r.Out, strings.Join(diff, "; "))
	}
	return f, nil
}

// checkEmpty returns an input error if the folder holds a run of another kind.
func (f *folder) checkEmpty() error {
	for _, name := range []string{"record.json", checkpoint.FileName, resultsFolder} {
		if _, err := os.Lstat(f.path(name)); err == nil {
			return input.Errorf("%s holds a run of something else (%s): give another --out", f.dir, name)
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
	if err := os.MkdirAll(f.path(resultsFolder), 0o777); err != nil {
		return &input.Error{Err: fmt.Errorf("--out: %w: give a folder that can be written to", err)}
	}
	if f.scratch {
		return nil
	}
	return record.WriteJSON(f.path(specFile), spec)
}

// storedResult is the file of one method on one dataset.
type storedResult struct {
	Dataset string `json:"dataset"`
	SHA256  string `json:"sha256"` // of the table
	Result  Result `json:"result"`
}

// resultPath returns the path of the file of one method on one dataset. A digest stands in for what
// some file systems do not allow in a name.
func (f *folder) resultPath(dataset, method string) string {
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
	return filepath.Join(f.dir, resultsFolder, safe+"--"+method+".json")
}

// loadResult returns the result of an earlier run. It is nil if there is none, if the method failed,
// or if the table has changed since.
func (f *folder) loadResult(s *plannedTable, method string) (*Result, error) {
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
	if n.SHA256 != s.digest || n.Result.Error != "" {
		return nil, nil
	}
	return &n.Result, nil
}

// readResult reads the file of a method on a table. The error is [fs.ErrNotExist] if there is none.
func (f *folder) readResult(s *plannedTable, method string) (*storedResult, error) {
	path := f.resultPath(s.Name, method)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	n := &storedResult{}
	if err := json.Unmarshal(text, n); err != nil || n.Dataset != s.Name || n.Result.Method != method {
		return nil, input.Errorf("%s is no record of %s on %s: remove it, and it is done again", path, method, s.Name)
	}
	return n, nil
}

// saveResult writes the file of a result.
func (f *folder) saveResult(s *plannedTable, r *Result) error {
	if f == nil {
		return nil
	}
	return record.WriteJSON(f.resultPath(s.Name, r.Method), storedResult{Dataset: s.Name, SHA256: s.digest, Result: *r})
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
