package study

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/job"
)

// DataPath returns the path of a file or folder that a spec names: below the data folder, unless the name is an
// absolute path.
func (in Setting) DataPath(name string) (string, error) {
	if filepath.IsAbs(name) {
		return name, nil
	}
	dir, err := data.Folder(in.DataDir)
	if err != nil {
		return "", &input.Error{Err: err}
	}
	return filepath.Join(dir, name), nil
}

// FindWeights returns the path of a file of weights that a spec names, and whether it exists. Unless the name is an
// absolute path, it is looked for in the data folder and its folder weights, both under this name and with a digest
// added, as in torchvision's file names: alexnet.pth also matches alexnet-owt-7be5be79.pth.
func (in Setting) FindWeights(name string) (path string, found bool, err error) {
	if path, err = in.DataPath(name); err != nil || filepath.IsAbs(name) {
		return path, exists(path), err
	}
	base, ext := filepath.Base(name), filepath.Ext(name)
	folders := []string{filepath.Dir(path), filepath.Join(filepath.Dir(path), "weights")}
	for _, folder := range folders {
		file := filepath.Join(folder, base)
		if exists(file) {
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

// inputs returns the digests of the data that the run's settings name: datasets, and files and folders by their paths or
// in the data folder. Generated datasets and missing files have none.
func (r Run) inputs() (job.Inputs, error) {
	spec, _, err := r.Experiment.Hash(r.Spec)
	if err != nil {
		return job.Inputs{}, err
	}
	var settings any
	if err := json.Unmarshal(spec, &settings); err != nil {
		return job.Inputs{}, err
	}
	in := job.Inputs{Data: map[string]string{}}
	for _, name := range stringsIn(settings) {
		path, there := r.Setting.findInput(name)
		if !there {
			continue
		}
		if in.Data["files of "+name], err = job.DigestPath(path); err != nil {
			return in, &input.Error{Err: err}
		}
	}
	return in, nil
}

// findInput returns the path of the data that a text in the settings may name, and whether they exist.
func (in Setting) findInput(name string) (path string, there bool) {
	var err error
	switch {
	case data.IsKnown(name):
		path, err = data.Find(name, data.Options{Dir: in.DataDir})
	case strings.ContainsRune(name, filepath.Separator) && exists(name):
		return name, true
	case filepath.Ext(name) != "":
		path, _, err = in.FindWeights(name)
	case name != "":
		path, err = in.DataPath(name)
	}
	return path, err == nil && path != "" && exists(path)
}

// exists reports whether there is a file or folder at a path.
func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// stringsIn returns the strings anywhere in a value that was read from JSON.
func stringsIn(v any) (all []string) {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		for _, e := range v {
			all = append(all, stringsIn(e)...)
		}
	case map[string]any:
		for _, e := range v {
			all = append(all, stringsIn(e)...)
		}
	}
	return all
}

// checkInputs returns an [*input.Error] if the data have changed since a complete seed was made. Missing data are not
// checked, nor are seeds of earlier versions, which have no digests.
func (r Run) checkInputs(f seedFolder, s *seedRecord) error {
	if s == nil || s.Inputs == nil {
		return nil
	}
	now, err := r.digests()
	if err != nil {
		return err
	}
	begun := job.Inputs{Data: map[string]string{}}
	for what, sum := range s.Inputs.Data {
		if _, there := now.Data[what]; there {
			begun.Data[what] = sum
		}
	}
	if changed := now.Changes(begun); len(changed) > 0 {
		return input.Errorf("%s: since the seed was made %s; restore them, remove the folder to make the seed again, "+
			"or give another --out", f, strings.Join(changed, "; "))
	}
	return nil
}
