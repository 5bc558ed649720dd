package checkpoint

import (
	"bytes"
	"crypto/sha256"
	"encoding/gob"
	"errors"
	"io"
	"os"

	"github.com/ansatz-lab/ansatz/internal/atomicfile"
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
