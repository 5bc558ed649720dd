package table

import (
	"fmt"
	"strconv"
)

// wantValue is what an error expects until nameColumn names the column.
const wantValue = "a value"

// nameColumn names, in an error that expects wantValue, the column whose value is missing.
func (a *arff) nameColumn(err error, column int) error {
	if e, is := err.(*FormatError); is && e.Want == wantValue {
		e.Want = fmt.Sprintf("value %d (%s) of %d", column+1, show(a.table.Columns[column].Name), len(a.table.Columns))
	}
	return err
}

// denseRow reads a value for each attribute, with commas or blanks between.
func (a *arff) denseRow(l *arffLine) error {
	for i := range a.table.Columns {
		if i > 0 {
			l.accept(',')
		}
		value, err := l.token(wantValue, false)
		if err != nil {
			return a.nameColumn(err, i)
		}
		if err := a.add(l, i, value); err != nil {
			return err
		}
	}
	return l.weight(len(a.table.Columns))
}

// weight reads the end of a row, which may hold the row's weight in braces.
func (l *arffLine) weight(values int) error {
	start := l.at
	comma := l.accept(',')
	if !l.accept('{') {
		if comma || l.peek() != lineEnd {
			return l.errorAt(start, fmt.Sprintf("the end of the line after %d values", values), show(l.text[start:]))
		}
		return nil
	}
	weight, err := l.token("the weight of the row", true)
	if err != nil {
		return err
	}
	if w, ok := parseNumber(weight.text); !ok || w != 1 {
		e := l.errorAt(weight.at, "rows of weight 1", show(weight.text))
		e.Hint = "weights of rows are not supported: take them out of the file"
		return e
	}
	if !l.accept('}') {
		return l.errorAt(l.at, "the brace } after the weight", show(l.text[l.at:]))
	}
	return l.end()
}

// sparseRow reads pairs of an attribute's index, from 0, and its value, separated by commas, up to the closing brace.
func (a *arff) sparseRow(l *arffLine) error {
	next := 0 // the first attribute without a value yet
	for !l.accept('}') {
		if next > 0 && !l.accept(',') {
			return l.errorAt(l.at, "a comma, or the brace } after the last value", show(l.text[l.at:]))
		}
		index, err := a.sparseIndex(l, next)
		if err != nil {
			return err
		}
		if err := a.addOmitted(l, next, index); err != nil {
			return err
		}
		value, err := l.token(wantValue, true)
		if err != nil {
			return a.nameColumn(err, index)
		}
		if err := a.add(l, index, value); err != nil {
			return err
		}
		next = index + 1
	}
	if err := a.addOmitted(l, next, len(a.table.Columns)); err != nil {
		return err
	}
	return l.weight(len(a.table.Columns))
}

// sparseIndex reads the index of an attribute, which must be next or greater.
func (a *arff) sparseIndex(l *arffLine, next int) (int, error) {
	word, err := l.token("the index of an attribute", true)
	if err != nil {
		return 0, err
	}
	index, err := strconv.Atoi(word.text)
	if err != nil || index < next || index >= len(a.table.Columns) {
		return 0, l.errorAt(word.at, fmt.Sprintf("the index of an attribute, %d to %d", next, len(a.table.Columns)-1),
			show(word.text))
	}
	return index, nil
}

// addOmitted adds the values that a sparse row omits to the columns from first up to, but without, limit.
func (a *arff) addOmitted(l *arffLine, first, limit int) error {
	for i := first; i < limit; i++ {
		switch c := &a.table.Columns[i]; {
		case a.attributes[i].isString:
			e := l.errorAt(l.at, "a value of attribute "+show(a.table.Columns[i].Name), "none")
			e.Hint = "a sparse row must name the values of all string attributes"
			return e
		case c.Kind == Nominal:
			c.addCode(0)
		default:
			c.addNumber(0)
		}
	}
	return nil
}

// add adds a value to column i.
func (a *arff) add(l *arffLine, i int, value arffToken) error {
	c, attribute := &a.table.Columns[i], &a.attributes[i]
	switch {
	case value.isMissing():
		c.addMissing()
	case c.Kind == Numeric:
		v, ok := parseNumber(value.text)
		if !ok {
			return l.errorAt(value.at, "a finite number or ? for attribute "+show(c.Name), show(value.text))
		}
		c.addNumber(v)
	case attribute.isString:
		if !attribute.values.add(c, value.text) {
			return tooManyNames(a.path, c.Name)
		}
	default:
		code, known := attribute.values.index[value.text]
		if !known {
			return l.errorAt(value.at, "one of the names of attribute "+show(c.Name)+" or ?", show(value.text))
		}
		c.addCode(code)
	}
	return nil
}
