package report

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/ansatz-lab/ansatz/experiments/report/axes"
	"gonum.org/v1/plot/vg"
)

// Series is a curve through the points (X[i], Y[i]), in the order given. Low
// and High, which may be nil, are the ends of a band around it. All have the
// length of X. A point with an absent coordinate breaks the curve, one with an
// absent end breaks the band. If Dots is set, the points are not joined.
//
// A series whose label is "null", or begins with that word and a space or a mark such as a colon, is the null control of
// others: it is drawn in grey as in all charts, and all nulls have one entry in the legend. In the same way "paper" marks
// numbers of the paper, which are diamonds, and "reference" a thin line for comparing slopes or levels, such as
// "reference: 1/√k".
type Series struct {
	Label string  `json:"label"`
	X     Numbers `json:"x"`
	Y     Numbers `json:"y"`
	Low   Numbers `json:"low,omitempty"`
	High  Numbers `json:"high,omitempty"`
	Dots  bool    `json:"dots,omitempty"`
}

const maxCurves = 64

func checkSeries(d *Description) error {
	series := d.Lines
	if err := atMost(maxCurves, len(series), "curves"); err != nil {
		return err
	}
	for i, s := range series {
		if len(s.Y) != len(s.X) {
			return fmt.Errorf("series %d (%q) has %d values for %d places", i+1, s.Label, len(s.Y), len(s.X))
		}
		for _, v := range [][]float64{s.Low, s.High} {
			if len(v) != 0 && len(v) != len(s.X) {
				return fmt.Errorf("series %d (%q): a band has %d ends for %d places", i+1, s.Label, len(v), len(s.X))
			}
		}
	}
	return nil
}

// wholeNumbers reports whether every curve has points at whole numbers only.
func wholeNumbers(series []Series) bool {
	for _, s := range series {
		if slices.ContainsFunc(s.X, func(x float64) bool { return x != math.Trunc(x) }) {
			return false
		}
	}
	return true
}

type point struct{ x, y float64 }

func (s Series) point(i int) (p point, ok bool) {
	p = point{at(s.X, i), at(s.Y, i)}
	return p, axes.Present(p.x) && axes.Present(p.y)
}

func (s Series) band(i int) (lo, hi float64, ok bool) {
	lo, hi = at(s.Low, i), at(s.High, i)
	return lo, hi, axes.Present(lo) && axes.Present(hi) && axes.Present(at(s.X, i))
}

// points and bands return the unbroken stretches of the curve and of its band.
func (s Series) points() []run {
	return runs(len(s.X), func(i int) bool { _, ok := s.point(i); return ok })
}

func (s Series) bands() []run {
	return runs(len(s.X), func(i int) bool { _, _, ok := s.band(i); return ok })
}

// last returns the last point of the curve that can be shown.
func (s Series) last() (p point, ok bool) {
	points := s.points()
	if len(points) == 0 {
		return point{}, false
	}
	return s.point(points[len(points)-1].end - 1)
}

// marked reports whether the points of a curve have marks: dots do, and so do few points.
func (s Series) marked() bool {
	count := 0
	for _, run := range s.points() {
		count += run.end - run.first
	}
	return s.Dots || count <= fewPoints
}

func (s Series) markRadius() vg.Length {
	if s.Dots {
		return dotRadius
	}
	return pointRadius
}

// run is a range of indices, from first to before end.
type run struct{ first, end int }

// runs returns the ranges of indices below n in which ok holds, each as long as possible.
func runs(n int, ok func(int) bool) []run {
	var all []run
	for i := 0; i < n; i++ {
		if !ok(i) {
			continue
		}
		first := i
		for i < n && ok(i) {
			i++
		}
		all = append(all, run{first, i})
	}
	return all
}

// fewPlaces is the largest number of places of x at which curves have whiskers, not bands, and stand beside each other.
const fewPlaces = 6

// placesOf returns the values of x at which curves have points, in ascending order.
func placesOf(series []Series) []float64 {
	seen := map[float64]bool{}
	for _, s := range series {
		for i := range s.X {
			if p, ok := s.point(i); ok {
				seen[p.x] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// jitter returns how far the i-th point of the k-th series is moved to the side. Dots at one x stand beside each other,
// except on a logarithmic axis; points of curves are not moved.
func (c *lineChart) jitter(k, i int) vg.Length {
	s := c.series[k]
	if !s.Dots || c.xq.Base > 0 {
		return 0
	}
	before, all := 0, 0
	for j := range s.X {
		if p, ok := s.point(j); !ok || p.x != s.X[i] {
			continue
		}
		all++
		if j < i {
			before++
		}
	}
	step := min(1.8*dotRadius, 2*mostAside/vg.Length(max(1, all-1)))
	return step * (vg.Length(before) - vg.Length(all-1)/2)
}
