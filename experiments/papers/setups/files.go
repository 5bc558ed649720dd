package setups

import (
	"path/filepath"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/job"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// RecordWeights records the digest of a file of weights that [study.Setting.FindWeights] found, for the named network.
func RecordWeights(o *study.Outcome, network, path string) error {
	sum, err := job.DigestPath(path)
	if err != nil {
		return &input.Error{Err: err}
	}
	o.Data = append(o.Data, study.DataUsed{Name: network + ", weights of " + filepath.Base(path), SHA256: sum})
	return nil
}
