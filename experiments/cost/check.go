package cost

import "fmt"

// Miss is how far a model is from a job that was measured: by which share of what it
// took it says too much, or, below 0, too little.
type Miss struct {
	Point
	Kind    string
	Seconds float64
	Bytes   float64
}

// HeldBack is how far the models are from all the points that they were not fitted to.
func HeldBack() ([]Miss, error) { return misses(true) }

// Fitted is how far the models are from the points that they were fitted to.
func Fitted() ([]Miss, error) { return misses(false) }

func misses(held bool) ([]Miss, error) {
	points, err := Measured()
	if err != nil {
		return nil, err
	}
	var all []Miss
	for _, p := range points {
		if p.Held != held {
			continue
		}
		took, err := Of(p.Job)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.Name, err)
		}
		all = append(all, Miss{p, p.Job.kind(), took.Seconds/p.Seconds - 1, took.Bytes/p.Bytes - 1})
	}
	return all, nil
}
