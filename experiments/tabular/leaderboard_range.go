package tabular

import (
	"math"
	"slices"
	"strconv"

	"github.com/ansatz-lab/ansatz/experiments/record"
)

// ranges are the metrics of a table of rounded scores, and between what numbers
// they lie for the scores that round to those of the table.
type ranges struct {
	methods []string
	at      []contributions // by method, as the table has it
	lo, hi  []contributions // by method, the least and the greatest of each dataset
}

// newRanges takes scores that are known up to half a unit of their last decimal.
// Every score of a dataset is moved to either end of where it may lie, in all
// combinations: what one dataset adds to a mean depends on no other.
func newRanges(r *Results, missing MissingRule, half float64) *ranges {
	n := len(r.Methods)
	s := &ranges{r.Methods, make([]contributions, n), make([]contributions, n), make([]contributions, n)}
	for _, row := range r.Scores {
		lo := contribute(row, missing)
		hi := slices.Clone(lo)
		for j, c := range lo {
			s.at[j].append(c)
		}
		eachCorner(row, half, func(moved []float64) {
			for j, c := range contribute(moved, missing) {
				lo[j], hi[j] = lo[j].with(c, math.Min), hi[j].with(c, math.Max)
			}
		})
		for j := range r.Methods {
			s.lo[j].append(lo[j])
			s.hi[j].append(hi[j])
		}
	}
	return s
}

// eachCorner moves every score that is not missing up or down, in all
// combinations.
func eachCorner(row []float64, half float64, do func(moved []float64)) {
	var present []int
	for j, v := range row {
		if !math.IsNaN(v) {
			present = append(present, j)
		}
	}
	moved := slices.Clone(row)
	for signs := range 1 << len(present) {
		for k, j := range present {
			moved[j] = row[j] - half
			if signs>>k&1 == 1 {
				moved[j] = row[j] + half
			}
		}
		do(moved)
	}
}

// with takes the lesser or greater of each number. One that is defined for some
// scores only, a distance where all might be equal, is taken from those.
func (c contribution) with(d contribution, take func(a, b float64) float64) contribution {
	pick := func(a, b float64) float64 {
		switch {
		case math.IsNaN(a):
			return b
		case math.IsNaN(b):
			return a
		}
		return take(a, b)
	}
	return contribution{pick(c.score, d.score), pick(c.share, d.share), pick(c.distance, d.distance), pick(c.rank, d.rank)}
}

// judge compares a printed metric with that of the table.
func (s *ranges) judge(p printed) (*float64, Agreement) {
	j := slices.Index(s.methods, p.method)
	if j < 0 {
		return nil, Differs
	}
	at, lo, hi := s.metric(p.measure, j)
	if at == nil {
		return nil, Differs
	}
	if p.rounds(*at) {
		return at, Agrees
	}
	want, _ := strconv.ParseFloat(p.text, 64) // of a file of ours
	half := .5 * math.Pow10(-p.decimals())
	if *lo <= want+half && want-half <= *hi {
		return at, Rounding
	}
	return at, Differs
}

// metric returns a metric of a method, and its range.
func (s *ranges) metric(name string, j int) (at, lo, hi *float64) {
	of := map[string]func(c contributions) []float64{
		"average":  func(c contributions) []float64 { return c.score },
		"pma":      func(c contributions) []float64 { return c.share },
		"adtm":     func(c contributions) []float64 { return c.distance },
		"friedman": func(c contributions) []float64 { return c.rank },
	}[name]
	if of != nil {
		return meanSorted(of(s.at[j])), meanSorted(of(s.lo[j])), meanSorted(of(s.hi[j]))
	}
	if name != "pma_sd" || len(s.at[j].share) == 0 {
		return nil, nil, nil
	}
	return s.spread(j)
}

// spread is the standard deviation of the shares of the best score, and those
// when every share moves as far as it may towards the mean and away from it.
func (s *ranges) spread(j int) (at, lo, hi *float64) {
	shares := s.at[j].share
	mean := *meanSorted(shares)
	near, far := slices.Clone(shares), slices.Clone(shares)
	for i := range shares {
		least, most := s.lo[j].share[i], s.hi[j].share[i]
		near[i] = min(max(mean, least), most)
		far[i] = least
		if most-mean > mean-least {
			far[i] = most
		}
	}
	of := func(v []float64) *float64 { return record.Ptr(deviation(v, *meanSorted(v))) }
	return of(shares), of(near), of(far)
}
