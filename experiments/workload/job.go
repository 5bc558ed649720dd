package workload

import (
	"github.com/ansatz-lab/ansatz/experiments/cost"

	"github.com/ansatz-lab/ansatz/experiments/input"
)

// Estimate is what jobs take with a backend and a precision, "" and 0 for those that
// are there: not known but for those that were measured, native and 32 bits.
func Estimate(backend string, precision int, jobs ...cost.Job) Cost {
	if input.BackendName(backend) != "native" || precision == 64 {
		return Cost{}
	}
	return CostOf(jobs...)
}

// CostOf is what jobs take one after another; the zero value where that is not known.
func CostOf(jobs ...cost.Job) Cost {
	var c Cost
	for _, j := range jobs {
		seconds, bytes, err := cost.Of(j)
		if err != nil {
			return Cost{}
		}
		c.Seconds, c.Bytes = c.Seconds+seconds, max(c.Bytes, bytes)
	}
	return c
}

// StepsOf is so many steps of a network.
func StepsOf(net cost.Net, batch int, steps float64) cost.Job {
	return cost.Training{Net: net, Batch: float64(batch), Steps: steps, Images: steps * float64(batch)}
}
