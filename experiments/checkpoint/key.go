package checkpoint

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/ansatz-lab/ansatz/experiments/linalg"
)

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
