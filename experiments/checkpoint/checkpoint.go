package checkpoint

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"

	"github.com/ansatz-lab/ansatz/experiments/linalg"
	"github.com/ansatz-lab/ansatz/internal/atomicfile"
	"gonum.org/v1/gonum/mat"
)

// SaveError reports that a checkpoint could not be written. It wraps Err for [errors.Is] only: since the user did not
// name the file, [errors.As] must not find the *fs.PathError.
type SaveError struct{ Err error }

// Error says that a checkpoint could not be written, and why.
func (e *SaveError) Error() string { return "saving a checkpoint: " + e.Err.Error() }

// Is reports whether target is in the tree of Err.
func (e *SaveError) Is(target error) bool { return errors.Is(e.Err, target) }

// Read reads what [Write] wrote to path, and reports whether the file exists and is undamaged. If not, found keeps its
// value.
func Read[T any](path string, found *T) bool {
	// Opening a pipe without O_NONBLOCK would wait for a writer, forever if there is none.
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return false // the caller computes it again
	}
	defer f.Close()
	var kept T
	if checkDigest(f) != nil || gob.NewDecoder(bufio.NewReader(f)).Decode(&kept) != nil {
		return false
	}
	*found = kept
	return true
}

// checkDigest checks that a file begins with the digest of the rest, without keeping the contents, and leaves the file
// positioned after the digest.
func checkDigest(f *os.File) error {
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return errors.Join(err, errors.New("it is not a regular file"))
	}
	var want [sha256.Size]byte
	if _, err := io.ReadFull(f, want[:]); err != nil {
		return err
	}
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return err
	}
	if [sha256.Size]byte(h.Sum(nil)) != want {
		return errors.New("its contents do not match the digest at its beginning")
	}
	_, err := f.Seek(sha256.Size, io.SeekStart)
	return err
}

// Write writes a value to path, encoded by package gob, after a digest. If the file cannot be
// written, the error is a [*SaveError].
func Write(path string, found any) error {
	var text bytes.Buffer
	if err := gob.NewEncoder(&text).Encode(found); err != nil {
		return err
	}
	err := atomicfile.WriteFile(path, func(w io.Writer) error {
		sum := sha256.Sum256(text.Bytes())
		_, err := w.Write(append(sum[:], text.Bytes()...))
		return err
	})
	if err != nil {
		return &SaveError{err}
	}
	return nil
}

// ProgramDigest returns the SHA-256 of this program's file, which distinguishes different builds of the same version.
var ProgramDigest = sync.OnceValues(func() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	return atomicfile.Digest(path)
})

// ContentDigest returns a digest, in 16 hexadecimal digits, of matrices (*mat.Dense) and slices of
// numbers.
func ContentDigest(parts ...any) string {
	h := sha256.New()
	write := func(p any) { // writing to a hash never fails
		_ = binary.Write(h, binary.LittleEndian, int64(binary.Size(p)))
		_ = binary.Write(h, binary.LittleEndian, p)
	}
	for _, p := range parts {
		m, isMatrix := p.(*mat.Dense)
		if !isMatrix {
			write(p)
			continue
		}
		for i := range linalg.RowCount(m) {
			write(m.RawRowView(i))
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8])
}
