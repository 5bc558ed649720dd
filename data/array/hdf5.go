//go:build hdf5

package array

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"

	"github.com/ansatz-lab/ansatz/internal/isolate"
)

// HDF5Available reports whether this build reads HDF5 files.
func HDF5Available() bool { return true }

// HDF5 is an open HDF5 file. Many goroutines may use it.
//
// The C library reads it in a separate process, because it may crash on a damaged file;
// a crash becomes a [*FormatError]. The library follows links to other files, so check
// the digest of a file from elsewhere first.
type HDF5 struct {
	path string

	mutex   sync.Mutex // held during a request
	process *isolate.Process
	answers *bufio.Reader
	err     error // if set, every request returns it: the file is closed, or the process has crashed
}

// OpenHDF5 opens an HDF5 file. It returns a [*FormatError] if the file is not an HDF5 file, or is damaged or cut short,
// and [ErrNoHDF5] in a build without HDF5.
func OpenHDF5(path string) (*HDF5, error) {
	if err := checkFile(path); err != nil {
		return nil, err
	}
	p, err := isolate.Start(hdf5Part)
	if err != nil {
		return nil, fmt.Errorf("array: reading %s: %w", path, err)
	}
	h := &HDF5{path: path, process: p, answers: bufio.NewReaderSize(p, longestAnswer)}
	if _, err := h.ask(hdf5Request{Open: path}, nil); err != nil {
		return nil, errors.Join(err, h.Close())
	}
	return h, nil
}

// checkFile checks the superblock of a file.
func checkFile(path string) error {
	f, size, err := openFile(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return checkSuperblock(path, f, size)
}

// Array returns the array with that name, or with that path through groups. It returns
// a [*FormatError] if there is no such array, or it does not hold real numbers.
func (h *HDF5) Array(name string) (*Slab, error) {
	a, err := h.ask(hdf5Request{Array: name}, nil)
	if err != nil {
		return nil, err
	}
	s := &Slab{Name: name, Type: a.Type, Shape: a.Shape}
	s.rows = func(lo, hi int, dst []byte) error { return h.readRows(s, lo, hi, dst) }
	return s, nil
}

// blockBytes bounds the bytes of rows in one answer, unless a single row has more.
const blockBytes = 16 << 20

// readRows reads rows in blocks.
func (h *HDF5) readRows(s *Slab, lo, hi int, dst []byte) error {
	row := s.RowBytes()
	step := max(1, blockBytes/row)
	for ; lo < hi; lo += step {
		end := min(lo+step, hi)
		if _, err := h.ask(hdf5Request{Array: s.Name, Rows: true, From: lo, To: end}, dst[:(end-lo)*row]); err != nil {
			return err
		}
		dst = dst[(end-lo)*row:]
	}
	return nil
}

// Close closes the file and ends its process. After that its arrays cannot be read.
func (h *HDF5) Close() error {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if h.err != nil {
		return nil
	}
	h.err = fmt.Errorf("array: %s: %w", h.path, fs.ErrClosed)
	if err := h.process.Close(); err != nil {
		return fmt.Errorf("array: closing %s: %w", h.path, err)
	}
	return nil
}

// ask lets the other process answer a request, and reads rows into dst.
func (h *HDF5) ask(r hdf5Request, dst []byte) (*hdf5Answer, error) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if h.err != nil {
		return nil, h.err
	}
	a, err := h.exchange(r, dst)
	if err != nil {
		h.err = &FormatError{
			Path: h.path, Offset: NoOffset, Want: r.describe(), Got: "a file on which the HDF5 library crashes",
			Hint: damaged, Err: cmp.Or(h.process.Close(), err),
		}
		return nil, h.err
	}
	if f := a.Fault; f != nil {
		e := &FormatError{Path: h.path, Offset: NoOffset, Want: f.Want, Got: f.Got, Hint: f.Hint}
		if f.Cause != "" {
			e.Err = errors.New(f.Cause)
		}
		return nil, e
	}
	return a, nil
}

// exchange sends a request and reads the answer. It returns an error if the process has crashed.
func (h *HDF5) exchange(r hdf5Request, dst []byte) (*hdf5Answer, error) {
	if err := json.NewEncoder(h.process).Encode(r); err != nil {
		return nil, err
	}
	line, err := h.answers.ReadSlice('\n')
	if err != nil {
		return nil, err
	}
	a := &hdf5Answer{}
	if err := json.Unmarshal(line, a); err != nil || a.Fault != nil {
		return a, err
	}
	_, err = io.ReadFull(h.answers, dst)
	return a, err
}
