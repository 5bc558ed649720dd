package experiments

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/ansatz-lab/ansatz/internal/whole"
	"github.com/ansatz-lab/ansatz/rfm"
)

// worthKeeping is how long a part of a seed takes that is kept when it has ended.
const worthKeeping = time.Second

// worth is the least time of what is kept.
func (in Setting) worth() time.Duration {
	if in.keepAll {
		return 0
	}
	return worthKeeping
}

// keepEvery is how much of a course may have to be done again.
func (in Setting) keepEvery() time.Duration {
	if in.keepAll {
		return 0
	}
	return DefaultCheckpointEvery
}

// keptAt is a path in the folder for what a seed goes on from, "" where nothing is
// kept. What another program made, another backend, another number of threads or other
// settings has another one; data is taken to stay as it is.
func (in Setting) keptAt(name string, settings any) (string, error) {
	if in.Kept == "" {
		return "", nil
	}
	text, err := json.Marshal(settings)
	if err != nil {
		return "", err
	}
	program, err := programDigest()
	if err != nil {
		return "", err
	}
	threads := cmp.Or(in.Threads, runtime.GOMAXPROCS(0))
	sum := sha256.Sum256(fmt.Appendf(nil, "%x\n%s\n%d\n%d\n%s\n%s\n", program, backendName(""), threads, in.Seed, name, text))
	if err := os.MkdirAll(in.Kept, 0o777); err != nil {
		return "", &keptError{err}
	}
	return filepath.Join(in.Kept, fmt.Sprintf("%x", sum[:8])), nil
}

// programDigest tells this program from others, also those of one version.
var programDigest = sync.OnceValues(func() ([]byte, error) {
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

// keptError is returned where something could not be kept. What it wraps is not about a
// file of the user's: it cannot be had by [errors.As].
type keptError struct{ err error }

func (e *keptError) Error() string        { return "keeping what was found: " + e.err.Error() }
func (e *keptError) Is(target error) bool { return errors.Is(e.err, target) }

// contentKey is a digest of slices of numbers.
func contentKey(parts ...any) string {
	h := sha256.New()
	for _, p := range parts { // a hash takes everything
		_ = binary.Write(h, binary.LittleEndian, int64(binary.Size(p)))
		_ = binary.Write(h, binary.LittleEndian, p)
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8])
}

// attempt is one at a seed, which may go on from an earlier one. The zero value is ready
// to use.
type attempt struct {
	mu      sync.Mutex
	made    map[string]bool // paths of what this attempt has kept itself
	resumed bool
}

// take notes that what was kept at a path is taken.
func (a *attempt) take(path string) {
	if a != nil {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.resumed = a.resumed || !a.made[path]
	}
}

// keep notes that this attempt keeps something at a path.
func (a *attempt) keep(path string) {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.made == nil {
		a.made = map[string]bool{}
	}
	a.made[path] = true
}

// training runs a training of a seed, from where it was interrupted.
func (in Setting) training(ctx context.Context, t *Training, name string, r TrainRun) (_ *TrainRecord, err error) {
	if r.Keep, err = in.keptAt("training "+name, t.spec); err != nil {
		return nil, err
	}
	r.worth, r.resumed = in.worth(), func() { in.attempt.take(r.Keep) }
	defer in.attempt.keep(r.Keep)
	return t.Run(ctx, r)
}

// keep finds a part of what a seed is after, or takes what was found of it before the
// seed was interrupted. It is kept as package gob does: fields have capitals, and a
// pointer to 0 comes back as nil.
func keep[T any](in Setting, name string, settings any, find func() (T, error)) (found T, err error) {
	path, err := in.keptAt(name, settings)
	if err != nil {
		return found, err
	}
	if readKept(path, &found) {
		in.attempt.take(path)
		return found, nil
	}
	start := time.Now()
	if found, err = find(); err != nil || path == "" || time.Since(start) < in.worth() {
		return found, err
	}
	in.attempt.keep(path)
	return found, writeKept(path, found)
}

// remember keeps the iterations of a convolutional machine; nil where nothing is kept.
func (in Setting) remember(name string, settings any) func(layer, iteration int, find func() (*rfm.ConvFound, error)) (*rfm.ConvFound, error) {
	if in.Kept == "" {
		return nil
	}
	return func(layer, iteration int, find func() (*rfm.ConvFound, error)) (*rfm.ConvFound, error) {
		return keep(in, fmt.Sprintf("%s, layer %d, iteration %d", name, layer, iteration), settings, find)
	}
}

// readKept says whether there is something whole. If not, found is as it was.
func readKept[T any](path string, found *T) bool {
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

// writeKept writes a digest, and what was found.
func writeKept(path string, found any) error {
	var text bytes.Buffer
	if err := gob.NewEncoder(&text).Encode(found); err != nil {
		return err
	}
	err := whole.WriteFile(path, func(w io.Writer) error {
		sum := sha256.Sum256(text.Bytes())
		_, err := w.Write(append(sum[:], text.Bytes()...))
		return err
	})
	if err != nil {
		return &keptError{err}
	}
	return nil
}
