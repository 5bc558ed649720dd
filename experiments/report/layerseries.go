package report

import (
	"fmt"
	"math"

	"github.com/ansatz-lab/ansatz/experiments/report/axes"
)

// LayerSeries is a similarity measured at every layer, with its null control.
//
// Value has one element per layer. The others have as many or none: SE is the
// standard error of the value; NullMean and NullSD are the mean and standard
// deviation of the same similarity with the alignment destroyed at random. NaN
// means absent; an absent error or deviation counts as 0. A null without spread
// judges nothing: a rotation does not change an isotropic matrix.
type LayerSeries struct {
	Label    string  `json:"label"`
	Value    Numbers `json:"value"`
	SE       Numbers `json:"se,omitempty"`
	NullMean Numbers `json:"null_mean,omitempty"`
	NullSD   Numbers `json:"null_sd,omitempty"`
}

// Above reports whether the value at layer i is above its null control: whether
// Value − NullMean is larger than 2 √(NullSD² + SE²). It is not known, and ok is
// false, where the value or the null is absent or the null has no spread.
func (s LayerSeries) Above(i int) (above, ok bool) {
	m := s.mark(i)
	return m.above(), m.known()
}

// mark holds the numbers that a layer chart shows for a series at a layer.
type mark struct {
	value, se, null, sd float64
}

func (s LayerSeries) mark(i int) mark {
	return mark{at(s.Value, i), orZero(at(s.SE, i)), at(s.NullMean, i), orZero(at(s.NullSD, i))}
}

// orZero returns the absolute value of an error, or 0 if it is absent.
func orZero(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	return math.Abs(v)
}

// noSpread is the largest standard deviation that rounding explains.
const noSpread = 1e-9

func (m mark) known() bool { return axes.Present(m.value) && axes.Present(m.null) && m.sd > noSpread }

func (m mark) above() bool { return m.known() && m.value-m.null > 2*math.Hypot(m.sd, m.se) }

// bar and band return the ends of the error bar and of the null's band: two
// standard errors and two standard deviations to either side.
func (m mark) bar() (lo, hi float64)  { return m.value - 2*m.se, m.value + 2*m.se }
func (m mark) band() (lo, hi float64) { return m.null - 2*m.sd, m.null + 2*m.sd }

// summary returns the label with the number of layers that are above their null.
func (s LayerSeries) summary() string {
	above, known := s.count()
	if known == 0 {
		return s.Label
	}
	counts := fmt.Sprintf("%d of %d above null", above, known)
	if s.Label == "" {
		return counts
	}
	return s.Label + ": " + counts
}

func (s LayerSeries) count() (above, known int) {
	for i := range s.Value {
		up, ok := s.Above(i)
		if ok {
			known++
		}
		if up {
			above++
		}
	}
	return above, known
}
