package train

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/job"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/internal/atomicfile"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/models/weights"
)

// The files of a run, besides its checkpoint.
const (
	InitialFile = "initial.safetensors"
	bestFile    = "best.safetensors"
	lastFile    = "last.safetensors"
	historyFile = "history.csv"
	ansatzFile  = "ansatz.csv"
)

// runFolder is the folder of a run.
type runFolder struct{ dir string }

// openFolder returns the folder of a run, or nil if the run has none. A folder that holds a run already is an error,
// unless that run is to be resumed. It changes nothing on disk.
func openFolder(r Run) (*runFolder, error) {
	if r.Out == "" {
		return nil, nil
	}
	f := &runFolder{r.Out}
	if err := f.checkRegular(); err != nil {
		return nil, err
	}
	_, err := os.Stat(f.checkpoint())
	switch {
	case err == nil && r.Resume:
		return f, nil
	case err == nil:
		return nil, input.Errorf("%s holds a run already: give --resume to continue it, or another --out", r.Out)
	case !errors.Is(err, fs.ErrNotExist):
		return nil, &input.Error{Err: err}
	}
	// No run was begun there, or the process was stopped before its first checkpoint, at the end of the first epoch at the latest.
	names := []string{record.FileName, bestFile, lastFile}
	if _, err := os.Lstat(f.path(InitialFile)); err == nil && r.Resume {
		names = names[:1]
	}
	for _, name := range names {
		if _, err := os.Lstat(f.path(name)); err == nil {
			return nil, input.Errorf("%s holds %s of another run, without its checkpoint: give another --out", r.Out,
				name)
		}
	}
	return f, errors.Join(record.CheckNoPlan(r.Out), record.CheckReplaceable(r.Out))
}

// checkRegular returns an error if a pipe, a device or a folder has the name of one of the run's files: opening a pipe
// would block until its other end is opened.
func (f *runFolder) checkRegular() error {
	for _, name := range []string{record.TrainingFile, InitialFile, bestFile, lastFile, tangentsName(bestFile),
		tangentsName(lastFile), historyFile, ansatzFile} {
		if info, err := os.Stat(f.path(name)); err == nil && !info.Mode().IsRegular() {
			return input.Errorf("%s: want a regular file, found one of mode %v: move it, or give another --out", f.path(name),
				info.Mode())
		}
	}
	return nil
}

func (f *runFolder) path(name string) string { return filepath.Join(f.dir, name) }

func (f *runFolder) checkpoint() string { return f.path(record.TrainingFile) }

// create makes the folder of a new run, with the weights before training.
func (f *runFolder) create(t *Training) error {
	if err := atomicfile.MakeFolder(f.dir); err != nil {
		return &input.Error{Err: fmt.Errorf("--out: %w: give a folder that can be written to", err)}
	}
	return f.saveWeights(InitialFile, t, t.initial, 0)
}

// restoreInitial writes the weights before training again if their file is missing or has other contents, since the
// record of a resumed run contains their digest.
func (f *runFolder) restoreInitial(t *Training) error {
	about := t.Metadata(0)
	if d, err := weights.Open(f.path(InitialFile)); err == nil && d.SHA256() == t.initialSHA &&
		maps.Equal(d.Metadata(), about) {
		return nil
	}
	return f.saveWeights(InitialFile, t, t.initial, 0)
}

// saveWeights writes a network's weights with the metadata needed to use them.
func (f *runFolder) saveWeights(name string, t *Training, n *models.Network, epoch int) error {
	return weights.Save(f.path(name), n.StateDict(), t.Metadata(epoch))
}

// saveLearned writes the trained weights: the network's, or the u of its linearization.
func (f *runFolder) saveLearned(name string, s *session, epoch int) error {
	if s.spec.Linearized {
		return SaveTangents(f.path(tangentsName(name)), s.Training, s.trainer.Tangents(), epoch)
	}
	return f.saveWeights(name, s.Training, s.net, epoch)
}

// Metadata returns the metadata that a file of the weights after an epoch stores.
func (t *Training) Metadata(epoch int) map[string]string {
	classes, _ := json.Marshal(t.data.Train.Classes()) // strings can always be encoded
	if t.initialSHA == "" {
		t.initialSHA = t.initial.StateDict().SHA256()
	}
	return map[string]string{
		input.ClassesMetadata:       string(classes),
		input.InitialMetadata:       t.initialSHA,
		input.WeightDecayMetadata:   strconv.FormatFloat(t.spec.WeightDecay, 'g', -1, 64),
		"format":                    "pt",
		"arch":                      t.conv.Arch,
		"width":                     fmt.Sprint(cmp.Or(t.spec.Width, 1)),
		"data":                      t.conv.Data,
		"epoch":                     fmt.Sprint(epoch),
		"seed":                      fmt.Sprint(t.spec.Seed),
		input.NormalisationMetadata: t.data.Normalisation.String(),
	}
}

// saveEpoch writes the history and the weights after an epoch.
func (f *runFolder) saveEpoch(s *session) error {
	if err := f.saveLearned(lastFile, s, len(s.state.Epochs)); err != nil {
		return err
	}
	return record.WriteCSVTables(f.dir, s.newRecord())
}

// finish writes the weights, the records and the report.
func (f *runFolder) finish(ctx context.Context, s *session, r *Record) error {
	if err := f.saveLearned(lastFile, s, len(r.Epochs)); err != nil {
		return err
	}
	if s.state.Best == nil { // --steps ended the first epoch
		if err := f.saveLearned(bestFile, s, len(r.Epochs)); err != nil {
			return err
		}
	}
	if err := s.loop.Save(); err != nil {
		return err
	}
	if err := r.digestWeights(); err != nil {
		return err
	}
	if _, err := record.SaveRecord(f.dir, r); err != nil {
		return err
	}
	return record.SweepPage(f.dir)
}

// digestWeights fills in the digests of the files of weights.
func (r *Record) digestWeights() error {
	files, err := job.DigestFiles("", r.Weights, r.LastWeights, r.InitialWeights)
	r.WeightsSHA256 = map[string]string{}
	for path, sum := range files {
		r.WeightsSHA256[filepath.Base(path)] = sum
	}
	return err
}

// LinearConvention defines a linearization, and what is trained or solved for.
const LinearConvention = "f_lin(u, x) = f(w₀, x) + ∇f(w₀, x)·u at the initial weights w₀, over all trained weights, " +
	"in evaluation mode; u starts at 0, and what is saved of it has the names of the weights (ntk, eq. 2)"

// TangentsFile is the file with the u of a solution.
const TangentsFile = "tangents.safetensors"

// tangentsName returns the name of the file of u for a file of weights.
func tangentsName(name string) string {
	ext := filepath.Ext(name)
	return strings.TrimSuffix(name, ext) + "-tangents" + ext
}

// SaveTangents writes u under the names of the weights, with metadata that mark it as tangents.
func SaveTangents(path string, t *Training, u *weights.StateDict, epoch int) error {
	about := maps.Clone(t.Metadata(epoch))
	about[input.LinearizedMetadata] = LinearConvention
	return weights.Save(path, u, about)
}
