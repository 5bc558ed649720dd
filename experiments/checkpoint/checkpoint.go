package checkpoint

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/ansatz-lab/ansatz/experiments/linalg"
	"github.com/ansatz-lab/ansatz/internal/atomicfile"
	"gonum.org/v1/gonum/mat"
)

// SaveError is returned where something could not be kept. What it wraps is not about a
// file of the user's: it cannot be had by [errors.As].
type SaveError struct{ Err error }

// Error says that something could not be kept, and why.
func (e *SaveError) Error() string { return "keeping what was found: " + e.Err.Error() }

// Is makes [errors.Is] see the error behind it, which [errors.As] does not.
func (e *SaveError) Is(target error) bool { return errors.Is(e.Err, target) }

// Read says whether there is something whole. If not, found is as it was.
func Read[T any](path string, found *T) bool {
	text, err := os.ReadFile(path)
	if err != nil || len(text) < sha256.Size || sha256.Sum256(text[sha256.Size:]) != [sha256.Size]byte(text) {
		return false // it is found again
	}
	var kept T
	if gob.NewDecoder(bytes.NewReader(text[sha256.Size:])).Decode(&kept) != nil {
		return false
	}
	*found = kept
	return true
}

// Write writes a digest, and what was found.
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

// ProgramDigest tells this program from others, also those of one version.
var ProgramDigest = sync.OnceValues(func() ([]byte, error) {
	path, err := os.Executable()
	if err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	h := sha256.New()
	_, err = io.Copy(h, f)
	return h.Sum(nil), err
})

// ContentDigest is a digest of matrices and slices of numbers.
func ContentDigest(parts ...any) string {
	h := sha256.New()
	write := func(p any) { // a hash returns no errors
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
