package tree

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"

	"github.com/ansatz-lab/ansatz/internal/atomicfile"
	"github.com/ansatz-lab/ansatz/internal/jsonfile"
	"github.com/ansatz-lab/ansatz/rfm"
)

// The files of a saved tree: a description, with the same name as that of a single machine, and for every leaf a folder with
// a saved machine.
const (
	modelFile = "model.json"
	modelKind = "ansatz tree of kernel machines, version 1"
	leafName  = "leaf-%04d"
)

// saved is what model.json holds.
type saved struct {
	Kind        string            `json:"kind"`
	Task        string            `json:"task"`
	Features    int               `json:"features"`
	Outputs     int               `json:"outputs"`
	Temperature float64           `json:"temperature"`
	LeafRows    []int             `json:"leaf_rows"`
	LeftOut     int               `json:"left_out,omitempty"`
	Nodes       []savedNode       `json:"nodes"`
	LeafSHA256  []string          `json:"leaf_sha256"` // of the leaves' descriptions, which hold the arrays' digests
	Metadata    map[string]string `json:"metadata,omitempty"`
}

// savedNode is a node: either the number of a leaf, from 1, or a split.
type savedNode struct {
	Leaf      int       `json:"leaf,omitempty"`
	Left      int       `json:"left,omitempty"` // the index of the left child; the right one is the next
	Vector    []float64 `json:"vector,omitempty"`
	Threshold float64   `json:"threshold,omitempty"`
	Scale     float64   `json:"scale,omitempty"`
}

// Save writes the tree into a folder, which it creates if need be: model.json with the splits and the caller's metadata, and
// a folder for every leaf, as [rfm.Model.Save] writes it. The description has digests of itself and of the leaves. Save first
// removes an earlier description and writes the new one last, so that an interrupted Save leaves no tree of mixed leaves.
func (m *Model) Save(dir string, metadata map[string]string) error {
	if err := atomicfile.MakeFolder(dir); err != nil {
		return fmt.Errorf("tree: save a model: %w", err)
	}
	path := filepath.Join(dir, modelFile)
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("tree: save a model: %w", err)
	}
	s := saved{Kind: modelKind, Task: m.task.String(), Features: m.features, Outputs: m.outputs,
		Temperature: m.temperature, LeafRows: m.LeafRows(), LeftOut: m.leftOut, Metadata: metadata}
	for i, leaf := range m.leaves {
		if err := leaf.Save(leafFolder(dir, i), nil); err != nil {
			return err
		}
		digest, err := leafDigest(dir, i)
		if err != nil {
			return err
		}
		s.LeafSHA256 = append(s.LeafSHA256, digest)
	}
	for _, n := range m.nodes {
		s.Nodes = append(s.Nodes, savedNode{n.leaf, n.left, n.vector, n.threshold, n.scale})
	}
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return atomicfile.WriteBytes(path, jsonfile.Seal(text))
}

// leafDigest returns the digest of a saved leaf.
func leafDigest(dir string, leaf int) (string, error) {
	return jsonfile.Digest(filepath.Join(leafFolder(dir, leaf), modelFile), jsonfile.Large)
}

func leafFolder(dir string, leaf int) string {
	return filepath.Join(dir, fmt.Sprintf(leafName, leaf+1))
}

// Is reports whether a folder holds a saved tree, by its description.
func Is(dir string) bool {
	var s struct{ Kind string }
	return jsonfile.Read(filepath.Join(dir, modelFile), jsonfile.Large, &s) == nil && s.Kind == modelKind
}

// Load reads a folder that [Model.Save] wrote, and returns the tree and its metadata. The tree runs on the best backend,
// with one leaf on each core; see [Model.On]. Load returns an [*rfm.ModelError] if the folder holds something else, or the
// error of [rfm.LoadModel] for a leaf.
func Load(dir string) (*Model, map[string]string, error) {
	var s saved
	if err := jsonfile.ReadSealed(filepath.Join(dir, modelFile), jsonfile.Large, &s); err != nil {
		return nil, nil, &rfm.ModelError{Path: dir, Reason: "want a folder with a saved tree of kernel machines", Err: err}
	}
	m, err := s.model()
	for i := 0; err == nil && i < len(s.LeafRows); i++ {
		var leaf *rfm.Model
		if leaf, _, err = rfm.LoadModel(leafFolder(dir, i)); err != nil {
			return nil, nil, err
		}
		if err = m.addLoaded(leaf.On("", 1), i); err == nil && s.LeafSHA256 != nil { // earlier versions wrote no digests
			err = s.checkLeaf(dir, i)
		}
	}
	if err != nil {
		return nil, nil, &rfm.ModelError{Path: filepath.Join(dir, modelFile),
			Reason: "does not describe a tree of kernel machines", Err: err}
	}
	return m, s.Metadata, nil
}

// addLoaded adds the machine of a leaf, which must fit the description.
func (m *Model) addLoaded(leaf *rfm.Model, i int) error {
	_, outputs := leaf.Coefficients().Dims()
	if d := leaf.Metric().Dim(); d != m.features || outputs != m.outputs || leaf.Task() != m.task {
		return fmt.Errorf("leaf %d is a %v of %d features with %d outputs, want a %v of %d with %d: the folders are not "+
			"of one tree", i+1, leaf.Task(), d, outputs, m.task, m.features, m.outputs)
	}
	m.leaves = append(m.leaves, leaf)
	return nil
}

// checkLeaf returns an error if a folder does not hold the leaf that was saved with the tree.
func (s *saved) checkLeaf(dir string, i int) error {
	got, err := leafDigest(dir, i)
	if err == nil && (len(s.LeafSHA256) != len(s.LeafRows) || got != s.LeafSHA256[i]) {
		err = fmt.Errorf("%s is not the one that was saved with the tree: the folders are not of one tree; save the tree "+
			"again, or take a copy of that leaf", filepath.Base(leafFolder(dir, i)))
	}
	return err
}

// model returns the tree of a description, without its leaves.
func (s *saved) model() (*Model, error) {
	if s.Kind != modelKind {
		return nil, fmt.Errorf("kind is %q, want %q", s.Kind, modelKind)
	}
	m := &Model{temperature: s.Temperature, features: s.Features, outputs: s.Outputs, leftOut: s.LeftOut,
		threads: runtime.GOMAXPROCS(0)}
	var err error
	if m.task, err = rfm.ParseTask(s.Task); err != nil {
		return nil, err
	}
	if !(m.temperature >= 0) || math.IsInf(m.temperature, 0) {
		return nil, fmt.Errorf("temperature is %v, want at least 0", m.temperature)
	}
	leaves, next := make([]bool, len(s.LeafRows)), 1 // children come after their parents, in the order of the parents
	for i, n := range s.Nodes {
		switch {
		case n.Leaf > 0 && n.Leaf <= len(leaves) && !leaves[n.Leaf-1] && n.Left == 0:
			leaves[n.Leaf-1] = true
		case n.Leaf == 0 && n.Left == next && next > i && len(n.Vector) == s.Features && n.Scale > 0:
			next += 2
		default:
			return nil, fmt.Errorf("node %d is neither one of %d leaves nor a split of %d features with children at %d",
				i, len(leaves), s.Features, next)
		}
		m.nodes = append(m.nodes, node{n.Leaf, n.Left, n.Vector, n.Threshold, n.Scale})
	}
	if len(s.Nodes) != next || len(s.Nodes) != 2*len(leaves)-1 {
		return nil, fmt.Errorf("%d nodes for %d leaves, want %d", len(s.Nodes), len(leaves), 2*len(leaves)-1)
	}
	return m, nil
}
