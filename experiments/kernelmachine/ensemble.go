package kernelmachine

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/measure"
	"github.com/ansatz-lab/ansatz/internal/atomicfile"
	"github.com/ansatz-lab/ansatz/internal/jsonfile"
	"gonum.org/v1/gonum/mat"
)

// ensembleFile lists the members of a saved average of machines, each a folder beside it.
const ensembleFile = "ensemble.json"

const ensembleKind = "ansatz average of kernel machines, version 1"

// savedEnsemble is what [ensembleFile] holds.
type savedEnsemble struct {
	Kind    string   `json:"kind"`
	Members []string `json:"members"` // names of folders
	SHA256  []string `json:"sha256"`  // of their descriptions; averages of earlier versions have none
}

// saveEnsemble saves machines whose outputs are averaged, each with its own pipeline. It writes the list last, so that a
// folder with only some of the members does not count as an average.
func saveEnsemble(members []*member, d measure.Decision, dir string) error {
	s := savedEnsemble{Kind: ensembleKind}
	for i, m := range members {
		name := fmt.Sprintf("member-%d", i+1)
		if err := saveModel(m.model, &m.examples.Description, d, filepath.Join(dir, name)); err != nil {
			return err
		}
		digest, err := jsonfile.Digest(filepath.Join(dir, name, "model.json"), jsonfile.Large)
		if err != nil {
			return err
		}
		s.Members, s.SHA256 = append(s.Members, name), append(s.SHA256, digest)
	}
	return atomicfile.WriteJSON(filepath.Join(dir, ensembleFile), s)
}

// isEnsemble reports whether a folder holds a saved average.
func isEnsemble(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, ensembleFile))
	return err == nil
}

// newEnsemblePrediction opens the members of an average, each with the examples as it reads them.
func newEnsemblePrediction(ctx context.Context, s PredictSpec) (*Prediction, error) {
	var saved savedEnsemble
	path := filepath.Join(s.Model, ensembleFile)
	if err := jsonfile.Read(path, jsonfile.Small, &saved); err != nil {
		return nil, input.Errorf("%s: want the list of the members of an average: %w", path, err)
	}
	if saved.Kind != ensembleKind || len(saved.Members) == 0 {
		return nil, input.Errorf("%s: kind is %q, want %q with members", path, saved.Kind, ensembleKind)
	}
	var all []*Prediction
	for i, name := range saved.Members {
		if !filepath.IsLocal(name) || filepath.Base(name) != name || isEnsemble(filepath.Join(s.Model, name)) {
			return nil, input.Errorf("%s: member %q: want the name of a folder with a machine", path, name)
		}
		one := s
		one.Model = filepath.Join(s.Model, name)
		digest, err := jsonfile.Digest(filepath.Join(one.Model, "model.json"), jsonfile.Large)
		if err == nil && saved.SHA256 != nil && (i >= len(saved.SHA256) || digest != saved.SHA256[i]) {
			return nil, input.Errorf("%s is not the member that was saved with %s: save the average again, or take a copy of "+
				"that member", one.Model, path)
		}
		p, err := NewPrediction(ctx, one)
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	mean := *all[0]
	mean.spec.Model = s.Model
	mean.kernel = fmt.Sprintf("the mean of %d machines", len(all))
	mean.outputs = func(ctx context.Context, report func(done, total int)) (*mat.Dense, error) {
		var outputs []*mat.Dense
		for i, p := range all {
			f, err := p.outputs(ctx, nil)
			if err != nil {
				return nil, err
			}
			if outputs = append(outputs, f); report != nil {
				report(i+1, len(all))
			}
		}
		return meanOf(outputs), nil
	}
	return &mean, checkMembers(all)
}

// checkMembers returns an input error unless all members have the same outputs.
func checkMembers(all []*Prediction) error {
	for _, p := range all[1:] {
		if p.about.Task != all[0].about.Task || len(p.about.Classes) != len(all[0].about.Classes) ||
			p.about.Unit != all[0].about.Unit {
			return input.Errorf("%s and %s have targets of different kinds: they have no mean", all[0].spec.Model, p.spec.Model)
		}
	}
	return nil
}

// meanOf returns the mean of matrices of one shape.
func meanOf(all []*mat.Dense) *mat.Dense {
	if len(all) == 1 {
		return all[0]
	}
	mean := mat.DenseCopyOf(all[0])
	for _, m := range all[1:] {
		mean.Add(mean, m)
	}
	mean.Scale(1/float64(len(all)), mean)
	return mean
}
