package search

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/internal/atomicfile"
	"github.com/ansatz-lab/ansatz/internal/jsonfile"
)

// Folder keeps the trials of a search, each in a file of its own that is there whole or not at all. The methods of nil
// keep nothing.
type Folder struct{ dir string }

// aboutFile says what the trials of a folder are of.
const aboutFile = "search.json"

// About is what the result of a trial depends on, besides its settings.
type About struct {
	Data       string `json:"data"`
	Rows       string `json:"training_rows"` // which they are, and their digest
	Folds      int    `json:"folds"`
	Seed       uint64 `json:"seed"`
	Iterations int    `json:"iters"`           // at most
	Given      string `json:"first"`           // the settings of the first trial
	Fixed      string `json:"fixed,omitempty"` // which of these are not varied
	Machine    string `json:"machine"`         // what else the machine is
	Backend    string `json:"backend"`
	Version    string `json:"version"`
}

// OpenFolder returns the folder of a search, which it makes and locks until release is called; "" is none. A folder
// that holds another search is an [*input.Error].
func OpenFolder(dir string, about About) (f *Folder, release func() error, err error) {
	if dir == "" {
		return nil, func() error { return nil }, nil
	}
	f = &Folder{dir}
	if release, err = input.LockFolder(dir, input.LockFile); err != nil {
		return nil, nil, err
	}
	if err = f.begin(about); err != nil {
		return nil, nil, errors.Join(err, release())
	}
	return f, release, atomicfile.SweepFiles(dir)
}

// begin checks that the folder is of this search, or makes it so.
func (f *Folder) begin(about About) error {
	var begun About
	path := filepath.Join(f.dir, aboutFile)
	switch err := jsonfile.Read(path, jsonfile.Large, &begun); {
	case errors.Is(err, fs.ErrNotExist):
		return atomicfile.WriteJSON(path, about)
	case err != nil:
		return input.Errorf("%s does not say of which search the trials beside it are: %w; remove the folder, or give "+
			"another --out", path, err)
	}
	if changed := record.ChangedSettings(about, begun); len(changed) > 0 {
		for i, c := range changed {
			changed[i] = strings.ReplaceAll(strings.TrimPrefix(c, "--"), "training-rows", "training rows")
		}
		return input.Errorf("%s holds the trials of another search: %s; remove it, or give another --out", f.dir,
			strings.Join(changed, "; "))
	}
	return nil
}

func (f *Folder) path(number int) string {
	return filepath.Join(f.dir, fmt.Sprintf("%04d.json", number))
}

// load returns a trial that was kept. It reports false if there is none of these settings that has a score: one that
// failed is made again, since the memory may be another.
func (f *Folder) load(number int, settings Settings) (t Trial, ok bool) {
	if f == nil || jsonfile.Read(f.path(number), jsonfile.Large, &t) != nil {
		return Trial{}, false
	}
	return t, t.Number == number && t.Settings == settings && t.Error == ""
}

// save keeps a trial.
func (f *Folder) save(t Trial) error {
	if f == nil {
		return nil
	}
	return atomicfile.WriteJSON(f.path(t.Number), t)
}
