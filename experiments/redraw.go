package experiments

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/datasets"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/kernelmachine"
	"github.com/ansatz-lab/ansatz/experiments/profile"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/scaling"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/experiments/tabular"
	"github.com/ansatz-lab/ansatz/experiments/tangent"
	"github.com/ansatz-lab/ansatz/experiments/train"
	"github.com/ansatz-lab/ansatz/experiments/verify"
	"github.com/ansatz-lab/ansatz/internal/words"
)

// emptyRecords returns a record of each kind that [Redraw] knows, to be read into.
func emptyRecords() []record.Record {
	return []record.Record{
		&verify.Record{}, &verify.CheckpointsRecord{}, &Demo{}, &train.Record{}, &train.SeedsRecord{}, &train.NetworksRecord{},
		&kernelmachine.RFMRecord{}, &kernelmachine.ConvRFMRecord{}, &kernelmachine.HyperBFRecord{},
		&kernelmachine.HyperBFComparison{}, &kernelmachine.TreeRecord{}, &kernelmachine.SearchRecord{},
		&tangent.NTKRecord{}, &tangent.LinearizeRecord{}, &profile.Record{},
		&tabular.Record{}, &tabular.LeaderboardRecord{}, &scaling.RFMCostRecord{}, &scaling.ConvCostRecord{},
		&datasets.Check{}, &datasets.TableCheck{}, &datasets.CollectionCheck{}, &study.Record{},
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
	text := "Drawn again: " + words.Count(r.Pages, "page")
	if len(r.Left) > 0 {
		text += fmt.Sprintf("; left as they were: %d", len(r.Left))
	}
	return text + "."
}

// Redraw draws the pages, figures and tables of all records below a folder again, from
// the records and their arrays alone. It returns an [*input.Error] if there is no record.
func Redraw(ctx context.Context, dir string) (*Redrawn, error) {
	if info, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil, input.Errorf("no folder %s", dir)
	} else if err != nil || !info.IsDir() {
		return nil, input.Errorf("%s is not a folder: want one that a command wrote to with --out", dir)
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
		case record.FileName:
			return r.add(redrawn(path, redrawRecord))
		case study.RunFile:
			return r.add(redrawn(path, study.RedrawSeed))
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	if r.Pages == 0 && len(r.Left) == 0 {
		return nil, input.Errorf("%s has no records: want a folder that a command wrote to with --out", dir)
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
	case input.IsError(err):
		r.Left = append(r.Left, err.Error())
	default:
		return err
	}
	return nil
}

// redrawn calls draw with the folder of a record, which may lack anything if it was changed.
func redrawn(path string, draw func(dir string) (left []string, err error)) (left []string, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = input.Errorf("%s lacks what its page shows: %v", path, p)
		}
	}()
	return draw(filepath.Dir(path))
}

// redrawRecord draws the page of the record in a folder.
func redrawRecord(dir string) (left []string, err error) {
	found, err := record.ReadRecord(dir, emptyRecords())
	if err != nil {
		return nil, err
	}
	if _, is := found.(*study.Record); is || found == nil {
		return All().RedrawRun(dir)
	}
	_, err = record.DrawRecord(dir, found)
	return nil, err
}
