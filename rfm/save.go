package rfm

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/internal/atomicfile"
	"github.com/ansatz-lab/ansatz/internal/jsonfile"
	"github.com/ansatz-lab/ansatz/models/weights"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// The files of a saved model.
const (
	arraysFile = "model.safetensors" // centres, alpha and metric
	modelFile  = "model.json"
	modelKind  = "ansatz kernel machine, version 1"
)

// saved is what model.json holds.
type saved struct {
	Kind      string            `json:"kind"`
	Kernel    string            `json:"kernel"`
	Bandwidth float64           `json:"bandwidth,omitempty"`
	Task      string            `json:"task"`
	Precision int               `json:"precision"`
	Centres   int               `json:"centres"`
	Features  int               `json:"features"`
	Outputs   int               `json:"outputs"`
	Metric    string            `json:"metric"` // full or diagonal
	SHA256    string            `json:"sha256"` // of the arrays
	Metadata  map[string]string `json:"metadata,omitempty"`
}

// Save writes the model into a folder, which it creates if need be: the arrays as safetensors of float64, and a description
// with the caller's metadata as JSON.
func (m *Model) Save(dir string, metadata map[string]string) error {
	arrays := &weights.StateDict{}
	arrays.Set("centres", denseTensor(m.centres))
	arrays.Set("alpha", denseTensor(m.alpha))
	s := saved{Kind: modelKind, Kernel: m.kernel.String(), Bandwidth: m.kernel.bandwidth(), Task: m.task.String(),
		Precision: bitsOf(m.precision), Metric: "diagonal", Metadata: metadata}
	s.Centres, s.Features = m.centres.Dims()
	_, s.Outputs = m.alpha.Dims()
	if !m.metric.IsDiagonal() {
		s.Metric = "full"
	}
	arrays.Set("metric", denseTensor(m.metric.rows()))
	s.SHA256 = arrays.SHA256()
	return writeSaved(dir, s, arrays)
}

// writeSaved writes the arrays of a model and its description, which ends in a digest of itself, into a folder, which it
// creates if need be.
func writeSaved(dir string, description any, arrays *weights.StateDict) error {
	if err := atomicfile.MakeFolder(dir); err != nil {
		return fmt.Errorf("rfm: save a model: %w", err)
	}
	if err := weights.Save(filepath.Join(dir, arraysFile), arrays, nil); err != nil {
		return err
	}
	text, err := json.MarshalIndent(description, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.WriteBytes(filepath.Join(dir, modelFile), jsonfile.Seal(text))
}

// rows returns the metric as it is saved: its diagonal, 1×d, or the full matrix.
func (m *Metric) rows() *mat.Dense {
	if m.IsDiagonal() {
		return mat.NewDense(1, m.Dim(), m.Diagonal())
	}
	return mat.DenseCopyOf(m.full)
}

func denseTensor(m *mat.Dense) *tensor.Dense {
	r, c := m.Dims()
	return tensor.New(tensor.WithShape(r, c), tensor.WithBacking(mat.DenseCopyOf(m).RawMatrix().Data))
}

// ModelError says why a folder holds no model.
type ModelError struct {
	Path   string
	Reason string
	Err    error
}

// Error returns the path and the reason.
func (e *ModelError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("%s: %s: %v", e.Path, e.Reason, e.Err)
	}
	return e.Path + ": " + e.Reason
}

// InputError returns true: the user named a folder that holds no model.
func (e *ModelError) InputError() bool { return true }

// Unwrap returns Err.
func (e *ModelError) Unwrap() error { return e.Err }

// LoadModel reads a folder that [Model.Save] wrote, and returns the model and its metadata. The model runs on
// the best backend with all threads; see [Model.On]. It returns a [*ModelError] or a [*weights.FormatError]
// if the folder holds something else.
func LoadModel(dir string) (*Model, map[string]string, error) {
	var s saved
	arrays, err := readSaved(dir, &s)
	if err != nil {
		return nil, nil, err
	}
	m, err := s.model(arrays)
	if err != nil {
		return nil, nil, &ModelError{Path: filepath.Join(dir, modelFile), Reason: "does not describe a kernel machine",
			Err: err}
	}
	return m, s.Metadata, nil
}

