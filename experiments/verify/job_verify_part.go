package verify

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/data/array"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/graph"
	"gonum.org/v1/gonum/mat"
)

// partFile says what a part is. Beside it there is an NPY file of float64 for each
// layer, so that every bit is kept.
const partFile = "part.json"

// partNote is what is in it.
type partNote struct {
	Images   int    `json:"images"`
	Labelled int    `json:"labelled"`
	Correct  int    `json:"correct"`
	Backend  string `json:"backend"`
	Batch    int    `json:"batch"`
	// Vectors says, layer by layer, whether the file has vectors δ as its rows, and
	// not Σδδᵀ.
	Vectors []bool `json:"vectors"`
}

// PartFolder is that of the k-th group of images.
func PartFolder(dir string, k int) string { return filepath.Join(dir, fmt.Sprintf("group-%d", k+1)) }

func momentFile(dir string, layer int) string {
	return filepath.Join(dir, fmt.Sprintf("layer-%d.npy", layer+1))
}

// WritePart writes a part into a new folder.
func WritePart(dir string, p *cnfa.Part) error {
	if err := os.Mkdir(dir, 0o777); err != nil {
		return err
	}
	n := partNote{Images: p.Images, Labelled: p.Labelled, Correct: p.Correct, Backend: p.Backend, Batch: p.Batch}
	for i, m := range p.Moments {
		var held mat.Matrix
		rows, few := m.Factor()
		if held = rows; !few {
			held = m.Sym()
		}
		n.Vectors = append(n.Vectors, few)
		if err := array.WriteNPY(momentFile(dir, i), held); err != nil {
			return err
		}
	}
	return record.WriteJSON(filepath.Join(dir, partFile), n)
}

// ReadPart reads what writePart wrote.
func ReadPart(dir string) (*cnfa.Part, error) {
	text, err := os.ReadFile(filepath.Join(dir, partFile))
	if err != nil {
		return nil, err
	}
	var n partNote
	if err := json.Unmarshal(text, &n); err != nil {
		return nil, input.Errorf("%s: %w", filepath.Join(dir, partFile), err)
	}
	p := &cnfa.Part{Images: n.Images, Labelled: n.Labelled, Correct: n.Correct, Backend: n.Backend, Batch: n.Batch}
	for i, few := range n.Vectors {
		m, err := readMoment(momentFile(dir, i), few)
		if err != nil {
			return nil, err
		}
		p.Moments = append(p.Moments, m)
	}
	return p, nil
}

func readMoment(path string, few bool) (graph.Moment, error) {
	m, err := record.ReadMatrix(path)
	if err != nil {
		return graph.Moment{}, err
	}
	if few {
		return graph.MomentOfRows(m), nil
	}
	n, columns := m.Dims()
	if n != columns {
		return graph.Moment{}, input.Errorf("%s is %d×%d: want a square matrix", path, n, columns)
	}
	return graph.MomentOf(mat.NewSymDense(n, m.RawMatrix().Data)), nil
}
