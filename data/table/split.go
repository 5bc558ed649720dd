package table

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/ansatz-lab/ansatz/data/array"
	"github.com/ansatz-lab/ansatz/internal/random"
)

// Split holds the indices of a table's rows for training, for choosing hyper-parameters, and for tests. Each row is in at
// most one part; each part is in ascending order.
type Split struct {
	Train, Validation, Test []int
}

// Fractions are the shares of training and validation rows, in [0, 1]. All other rows are test rows.
type Fractions struct {
	Train, Validation float64
}

// check fails unless there is a training share, and no share is negative or their sum above 1.
func (f Fractions) check() error {
	if !(f.Train > 0 && f.Validation >= 0 && f.Train+f.Validation <= 1) {
		return array.OptionError("split", "shares of at least 0, of the training rows more, and at most 1 together",
			fmt.Sprintf("%v and %v", f.Train, f.Validation))
	}
	return nil
}

// splitStream is the random stream from which splits are drawn.
const splitStream = "split of rows"

// Split draws a random split from a seed. For classification it is stratified: every part has the same share of every
// class, up to whole rows. The numbers of training and validation rows are rounded down; all other rows are test rows.
// It returns a [*FormatError] if a fraction is out of range, or there would be no training row.
func (s *Set) Split(f Fractions, seed uint64) (Split, error) {
	if err := f.check(); err != nil {
		return Split{}, err
	}
	n := len(s.Y)
	train := wholeRows(f.Train, n)
	if train == 0 {
		return Split{}, array.OptionError("split", "at least one training row",
			fmt.Sprintf("a share of %v of %d rows", f.Train, n))
	}
	groups := [][]int{upTo(n)}
	if len(s.Classes) > 0 {
		groups = s.byClass()
	}
	r := random.New(seed, splitStream, 0)
	for _, g := range groups {
		r.Shuffle(len(g), func(i, j int) { g[i], g[j] = g[j], g[i] })
	}
	var split Split
	split.Train = takeShare(groups, train)
	split.Validation = takeShare(groups, min(wholeRows(f.Validation, n), n-train))
	split.Test = takeShare(groups, n-len(split.Train)-len(split.Validation))
	return split, nil
}

// wholeRows returns a share of n rows, rounded down. The tolerance makes up for the rounding of decimal fractions.
func wholeRows(share float64, n int) int {
	const tolerance = 1e-9
	return int(math.Floor(float64(share*float64(n)) + tolerance))
}

// upTo returns 0 to n-1.
func upTo(n int) []int {
	rows := make([]int, n)
	for i := range rows {
		rows[i] = i
	}
	return rows
}

// byClass returns the rows of each class.
func (s *Set) byClass() [][]int {
	groups := make([][]int, len(s.Classes))
	for row, y := range s.Y {
		groups[int(y)] = append(groups[int(y)], row)
	}
	return groups
}

// takeShare removes n rows from the fronts of groups, in proportion to the groups' sizes, and returns them in ascending order.
func takeShare(groups [][]int, n int) []int {
	rows := make([]int, 0, n)
	for i, share := range apportion(n, groups) {
		rows = append(rows, groups[i][:share]...)
		groups[i] = groups[i][share:]
	}
	slices.Sort(rows)
	return rows
}

// apportion divides n in proportion to the sizes of groups by the method of largest remainders; among equal remainders
// the first group wins.
func apportion(n int, groups [][]int) []int {
	total := 0
	for _, g := range groups {
		total += len(g)
	}
	shares := make([]int, len(groups))
	if n == 0 {
		return shares
	}
	order := upTo(len(groups))
	left := n
	for i, g := range groups {
		shares[i] = n * len(g) / total
		left -= shares[i]
	}
	rest := func(i int) int { return n * len(groups[i]) % total }
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(rest(j), rest(i)) })
	for _, i := range order[:left] {
		shares[i]++
	}
	return shares
}

// GrinsztajnSplit draws a split by the rules of "Why do tree-based models still outperform deep learning on typical
// tabular data?" (Grinsztajn, Oyallon, Varoquaux, 2022), but not with its random numbers: 70 % of n rows to train, at
// most 10 000 for medium-sized and 50 000 for large sets; 30 % of the rest to validate, and what is left to test, at
// most 50 000 each. It is not stratified by class. The sizes equal, to the row, those from data_to_train_test in the
// paper's repository and train_test_split in scikit-learn. It returns a [*FormatError] if n leaves a part empty.
func GrinsztajnSplit(n int, seed uint64, medium bool) (Split, error) {
	const (
		trainShare, validationShare = 0.7, 0.3
		mostMedium, mostLarge       = 10_000, 50_000
	)
	most := mostLarge
	if medium {
		most = mostMedium
	}
	// The paper's code also rounds the share to a float64 and multiplies it by n again, which may cost a row.
	train := int(math.Floor(min(float64(most)/float64(n), trainShare) * float64(n)))
	validation := int(math.Floor(validationShare * float64(n-train)))
	test := n - train - validation
	if n < 1 || train < 1 || validation < 1 || test < 1 {
		return Split{}, array.OptionError("split", "at least 11 rows, to train, validate and test on", fmt.Sprint(n))
	}
	rows := random.New(seed, splitStream, 0).Perm(n)
	s := Split{
		Train:      rows[:train],
		Validation: rows[train : train+min(validation, mostLarge)],
		Test:       rows[train+validation : train+validation+min(test, mostLarge)],
	}
	for _, part := range [][]int{s.Train, s.Validation, s.Test} {
		slices.Sort(part)
	}
	return s, nil
}
