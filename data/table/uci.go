package table

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// UCI is one of the 121 classification sets of Fernández-Delgado, Cernadas, Barro and Amorim (JMLR 15, 2014), with the
// splits on which they, and later papers that compare with them, tune and test.
type UCI struct {
	Table *Table // the inputs, all numeric, and last the nominal column "clase"

	// Tuning holds the rows to train and to validate on while choosing hyper-parameters: each about half of the rows
	// outside Test.
	Tuning [2][]int

	// Folds holds the rows to train and to test on, four times; the test rows of two folds may overlap. If the set has
	// Test rows, the folds leave them out, or are empty.
	Folds [4][2][]int

	// Test holds the published test rows, the last of the table; nil if the set has none.
	Test []int
}

// The files in a folder NAME besides NAME.txt and the tables.
const (
	uciTuningFile = "conxuntos.dat"
	uciFoldsFile  = "conxuntos_kfold.dat"
)

// OpenUCI reads the folder of a set in the form of the paper's data.tar.gz: NAME/NAME.txt describes the set; NAME_R.dat
// holds the table, or NAME_train_R.dat and NAME_test_R.dat its training and then its test rows; conxuntos.dat and
// conxuntos_kfold.dat hold lists of row numbers, from 0. Each pair of lists must contain every training row exactly
// once, as in all published files that we checked.
//
// It returns an error that matches [fs.ErrNotExist] if a file is missing, and a [*FormatError] if one is malformed.
func OpenUCI(dir string) (*UCI, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("table: %w", err)
	}
	name := filepath.Base(dir)
	path := filepath.Join(dir, name+".txt")
	text, err := readText(path)
	if err != nil {
		return nil, err
	}
	h, err := parseUCIHeader(path, text)
	if err != nil {
		return nil, err
	}
	u := &UCI{Table: &Table{Name: name}}
	if err := u.readTables(dir, h); err != nil {
		return nil, err
	}
	if err := u.readLists(dir, h); err != nil {
		return nil, err
	}
	return u, nil
}

// readTables reads the rows of all tables.
func (u *UCI) readTables(dir string, h *uciHeader) error {
	for _, file := range h.files {
		path := filepath.Join(dir, file.name)
		text, err := readText(path)
		if err != nil {
			return err
		}
		if err := h.addRows(u.Table, path, text, file.rows); err != nil {
			return err
		}
	}
	for row := h.files[0].rows; row < u.Table.Rows; row++ {
		u.Test = append(u.Test, row)
	}
	return nil
}

// readLists reads Tuning and Folds. A set with test rows needs no folds.
func (u *UCI) readLists(dir string, h *uciHeader) error {
	train := h.files[0].rows
	path := filepath.Join(dir, uciTuningFile)
	text, err := readText(path)
	if err != nil {
		return err
	}
	var tuning [1][2][]int
	if err := parseUCIPairs(path, text, train, tuning[:]); err != nil {
		return err
	}
	u.Tuning = tuning[0]
	path = filepath.Join(dir, uciFoldsFile)
	text, err = readText(path)
	if errors.Is(err, fs.ErrNotExist) && u.Test != nil {
		return nil
	}
	if err != nil {
		return err
	}
	return parseUCIPairs(path, text, train, u.Folds[:])
}

// IsUCI reports whether a path is a folder NAME with a file NAME.txt.
func IsUCI(dir string) bool {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return false
	}
	info, err := os.Stat(filepath.Join(abs, filepath.Base(abs)+".txt"))
	return err == nil && info.Mode().IsRegular()
}
