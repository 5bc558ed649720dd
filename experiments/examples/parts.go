package examples

import (
	"encoding/csv"
	"io"
	"slices"
	"strconv"

	"github.com/ansatz-lab/ansatz/experiments/input"
)

// Parts are rows of a table by what they are for, counted from 0, in ascending order. Rows may be in none.
type Parts struct {
	Train []int
	// Validation is nil where the rows to choose on are not given and no rule says which they may be: the machine then
	// holds out training rows of its own.
	Validation []int
	Test       []int
	rows       int    // of the file
	kept       []int  // the rows of the file that have a target, of which all parts are; nil for all
	clusters   []int  // the group or the rank of the time of every row of the table, nil where none are given
	inOrder    bool   // clusters are ranks
	how        string // says of the training rows, and of the test rows, how they were chosen
}

// fitted returns the training and the validation rows: all that a preparation of the inputs may see.
func (p Parts) fitted() []int {
	all := slices.Concat(p.Train, p.Validation)
	slices.Sort(all)
	return all
}

// Held returns the places among the training examples of those to choose on; nil where the machine holds out its own.
func (e *Set) Held() []int {
	var held []int
	for i, row := range e.Parts.fitted() {
		if _, is := slices.BinarySearch(e.Parts.Validation, row); is {
			held = append(held, i)
		}
	}
	return held
}

// Clusters returns a number for every training example where rows of a table belong together: its group, or the rank of its
// time, by which clusters are in order; nil for other examples.
func (e *Set) Clusters() (clusters []int, inOrder bool) {
	if e.Parts.clusters == nil {
		return nil, false
	}
	for _, row := range e.Parts.fitted() {
		clusters = append(clusters, e.Parts.clusters[row])
	}
	return clusters, e.Parts.inOrder
}

// WriteParts writes CSV with a header, row and part: every row of the table, counted from 1 after its header, and train,
// validation, test, or none. Held are the places among the training examples of those that chose.
func (e *Set) WriteParts(w io.Writer, held []int) error {
	if e.Parts.Train == nil {
		return input.Errorf("--split-out is for tables that are read from a file, which %s is not", e.Name)
	}
	part := make([]string, e.Parts.rows)
	for i := range part {
		part[i] = "none"
	}
	set := func(row int, name string) {
		if e.Parts.kept != nil {
			row = e.Parts.kept[row]
		}
		part[row] = name
	}
	fitted := e.Parts.fitted()
	for _, row := range fitted {
		set(row, "train")
	}
	for _, i := range held {
		set(fitted[i], "validation")
	}
	for _, row := range e.Parts.Test {
		set(row, "test")
	}
	out := csv.NewWriter(w)
	if err := out.Write([]string{"row", "part"}); err != nil {
		return err
	}
	for i, p := range part {
		if err := out.Write([]string{strconv.Itoa(i + 1), p}); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
