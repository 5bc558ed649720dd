package fetch

import (
	"bufio"
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"os"
	"strings"
)

// Sum is a SHA-256 digest.
type Sum [sha256.Size]byte

// String returns the digest in hexadecimal.
func (s Sum) String() string { return hex.EncodeToString(s[:]) }

// sums computes the digests of a file during its download: always SHA-256, and MD5 if only that is known.
type sums struct{ sha, md5 hash.Hash }

func newSums(f File) *sums {
	s := &sums{sha: sha256.New()}
	if f.SHA256 == "" && f.MD5 != "" {
		s.md5 = md5.New()
	}
	return s
}

// Write adds b to the digests; it never fails.
func (s *sums) Write(b []byte) (int, error) {
	s.sha.Write(b)
	if s.md5 != nil {
		s.md5.Write(b)
	}
	return len(b), nil
}

func (s *sums) reset() {
	s.sha.Reset()
	if s.md5 != nil {
		s.md5.Reset()
	}
}

// sum returns the SHA-256 digest.
func (s *sums) sum() Sum { return Sum(s.sha.Sum(nil)) }

// judge returns how f is checked, and the expected and the found digest, which are equal if the content is right.
func (s *sums) judge(f File) (by Check, want, got string) {
	switch {
	case f.SHA256 != "":
		return BySHA256, "SHA-256 " + strings.ToLower(f.SHA256), "SHA-256 " + s.sum().String()
	case f.MD5 != "":
		return ByMD5, "MD5 " + strings.ToLower(f.MD5), fmt.Sprintf("MD5 %x", s.md5.Sum(nil))
	}
	return Unchecked, "", ""
}

// interruptible stops reading when its context ends.
type interruptible struct {
	ctx context.Context
	io.Reader
}

// Read reads, unless the context has ended.
func (r interruptible) Read(b []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.Reader.Read(b)
}

// bounded limits the bytes that come out of a compressed file, including those that are not written: the headers of a
// tar and the bytes after it.
type bounded struct {
	u *unpacker
	r io.Reader
	n int64
}

// Read reads within the unpacker's limits.
func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	b.n += int64(n)
	if e := b.u.spend(b.n); e != nil {
		return n, e
	}
	return n, err
}

// stream reads a file and knows its exact offset: since it is an io.ByteReader, flate and bzip2 do not read ahead into
// buffers of their own.
type stream struct {
	r *bufio.Reader
	n int64
}

func newStream(ctx context.Context, f *os.File) *stream {
	return &stream{r: bufio.NewReaderSize(interruptible{ctx, f}, 256<<10)}
}

// Read reads, and counts the bytes.
func (s *stream) Read(b []byte) (int, error) {
	n, err := s.r.Read(b)
	s.n += int64(n)
	return n, err
}

// ReadByte reads a byte, and counts it.
func (s *stream) ReadByte() (byte, error) {
	c, err := s.r.ReadByte()
	if err == nil {
		s.n++
	}
	return c, err
}
