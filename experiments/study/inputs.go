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

// inputs returns the digests of the data that the run's settings name: datasets in the data folder, and files and
// folders by their paths. Generated datasets and missing files have none.
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
		path := name
		if data.IsKnown(name) {
			if path, err = data.Find(name, data.Options{Dir: r.Setting.DataDir}); err != nil || path == "" {
				continue
			}
		} else if !strings.ContainsRune(name, filepath.Separator) {
			continue // neither a dataset nor a path
		}
		if _, err := os.Stat(path); err != nil {
			continue
		}
		if in.Data["files of "+name], err = job.DigestPath(path); err != nil {
			return in, &input.Error{Err: err}
		}
	}
	return in, nil
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
