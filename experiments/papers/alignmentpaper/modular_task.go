package alignmentpaper

import (
	"math"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/linalg"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

// modularTask is addition modulo p, or a p×p table of random labels. Every pair (a, b) is either a training or a test
// pair.
type modularTask struct {
	name        string // the prefix of progress reports and checkpoints
	p           int
	train, test rfm.Examples
}

// task draws the training pairs. Random labels are the sums drawn without replacement, so that each is as frequent;
// the training pairs are the same. In a dry run the task is an outline.
func (s *ModularSpec) task(in study.Setting, random bool) (*modularTask, error) {
	p := s.Modulus
	n := int(math.Round(s.Share * float64(p*p)))
	if p < 3 || p > 1000 || n < 1 || n >= p*p {
		return nil, input.Errorf("modulus = %d, share = %v: want 3 to 1000, and some pairs to train and to test on", p,
			s.Share)
	}
	t := &modularTask{name: "addition", p: p}
	if random {
		t.name = "random labels"
	}
	if in.Dry() {
		t.train = rfm.Examples{X: linalg.Outline(n, 2*p), Y: linalg.Outline(n, p)}
		t.test = rfm.Examples{X: linalg.Outline(p*p-n, 2*p), Y: linalg.Outline(p*p-n, p)}
		return t, nil
	}
	all := rfm.Examples{X: mat.NewDense(p*p, 2*p, nil), Y: mat.NewDense(p*p, p, nil)}
	from := make([]int, p*p) // for each pair, the pair whose sum is its label
	for i := range from {
		from[i] = i
	}
	if random {
		from = models.Stream(in.Seed, "random labels").Perm(p * p)
	}
	for i, k := range from {
		all.X.Set(i, i/p, 1)
		all.X.Set(i, p+i%p, 1)
		all.Y.Set(i, (k/p+k%p)%p, 1)
	}
	order := models.Stream(in.Seed, "pairs to train on").Perm(p * p)
	t.train, t.test = all.Rows(order[:n]), all.Rows(order[n:])
	return t, nil
}
