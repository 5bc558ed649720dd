package array

import (
	"fmt"
	"io"
	"strings"

	"github.com/sbinet/npyio/npz"
)

// ReadNPZ reads the named arrays of a NumPy archive, stored or deflated, or all arrays if no name is given. Names are
// without .npy. It returns a [*FormatError] if the file is not an NPZ file or is damaged, a named array is missing, an
// array is one that [ReadNPY] refuses, or the arrays together exceed the available memory.
func ReadNPZ(path string, names ...string) (map[string]*Array, error) {
	f, size, err := openFile(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return parseNPZ(path, f, size, availableMemory(), names)
}

// npySuffix ends the names of entries that are arrays.
const npySuffix = ".npy"

// maxEntries bounds the entries of an archive, because npyio searches all of them for each array.
const maxEntries = 10000

// parseNPZ is ReadNPZ for the content of a file of size bytes, with limit in place of the available memory.
func parseNPZ(path string, r io.ReaderAt, size, limit int64, names []string) (map[string]*Array, error) {
	archive, err := npz.NewReader(r, size)
	if err != nil {
		return nil, &FormatError{
			Path: path, Offset: size, Want: "the table at the end of a zip archive", Got: "none",
			Hint: damaged, Err: err,
		}
	}
	held, err := entries(path, archive.Keys())
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		names = held
	}
	arrays := map[string]*Array{}
	for _, name := range names {
		if arrays[name] != nil {
			continue
		}
		a, err := readEntry(path, archive, held, name, limit)
		if err != nil {
			return nil, err
		}
		limit -= int64(len(a.Bytes))
		arrays[name] = a
	}
	return arrays, nil
}

// entries returns the names of the arrays among the entries of an archive.
func entries(path string, keys []string) ([]string, error) {
	if len(keys) > maxEntries {
		return nil, &FormatError{
			Path: path, Offset: NoOffset, Want: fmt.Sprintf("at most %d entries", maxEntries),
			Got: fmt.Sprint(len(keys)),
		}
	}
	var names []string
	known := map[string]bool{}
	for _, key := range keys {
		name, is := strings.CutSuffix(key, npySuffix)
		if !is {
			continue
		}
		if known[name] {
			return nil, &FormatError{
				Path: path, Offset: NoOffset, Want: "an array of each name",
				Got: fmt.Sprintf("two arrays %.100q", name),
			}
		}
		known[name] = true
		names = append(names, name)
	}
	return names, nil
}

// readEntry reads the array with that name.
func readEntry(path string, archive *npz.Reader, held []string, name string, limit int64) (*Array, error) {
	r, err := archive.Open(name + npySuffix)
	if err != nil {
		return nil, &FormatError{
			Path:   path,
			Offset: NoOffset,
			Want:   fmt.Sprintf("an array %q", name),
			Got:    fmt.Sprintf("the arrays %.200q", held),
			Err:    err,
		}
	}
	defer r.Close()
	a, err := parseNPY(fmt.Sprintf("%s (%s)", path, name), r, -1, limit)
	if err != nil {
		return nil, err
	}
	a.Name = name
	return a, nil
}
