package tabular

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/ansatz-lab/ansatz/data/table"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/internal/atomicfile"
	"github.com/ansatz-lab/ansatz/internal/words"
)

// The files of [Benchmark.WriteSplits].
const (
	splitsFile   = "splits.csv"
	splitsAbout  = "splits.json"
	tablesFolder = "tables" // holds a CSV file for each table
)

// The parts of a fold, as splits.csv names them.
const (
	trainPart      = "train"
	validationPart = "validation"
	testPart       = "test"
)

// Splits says on which rows of which tables a benchmark fits its methods, so that other programs can use the same rows.
type Splits struct {
	Benchmark string `json:"benchmark"`
	Protocol  string `json:"protocol"`
	PaperMode bool   `json:"paper_mode,omitempty"`
	Seed      uint64 `json:"seed"`
	// Choice says on which rows configurations are compared.
	Choice string `json:"choice"`
	// Refit are the parts of a fold on which the chosen configuration is fitted before it is tested.
	Refit   []string     `json:"refit"`
	Tables  []SplitTable `json:"tables"`
	Version string       `json:"version"`
}

// SplitTable is a table of [Splits]. If it could not be read or split, Error says why, and the rest is missing.
type SplitTable struct {
	Name string `json:"name"`
	// File is the path, relative to splits.csv, of the table as CSV with a header: numbers, names of categories, and empty
	// cells for missing values. Columns that the methods do not read are left out. The last column is the target.
	File    string `json:"file,omitempty"`
	SHA256  string `json:"sha256,omitempty"` // of the contents, as in the record of a benchmark
	Rows    int    `json:"rows,omitempty"`
	Measure string `json:"measure,omitempty"` // accuracy or r2
	Target  string `json:"target,omitempty"`
	// Nominal holds the categories of every categorical column except the target.
	Nominal map[string][]string `json:"nominal,omitempty"`
	// Features is the number of columns after one-hot encoding.
	Features int    `json:"features,omitempty"`
	Folds    int    `json:"folds,omitempty"` // with test rows
	Error    string `json:"error,omitempty"`
}

// WriteSplits writes into a folder on which rows every fold of every table is trained, validated and tested, as the
// fits take them: splits.csv, with the columns dataset, fold, row and part. Rows count from 0 in the order of the
// table, which is written to tables/NAME.csv. splits.json is what WriteSplits returns. Nothing is fitted.
//
// Folds count from 1. In paper mode fold 0 is the split on which everything is chosen, and the other folds have no
// validation rows.
func (t *Benchmark) WriteSplits(ctx context.Context, dir string) (*Splits, error) {
	s := &Splits{Benchmark: t.Spec.Benchmark, Protocol: t.Spec.Protocol, PaperMode: t.Spec.PaperMode, Seed: t.Spec.Seed,
		Version: record.Version(), Refit: []string{trainPart}}
	switch {
	case t.Spec.Protocol == GrinsztajnProtocol:
		s.Choice = "the mean score on the validation rows of all folds"
	case t.Spec.PaperMode:
		s.Choice = "the score on the validation rows of fold 0"
	default:
		s.Choice = "for each fold, the score on its validation rows"
		s.Refit = append(s.Refit, validationPart)
	}
	if err := atomicfile.MakeFolder(filepath.Join(dir, tablesFolder)); err != nil {
		return nil, &input.Error{Err: fmt.Errorf("--splits-out: %w: give a folder that can be written to", err)}
	}
	err := atomicfile.WriteFile(filepath.Join(dir, splitsFile), func(w io.Writer) error {
		rows := csv.NewWriter(w)
		if err := rows.Write([]string{"dataset", "fold", "row", "part"}); err != nil {
			return err
		}
		for _, m := range t.Members {
			if err := ctx.Err(); err != nil {
				return err
			}
			table, err := m.writeSplits(t.Spec, dir, rows)
			if err != nil {
				return err
			}
			s.Tables = append(s.Tables, table)
		}
		rows.Flush()
		return rows.Error()
	})
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(s.Tables, func(t SplitTable) bool { return t.Error == "" }) {
		return nil, input.Errorf("no table of %s can be split: %s: %s", t.Spec.Benchmark, s.Tables[0].Name,
			s.Tables[0].Error)
	}
	return s, atomicfile.WriteJSON(filepath.Join(dir, splitsAbout), s)
}

