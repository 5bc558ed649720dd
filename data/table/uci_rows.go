package table

import (
	"fmt"
	"strconv"
	"strings"
)

// addRows appends the rows of a file, of which there must be that many: a
// number of the row, the inputs and the class, with tabs or blanks between,
// under a line of their names. Inputs and class of the first file name the
// columns.
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

// addColumns reads the names of the columns, and makes the columns unless
// another file has.
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
		return l.errorAt(0, "another name for each column", fmt.Sprintf("%s for columns %d and %d",
			show(t.Columns[first].Name), first+1, second+1))
	}
	class := &t.Columns[h.inputs]
	class.Kind = Nominal
	for i := range h.classes {
		class.Categories = append(class.Categories, strconv.Itoa(i))
	}
	return nil
}

// fieldsUpTo returns the first words of a line, at most so many.
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
