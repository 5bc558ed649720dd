package study

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/internal/jsonfile"
)

// RedrawRun draws the page of an experiment over its seeds again, from the records of its seeds. It
// returns a text for every figure that it could not draw and left as it was.
func (c Catalogue) RedrawRun(dir string) (left []string, err error) {
	e, err := c.readRun(dir)
	if err != nil {
		return nil, err
	}
	first := e.seeds[0]
	left = redrawFigures(dir, first.outcome, string(first.folder))
	_, err = record.DrawRecord(dir, e)
	return left, err
}

// RedrawSeed draws the figures and tables of the run with one seed again. It returns a text for
// every figure that it could not draw and left as it was.
func RedrawSeed(dir string) (left []string, err error) {
	s, err := seedFolder(dir).read()
	if err != nil {
		return nil, err
	}
	left = redrawFigures(dir, s.outcome, dir)
	s.outcome.Figures = slices.DeleteFunc(s.outcome.Figures, report.Figure.Empty)
	return left, s.draw(dir)
}

// redrawFigures draws the figures of an outcome again from the arrays in the folder of the seed. It
// returns a text that names those it could not draw.
func redrawFigures(page string, o *Outcome, seed string) []string {
	var left []string
	var first error
	for i, f := range o.Figures {
		again, err := f.Redraw(seed)
		if err != nil {
			left, first = append(left, f.Name), cmp.Or(first, err)
			continue
		}
		o.Figures[i] = again
	}
	if first == nil {
		return nil
	}
	return []string{fmt.Sprintf("%s, figures %s: %v", page, strings.Join(left, ", "), first)}
}

// readRun reads the record of an experiment in a folder and the seeds that it lists, and judges it again.
func (c Catalogue) readRun(dir string) (*Record, error) {
	path := filepath.Join(dir, record.FileName)
	var of Record
	err := jsonfile.Read(path, jsonfile.Large, &of)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err != nil || of.Hash == "" {
		return nil, input.Errorf("%s does not name its kind: an early version wrote it", path)
	}
	e, err := c.Find(of.ID)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var spec bytes.Buffer
	if err := json.Compact(&spec, of.Spec); err != nil {
		return nil, input.Errorf("%s: %w", path, err)
	}
	out := e.record(of.Scale, spec.Bytes(), of.Hash)
	out.Looks = of.Looks
	up := strings.Repeat("../", strings.Count(e.ID, "/")+2) // out of ID/HASH
	run := Run{Experiment: e, Out: filepath.Join(dir, filepath.FromSlash(up))}
	for _, seed := range of.Seeds {
		f := run.folder(of.Hash, seed)
		s, err := f.read()
		if err != nil {
			return nil, err
		}
		if s == nil {
			return nil, input.Errorf("%s: %s of it is not in %s", path, SeedName(seed), f)
		}
		out.add(s)
	}
	if len(out.seeds) == 0 {
		return nil, input.Errorf("%s has no seeds", path)
	}
	out.conclude()
	return out, nil
}
