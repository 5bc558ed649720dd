package verify

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/graph/moment"
	"gonum.org/v1/gonum/mat"
)

// FuzzReadPart checks that any text in the files of a part is refused, or read as a part with valid moments.
func FuzzReadPart(f *testing.F) {
	part := func(dir string) string { return filepath.Join(dir, "group") }
	write := func(dir string) error {
		return WritePart(part(dir), &cnfa.Part{Images: 2, Backend: "go", Batch: 1, Moments: []moment.Moment{
			moment.Of(mat.NewSymDense(2, []float64{1, 2, 2, 3})),
			moment.OfRows(mat.NewDense(1, 3, []float64{1, 2, 3})),
			moment.OfBlocks([]moment.Moment{moment.Of(mat.NewSymDense(2, []float64{1, 2, 2, 3})),
				moment.Of(mat.NewSymDense(2, []float64{4, 5, 5, 6}))}),
		}})
	}
	dir := f.TempDir()
	if err := write(dir); err != nil {
		f.Fatal(err)
	}
	var seeds [2][]byte
	for i, name := range []string{filepath.Join(part(dir), partFile), momentFile(part(dir), 0, "")} {
		var err error
		if seeds[i], err = os.ReadFile(name); err != nil {
			f.Fatal(err)
		}
	}
	f.Add(seeds[0], seeds[1])
	f.Add([]byte(`{"vectors":[true,false,true]}`), seeds[1])
	f.Add([]byte(`{"vectors":[false,true,false],"blocks":[2,1,9223372036854775807]}`), seeds[1])
	f.Add([]byte(`{"images":-1,"vectors":[false]}`), seeds[1][:len(seeds[1])-8])
	f.Fuzz(func(t *testing.T, note, moment []byte) {
		for name, text := range map[string][]byte{
			filepath.Join(part(dir), partFile): note, momentFile(part(dir), 0, ""): moment,
		} {
			if err := os.WriteFile(name, text, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		p, err := ReadPart(part(dir))
		if err != nil {
			return
		}
		for _, m := range p.Moments {
			if r, few := m.Factor(); m.N() < 1 || few && r.RawMatrix().Cols != m.N() || !few &&
				m.Sym().SymmetricDim() != m.N() {
				t.Errorf("moments of %d filters", m.N())
			}
		}
	})
}
