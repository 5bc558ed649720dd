package cost

import "fmt"

// Miss is how far the model is from a measured job: the relative error of its estimate, positive if
// the estimate is too large.
type Miss struct {
	Point
	Kind    string
	Seconds float64
	Bytes   float64
}

// HeldBack returns the errors of the model at the points that it was not fitted to.
func HeldBack() ([]Miss, error) { return misses(true) }

// Fitted returns the errors of the model at the points that it was fitted to.
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
