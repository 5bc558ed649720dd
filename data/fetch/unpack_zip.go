package fetch

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"os"
)

// zip unpacks a zip archive. Entries may overlap; the limits count the bytes that are written.
func (u *unpacker) zip(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return onDisk(u.archive, err)
	}
	// In memory the directory takes several times its size on disk, for which 128 bytes per entry are ample.
	m := &metered{r: f, left: 1<<20 + saturated(128, int64(u.limits.Entries)),
		over: u.refuse("", "a smaller directory", "more")}
	zr, err := zip.NewReader(m, info.Size())
	// This package checks the names itself, whatever GODEBUG=zipinsecurepath says.
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return err
	}
	m.left = -1
	if err := u.promised(zr); err != nil {
		return err
	}
	for _, z := range zr.File {
		if err := u.zipEntry(z); err != nil {
			return err
		}
	}
	return nil
}

// promised returns an error if the sizes in the directory already exceed the limits or the free space.
func (u *unpacker) promised(zr *zip.Reader) error {
	if n := len(zr.File); n > u.limits.Entries {
		return u.refuse("", fmt.Sprintf("at most %d files and folders", u.limits.Entries), fmt.Sprint(n))
	}
	var total int64
	for _, z := range zr.File {
		total += int64(min(z.UncompressedSize64, 1<<61))
		if err := u.spend(total); err != nil {
			return err
		}
	}
	return u.free(total)
}

func (u *unpacker) zipEntry(z *zip.File) error {
	const encrypted = 1
	mode := z.Mode()
	switch {
	case z.Flags&encrypted != 0:
		return u.refuse(z.Name, "a file without a password", "an encrypted one")
	case mode.IsDir():
		return u.emptyFolder(z.Name)
	case mode&os.ModeSymlink != 0:
		return u.refuse(z.Name, "files and folders", "a link")
	case !mode.IsRegular():
		return u.refuse(z.Name, "files and folders", fmt.Sprintf("a device or the like, of mode %v", mode))
	}
	r, err := z.Open()
	if err != nil {
		return u.damaged(z.Name, err)
	}
	return errors.Join(u.file(z.Name, r), r.Close())
}

// metered bounds the bytes read from a file; it stops bounding them when left is set to -1.
type metered struct {
	r    io.ReaderAt
	left int64
	over error
}

// ReadAt reads, and returns m.over beyond the bound.
func (m *metered) ReadAt(b []byte, offset int64) (int, error) {
	if m.left >= 0 {
		if m.left -= int64(len(b)); m.left < 0 {
			m.left = 0
			return 0, m.over
		}
	}
	return m.r.ReadAt(b, offset)
}
