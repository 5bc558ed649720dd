package array

import (
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/ansatz-lab/ansatz/internal/pickle"
)

// A Dict is what a pickled Python dict holds under those of its keys that are texts
// or bytes; Python 2 writes the one and Python 3 the other, and they are not told
// apart here. Its methods give what is under a key or, if that is missing or of
// another kind, a [*FormatError] that names the key, what was expected and what was
// found. Several goroutines may call them at a time.
type Dict struct {
	path   string
	size   int64 // of the file
	keys   []string
	values map[string]any
}

// ReadPickle reads the file at path, which begins with a pickled dict of NumPy
// arrays, numbers, texts and lists of these, as CIFAR's and the downsampled
// ImageNet's batches do. It knows the protocols 0 to 5, written by Python 2 or 3
// and by NumPy 1 or 2. Nothing that the pickle says is run: what is no plain value
// or array is an error where it is asked for.
//
// The elements of arrays are in memory once, as they are in the file; see
// [Dict.Array] for what it adds.
//
// It returns a [*FormatError], with the byte at fault, if the file is no such pickle,
// is damaged or exceeds [MaxBytes]. What follows the pickle is ignored, as in Python.
func ReadPickle(path string) (*Dict, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("array: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("array: %w", err)
	}
	return readPickle(path, f, info.Size())
}

// readPickle reads a pickled dict from r, which holds size bytes.
func readPickle(path string, r io.Reader, size int64) (*Dict, error) {
	program, err := pickle.Scan(r, size, MaxBytes)
	if err != nil {
		return nil, pickleFailed(path, err)
	}
	v, err := program.Run(numpy{})
	if err != nil {
		return nil, &FormatError{Path: path, Want: "a pickle", Got: "one that cannot be run", Hint: damaged, Err: err}
	}
	entries, ok := pickle.Entries(v)
	if !ok {
		return nil, &FormatError{Path: path, Want: "a pickled dict", Got: describePickled(v), Hint: hintPickleDict}
	}
	d := &Dict{path: path, size: size, values: make(map[string]any)}
	for _, e := range entries {
		key, ok := pickle.Text(e.Key)
		if !ok {
			continue
		}
		if _, again := d.values[key]; !again {
			d.keys = append(d.keys, key)
		}
		d.values[key] = e.Value
	}
	return d, nil
}

// Keys returns the keys of d in the order of the file.
func (d *Dict) Keys() []string { return slices.Clone(d.keys) }

// Has reports whether there is anything under a key.
func (d *Dict) Has(key string) bool {
	_, ok := d.values[key]
	return ok
}

// get returns what is under a key, where want is expected.
func (d *Dict) get(key, want string) (any, error) {
	v, ok := d.values[key]
	if !ok {
		return nil, d.misfit(key, want, d.listKeys(), "")
	}
	return v, nil
}

// misfit returns the error of what is not what was wanted under a key.
func (d *Dict) misfit(key, want, got, hint string) error {
	return &FormatError{Path: d.path, Offset: noOffset, Want: fmt.Sprintf("%s under %q", want, key),
		Got: got, Hint: hint}
}
