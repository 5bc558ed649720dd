package fetch

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/klauspost/compress/gzip"
)

// The first bytes of the kinds of archives, except tar.
var (
	magicZip      = []byte("PK\x03\x04")
	magicEmptyZip = []byte("PK\x05\x06")
	magicGzip     = []byte("\x1f\x8b")
	magicBzip2    = []byte("BZh")
)

// unpack writes the files of an archive of any kind. name is the name of the archive, from which the name of a single
// compressed file is derived.
func (u *unpacker) unpack(f *os.File, name string) error {
	head := make([]byte, tarBlock)
	n, err := f.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return onDisk(u.archive, err)
	}
	head = head[:n]
	switch {
	case bytes.HasPrefix(head, magicZip), bytes.HasPrefix(head, magicEmptyZip):
		err = u.zip(f)
	case bytes.HasPrefix(head, magicGzip):
		u.read = newStream(u.ctx, f)
		// NewReader already reads the header.
		var z *gzip.Reader
		if z, err = gzip.NewReader(u.read); err == nil {
			err = u.inflated(z, name)
		}
	case bytes.HasPrefix(head, magicBzip2):
		u.read = newStream(u.ctx, f)
		err = u.inflated(bzip2.NewReader(u.read), name)
	case isTar(head):
		u.read = newStream(u.ctx, f)
		err = u.tar(u.read)
	default:
		err = &Error{Path: u.archive, Offset: 0, Want: "a zip, tar, gzip or bzip2 archive",
			Got:  fmt.Sprintf("%q", head[:min(len(head), 16)]),
			Hint: "remove it and run it again to have it fetched anew"}
	}
	if err == nil && len(u.files) == 0 {
		err = u.refuse("", "at least one file", "none")
	}
	if err != nil {
		return u.damaged("", err)
	}
	return nil
}

// inflated unpacks the content of a compressed file: a tar, or one file.
func (u *unpacker) inflated(r io.Reader, name string) error {
	b := bufio.NewReaderSize(&bounded{u: u, r: r}, 64<<10)
	head, err := b.Peek(tarBlock)
	if err != nil && err != io.EOF {
		return err
	}
	if isTar(head) {
		return u.tar(b)
	}
	return u.file(inflatedName(name), b)
}

// inflatedName returns the name of the file in the compressed file name.
func inflatedName(name string) string {
	base := path.Base(name)
	switch ext := strings.ToLower(path.Ext(base)); ext {
	case ".gz", ".bz2", ".tgz", ".tbz2":
		if stem := base[:len(base)-len(ext)]; stem != "" && stem != "." {
			return stem
		}
	}
	return base + ".unpacked"
}

// unpacker writes the files of one archive into an empty folder.
type unpacker struct {
	ctx     context.Context
	archive string // for messages
	root    *os.Root
	limits  Limits
	free    func(need int64) error // returns an error if the disk lacks room for need bytes

	read    *stream // the archive; nil for zip
	written int64
	entries int
	folders map[string]bool
	files   []Entry // with paths relative to root
	buf     []byte
}

func newUnpacker(ctx context.Context, archive string, root *os.Root, l Limits) *unpacker {
	return &unpacker{ctx: ctx, archive: archive, root: root, limits: l, folders: map[string]bool{},
		free: func(int64) error { return nil }, buf: make([]byte, 128<<10)}
}

// name checks an entry's name and returns its shortest form; "." means the folder
// itself.
func (u *unpacker) name(entry string) (string, error) {
	if len(entry) > u.limits.Name {
		return "", u.refuse(entry[:u.limits.Name], fmt.Sprintf("a name of at most %d bytes", u.limits.Name),
			fmt.Sprint(len(entry)))
	}
	if why := unsafeName(entry); why != "" {
		return "", u.refuse(entry, "a name that stays in the folder", why)
	}
	clean := path.Clean(entry)
	if depth := strings.Count(clean, "/") + 1; depth > u.limits.Depth {
		return "", u.refuse(entry, fmt.Sprintf("at most %d nested folders", u.limits.Depth), fmt.Sprint(depth))
	}
	return clean, nil
}

