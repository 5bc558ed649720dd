package experiments

import "github.com/ansatz-lab/ansatz/experiments/need"

// estimated is what jobs take with a backend and a precision, "" and 0 for those that
// are there: not known but for those that were measured, native and 32 bits.
func estimated(backend string, precision int, jobs ...need.Job) Cost {
	if backendName(backend) != "native" || precision == 64 {
		return Cost{}
	}
	return costOf(jobs...)
}

// costOf is what jobs take one after another; the zero value where that is not known.
func costOf(jobs ...need.Job) Cost {
	var c Cost
	for _, j := range jobs {
		seconds, bytes, err := need.Of(j)
		if err != nil {
			return Cost{}
		}
		c.Seconds, c.Bytes = c.Seconds+seconds, max(c.Bytes, bytes)
	}
	return c
}
