package table

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// UCI is one of the 121 classification sets of Fernández-Delgado, Cernadas, Barro and Amorim (JMLR 15, 2014) with the
// rows that they, and those who compare with them, tune and test on.
type UCI struct {
	Table *Table // the inputs, all numeric, and last the nominal column "clase"

	// Tuning are the rows to train and to validate on when hyper-parameters
	// are chosen: each half of the rows that Test does not have.
	Tuning [2][]int

	// Folds are the rows to train and to test on, four times; the test rows of one may be those of another too. Of a
	// set with test rows they leave those out, and may be missing.
	Folds [4][2][]int

	// Test are the test rows that the set was published with, the last of the table; nil when there are none.
	Test []int
}

// The files that a folder NAME has besides NAME.txt and the tables.
const (
	uciTuningFile = "conxuntos.dat"
	uciFoldsFile  = "conxuntos_kfold.dat"
)

// OpenUCI reads the folder of a set, as data.tar.gz of the paper has it: NAME/NAME.txt, which says what there is; a
// table NAME_R.dat, or NAME_train_R.dat and NAME_test_R.dat, whose rows follow; conxuntos.dat and conxuntos_kfold.dat
// with the numbers of rows, from 0. Every pair of lists has to have each of the training rows once, as all have that
// were looked at.
//
// It returns an error that matches [fs.ErrNotExist] when a file is missing and a [*FormatError] when one is malformed.
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

// readTables reads the rows.
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

// readLists reads the lists of rows. A set with test rows needs no folds.
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
