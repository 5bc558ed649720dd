package experiments

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
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
			return r.add(redrawRecord(filepath.Dir(path)))
		case runFile:
			return r.add(redrawSeed(filepath.Dir(path)))
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

// add counts a page, with what of it stays as it was, or notes an error of the input. It
// returns other errors.
func (r *Redrawn) add(left []string, err error) error {
	r.Left = append(r.Left, left...)
	switch {
	case err == nil:
		r.Pages++
	case IsInput(err):
		r.Left = append(r.Left, err.Error())
	default:
		return err
	}
	return nil
}

// redrawRecord draws the page of the record in a folder.
func redrawRecord(dir string) (left []string, err error) {
	defer func() {
		if p := recover(); p != nil { // a file that was changed may lack anything
			err = badInput("%s lacks what its page shows: %v", filepath.Join(dir, recordFile), p)
		}
	}()
	found, err := readRecord(dir, emptyRecords())
	if err != nil {
		return nil, err
	}
	if _, is := found.(*ExperimentRecord); is || found == nil {
		return All().redrawRun(dir)
	}
	_, err = drawRecord(dir, found)
	return nil, err
}
