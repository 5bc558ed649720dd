package array

import (
	"bytes"
	"slices"
	"testing"
)

func checkHDF5(content []byte) error {
	return checkSuperblock("test.h5", bytes.NewReader(content), int64(len(content)))
}

func TestSuperblock(t *testing.T) {
	for file := range saidOf(t, ".h5") {
		whole := content(t, file)
		if err := checkHDF5(whole); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		if err := checkHDF5(append(whole, 1, 2, 3)); err != nil {
			t.Errorf("%s and three bytes: %v", file, err)
		}
		at := bytes.Index(whole, []byte(hdf5Signature))
		for n := range whole {
			want := int64(n)
			if n < at+len(hdf5Signature) {
				want = 0 // nothing says that it is an HDF5 file
			}
			wantFormatError(t, checkHDF5(whole[:n]), want, "")
		}
	}
}

// superblockFile returns a file that consists of a superblock of the given version. Its addresses are of width bytes,
// and end is the address where it says that the file ends.
func superblockFile(version byte, width int, end byte) []byte {
	b := append([]byte(hdf5Signature), make([]byte, 56)...)
	b[8] = version
	switch version {
	case 0, 1:
		b[13], b[24+4*int(version)+2*width] = byte(width), end
	default:
		b[9], b[12+2*width] = byte(width), end
	}
	return b
}

func TestSuperblockVersions(t *testing.T) {
	for version := range byte(4) {
		for _, width := range []int{2, 4, 8} {
			for _, before := range []int{0, 512, 1024, 4096} {
				good := append(make([]byte, before), superblockFile(version, width, 64)...)
				if err := checkHDF5(good); err != nil {
					t.Errorf("version %d, addresses of %d bytes, after %d: %v", version, width, before, err)
				}
			}
			wantFormatError(t, checkHDF5(superblockFile(version, width, 65)), 64, "a file of 65 bytes")
		}
	}
	wantFormatError(t, checkHDF5(superblockFile(4, 8, 64)), 8, "version 4")
	wantFormatError(t, checkHDF5(superblockFile(0, 3, 64)), 13, "addresses of 2, 4 or 8 bytes, found 3")
	wantFormatError(t, checkHDF5(superblockFile(2, 16, 64)), 9, "found 16")
	undefined := superblockFile(0, 8, 0xff)
	copy(undefined[40:], slices.Repeat([]byte{0xff}, 8))
	wantFormatError(t, checkHDF5(undefined), 64, "18446744073709551615")
	wantFormatError(t, checkHDF5(append(make([]byte, 100), hdf5Signature...)), 0, "still compressed")
}
