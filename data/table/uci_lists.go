package table

import (
	"fmt"
	"strconv"
	"strings"
)

// parseUCIPairs reads pairs of lists of rows, a list a line. The lists of a
// pair have each of the rows 0 to rows-1 once.
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

// readUCIPair reads two lists.
func readUCIPair(l *lines, rows int) (pair [2][]int, err error) {
	seen := make([]bool, rows)
	for i := range pair {
		line, ok := nextList(l)
		if !ok {
			return pair, l.errorAtEnd("another line of numbers of rows", "the file is cut short")
		}
		if pair[i], err = readUCIList(l, line, seen); err != nil {
			return pair, err
		}
	}
	if found := len(pair[0]) + len(pair[1]); found < rows {
		e := l.errorAt(0, fmt.Sprintf("each of %d rows in one of the two lists up to here", rows),
			fmt.Sprintf("%d of them", found))
		e.Hint = "the file is cut short or of another set"
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

// readUCIList reads a list of rows, none of which was seen before.
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