// count counts an entry, and returns an error if there are too many.
func (u *unpacker) count() error {
	if u.entries++; u.entries > u.limits.Entries {
		return u.refuse("", fmt.Sprintf("at most %d files and folders", u.limits.Entries), "more")
	}
	return u.ctx.Err()
}

// spend returns an error if total bytes exceed the limit.
func (u *unpacker) spend(total int64) error {
	if total > u.limits.Bytes {
		return u.refuse("", fmt.Sprintf("an archive that inflates to at most %d bytes", u.limits.Bytes), "more")
	}
	return u.ctx.Err()
}

// folder makes a folder and those above it.
func (u *unpacker) folder(name string) error {
	if name == "." || u.folders[name] {
		return nil
	}
	if err := u.folder(path.Dir(name)); err != nil {
		return err
	}
	if err := u.count(); err != nil {
		return err
	}
	if err := u.root.Mkdir(name, 0o755); err != nil {
		return u.unwritten(name, err)
	}
	u.folders[name] = true
	return nil
}

// file writes the file of an entry, whose content is r, and records its size and digest.
func (u *unpacker) file(entry string, r io.Reader) error {
	name, err := u.name(entry)
	if err != nil {
		return err
	}
	if err := u.folder(path.Dir(name)); err != nil {
		return err
	}
	if err := u.count(); err != nil {
		return err
	}
	f, err := u.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return u.unwritten(name, err)
	}
	h := sha256.New()
	in := &spender{u: u, r: r}
	n, err := io.CopyBuffer(io.MultiWriter(f, h), in, u.buf)
	if in.err != nil {
		return errors.Join(u.damaged(entry, in.err), f.Close())
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return u.unwritten(name, err)
	}
	u.files = append(u.files, Entry{Path: name, Bytes: n, SHA256: Sum(h.Sum(nil))})
	return nil
}

// spender counts the bytes of a file, and separates errors of reading from those of writing.
type spender struct {
	u   *unpacker
	r   io.Reader
	err error // of reading, except io.EOF
}

// Read reads within the unpacker's limits.
func (s *spender) Read(b []byte) (int, error) {
	n, err := s.r.Read(b)
	s.u.written += int64(n)
	if e := s.u.spend(s.u.written); e != nil {
		n, err = 0, e
	}
	if err != nil && err != io.EOF {
		s.err = err
	}
	return n, err
}

// where names an entry of the archive, or the archive if entry is "", for messages.
func (u *unpacker) where(entry string) string {
	if entry == "" {
		return u.archive
	}
	return fmt.Sprintf("%s: %q", u.archive, entry)
}

func (u *unpacker) offset() int64 {
	if u.read == nil {
		return noOffset
	}
	return u.read.n
}

func (u *unpacker) refuse(entry, want, got string) error {
	return &Error{Path: u.where(entry), Offset: u.offset(), Want: want, Got: got,
		Hint: "nothing was unpacked; if you trust the archive, unpack it by hand"}
}

// damaged returns the error of an archive that cannot be read. It returns errors of this package or of the context as
// they are.
func (u *unpacker) damaged(entry string, err error) error {
	if e := (*Error)(nil); errors.As(err, &e) || u.ctx.Err() != nil {
		return err
	}
	return &Error{Path: u.where(entry), Offset: u.offset(), Want: "a whole archive", Err: err,
		Hint: "remove it and run it again to have it fetched anew"}
}

func (u *unpacker) unwritten(name string, err error) error {
	if errors.Is(err, fs.ErrExist) {
		return u.refuse(name, "each name once", "it twice, or in two letter cases on a disk that ignores case")
	}
	return onDisk(u.where(name), err)
}
