package rfm

import (
	"encoding/json"
	"os"
	"path/filepath"
)

const convModelKind = "ansatz convolutional kernel machine, version 1"

// IsConvModel reports whether a folder holds a model that [ConvModel.Save] wrote,
// or says that it does: [LoadConvModel] tells what is wrong with it.
func IsConvModel(dir string) bool {
	text, err := os.ReadFile(filepath.Join(dir, modelFile))
	var s struct {
		Kind string `json:"kind"`
	}
	return err == nil && json.Unmarshal(text, &s) == nil && s.Kind == convModelKind
}
