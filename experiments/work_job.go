package experiments

import "github.com/ansatz-lab/ansatz/experiments/need"

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