// readSaved reads the description of a saved model into description, and returns its arrays.
func readSaved(dir string, description any) (*weights.StateDict, error) {
	path := filepath.Join(dir, modelFile)
	err := jsonfile.ReadSealed(path, jsonfile.Large, description)
	if errors.Is(err, os.ErrNotExist) {
		return nil, &ModelError{Path: dir, Reason: "want a folder with a saved kernel machine, with a file " +
			modelFile, Err: err}
	}
	if err != nil {
		return nil, &ModelError{Path: dir, Reason: "want JSON that describes a kernel machine", Err: err}
	}
	arrays, err := weights.Open(filepath.Join(dir, arraysFile))
	if errors.Is(err, os.ErrNotExist) {
		return nil, &ModelError{Path: dir, Reason: "want a file " + arraysFile + " beside " + modelFile, Err: err}
	}
	return arrays, err
}

// model returns the model that the arrays hold.
func (s *saved) model(arrays *weights.StateDict) (*Model, error) {
	if err := checkSaved(arrays, s.SHA256, s.Kind, modelKind); err != nil {
		return nil, err
	}
	kernel, err := ParseKernel(s.Kernel, s.Bandwidth)
	if err != nil {
		return nil, err
	}
	m := &Model{kernel: kernel}
	if m.task, err = ParseTask(s.Task); err != nil {
		return nil, err
	}
	if m.precision, err = precisionOf(s.Precision); err != nil {
		return nil, err
	}
	for _, a := range []struct {
		name       string
		rows, cols int
		into       **mat.Dense
	}{{"centres", s.Centres, s.Features, &m.centres}, {"alpha", s.Centres, s.Outputs, &m.alpha}} {
		if *a.into, err = tensorDense(arrays, a.name, a.rows, a.cols); err != nil {
			return nil, err
		}
	}
	if m.metric, err = readMetric(arrays, "metric", s.Features); err != nil {
		return nil, err
	}
	if m.metric.IsDiagonal() == (s.Metric == "full") && s.Features > 1 {
		return nil, fmt.Errorf("the metric of %s is not %s", arraysFile, s.Metric)
	}
	return m, m.prepare()
}

// checkSaved returns an error unless a description is of the wanted kind and has the digest of the arrays.
func checkSaved(arrays *weights.StateDict, digest, kind, wanted string) error {
	if kind != wanted {
		return fmt.Errorf("kind is %q, want %q", kind, wanted)
	}
	if got := arrays.SHA256(); got != digest {
		return fmt.Errorf("%s has the digest %s, want %s: the files are not of one model", arraysFile, got, digest)
	}
	return nil
}

// bitsOf returns the number of bits of a float in a precision.
func bitsOf(p graph.Precision) int {
	if p == graph.Double {
		return 64
	}
	return 32
}

// precisionOf returns the precision whose floats have that many bits.
func precisionOf(bits int) (graph.Precision, error) {
	for _, p := range []graph.Precision{graph.Single, graph.Double} {
		if bits == bitsOf(p) {
			return p, nil
		}
	}
	return 0, fmt.Errorf("precision is %d, want 32 or 64", bits)
}

// tensorDense returns the named array, which must be rows×cols of float64.
func tensorDense(arrays *weights.StateDict, name string, rows, cols int) (*mat.Dense, error) {
	t, ok := arrays.Get(name)
	if !ok {
		return nil, fmt.Errorf("%s has no array %s", arraysFile, name)
	}
	data, double := t.Data().([]float64)
	if s := t.Shape(); !double || len(s) != 2 || s[0] != rows || s[1] != cols || rows < 1 || cols < 1 {
		return nil, fmt.Errorf("%s: array %s is %v of %v, want %d×%d of float64",
			arraysFile, name, t.Shape(), t.Dtype(), rows, cols)
	}
	return mat.NewDense(rows, cols, data), nil
}
