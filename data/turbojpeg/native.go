//go:build native && cgo && !windows

package turbojpeg

/*
#cgo LDFLAGS: -ldl
#include "library.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"unsafe"
)

// load opens the library at its first call.
var load = sync.OnceValue(func() *C.library {
	l := C.library_open()
	return &l
})

// Available reports whether the library was found.
func Available() bool { return load().open != 0 }

// Version returns the file name of the library, which ends in its version, such as
// "libturbojpeg.so.0.2.0"; "" if the library was not found.
func Version() string {
	if !Available() {
		return ""
	}
	path := C.GoString(C.library_path(load()))
	if file, err := filepath.EvalSymlinks(path); err == nil {
		path = file
	}
	return filepath.Base(path)
}

// Decode decodes a JPEG to the red, green and blue byte of every pixel, row by row.
// Grey becomes equal red, green and blue. It calls allocate once, with the width and
// height of the image, each from 1 to 65500; allocate must return 3·width·height
// bytes. Decode returns an error of allocate unchanged.
//
// It returns an error also where the library only warns, for example about a file
// that is cut off, after 500 scans of a progressive JPEG, and for the colours of
// printers (CMYK). The content of the memory is then unspecified.
func Decode(raw []byte, allocate func(width, height int) ([]uint8, error)) error {
	if len(raw) == 0 {
		return errors.New("turbojpeg: an empty file")
	}
	if !Available() {
		return ErrUnavailable
	}
	// A reused decompressor would keep the tables of the previous image. Making a
	// new one takes a thousandth of the time of decoding.
	handle := C.library_init(load())
	if handle == nil {
		return errors.New("turbojpeg: no memory for a decompressor")
	}
	defer C.library_destroy(load(), handle)
	size := C.ulong(len(raw))
	var w, h C.int
	if C.library_header(load(), handle, first(raw), size, &w, &h) != 0 {
		return failure(handle)
	}
	if w < 1 || h < 1 {
		return errors.New("turbojpeg: a file of tables, without an image")
	}
	dst, err := allocate(int(w), int(h))
	if err != nil {
		return err
	}
	if want := 3 * int(w) * int(h); len(dst) != want {
		return fmt.Errorf("turbojpeg: an image of %d×%d pixels takes %d bytes, not %d", w, h, want, len(dst))
	}
	if C.library_decode(load(), handle, first(raw), size, first(dst), w, h) != 0 {
		return failure(handle)
	}
	return nil
}

func first(b []byte) *C.uchar { return (*C.uchar)(unsafe.SliceData(b)) }

// failure returns the last error of a decompressor.
func failure(handle unsafe.Pointer) error {
	return fmt.Errorf("turbojpeg: %s", C.GoString(C.library_error(load(), handle)))
}
