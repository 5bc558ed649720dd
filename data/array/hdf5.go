//go:build hdf5

package array

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"sync"

	"gonum.org/v1/hdf5"
)

// library is held while the C library works, which knows no threads.
var library sync.Mutex

// inLibrary calls f while nothing else uses the C library. The library prints
// the errors that it returns unless told otherwise, in some builds each thread
// for itself.
func inLibrary(f func() error) error {
	library.Lock()
	defer library.Unlock()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := hdf5.DisplayErrors(false); err != nil {
		return err
	}
	return f()
}

// HDF5Available reports whether this build reads HDF5 files.
func HDF5Available() bool { return true }

// HDF5 is an open HDF5 file. Many goroutines may use it.
//
// The superblock is checked before the C library sees the file. What else is in
// it is the library's to read, which may die, and the process with it, where its
// own structures are damaged, and follows links to other files: check the digest
// of a file that comes from elsewhere first.
type HDF5 struct {
	path string
	file *hdf5.File // nil once closed
	sets []*hdf5.Dataset
}

// OpenHDF5 opens the HDF5 file of that path. It returns a [*FormatError] if the
// file is no HDF5 file, damaged or cut short, and [ErrNoHDF5] where HDF5 is not
// built in.
func OpenHDF5(path string) (*HDF5, error) {
	if err := checkFile(path); err != nil {
		return nil, err
	}
	h := &HDF5{path: path}
	err := inLibrary(func() (err error) {
		h.file, err = hdf5.OpenFile(path, hdf5.F_ACC_RDONLY)
		return err
	})
	if err != nil {
		return nil, &FormatError{
			Path:   path,
			Offset: NoOffset,
			Want:   "a file that the HDF5 library opens",
			Got:    "another",
			Hint:   damaged + "; on a file system without locks, set HDF5_USE_FILE_LOCKING=FALSE",
			Err:    err,
		}
	}
	return h, nil
}

// checkFile checks the superblock of the file of that path.
func checkFile(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("array: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("array: %w", err)
	}
	return checkSuperblock(path, f, info.Size())
}

// fail returns an error of the C library, which does not say where it arose.
func (h *HDF5) fail(want, got string, err error) error {
	const hint = "the file is another one or damaged: fetch it again"
	return &FormatError{Path: h.path, Offset: NoOffset, Want: want, Got: got, Hint: hint, Err: err}
}

// Array returns the array of that name, or of that path through groups. It
// returns a [*FormatError] if there is none, or none of real numbers.
func (h *HDF5) Array(name string) (s *Slab, err error) {
	err = inLibrary(func() error {
		s, err = h.open(name)
		return err
	})
	return s, err
}

// chunkCache is the bytes that the library may keep of the chunks of an array.
// Its default of 1 MiB would inflate a chunk of many rows again for each.
const chunkCache = 64 << 20

// open is Array in the library.
func (h *HDF5) open(name string) (*Slab, error) {
	if h.file == nil {
		return nil, errClosed(h.path)
	}
	access, err := hdf5.NewPropList(hdf5.P_DATASET_ACCESS)
	if err != nil {
		return nil, fmt.Errorf("array: %w", err)
	}
	defer access.Close()
	if err := access.SetChunkCache(hdf5.D_CHUNK_CACHE_NSLOTS_DEFAULT, chunkCache,
		hdf5.D_CHUNK_CACHE_W0_DEFAULT); err != nil {
		return nil, fmt.Errorf("array: %w", err)
	}
	set, err := h.file.OpenDatasetWith(name, access)
	if err != nil {
		return nil, h.fail(fmt.Sprintf("an array %q", name), "none that the HDF5 library opens", err)
	}
	s, big, err := h.describe(name, set)
	if err != nil {
		set.Close()
		return nil, err
	}
	h.sets = append(h.sets, set)
	s.rows = func(lo, hi int, dst []byte) error {
		return inLibrary(func() error { return h.read(s, set, big, lo, hi, dst) })
	}
	return s, nil
}

func errClosed(path string) error { return fmt.Errorf("array: %s: %w", path, fs.ErrClosed) }

// Close closes the file. Its arrays cannot be read any more.
func (h *HDF5) Close() error {
	return inLibrary(func() error {
		if h.file == nil {
			return nil
		}
		var errs []error
		for _, set := range h.sets {
			errs = append(errs, set.Close())
		}
		errs = append(errs, h.file.Close())
		h.file, h.sets = nil, nil
		return errors.Join(errs...)
	})
}
