package workload

import (
	"github.com/ansatz-lab/ansatz/experiments/cost"

	"github.com/ansatz-lab/ansatz/experiments/input"
)

// Estimate returns what jobs take with a backend and a precision; "" and 0 stand for the
// defaults. It returns the zero value, not known, unless that is the native backend in 32 bits,
// which the cost model was measured with.
func Estimate(backend string, precision int, jobs ...cost.Job) cost.Resources {
	if input.BackendName(backend) != "native" || precision == 64 {
		return cost.Resources{}
	}
	takes, _ := cost.Of(jobs...) // zero on error
	return takes
}

// StepsOf returns the job of a number of training steps of a network.
func StepsOf(net cost.Net, batch int, steps float64) cost.Job {
	return cost.Training{Net: net, Batch: float64(batch), Steps: steps, Images: steps * float64(batch)}
}
