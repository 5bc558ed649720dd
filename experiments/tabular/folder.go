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
	tabularSpecFile = "tabular.json" // what was asked for
	tabularRecords  = "records"      // the folder of a file for each dataset and method
	resultsFileName = "results.csv"  // for ansatz leaderboard
)

// Folder is where a benchmark is kept; nil keeps nothing.
type Folder struct {
	dir     string
	scratch bool // it serves to go on from, and nothing else: what is damaged is made again
}

// openFolder looks at a folder, and refuses one that holds another run. It
// changes nothing.
func openFolder(r Run, spec Spec) (*Folder, error) {
	if r.Out == "" {
		return nil, nil
	}
	f := &Folder{dir: r.Out}
	text, err := os.ReadFile(f.path(tabularSpecFile))
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
		return nil, input.Errorf("%s: its settings cannot be read: %v; give another --out", f.path(tabularSpecFile),
			err)
	}
	if diff := spec.differences(begun); len(diff) > 0 {
		return nil, input.Errorf("%s holds a run with other settings: %s; a run goes on with the settings with which "+
			"it began; give another --out for a new one", r.Out, strings.Join(diff, "; "))
	}
	return f, nil
}

// checkEmpty refuses a folder with the records of something else.
func (f *Folder) checkEmpty() error {
	for _, name := range []string{"record.json", checkpoint.CheckpointFile, tabularRecords} {
		if _, err := os.Lstat(f.path(name)); err == nil {
			return input.Errorf("%s holds a run of something else (%s): give another --out", f.dir, name)
		}
	}
	return nil
}

func (f *Folder) path(name string) string { return filepath.Join(f.dir, name) }

// create makes the folder of a run.
func (f *Folder) create(spec Spec) error {
	if f == nil {
		return nil
	}
	if err := os.MkdirAll(f.path(tabularRecords), 0o777); err != nil {
		return &input.Error{Err: fmt.Errorf("--out: %w: give a folder that can be written to", err)}
	}
	if f.scratch {
		return nil
	}
	return record.WriteJSON(f.path(tabularSpecFile), spec)
}

// Note is what is kept of one method on one dataset.
type Note struct {
	Dataset string `json:"dataset"`
	SHA256  string `json:"sha256"` // of the table
	Result  Result `json:"result"`
}

// notePath is the file of one method on one dataset. Names that are no file names
// everywhere are told apart by a digest.
func (f *Folder) notePath(dataset, method string) string {
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
	return filepath.Join(f.dir, tabularRecords, safe+"--"+method+".json")
}

// loadResult returns what was found before; nil if that is nothing, a failure, or
// of another table than the one that is there now.
func (f *Folder) loadResult(s *Planned, method string) (*Result, error) {
	if f == nil {
		return nil, nil
	}
	n, err := f.readNote(s, method)
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

// addNote reads what was kept of a method on a table; [fs.ErrNotExist] if nothing was.
func (f *Folder) readNote(s *Planned, method string) (*Note, error) {
	path := f.notePath(s.Name, method)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	n := &Note{}
	if err := json.Unmarshal(text, n); err != nil || n.Dataset != s.Name || n.Result.Method != method {
		return nil, input.Errorf("%s is no record of %s on %s: remove it, and it is done again", path, method, s.Name)
	}
	return n, nil
}

// saveResult keeps what was found.
func (f *Folder) saveResult(s *Planned, r *Result) error {
	if f == nil {
		return nil
	}
	return record.WriteJSON(f.notePath(s.Name, r.Method), Note{Dataset: s.Name, SHA256: s.digest, Result: *r})
}

// finish writes the report and the table of results.
func (f *Folder) finish(r *Record) error {
	if f == nil {
		return nil
	}
	if _, err := record.SaveRecord(f.dir, r); err != nil {
		return err
	}
	return errors.Join(record.SweepPage(f.dir), atomicfile.SweepFiles(f.path(tabularRecords)))
}
