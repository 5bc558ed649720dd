package measure

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Classes returns measures of the probabilities p, n×classes, for rows whose classes are given, from 0. Decided are
// the predicted classes. The intervals come from bootstrap samples that the seed draws. A measure that is undefined
// because all rows have the same class is left out.
//
//   - accuracy: the share of rows whose predicted class is theirs
//   - balanced_accuracy: the mean recall of the classes that occur
//   - log_loss: the mean of −ln p of the row's class, p not below 1e-15
//   - auc: the area under the ROC curve; for more than two classes the mean over classes, each against the others
//   - brier: the mean over rows of Σ (p − 1[class])² over the classes; for two classes half of it, as in scikit-learn
func Classes(p *mat.Dense, classes, decided []int, seed uint64) []Named {
	n, count := p.Dims()
	return estimate(n, count, seed, []measure{
		{"accuracy", func(w []float64) float64 {
			return share(w, func(i int) bool { return decided[i] == classes[i] })
		}},
		{"balanced_accuracy", func(w []float64) float64 { return balanced(w, classes, decided, count) }},
		{"log_loss", func(w []float64) float64 {
			return mean(w, func(i int) float64 { return -math.Log(max(p.At(i, classes[i]), leastProbability)) })
		}},
		{"auc", areas(p, classes)},
		{"brier", func(w []float64) float64 { return brier(w, p, classes) }},
	})
}

// leastProbability replaces smaller probabilities in logarithms.
const leastProbability = 1e-15

// mean returns the mean of f over rows with weights.
func mean(w []float64, f func(i int) float64) float64 {
	sum, total := 0., 0.
	for i, v := range w {
		if v > 0 {
			sum, total = sum+v*f(i), total+v
		}
	}
	return sum / total
}

// share returns the weighted share of the rows for which is returns true.
func share(w []float64, is func(i int) bool) float64 {
	return mean(w, func(i int) float64 {
		if is(i) {
			return 1
		}
		return 0
	})
}

// balanced returns the mean recall of the classes that occur; NaN if only one does.
func balanced(w []float64, classes, decided []int, count int) float64 {
	right, all := make([]float64, count), make([]float64, count)
	for i, v := range w {
		all[classes[i]] += v
		if decided[i] == classes[i] {
			right[classes[i]] += v
		}
	}
	sum, there := 0., 0.
	for k := range all {
		if all[k] > 0 {
			sum, there = sum+right[k]/all[k], there+1
		}
	}
	if there < 2 {
		return math.NaN()
	}
	return sum / there
}

// brier returns the Brier score; for two classes, that of one of them.
func brier(w []float64, p *mat.Dense, classes []int) float64 {
	_, count := p.Dims()
	b := mean(w, func(i int) float64 {
		sum := 0.
		for k, v := range p.RawRowView(i) {
			if k == classes[i] {
				v--
			}
			sum += v * v
		}
		return sum
	})
	if count == 2 {
		return b / 2
	}
	return b
}

// areas returns the measure auc as a function of the rows' weights. It sorts the rows once.
func areas(p *mat.Dense, classes []int) func(w []float64) float64 {
	n, count := p.Dims()
	first := 0
	if count == 2 {
		first = 1 // both classes have the same area
	}
	orders := make([][]int, count)
	for k := first; k < count; k++ {
		orders[k] = make([]int, n)
		for i := range n {
			orders[k][i] = i
		}
		slices.SortFunc(orders[k], func(i, j int) int { return cmp.Compare(p.At(i, k), p.At(j, k)) })
	}
	return func(w []float64) float64 {
		sum, there := 0., 0.
		for k := first; k < count; k++ {
			if a := area(w, orders[k], p, classes, k); !math.IsNaN(a) {
				sum, there = sum+a, there+1
			}
		}
		return sum / there // NaN if no class can be compared with another
	}
}

// area returns the probability that a row of class k has a larger p than a row of another class, where ties count half
// (Mann and Whitney). It is NaN if either kind of row is missing.
func area(w []float64, order []int, p *mat.Dense, classes []int, k int) float64 {
	var below, positives, wins float64 // below: rows of other classes with smaller p
	for lo := 0; lo < len(order); {
		hi, own, others := lo, 0., 0.
		for ; hi < len(order) && p.At(order[hi], k) == p.At(order[lo], k); hi++ {
			if i := order[hi]; classes[i] == k {
				own += w[i]
			} else {
				others += w[i]
			}
		}
		wins += own * (below + others/2)
		below, positives = below+others, positives+own
		lo = hi
	}
	return wins / (positives * below)
}
