package setups

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/job"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// DataPath returns the path of a file or folder that a spec names: below the data folder, unless the name is an
// absolute path.
func DataPath(in study.Setting, name string) (string, error) {
	if filepath.IsAbs(name) {
		return name, nil
	}
	dir, err := data.Folder(in.DataDir)
	if err != nil {
		return "", &input.Error{Err: err}
	}
	return filepath.Join(dir, name), nil
}

// RecordWeights records the digest of a file of weights that [FindWeights] found, for the named network.
func RecordWeights(o *study.Outcome, network, path string) error {
	sum, err := job.DigestPath(path)
	if err != nil {
		return &input.Error{Err: err}
	}
	o.Data = append(o.Data, study.DataUsed{Name: network + ", weights of " + filepath.Base(path), SHA256: sum})
	return nil
}

// FindWeights returns the path of a file of weights that a spec names, and whether it exists. Unless the name is an
// absolute path, it is looked for in the data folder and its folder weights, both under this name and with a digest
// added, as in torchvision's file names: alexnet.pth also matches alexnet-owt-7be5be79.pth.
func FindWeights(in study.Setting, name string) (path string, found bool, err error) {
	if path, err = DataPath(in, name); err != nil || filepath.IsAbs(name) {
		_, missing := os.Stat(path)
		return path, missing == nil, err
	}
	base, ext := filepath.Base(name), filepath.Ext(name)
	folders := []string{filepath.Dir(path), filepath.Join(filepath.Dir(path), "weights")}
	for _, folder := range folders {
		file := filepath.Join(folder, base)
		if _, err := os.Stat(file); err == nil {
			return file, true, nil
		}
	}
	for _, folder := range folders {
		files, _ := os.ReadDir(folder) // sorted by name; none if there is no such folder
		for _, f := range files {
			if strings.HasPrefix(f.Name(), strings.TrimSuffix(base, ext)+"-") && strings.HasSuffix(f.Name(), ext) {
				return filepath.Join(folder, f.Name()), true, nil
			}
		}
	}
	return path, false, nil
}
