package train

import (
	"maps"
	"path/filepath"
	"strings"

	"github.com/ansatz-lab/ansatz/models/weights"
)

// LinearConvention says what is trained, or solved for, of a linearization.
const LinearConvention = "f_lin(u, x) = f(w₀, x) + ∇f(w₀, x)·u at the initial weights w₀, over all trained weights, in evaluation mode; u starts at 0, and what is saved of it has the names of the weights (ntk, eq. 2)"

// TangentsFile is the u of a solution.
const TangentsFile = "tangents.safetensors"

// tangentsOf names the file of u that stands for one of weights.
func tangentsOf(name string) string {
	ext := filepath.Ext(name)
	return strings.TrimSuffix(name, ext) + "-tangents" + ext
}

// SaveTangents writes u under the names of the weights, and says that it is one.
func SaveTangents(path string, t *Training, u *weights.StateDict, epoch int) error {
	about := maps.Clone(t.Metadata(epoch))
	about["linearized"] = LinearConvention
	return weights.Save(path, u, about)
}