// Summary counts the tables.
func (s *Splits) Summary() string {
	folds, failed := 0, ""
	for _, t := range s.Tables {
		folds += t.Folds
		if t.Error != "" {
			failed += fmt.Sprintf("\nnot written: %s: %s", t.Name, t.Error)
		}
	}
	return fmt.Sprintf("%s of %s, by the protocol %s.%s", words.Count(folds, "fold"),
		words.Count(len(s.Tables), "table"), s.Protocol, failed)
}

// writeSplits writes a table, and its rows by fold and part. The error says that a file could not be written.
func (m Member) writeSplits(spec Spec, dir string, rows *csv.Writer) (SplitTable, error) {
	t := SplitTable{Name: m.Name}
	set, err := m.Load(spec)
	var splits []table.Split
	if err == nil {
		splits, err = set.splits(spec)
	}
	if err != nil {
		t.Error = err.Error()
		return t, nil
	}
	t.File, t.SHA256, t.Rows, t.Measure = path.Join(tablesFolder, fileName(m.Name)+".csv"), set.digest, set.table.Rows,
		set.Measure()
	t.Target, t.Features, t.Nominal = set.Labels.Target, set.features, map[string][]string{}
	for _, c := range set.inputs() {
		if c.Kind == table.Nominal {
			t.Nominal[c.Name] = c.Categories
		}
	}
	for k, split := range splits {
		fold := k + 1
		if spec.PaperMode {
			fold = k
		}
		if len(split.Test) > 0 {
			t.Folds++
		}
		for _, part := range []struct {
			name string
			rows []int
		}{{trainPart, split.Train}, {validationPart, split.Validation}, {testPart, split.Test}} {
			for _, r := range part.rows {
				if err := rows.Write([]string{m.Name, strconv.Itoa(fold), strconv.Itoa(r), part.name}); err != nil {
					return t, err
				}
			}
		}
	}
	return t, atomicfile.WriteFile(filepath.Join(dir, filepath.FromSlash(t.File)), set.writeCSV)
}

// splits returns the rows of every fold of the protocol. In paper mode the first split is the one to tune on.
func (s *Set) splits(spec Spec) ([]table.Split, error) {
	if spec.Protocol == GrinsztajnProtocol {
		return s.drawSplits(spec)
	}
	folds, tuning, err := s.folds(spec.Seed)
	if err != nil {
		return nil, err
	}
	if spec.PaperMode {
		return append([]table.Split{{Train: tuning.Train, Validation: tuning.Test}}, folds...), nil
	}
	inner, err := s.nest(folds, spec.Seed)
	for k := range inner {
		inner[k] = table.Split{Train: inner[k].Train, Validation: inner[k].Test, Test: folds[k].Test}
	}
	return inner, err
}

// inputs returns the columns that methods read as features.
func (s *Set) inputs() (columns []table.Column) {
	for _, c := range s.table.Columns {
		if c.Name != s.Labels.Target && !slices.Contains(s.encode.Ignore, c.Name) {
			columns = append(columns, c)
		}
	}
	return columns
}

// writeCSV writes the columns that methods read as features, and the target.
func (s *Set) writeCSV(w io.Writer) error {
	columns := append(s.inputs(), s.table.Columns[s.table.Find(s.Labels.Target)])
	cells, out := make([]string, len(columns)), csv.NewWriter(w)
	for j, c := range columns {
		cells[j] = c.Name
	}
	if err := out.Write(cells); err != nil {
		return err
	}
	for i := range s.table.Rows {
		for j, c := range columns {
			switch {
			case c.IsMissing(i):
				cells[j] = ""
			case c.Kind == table.Nominal:
				cells[j] = c.Categories[c.Codes[i]]
			default:
				cells[j] = strconv.FormatFloat(c.Values[i], 'g', -1, 64)
			}
		}
		if err := out.Write(cells); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
