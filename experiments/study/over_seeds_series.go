package study

import (
	"slices"

	"github.com/ansatz-lab/ansatz/experiments/report"
	"gonum.org/v1/gonum/stat"
)

// seriesOverSeeds is a curve, or bars, as far as all seeds have it. Points are those
// of one place, of one label of bars: of a seed that has no value there, because a
// training diverged say, it is absent.
func seriesOverSeeds(outcomes []*Outcome, chart, series int) report.Series {
	like := &outcomes[0].Charts[chart]
	first := like.Series[series]
	var curves []map[place]float64
	for _, o := range outcomes {
		if c := o.chartAs(like); c != nil {
			k := series
			if k >= len(c.Series) || c.Series[k].Label != first.Label {
				k = slices.IndexFunc(c.Series, func(s report.Series) bool { return s.Label == first.Label })
			}
			if k >= 0 {
				curves = append(curves, c.points(c.Series[k]))
			}
		}
	}
	if len(curves) == 1 {
		return first
	}
	s := report.Series{Label: first.Label, Dots: first.Dots}
	for i, at := range like.placesOf(first) {
		var y []float64
		for _, c := range curves {
			if v, there := c[at]; there {
				y = append(y, v)
			}
		}
		if len(y) < len(curves) {
			continue
		}
		mean, sd := stat.MeanStdDev(y, nil)
		s.X = append(s.X, first.X[i])
		s.Y, s.Low, s.High = append(s.Y, mean), append(s.Low, mean-sd), append(s.High, mean+sd)
	}
	return s
}

// place tells a point of a curve from the others in every seed.
type place struct {
	x     float64
	label string // of a bar
	nth   int    // of the points at that x; of dots, which lie elsewhere for every seed, of all
}

// placesOf are the places of the points of a series.
func (c *Chart) placesOf(s report.Series) []place {
	all, seen := make([]place, len(s.X)), map[place]int{}
	for i, x := range s.X {
		switch bar := int(x); {
		case s.Dots:
		case len(c.Labels) > 0 && bar >= 0 && bar < len(c.Labels):
			all[i].label = c.Labels[bar]
		default:
			all[i].x = x
		}
		at := all[i]
		all[i].nth = seen[at]
		seen[at]++
	}
	return all
}

// points are the values of a series by their places.
func (c *Chart) points(s report.Series) map[place]float64 {
	all := map[place]float64{}
	for i, at := range c.placesOf(s) {
		all[at] = s.Y[i]
	}
	return all
}

// chartAs is the chart of that name, nil if there is none.
func (o *Outcome) chartAs(like *Chart) *Chart {
	for i := range o.Charts {
		if o.Charts[i].Name == like.Name {
			return &o.Charts[i]
		}
	}
	return nil
}
