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

// Folder keeps the trials of a search, each in a file of its own that is written atomically. A nil Folder keeps nothing.
type Folder struct{ dir string }

// aboutFile holds what the trials of a folder have in common, an [About].
const aboutFile = "search.json"

// About is what the result of a trial depends on, besides its settings.
type About struct {
	Data       string `json:"data"`
	Rows       string `json:"training_rows"` // a description of them, and their digest
	Folds      int    `json:"folds"`
	Seed       uint64 `json:"seed"`
	Iterations int    `json:"iters"`           // at most
	Given      string `json:"first"`           // the settings of the first trial
	Fixed      string `json:"fixed,omitempty"` // which of these are not varied
	Machine    string `json:"machine"`         // the other settings of the machine
	Backend    string `json:"backend"`
	Version    string `json:"version"`
}

// OpenFolder creates the folder of a search if need be, and locks it until release is called; for dir "" it returns nil. It
// returns an [*input.Error] if the folder holds another search.
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
	if err = atomicfile.SweepFiles(dir); err != nil {
		return nil, nil, errors.Join(err, release())
	}
	return f, release, nil
}

// begin checks that the folder belongs to this search, or marks a new folder as such.
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

// load returns a trial that was kept. It reports false unless the trial has these settings and a score: a failed trial is
// made again, since more memory may be free now.
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
