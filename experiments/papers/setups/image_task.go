package setups

import (
	"github.com/ansatz-lab/ansatz/experiments/workload"
)

// ImageTask is images of some classes, equally many of each, scaled to the unit sphere.
type ImageTask struct {
	Name    string `json:"name" toml:"name"`
	Data    string `json:"data" toml:"data"`
	Classes string `json:"classes" toml:"classes"` // A,B,…; "" is all
	Size    int    `json:"size" toml:"size"`       // to which they are scaled; 0 is their own
}

// MachineSize returns the size of a recursive feature machine that learns a task and is tested
// after its first and its last regression, and the number of images that it is tested on.
func (t ImageTask) MachineSize(train, test, iterations, sample int) (workload.MachineSize, int, error) {
	set, err := workload.FindDatasetSize(t.Data, t.Size)
	if err != nil {
		return workload.MachineSize{}, 0, err
	}
	set = set.Of(t.Classes)
	test = workload.ImagesUsed(test, set.Tested)
	return workload.MachineSize{
		Train: workload.ImagesUsed(train, set.Train), Tested: 2 * test / max(1, iterations+1),
		Inputs: workload.ValuesPerImage(set.Shape), Outputs: set.Classes, Iterations: iterations, Sample: sample,
		Reading: set.Reading(train+test, false),
	}, test, nil
}
