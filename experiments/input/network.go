package input

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/internal/words"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/models/archfile"
	"github.com/ansatz-lab/ansatz/models/fromonnx"
	"github.com/ansatz-lab/ansatz/models/totoml"
	"github.com/ansatz-lab/ansatz/models/weights"
	"github.com/ansatz-lab/ansatz/models/zoo"
)

// IsONNX reports whether a name is the path of an ONNX file.
func IsONNX(name string) bool { return strings.HasSuffix(strings.ToLower(name), ".onnx") }

// LookupArchitecture returns an architecture by its name or by the path of a TOML or ONNX file. Errors are of type [*Error].
func LookupArchitecture(name string) (*models.Architecture, error) {
	if IsONNX(name) {
		a, err := fromonnx.Open(name)
		if err != nil {
			return nil, &Error{err}
		}
		return a, nil
	}
	a, err := zoo.Lookup(name)
	if err == nil && a.Normalise != "" {
		err = checkNormalise(a)
	}
	if err != nil {
		return nil, &Error{err}
	}
	return a, nil
}

// DeclaredNormalisation returns the normalisation that an architecture's TOML file declares. It is "" if there is
// none, and for built-in architectures, whose publishers' constants do not fit every dataset.
func DeclaredNormalisation(arch string) string {
	if !archfile.Is(arch) {
		return ""
	}
	a, err := zoo.Lookup(arch)
	if err != nil {
		return ""
	}
	return a.Normalise
}

// checkNormalise returns an error unless an architecture's normalisation is valid.
func checkNormalise(a *models.Architecture) error {
	_, err := data.ParseNormalisation(a.Normalise, func() (data.Normalisation, error) {
		return data.Normalisation{}, nil // the dataset's is measured when there is one
	})
	if err != nil {
		return fmt.Errorf("architecture %s: %w", a.Name, err)
	}
	return nil
}

// OpenWeights reads weights from a file, and returns the architecture's network with them and the file's contents. The
// weights of an ONNX file fit its own network and that of the TOML file which ansatz arch makes of it. Without a file,
// the architecture's own weights are used. The error is an [*Error], also if the metadata say that these are not
// weights of a network, or name classes that cannot belong to the outputs.
func OpenWeights(a *models.Architecture, path string, in models.Shape) (*models.Network, *weights.StateDict, error) {
	d, err := a.Weights, error(nil)
	var of *models.Architecture // the ONNX network that the weights belong to
	switch {
	case IsONNX(path):
		if of, err = fromonnx.Open(path); err == nil {
			d = of.Weights
		}
	case path != "":
		d, err = weights.Open(path)
	case d == nil:
		err = fmt.Errorf("--arch %s has no weights of its own: give --weights", a.Name)
	}
	if err != nil {
		return nil, nil, &Error{err}
	}
	if d.Metadata()["format"] == models.CheckpointFormat {
		return nil, nil, Errorf("%s is the checkpoint of a training: give its best or last weights, which lie beside it from the "+
			"end of its first epoch on", path)
	}
	n, err := a.Load(d, in)
	if err != nil && of != nil {
		if converted := convertedWeights(of, in); converted != nil {
			d = converted
			n, err = a.Load(d, in)
		}
	}
	if err != nil && path == "" && strings.HasPrefix(err.Error(), a.Name) {
		return nil, nil, &Error{err}
	}
	if err != nil {
		return nil, nil, &Error{fmt.Errorf("%s: %w", cmp.Or(path, a.Name), err)}
	}
	if err := checkMetadata(d.Metadata(), n.Classes); err != nil {
		return nil, nil, &Error{fmt.Errorf("%s: %w", cmp.Or(path, a.Name), err)}
	}
	return n, d, nil
}

// convertedWeights returns the weights of an ONNX network under the names that ansatz arch gives them in an
// architecture file. They can differ from the ONNX names where a weight has no name or an attention has separate
// projections. It returns nil if the network cannot be written as such a file.
func convertedWeights(of *models.Architecture, in models.Shape) *weights.StateDict {
	c, err := totoml.Convert(context.Background(), of, in)
	if err != nil {
		return nil
	}
	d, err := c.Weights(of.Weights)
	if err != nil {
		return nil
	}
	return d
}

