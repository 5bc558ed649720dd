package tabular

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/record"
)

// Results are the scores of methods on datasets: accuracies, in any unit, or R². Greater is better.
type Results struct {
	Datasets []string
	Methods  []string
	Scores   [][]float64 // by dataset and method; NaN is missing
	// From holds, for each method, the file of its scores with the file's folder, or "" for scores that were computed here.
	// It is nil if all scores are from one place.
	From []string
}

// Standing is the row of a method in a leaderboard, with the metrics of Appendix E of paper rfm. A
// metric that is not defined is nil.
type Standing struct {
	Method   string `json:"method"`
	From     string `json:"from,omitempty"` // the file of its scores, as in [Results]
	Datasets int    `json:"datasets"`       // with a score of the method
	// Average is the mean score.
	Average *float64 `json:"average,omitempty"`
	// P90 and P95 are the shares of the datasets on which the method has at least 90 % and 95 % of
	// the best score.
	P90 *float64 `json:"p90,omitempty"`
	P95 *float64 `json:"p95,omitempty"`
	// PMA is the mean of score/best score over the datasets, PMASD the population standard deviation.
	PMA   *float64 `json:"pma,omitempty"`
	PMASD *float64 `json:"pma_sd,omitempty"`
	// Friedman is the mean rank, where 1 is the best. Methods with equal scores all get the mean of
	// their ranks.
	Friedman *float64 `json:"friedman,omitempty"`
	// ADTM is the mean of (score − least)/(best − least).
	ADTM *float64 `json:"adtm,omitempty"`
}

// MissingRule says how a missing score is treated.
type MissingRule int

const (
	// DropMissing leaves the dataset out of the method's means. Only its rank there uses the mean of
	// the other methods' scores. Appendix E states this rule.
	DropMissing MissingRule = iota
	// ImputeMissing replaces the score by the mean of the other methods' scores in every metric. This
	// rule reproduces Fig. 5d.
	ImputeMissing
)

// Leaderboard compares the methods, the best mean rank first. The result is the same to the bit for
// any order of the datasets and of the methods.
//
// ADTM leaves out datasets on which all methods have the same score; PMA, P90 and P95 leave out
// datasets whose best score is not positive. All metrics leave out a dataset without scores.
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
		if r.From != nil {
			board[j].From = r.From[j]
		}
		for _, row := range r.Scores {
			if !math.IsNaN(row[j]) {
				board[j].Datasets++
			}
		}
	}
	slices.SortStableFunc(board, compareRanks)
	return board
}

// compareRanks orders methods by mean rank. Those without one come last.
func compareRanks(a, b Standing) int {
	rank := func(s Standing) float64 {
		if s.Friedman == nil {
			return math.Inf(1)
		}
		return *s.Friedman
	}
	return cmp.Or(cmp.Compare(rank(a), rank(b)),
		cmp.Compare(record.ValueOrNaN(b.Average), record.ValueOrNaN(a.Average)), strings.Compare(a.Method, b.Method))
}

// contribution is one dataset's term in each metric of a method, NaN for no term.
type contribution struct{ score, share, distance, rank float64 }

// contributions are the terms of many datasets, by metric.
type contributions struct{ score, share, distance, rank []float64 }

func (c *contributions) append(d contribution) {
	for _, p := range []struct {
		terms *[]float64
		v     float64
	}{{&c.score, d.score}, {&c.share, d.share}, {&c.distance, d.distance}, {&c.rank, d.rank}} {
		if !math.IsNaN(p.v) {
			*p.terms = append(*p.terms, p.v)
		}
	}
}

// standing returns the metrics of the method.
func (c *contributions) standing(method string) Standing {
	s := Standing{Method: method, Average: meanSorted(c.score), PMA: meanSorted(c.share), Friedman: meanSorted(c.rank),
		ADTM: meanSorted(c.distance)}
	if s.PMA == nil {
		return s
	}
	s.P90, s.P95 = c.shareAbove(.9), c.shareAbove(.95)
	s.PMASD = record.Ptr(deviation(c.share, *s.PMA))
	return s
}

// shareAbove returns the share of datasets on which score/best score is at least the given value.
func (c *contributions) shareAbove(least float64) *float64 {
	n := 0
	for _, s := range c.share {
		if s >= least*(1-tieTolerance) {
			n++
		}
	}
	return record.Ptr(float64(n) / float64(len(c.share)))
}

// contribute returns the terms of a dataset for every method.
func contribute(row []float64, missing MissingRule) []contribution {
	nan := math.NaN()
	all := slices.Repeat([]contribution{{nan, nan, nan, nan}}, len(row))
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

// impute returns the scores with the mean of the others in place of missing ones, nil if all are missing.
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

// tieTolerance is the relative difference up to which scores count as equal. The rounding of a mean
// may leave as much between equal numbers.
const tieTolerance = 1e-12

// ranks returns the ranks of scores, 1 for the greatest. Equal scores all get the mean of their ranks.
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

// meanSorted returns the mean of v, nil if v is empty. It adds the values in increasing order, so that
// their order in v changes no bit.
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

// deviation returns the standard deviation of a population with that mean.
func deviation(v []float64, mean float64) float64 {
	squares := make([]float64, len(v))
	for i, x := range v {
		squares[i] = float64((x - mean) * (x - mean))
	}
	return math.Sqrt(*meanSorted(squares))
}
