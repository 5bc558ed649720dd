package table

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// uciHeader is the content of NAME.txt.
type uciHeader struct {
	inputs, classes int
	files           []uciFile
}

// uciFile is a table of a set.
type uciFile struct {
	name string
	rows int
}

// maxUCIClasses bounds the number of classes in a header; the sets have 100 at most.
const maxUCIClasses = 1 << 16

// parseUCIHeader reads lines "key= value". It ignores unknown keys.
func parseUCIHeader(path, text string) (*uciHeader, error) {
	l := newLines(path, text)
	values, err := uciValues(&l)
	if err != nil {
		return nil, err
	}
	h := &uciHeader{files: []uciFile{{name: values["fich1"].text}}}
	if second, there := values["fich2"]; there {
		h.files = append(h.files, uciFile{name: second.text})
	}
	counts := map[string]*int{"n_entradas": &h.inputs, "n_clases": &h.classes}
	for i := range h.files {
		counts[fmt.Sprintf("n_patrons%d", i+1)] = &h.files[i].rows
	}
	for _, key := range slices.Sorted(maps.Keys(counts)) {
		if *counts[key], err = values[key].count(&l, key); err != nil {
			return nil, err
		}
	}
	if err := h.check(&l, values); err != nil {
		return nil, err
	}
	return h, nil
}

// uciValue is a value of a header, and its place in the file.
type uciValue struct {
	text         string
	line, offset int
}

// uciValues returns the values of a header by key.
func uciValues(l *lines) (map[string]uciValue, error) {
	values := map[string]uciValue{}
	for line, ok := l.scan(); ok; line, ok = l.scan() {
		if strings.TrimSpace(line) == "" {
			continue
		}
		key, value, found := strings.Cut(line, "=")
		key = strings.TrimSpace(key)
		if _, again := values[key]; !found || again {
			return nil, l.errorAt(0, "a line \"key= value\" for each key", show(line))
		}
		values[key] = uciValue{strings.TrimSpace(value), l.number, l.start}
	}
	return values, nil
}

// count returns a value as a positive number.
func (v uciValue) count(l *lines, key string) (int, error) {
	if v.line == 0 {
		return 0, l.errorAtEnd("a line \""+key+"= \" and a number", "")
	}
	n, err := strconv.Atoi(v.text)
	if err != nil || n < 1 || n > maxCells {
		return 0, v.error(l, fmt.Sprintf("a number from 1 to %d for %s", maxCells, key))
	}
	return n, nil
}

// error returns the error of a value that is not as expected.
func (v uciValue) error(l *lines, want string) *FormatError {
	return &FormatError{Path: l.path, Line: v.line, Offset: int64(v.offset), Want: want, Got: show(v.text)}
}

// check fails if the header contradicts itself or exceeds a limit.
func (h *uciHeader) check(l *lines, values map[string]uciValue) error {
	for i, file := range h.files {
		key := fmt.Sprintf("fich%d", i+1)
		if values[key].line == 0 {
			return l.errorAtEnd("a line \""+key+"= \" and the name of a file", "")
		}
		if file.name != filepath.Base(file.name) || !filepath.IsLocal(file.name) ||
			strings.ContainsAny(file.name, `/\`) {
			return values[key].error(l, "the name of a file in the folder for "+key)
		}
	}
	if n, said := values["n_arquivos"]; said && n.text != strconv.Itoa(len(h.files)) {
		return n.error(l, fmt.Sprintf("%d for n_arquivos, the number of file names (1 or 2)", len(h.files)))
	}
	if h.inputs >= maxColumns {
		return values["n_entradas"].error(l, fmt.Sprintf("fewer than %d inputs", maxColumns))
	}
	if h.classes > maxUCIClasses {
		return values["n_clases"].error(l, fmt.Sprintf("at most %d classes", maxUCIClasses))
	}
	for i, file := range h.files {
		if !fits(file.rows, h.inputs+1) {
			return values[fmt.Sprintf("n_patrons%d", i+1)].error(l,
				fmt.Sprintf("a table of at most %d cells", maxCells))
		}
	}
	return nil
}
