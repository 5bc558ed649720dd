package tabular

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/record"
)

// Results are the scores of methods on datasets: accuracies, in any unit, or R²;
// more is better.
type Results struct {
	Datasets []string
	Methods  []string
	Scores   [][]float64 // by dataset and method; NaN is missing
}

// Standing is a method among others, by the metrics of Appendix E of paper rfm.
// What is not defined is absent.
type Standing struct {
	Method   string `json:"method"`
	Datasets int    `json:"datasets"` // on which it has a score
	// Average is the mean score.
	Average *float64 `json:"average,omitempty"`
	// P90 and P95 are the shares of the datasets on which the method has at
	// least 90 % and 95 % of the best score.
	P90 *float64 `json:"p90,omitempty"`
	P95 *float64 `json:"p95,omitempty"`
	// PMA is the mean share of the best score, and PMASD the standard deviation
	// of these shares, that of the population.
	PMA   *float64 `json:"pma,omitempty"`
	PMASD *float64 `json:"pma_sd,omitempty"`
	// Friedman is the mean rank, 1 the best; methods with one score share the
	// mean of their ranks.
	Friedman *float64 `json:"friedman,omitempty"`
	// ADTM is the mean of (score − least)/(best − least).
	ADTM *float64 `json:"adtm,omitempty"`
}

// MissingRule is what becomes of a score that is missing.
type MissingRule int

const (
	// DropMissing leaves the dataset out of the method's means, but for ranks,
	// where it takes the mean of the others' scores: the rule that Appendix E
	// states, and the zero value.
	DropMissing MissingRule = iota
	// ImputeMissing takes the mean of the others' scores everywhere: the rule by
	// which Fig. 5d comes out.
	ImputeMissing
)

// Leaderboard compares the methods, the best mean rank first. The order of the
// datasets and of the methods changes no bit of it.
//
// A dataset on which all methods do the same says nothing about distances and is
// left out of ADTM; one whose best score is not positive is left out of PMA, P90
// and P95; one without scores is left out of all.
func (r *Results) Leaderboard(missing MissingRule) []Standing {
	parts := make([]contributions, len(r.Methods))
	for _, row := range r.Scores {
		for j, c := range contribute(row, missing) {
			parts[j].append(c)
		}
	}
	board := make([]Standing, len(r.Methods))
	for j, name := range r.Methods {
		board[j] = parts[j].standing(name)
		for _, row := range r.Scores {
			if !math.IsNaN(row[j]) {
				board[j].Datasets++
			}
		}
	}
	slices.SortStableFunc(board, byRank)
	return board
}

// byRank orders by mean rank; methods without one come last.
func byRank(a, b Standing) int {
	rank := func(s Standing) float64 {
		if s.Friedman == nil {
			return math.Inf(1)
		}
		return *s.Friedman
	}
	return cmp.Or(cmp.Compare(rank(a), rank(b)),
		cmp.Compare(record.ValueOrNaN(b.Average), record.ValueOrNaN(a.Average)), strings.Compare(a.Method, b.Method))
}

// contribution is what one dataset adds to the means of one method; NaN is
// nothing.
type contribution struct{ score, share, distance, rank float64 }

// contributions are those of many datasets.
type contributions struct{ score, share, distance, rank []float64 }

func (c *contributions) append(d contribution) {
	for _, p := range []struct {
		to *[]float64
		v  float64
	}{{&c.score, d.score}, {&c.share, d.share}, {&c.distance, d.distance}, {&c.rank, d.rank}} {
		if !math.IsNaN(p.v) {
			*p.to = append(*p.to, p.v)
		}
	}
}

func (c *contributions) standing(method string) Standing {
	s := Standing{Method: method, Average: meanSorted(c.score), PMA: meanSorted(c.share), Friedman: meanSorted(c.rank),
		ADTM: meanSorted(c.distance)}
	if s.PMA == nil {
		return s
	}
	s.P90, s.P95 = c.within(.9), c.within(.95)
	s.PMASD = record.Ptr(deviation(c.share, *s.PMA))
	return s
}

// within is the share of datasets on which the method has at least so much of
// the best score.
func (c *contributions) within(least float64) *float64 {
	n := 0
	for _, s := range c.share {
		if s >= least*(1-tieTolerance) {
			n++
		}
	}
	return record.Ptr(float64(n) / float64(len(c.share)))
}

// contribute says what a dataset adds to the means of every method.
func contribute(row []float64, missing MissingRule) []contribution {
	none := math.NaN()
	all := slices.Repeat([]contribution{{none, none, none, none}}, len(row))
	full := impute(row)
	if full == nil {
		return all
	}
	least, best := slices.Min(full), slices.Max(full)
	for j, rank := range ranks(full) {
		c := &all[j]
		c.rank = rank
		if missing == DropMissing && math.IsNaN(row[j]) {
			continue
		}
		c.score = full[j]
		if best > 0 {
			c.share = full[j] / best
		}
		if best-least > tieTolerance*math.Abs(best) {
			c.distance = (full[j] - least) / (best - least)
		}
	}
	return all
}

// impute replaces what is missing by the mean of the others; it returns nil if
// all are missing.
func impute(row []float64) []float64 {
	var present []float64
	for _, v := range row {
		if !math.IsNaN(v) {
			present = append(present, v)
		}
	}
	mean := meanSorted(present)
	if mean == nil {
		return nil
	}
	full := slices.Clone(row)
	for j, v := range full {
		if math.IsNaN(v) {
			full[j] = min(max(*mean, slices.Min(present)), slices.Max(present))
		}
	}
	return full
}

// tieTolerance is up to what share of themselves scores count as equal: what the
// rounding of a mean leaves between numbers that are equal.
const tieTolerance = 1e-12

// ranks ranks scores, the greatest 1; equal ones share the mean of their ranks.
func ranks(scores []float64) []float64 {
	order := make([]int, len(scores))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	out := make([]float64, len(scores))
	for first := 0; first < len(order); {
		end, top := first, scores[order[first]]
		for end < len(order) && top-scores[order[end]] <= tieTolerance*math.Abs(top) {
			end++
		}
		for _, j := range order[first:end] {
			out[j] = float64(first+1+end) / 2
		}
		first = end
	}
	return out
}

// meanSorted is the mean, nil of nothing. It adds in the order of the values, so
// that theirs does not matter.
func meanSorted(v []float64) *float64 {
	if len(v) == 0 {
		return nil
	}
	sum := 0.
	for _, x := range slices.Sorted(slices.Values(v)) {
		sum += x
	}
	return record.Ptr(sum / float64(len(v)))
}

// deviation is the standard deviation of a population of that mean.
func deviation(v []float64, mean float64) float64 {
	squares := make([]float64, len(v))
	for i, x := range v {
		squares[i] = float64((x - mean) * (x - mean))
	}
	return math.Sqrt(*meanSorted(squares))
}
