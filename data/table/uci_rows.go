package table

import (
	"fmt"
	"strconv"
	"strings"
)

// addRows appends the rows of a file, which must have that many. Under a line of names, a row consists of its number, the
// inputs and the class, separated by tabs or blanks. The first file names the columns of the table.
func (h *uciHeader) addRows(t *Table, path, text string, rows int) error {
	l := newLines(path, text)
	if err := h.addColumns(t, &l); err != nil {
		return err
	}
	found := 0
	for line, ok := l.scan(); ok; line, ok = l.scan() {
		if strings.TrimSpace(line) == "" {
			continue
		}
		if found++; found > rows {
			return l.errorAt(0, fmt.Sprintf("%d rows, as many as the .txt file says", rows), "more")
		}
		if err := h.addRow(t, &l, line); err != nil {
			return err
		}
	}
	if found < rows {
		return l.errorAtEnd(fmt.Sprintf("%d rows, as many as the .txt file says", rows),
			fmt.Sprintf("after %d rows the file is cut short", found))
	}
	t.Rows += rows
	return nil
}

// addColumns reads the names of the columns, and makes the columns unless an earlier file has made them.
func (h *uciHeader) addColumns(t *Table, l *lines) error {
	line, _ := l.scan()
	names := fieldsUpTo(line, h.inputs+3)
	if len(names) == h.inputs+2 { // the column of the row numbers has a name too
		names = names[1:]
	}
	want := fmt.Sprintf("the names of %d inputs and of the class", h.inputs)
	if len(names) != h.inputs+1 {
		return l.errorAt(0, want, fmt.Sprintf("%d names", len(names)))
	}
	if t.Columns != nil {
		return nil
	}
	for _, name := range names {
		t.Columns = append(t.Columns, Column{Name: strings.Clone(strings.Trim(name, `"`))})
	}
	if first, second, same := sameName(t.Columns); same {
		return l.errorAt(0, "a different name for each column", fmt.Sprintf("%s for columns %d and %d",
			show(t.Columns[first].Name), first+1, second+1))
	}
	class := &t.Columns[h.inputs]
	class.Kind = Nominal
	for i := range h.classes {
		class.Categories = append(class.Categories, strconv.Itoa(i))
	}
	return nil
}

// fieldsUpTo returns the first words of a line, at most that many.
func fieldsUpTo(line string, most int) []string {
	var words []string
	for word := range strings.FieldsSeq(line) {
		if len(words) == most {
			break
		}
		words = append(words, word)
	}
	return words
}

// addRow appends a row.
func (h *uciHeader) addRow(t *Table, l *lines, line string) error {
	values := fieldsUpTo(line, h.inputs+3)
	if len(values) != h.inputs+2 {
		return l.errorAt(0, fmt.Sprintf("the number of the row, %d inputs and a class", h.inputs),
			fmt.Sprintf("%d values", len(values)))
	}
	for i := range h.inputs {
		v, ok := parseNumber(values[i+1])
		if !ok {
			return l.errorAt(0, "a finite number for "+show(t.Columns[i].Name), show(values[i+1]))
		}
		t.Columns[i].addNumber(v)
	}
	label := values[h.inputs+1]
	class, err := strconv.Atoi(label)
	if err != nil || class < 0 || class >= h.classes {
		return l.errorAt(0, fmt.Sprintf("a class from 0 to %d", h.classes-1), show(label))
	}
	t.Columns[h.inputs].addCode(int32(class))
	return nil
}

// parseUCIPairs reads pairs of lists of rows, one list per line. Each pair must contain every row from 0 to rows-1
// exactly once.
func parseUCIPairs(path, text string, rows int, pairs [][2][]int) error {
	l := newLines(path, text)
	for i := range pairs {
		var err error
		if pairs[i], err = readUCIPair(&l, rows); err != nil {
			return err
		}
	}
	if line, more := nextList(&l); more {
		return l.errorAt(0, fmt.Sprintf("%d lines", 2*len(pairs)), "another: "+show(line))
	}
	return nil
}

// readUCIPair reads two lists, which together must contain every row once.
func readUCIPair(l *lines, rows int) (pair [2][]int, err error) {
	seen := make([]bool, rows)
	for i := range pair {
		line, ok := nextList(l)
		if !ok {
			return pair, l.errorAtEnd("another list of row numbers", "the file is cut short")
		}
		if pair[i], err = readUCIList(l, line, seen); err != nil {
			return pair, err
		}
	}
	if found := len(pair[0]) + len(pair[1]); found < rows {
		e := l.errorAt(0, fmt.Sprintf("each of %d rows in one of the two lists up to here", rows),
			fmt.Sprintf("%d of them", found))
		e.Hint = "the file is cut short or belongs to another set"
		return pair, e
	}
	return pair, nil
}

// nextList returns the next line that is not empty.
func nextList(l *lines) (string, bool) {
	for {
		line, ok := l.scan()
		if !ok || strings.TrimSpace(line) != "" {
			return line, ok
		}
	}
}

// readUCIList reads a list of rows, and marks them as seen. A row that was seen before is an error.
func readUCIList(l *lines, line string, seen []bool) ([]int, error) {
	var list []int
	for word := range strings.FieldsSeq(line) {
		row, err := strconv.Atoi(word)
		if err != nil || row < 0 || row >= len(seen) {
			return nil, l.errorAt(0, fmt.Sprintf("numbers of rows, 0 to %d", len(seen)-1), show(word))
		}
		if seen[row] {
			return nil, l.errorAt(0, "each row once in two lists", fmt.Sprintf("row %d again", row))
		}
		seen[row] = true
		list = append(list, row)
	}
	return list, nil
}
