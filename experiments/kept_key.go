package experiments

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"gonum.org/v1/gonum/mat"
)

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

// contentKey is a digest of matrices and slices of numbers.
func contentKey(parts ...any) string {
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
		for i := range rowCount(m) {
			write(m.RawRowView(i))
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8])
}
