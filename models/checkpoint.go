package models

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/ansatz-lab/ansatz/models/weights"
	"gorgonia.org/tensor"
)

// State returns all that is needed to resume training: the parameters and running statistics as weights/NAME, the tangents
// of a linearized training as tangents/NAME, each state of the optimiser as STATE/PARAMETER, and the number of steps.
// The tensors are the trainer's own, not copies.
func (t *Trainer) State() *weights.StateDict {
	d := new(weights.StateDict)
	for _, p := range t.net.params {
		d.Set("weights/"+p.Name, t.values[p.Name])
	}
	names := t.o.Optimiser.State()
	for _, w := range t.trained {
		if t.o.Linearized {
			d.Set("tangents/"+w.name, w.value)
		}
		for i, s := range w.state {
			d.Set(names[i]+"/"+w.name, s)
		}
	}
	d.Set("steps", tensor.New(tensor.FromScalar(int64(t.steps))))
	return d
}

// Restore sets the state to that of another trainer of the same network with the same options. The next steps are
// then the other trainer's, bit for bit. It returns a [*weights.MismatchError], and changes nothing, for the state of
// another architecture or optimiser.
func (t *Trainer) Restore(d *weights.StateDict) error {
	own := t.State()
	var specs []weights.Spec
	for name, v := range own.All() {
		specs = append(specs, weights.Spec{Name: name, Shape: v.Shape()})
	}
	if err := d.Check(specs); err != nil {
		return err
	}
	for name, v := range own.All() {
		if from, _ := d.Get(name); from.Dtype() != v.Dtype() {
			return fmt.Errorf("models: %s holds %v, this training uses %v: use the same precision",
				name, from.Dtype(), v.Dtype())
		}
	}
	if steps, _ := d.Get("steps"); steps.ScalarValue().(int64) < 0 {
		return fmt.Errorf("models: the state is after %d steps", steps.ScalarValue())
	}
	for name, v := range own.All() {
		from, _ := d.Get(name)
		switch to := v.Data().(type) {
		case []float32:
			copy(to, from.Float32s())
		case []float64:
			copy(to, from.Float64s())
		}
	}
	steps, _ := d.Get("steps")
	t.steps = int(steps.ScalarValue().(int64))
	t.Sync()
	return nil
}

// CheckpointFormat is the note "format" of checkpoints, by which they are told from files of weights.
const CheckpointFormat = "ansatz checkpoint 1"

// CheckpointError says why training cannot resume from a file.
type CheckpointError struct {
	Path string
	Err  error
}

// Error returns the text of Err, with the path.
func (e *CheckpointError) Error() string { return fmt.Sprintf("checkpoint %s: %v", e.Path, e.Err) }

// Unwrap returns Err.
func (e *CheckpointError) Unwrap() error { return e.Err }

// SaveCheckpoint writes a trainer's state and notes to a safetensors file, atomically and with a digest of the tensors and
// notes. Its error wraps a [*NotFiniteError] for a state that holds NaNs or infinities, so every checkpoint can be used.
func SaveCheckpoint(path string, state *weights.StateDict, notes map[string]string) error {
	if bad := state.NaNs(); len(bad) > 0 {
		return &CheckpointError{path, &NotFiniteError{Tensors: bad}}
	}
	all := maps.Clone(notes)
	if all == nil {
		all = map[string]string{}
	}
	all["format"] = CheckpointFormat
	all["sha256"] = checkpointDigest(state, all)
	if err := weights.Save(path, state, all); err != nil {
		return &CheckpointError{path, err}
	}
	return nil
}

// OpenCheckpoint reads a checkpoint and its notes. It returns a [*CheckpointError] for a file that is damaged or no
// checkpoint, and an error that wraps fs.ErrNotExist where there is no file.
func OpenCheckpoint(path string) (*weights.StateDict, map[string]string, error) {
	d, err := weights.Open(path)
	if err != nil {
		if damage := (*weights.FormatError)(nil); errors.As(err, &damage) {
			damage.Hint = "the file is damaged: begin again in another folder" // nobody else has a copy
		}
		return nil, nil, &CheckpointError{path, err}
	}
	notes := d.Metadata()
	switch {
	case notes["format"] != CheckpointFormat:
		err = fmt.Errorf("not a checkpoint of ansatz: its format is %q, want %q", notes["format"], CheckpointFormat)
	case notes["sha256"] != checkpointDigest(d, notes):
		err = errors.New("its content does not match its digest: the file is damaged; begin again in another folder")
	}
	if err != nil {
		return nil, nil, &CheckpointError{path, err}
	}
	return d, notes, nil
}

// checkpointDigest returns the digest of the tensors and of all notes but the one that holds the digest.
func checkpointDigest(state *weights.StateDict, notes map[string]string) string {
	h := sha256.New()
	fmt.Fprintf(h, "%s\n", state.SHA256())
	for _, key := range slices.Sorted(maps.Keys(notes)) {
		if key != "sha256" {
			fmt.Fprintf(h, "%q %q\n", key, notes[key])
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}
