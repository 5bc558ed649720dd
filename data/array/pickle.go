package array

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/ansatz-lab/ansatz/internal/pickle"
)

// A Dict holds the values of a pickled Python dict whose keys are str or bytes. It does not distinguish the two, since
// Python 2 and 3 write different ones for the same text. Its methods return the value under a key or, if that is missing
// or has another type, a [*FormatError] that names the key, what was expected and what was found. Several goroutines may
// call them at a time.
type Dict struct {
	path   string
	size   int64 // bytes of the file
	keys   []string
	values map[string]any
}

// ReadPickle reads the file at path, which must begin with a pickled dict of NumPy arrays, numbers, texts and lists of
// these, like the batches of CIFAR and the downsampled ImageNet. It supports protocols 0 to 5, written by Python 2 or 3
// and by NumPy 1 or 2. It never runs code from the pickle: a value that is neither plain nor an array is an error when
// it is requested.
//
// The elements of arrays are in memory once, as in the file; [Dict.Array] says when it makes a copy.
//
// It returns a [*FormatError], with the byte at fault, if the file is no such pickle, is damaged or exceeds [MaxBytes].
// It ignores everything after the pickle, as Python does.
func ReadPickle(path string) (*Dict, error) {
	f, size, err := openFile(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readPickle(path, f, size)
}

// readPickle reads a pickled dict from r, which has size bytes.
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

// get returns the value under a key, or an error that says that want was expected there.
func (d *Dict) get(key, want string) (any, error) {
	v, ok := d.values[key]
	if !ok {
		return nil, d.misfit(key, want, d.listKeys(), "")
	}
	return v, nil
}

// misfit returns the error of a key that is missing, or whose value has the wrong type.
func (d *Dict) misfit(key, want, got, hint string) error {
	return &FormatError{Path: d.path, Offset: NoOffset, Want: fmt.Sprintf("%s under %q", want, key),
		Got: got, Hint: hint}
}

// Array returns the array under a key, with the key as its name. A NumPy number is an array without dimensions.
//
// Its Bytes share the memory of d and must not be changed. They are a copy if the array is short, if its numbers are
// big-endian, or if Python 3 wrote it in a protocol before 3: these have no bytes, and store an array as a text of up to
// twice the length.
func (d *Dict) Array(key string) (*Array, error) {
	a, err := single(d, key, "an array", func(v any) (*ndarray, bool) {
		a, ok := v.(*ndarray)
		return a, ok
	})
	if err != nil {
		return nil, err
	}
	read, wrong := a.read()
	if wrong != nil {
		return nil, d.misfit(key, wrong.want, wrong.got, wrong.hint)
	}
	read.Name = key
	return read, nil
}

// Ints returns the integers under a key: a list, a tuple, or an array of one dimension.
func (d *Dict) Ints(key string) ([]int, error) {
	const want = "a list of integers"
	if a, ok := d.values[key].(*ndarray); ok {
		read, err := d.Array(key)
		if err != nil {
			return nil, err
		}
		if len(read.Shape) != 1 || read.Type.isFloat() {
			return nil, d.misfit(key, want, a.describe(), "")
		}
		all, err := read.Ints()
		var bad *FormatError
		if errors.As(err, &bad) {
			return nil, d.misfit(key, want, bad.Got, "")
		}
		return all, nil
	}
	return list(d, key, want, asInt)
}

// Strings returns the list or tuple of texts under a key, such as the names of classes or files. A str of Python 2, or
// bytes, become a string of the same bytes. Each text may have 4096 bytes. Together they may have 16 times the bytes of
// the file, or 16 MiB if that is more, because a hostile pickle can repeat one text without end.
func (d *Dict) Strings(key string) ([]string, error) {
	left := max(16*d.size, 16<<20)
	return list(d, key, "a list of texts", func(v any) (string, bool) {
		s, ok := pickle.Text(v)
		left -= int64(len(s))
		return s, ok && left >= 0
	})
}

// Int returns the integer under a key.
func (d *Dict) Int(key string) (int, error) { return single(d, key, "an integer", asInt) }

// Float returns the number under a key: a float or an integer.
func (d *Dict) Float(key string) (float64, error) { return single(d, key, "a number", asFloat) }

// Text returns the text, str or bytes under a key, of at most 4096 bytes.
func (d *Dict) Text(key string) (string, error) { return single(d, key, "a text", pickle.Text) }

// single converts the value under a key with as; want names the expected type in errors.
func single[T any](d *Dict, key, want string, as func(any) (T, bool)) (T, error) {
	v, err := d.get(key, want)
	if err != nil {
		return *new(T), err
	}
	out, ok := as(v)
	if !ok {
		return *new(T), d.misfit(key, want, describePickled(v), "")
	}
	return out, nil
}

// list converts the items of the list or tuple under a key with as; want names the expected type in errors.
func list[T any](d *Dict, key, want string, as func(any) (T, bool)) ([]T, error) {
	items, err := single(d, key, want, pickle.Sequence)
	if err != nil {
		return nil, err
	}
	out := make([]T, len(items))
	for i, item := range items {
		var ok bool
		if out[i], ok = as(item); !ok {
			return nil, d.misfit(key, want, fmt.Sprintf("%s at index %d", describePickled(item), i), "")
		}
	}
	return out, nil
}
