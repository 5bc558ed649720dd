package experiments

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/report"
)

// emptyRecords returns a record of each kind that [Redraw] knows, to be read into.
func emptyRecords() []Record {
	return []Record{
		&VerifyRecord{}, &Demo{}, &TrainRecord{}, &SeedsRecord{}, &NetworksRecord{},
		&RFMRecord{}, &ConvRFMRecord{}, &HyperBFRecord{}, &HyperBFComparison{},
		&NTKRecord{}, &LinearizeRecord{}, &EnergyRecord{},
		&TabularRecord{}, &LeaderboardRecord{}, &RFMCostRecord{}, &ConvCostRecord{},
		&DatasetCheck{}, &TableCheck{}, &CollectionCheck{}, &ExperimentRecord{},
	}
}

// Redrawn is what [Redraw] did.
type Redrawn struct {
	Pages int `json:"pages"` // that were drawn
	// Left is what could not be drawn again and stays as it was, and why.
	Left []string `json:"left"`
}

// Summary counts the pages.
func (r *Redrawn) Summary() string {
	text := "Drawn again: " + counted(r.Pages, "page")
	if len(r.Left) > 0 {
		text += fmt.Sprintf("; left as they were: %d", len(r.Left))
	}
	return text + "."
}

// Redraw draws the pages, figures and tables of all records below a folder again, from
// the records and their arrays alone. It returns an [*InputError] if there is no record.
func Redraw(ctx context.Context, dir string) (*Redrawn, error) {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, badInput("%s is not a folder: want one that a command wrote to with --out", dir)
	}
	r := &Redrawn{Left: []string{}}
	root := dir + string(filepath.Separator) // which may be a link
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case entry.IsDir() && path != root && strings.HasPrefix(entry.Name(), "."):
			return fs.SkipDir
		case entry.IsDir():
			return nil
		}
		switch entry.Name() {
		case recordFile:
			return r.leave(r.record(filepath.Dir(path)))
		case runFile:
			return r.leave(r.seed(filepath.Dir(path)))
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	if r.Pages == 0 && len(r.Left) == 0 {
		return nil, badInput("%s has no records: want a folder that a command wrote to with --out", dir)
	}
	return r, nil
}

// leave takes note of an error of the input, and returns others.
func (r *Redrawn) leave(err error) error {
	if err == nil || !IsInput(err) {
		return err
	}
	r.Left = append(r.Left, err.Error())
	return nil
}

// record draws the page of a record in its folder.
func (r *Redrawn) record(dir string) (err error) {
	defer func() {
		if p := recover(); p != nil { // a file that was changed may lack anything
			err = badInput("%s lacks what its page shows: %v", filepath.Join(dir, recordFile), p)
		}
	}()
	found, err := readRecord(dir, emptyRecords())
	if err != nil {
		return err
	}
	if _, is := found.(*ExperimentRecord); is || found == nil {
		e, err := readExperiment(dir)
		if err != nil {
			return err
		}
		r.redrawFigures(dir, e.seeds[0].outcome, string(e.seeds[0].folder))
		found = e
	}
	if _, err := drawRecord(dir, found); err != nil {
		return err
	}
	r.Pages++
	return nil
}

// seed draws the page of a run with one seed.
func (r *Redrawn) seed(dir string) error {
	s, err := seedFolder(dir).read()
	if err != nil {
		return err
	}
	r.redrawFigures(dir, s.outcome, dir)
	s.outcome.Figures = slices.DeleteFunc(s.outcome.Figures, report.Figure.Empty)
	if err := s.draw(dir); err != nil {
		return err
	}
	r.Pages++
	return nil
}

// redrawFigures draws the pictures of a page again that are those of a seed, as far as
// the folder of the seed says how.
func (r *Redrawn) redrawFigures(page string, o *Outcome, seed string) {
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
	if first != nil {
		r.Left = append(r.Left, fmt.Sprintf("%s, figures %s: %v", page, strings.Join(left, ", "), first))
	}
}

// readExperiment reads the record of an experiment over its seeds, and the seeds beside
// it, and judges it anew.
func readExperiment(dir string) (*ExperimentRecord, error) {
	path := filepath.Join(dir, recordFile)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var of ExperimentRecord
	if err := json.Unmarshal(text, &of); err != nil || of.Hash == "" {
		return nil, badInput("%s does not say of what kind it is: it was written before records did", path)
	}
	e, err := FindExperiment(of.ID)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var spec bytes.Buffer
	if err := json.Compact(&spec, of.Spec); err != nil {
		return nil, badInput("%s: %w", path, err)
	}
	out := e.record(of.Scale, spec.Bytes(), of.Hash)
	up := strings.Repeat("../", strings.Count(e.ID, "/")+2) // from ID/HASH
	run := ExperimentRun{Experiment: e, Out: filepath.Join(dir, filepath.FromSlash(up))}
	for _, seed := range of.Seeds {
		f := run.folder(of.Hash, seed)
		s, err := f.read()
		if err != nil {
			return nil, err
		}
		if s == nil {
			return nil, badInput("%s: %s of it is not in %s", path, seedName(seed), f)
		}
		out.add(s)
	}
	if len(out.seeds) == 0 {
		return nil, badInput("%s has no seeds", path)
	}
	out.conclude()
	return out, nil
}