// checkMetadata returns an error if metadata cannot belong to the weights of a network with that many outputs. Two
// classes may share one output. If the key of the classes holds something other than a list of names, another program
// wrote it, and it is ignored.
func checkMetadata(metadata map[string]string, outputs int) error {
	if metadata[LinearizedMetadata] != "" {
		return fmt.Errorf("these are the tangents u of a linearized network, not the weights of a network: give the " +
			"weights that it is linearized at, initial.safetensors")
	}
	classes := classesOf(metadata)
	for i, c := range classes {
		if slices.Contains(classes[:i], c) {
			return fmt.Errorf("the metadata name the class %q twice: want a different name for each output", c)
		}
	}
	if n := len(classes); n > 0 && n != outputs && (n != 2 || outputs != 1) {
		return fmt.Errorf("the metadata name %d classes, but the network has %d outputs: want one name for each "+
			"output",
			n, outputs)
	}
	return nil
}

// Trained is a network with the weights of a file.
type Trained struct {
	Path     string
	Network  *models.Network
	Metadata map[string]string
}

// OpenInitial reads a trained network's weights before training. The error is an [*Error] if they have another number
// of outputs or, where the trained file records the digest of its initial weights, other values.
func (t Trained) OpenInitial(a *models.Architecture, path string, in models.Shape) (*models.Network, error) {
	initial, _, err := OpenWeights(a, path, in)
	if err != nil {
		return nil, err
	}
	if initial.Classes != t.Network.Classes {
		return nil, Errorf("%s has %s, %s has %d", path, words.Count(initial.Classes, "output"), t.Path, t.Network.Classes)
	}
	if want := t.Metadata[InitialMetadata]; want != "" && want != initial.StateDict().SHA256() {
		return nil, Errorf("%s are not the weights with which the training of %s began: give initial.safetensors "+
			"of its folder", path, t.Path)
	}
	return initial, nil
}

// CheckClassOrder returns an [*Error] if the classes of the initial weights are those of the training images in a
// different order: the outputs would then stand for other classes.
func CheckClassOrder(path string, metadata map[string]string, classes []string) error {
	own := classesOf(metadata)
	sameSet := slices.Equal(slices.Sorted(slices.Values(own)), slices.Sorted(slices.Values(classes)))
	if !sameSet || slices.Equal(own, classes) {
		return nil
	}
	return Errorf("the outputs of %s are the classes %s in this order, those of the training images are %s: give "+
		"--classes in the order of the weights", path, strings.Join(own, ","), strings.Join(classes, ","))
}

// classesOf returns the classes that the metadata of weights name, nil if they name none.
func classesOf(metadata map[string]string) (classes []string) {
	if err := json.Unmarshal([]byte(metadata[ClassesMetadata]), &classes); err != nil {
		return nil
	}
	return classes
}

// WeightDecayMetadata is the key under which weights name the weight decay of their training.
const WeightDecayMetadata = "weight_decay"

// NormalisationMetadata is the key under which weights name the normalisation of their images, in the syntax of
// --normalise.
const NormalisationMetadata = "normalise"

// InitialMetadata is the key under which weights trained by ansatz store the digest of those before training, the
// [weights.StateDict.SHA256] of the network.
const InitialMetadata = "initial_sha256"

// LinearizedMetadata is the key that marks the tangents of a linearized network, whose names and shapes equal those of
// its weights.
const LinearizedMetadata = "linearized"

// ClassesMetadata is the key under which weights name the classes of their outputs, as a JSON array.
const ClassesMetadata = "classes"

// MatchWeights relabels the images by the outputs of a network, if the metadata of its weights name its classes. It
// reports whether the labels match the outputs, as far as is known: false if the images have other classes.
func (src *Source) MatchWeights(metadata map[string]string) (labelled bool, err error) {
	classes := classesOf(metadata)
	if classes == nil {
		return true, nil // these weights were not trained by ansatz
	}
	if slices.ContainsFunc(src.Dataset.Classes(), func(c string) bool { return !slices.Contains(classes, c) }) {
		return false, nil
	}
	src.Dataset, err = MatchClasses(src.Dataset, classes)
	return true, err
}
