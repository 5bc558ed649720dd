package workload

import (
	"github.com/ansatz-lab/ansatz/experiments/cost"
	"github.com/ansatz-lab/ansatz/experiments/input"
)

// Estimate returns the cost of jobs with a backend and a precision; "" and 0 stand for the defaults. It returns zero, which means
// unknown, unless the precision is 32 bits and the backend native or a GPU for which a cost model was measured. The memory is
// unknown on a GPU.
func Estimate(backend string, precision int, jobs ...cost.Job) cost.Resources {
	if precision == 64 {
		return cost.Resources{}
	}
	switch input.BackendName(backend) {
	case "gpu":
		seconds, _ := cost.OnGPU(input.DeviceName(backend), jobs...) // zero on error
		return cost.Resources{Seconds: seconds}
	case "native":
	default:
		return cost.Resources{}
	}
	takes, _ := cost.Of(jobs...) // zero on error
	return takes
}

// StepsOf returns the job of a number of training steps of a network.
func StepsOf(net cost.Net, batch int, steps float64) cost.Job {
	return cost.Training{Net: net, Batch: float64(batch), Steps: steps, Images: steps * float64(batch)}
}

// TrainingSize is the size of a training.
type TrainingSize struct {
	Train, Tested int // images
	Tests         int // how often the test images are used; 0 stands for after every epoch
	Batch, Epochs int
	Reading       cost.Reading
}

// Job returns the training of a network as a job.
func (l TrainingSize) Job(net cost.Net) cost.Training {
	batch := max(1, min(l.Batch, l.Train))
	tests := l.Tests
	if tests == 0 {
		tests = l.Epochs
	}
	return cost.Training{
		Net: net, Reading: l.Reading, Batch: float64(batch),
		Steps:  float64(l.Epochs) * float64((l.Train+batch-1)/batch),
		Images: float64(l.Epochs) * float64(l.Train),
		Tested: float64(tests) * float64(l.Tested),
	}
}
