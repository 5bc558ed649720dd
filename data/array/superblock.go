package array

import (
	"encoding/binary"
	"fmt"
	"io"
)

// hdf5Signature begins the superblock of an HDF5 file, at byte 0, 512, 1024, 2048 and
// so on.
const hdf5Signature = "\x89HDF\r\n\x1a\n"

// checkSuperblock checks that an HDF5 file of size bytes is at least as long as its
// superblock says. Only then does the C library open it.
func checkSuperblock(path string, r io.ReaderAt, size int64) error {
	at, err := findSuperblock(path, r, size)
	if err != nil {
		return err
	}
	end, err := readSuperblock(path, io.NewSectionReader(r, at, size-at), at)
	if err != nil {
		return err
	}
	if end > uint64(size) {
		return &FormatError{
			Path:   path,
			Offset: size,
			Want:   fmt.Sprintf("a file of %d bytes, as the superblock at byte %d says", end, at),
			Got:    fmt.Sprintf("%d", size),
			Hint:   damaged,
		}
	}
	return nil
}

// findSuperblock returns the byte where the signature begins.
func findSuperblock(path string, r io.ReaderAt, size int64) (at int64, err error) {
	var mark [len(hdf5Signature)]byte
	for ; at+int64(len(mark)) <= size; at = max(512, 2*at) {
		if n, err := r.ReadAt(mark[:], at); n < len(mark) {
			return 0, fmt.Errorf("array: reading %s: %w", path, err)
		}
		if string(mark[:]) == hdf5Signature {
			return at, nil
		}
	}
	return 0, &FormatError{
		Path:   path,
		Offset: 0,
		Want:   fmt.Sprintf("%q, which begins an HDF5 file", hdf5Signature),
		Got:    "none",
		Hint:   "the file is damaged, still compressed or not an HDF5 file",
	}
}

// superblockLayouts gives, for each version of the superblock, the byte that holds the width of an address, and the byte
// where the addresses begin. The third address is the end of the file.
var superblockLayouts = map[uint8]struct{ width, addresses int64 }{
	0: {13, 24},
	1: {13, 28},
	2: {9, 12},
	3: {9, 12},
}

// readSuperblock reads the superblock at a byte of the file, and returns the end of the file that it states.
func readSuperblock(path string, r *io.SectionReader, at int64) (end uint64, err error) {
	fail := func(byteOf int64, want, got string) error {
		return &FormatError{Path: path, Offset: at + byteOf, Want: want, Got: got, Hint: damaged}
	}
	var field [8]byte
	read := func(byteOf, size int64) error {
		n, err := r.ReadAt(field[:size], byteOf)
		switch {
		case int64(n) == size:
			return nil
		case err != io.EOF:
			return fmt.Errorf("array: reading %s: %w", path, err)
		}
		return fail(r.Size(), "the rest of a superblock of HDF5", "the end of the file")
	}

	const versionAt = int64(len(hdf5Signature))
	if err := read(versionAt, 1); err != nil {
		return 0, err
	}
	layout, known := superblockLayouts[field[0]]
	if !known {
		return 0, fail(versionAt, "version 0 to 3 of HDF5's superblock", fmt.Sprintf("version %d", field[0]))
	}
	if err := read(layout.width, 1); err != nil {
		return 0, err
	}
	width := int64(field[0])
	if width != 2 && width != 4 && width != 8 {
		return 0, fail(layout.width, "addresses of 2, 4 or 8 bytes", fmt.Sprintf("%d", width))
	}
	clear(field[:])
	if err := read(layout.addresses+2*width, width); err != nil {
		return 0, err
	}
	return binary.LittleEndian.Uint64(field[:]), nil
}
