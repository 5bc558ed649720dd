package fetch

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// tarBlock is the size of a tar header.
const tarBlock = 512

// isTar reports whether a block is the header of a tar, by its checksum: the sum of all bytes, with those of the checksum
// counted as spaces. Old kinds of tar have no other mark.
func isTar(block []byte) bool {
	if len(block) < tarBlock || block[0] == 0 {
		return false
	}
	field := block[148:156]
	want, err := strconv.ParseInt(strings.Trim(string(field), " \x00"), 8, 64)
	if err != nil {
		return false
	}
	unsigned, signed := int64(0), int64(0)
	for i, c := range block {
		if i >= 148 && i < 156 {
			c = ' '
		}
		unsigned += int64(c)
		signed += int64(int8(c))
	}
	return want == unsigned || want == signed
}

// tar unpacks a tar up to the end of r.
func (u *unpacker) tar(r io.Reader) error {
	end := &watchedEnd{r: r}
	for tr := tar.NewReader(end); ; {
		h, err := tr.Next()
		if err == io.EOF {
			break
		}
		// This package checks the names itself, whatever GODEBUG=tarinsecurepath says.
		if err != nil && !errors.Is(err, tar.ErrInsecurePath) {
			return u.damaged("", err)
		}
		if err := u.tarEntry(h, tr); err != nil {
			return err
		}
	}
	if end.seen {
		return u.damaged("", errors.New("its end is missing"))
	}
	// Read to the end, so that the checksum of a compressed file is verified.
	if _, err := io.CopyBuffer(io.Discard, struct{ io.Reader }{r}, u.buf); err != nil {
		return u.damaged("", err)
	}
	return nil
}

func (u *unpacker) tarEntry(h *tar.Header, r io.Reader) error {
	switch h.Typeflag {
	case tar.TypeReg, tar.TypeGNUSparse:
		return u.file(h.Name, r)
	case tar.TypeDir:
		return u.emptyFolder(h.Name)
	case tar.TypeXGlobalHeader: // git writes the commit there
		return u.count()
	case tar.TypeSymlink, tar.TypeLink:
		return u.refuse(h.Name, "files and folders", "a link")
	}
	return u.refuse(h.Name, "files and folders", fmt.Sprintf("a device or the like, of type %q", h.Typeflag))
}

// emptyFolder makes a folder that the archive names.
func (u *unpacker) emptyFolder(entry string) error {
	name, err := u.name(entry)
	if err != nil {
		return err
	}
	if name == "." || u.folders[name] {
		return u.count()
	}
	return u.folder(name)
}

// watchedEnd records whether the reader was read to its end. If a tar is complete, archive/tar stops after the two empty
// blocks that end it.
type watchedEnd struct {
	r    io.Reader
	seen bool
}

// Read reads, and records the end.
func (w *watchedEnd) Read(b []byte) (int, error) {
	n, err := w.r.Read(b)
	w.seen = w.seen || n == 0 && err == io.EOF
	return n, err
}
