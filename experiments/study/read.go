package study

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"gonum.org/v1/gonum/mat"
)

// read reads the run in the folder, nil if there is none. What it returns is whole:
// of the settings and the seed that the folder is named by, with tables and charts
// that can be shown.
func (f SeedFolder) read() (*seedRecord, error) {
	if f == "" {
		return nil, nil
	}
	text, err := os.ReadFile(filepath.Join(string(f), RunFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	s := &seedRecord{}
	if err == nil {
		err = json.Unmarshal(text, s)
	}
	if err == nil {
		err = s.check(f)
	}
	if err != nil {
		return nil, input.Errorf("%s: %w: want what ansatz run wrote there; remove the folder, and run the experiment again", filepath.Join(string(f), RunFile), err)
	}
	o := &Outcome{Values: s.Values, Statements: s.Statements, Tables: s.Tables, Charts: s.Charts, Notes: s.Notes, Data: s.Data, Matrices: map[string]*mat.Dense{}}
	for _, fig := range s.Figures {
		readPicture(&fig, string(f))
		o.Figures = append(o.Figures, fig)
	}
	s.outcome, s.folder = o, f
	return s, nil
}

// check reports what keeps a record in a folder from being counted: a copy of
// another seed would be taken for one more.
func (s *seedRecord) check(f SeedFolder) error {
	if want := SeedName(s.Seed); filepath.Base(string(f)) != want {
		return fmt.Errorf("it is of seed %d, in a folder that is not %s", s.Seed, want)
	}
	var spec bytes.Buffer
	if err := json.Compact(&spec, s.Spec); err != nil {
		return fmt.Errorf("its spec: %w", err)
	}
	if hash, at := hashOf(s.Experiment, spec.Bytes()), f.hash(); hash != at {
		return fmt.Errorf("it is of %q with settings of hash %s, in a folder of %s", s.Experiment, hash, at)
	}
	for i := range s.Tables {
		if err := s.Tables[i].Check(); err != nil {
			return err
		}
	}
	for _, c := range s.Charts {
		for _, line := range c.Series {
			points := len(line.X)
			if len(line.Y) != points || len(line.Low) != len(line.High) || len(line.Low) != 0 && len(line.Low) != points {
				return fmt.Errorf("chart %q, series %q: %d, %d, %d and %d of x, y, low and high", c.Name, line.Label, points, len(line.Y), len(line.Low), len(line.High))
			}
		}
	}
	for _, fig := range s.Figures {
		if !filepath.IsLocal(fig.Name) || fig.Name != filepath.Base(fig.Name) {
			return fmt.Errorf("figure %q: want the name of a file", fig.Name)
		}
	}
	return nil
}

// readPicture reads the picture of a figure, and its numbers, from the folder of a
// report. What is not there is nil.
func readPicture(f *report.Figure, dir string) {
	stem := filepath.Join(dir, "figures", f.Name)
	f.SVG, _ = os.ReadFile(stem + ".svg")
	f.PNG, _ = os.ReadFile(stem + ".png")
	f.CSV, _ = os.ReadFile(stem + ".csv")
}
