package examples

import (
	"encoding/csv"
	"io"
	"slices"
	"strconv"

	"github.com/ansatz-lab/ansatz/experiments/input"
)

// Parts divides the rows of a table by their use. Rows count from 0 and ascend; a row may be in no part.
type Parts struct {
	Train []int
	// Validation is nil if neither a column nor a rule gives the validation rows: the machine then holds out training
	// rows itself.
	Validation []int
	Test       []int
	rows       int    // number of rows of the file
	kept       []int  // the rows of the file that have a target, of which the parts consist; nil for all
	clusters   []int  // the group, or the rank of the time, of every row of the table; nil without groups and times
	inOrder    bool   // clusters are ranks
	how        string // after a comma, how the training and test rows were chosen; "" if all rows are for training
}

// fitted returns the training and the validation rows, to which the encoding of the inputs may be fitted.
func (p Parts) fitted() []int {
	all := slices.Concat(p.Train, p.Validation)
	slices.Sort(all)
	return all
}

// Held returns the indices of the validation rows among the training examples; nil if the machine holds out rows itself.
func (e *Set) Held() []int {
	var held []int
	for i, row := range e.Parts.fitted() {
		if _, is := slices.BinarySearch(e.Parts.Validation, row); is {
			held = append(held, i)
		}
	}
	return held
}

// Clusters returns the cluster of every training example of a table whose rows belong together: the number of its group or,
// with inOrder, the rank of its time. It returns nil for other examples.
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
// validation, test, or none. The argument held has the indices of the validation rows among the training examples.
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
