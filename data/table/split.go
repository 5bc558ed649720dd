package table

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/ansatz-lab/ansatz/internal/random"
)

// Split is which rows of a table to train on, which to choose
// hyper-parameters on, and which to test on: each row at most once, in
// ascending order.
type Split struct {
	Train, Validation, Test []int
}

// Fractions are the shares of the rows to train and to validate on; those to
// test on are the rest.
type Fractions struct {
	Train, Validation float64
}

// check fails unless the fractions leave something to train on.
func (f Fractions) check() error {
	if !(f.Train > 0 && f.Validation >= 0 && f.Train+f.Validation <= 1) {
		return optionError("split", "shares of at least 0, of the training rows more, and at most 1 together",
			fmt.Sprintf("%v and %v", f.Train, f.Validation))
	}
	return nil
}

// The name of the stream that splits are drawn from.
const splitStream = "split of rows"

// Split draws a split by seed. The classes of a classification have the same
// shares in each part, up to whole rows; the parts have the sizes that they
// would have without. The sizes are rounded down, that of the test rows is
// what is left. It returns a [*FormatError] if the fractions leave no training
// row.
func (s *Set) Split(f Fractions, seed uint64) (Split, error) {
	if err := f.check(); err != nil {
		return Split{}, err
	}
	n := len(s.Y)
	train := wholeRows(f.Train, n)
	if train == 0 {
		return Split{}, optionError("split", "a training row at least",
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

// wholeRows returns a share of n rows, rounded down but for what a sum of
// decimal fractions lacks.
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

// takeShare takes n rows off the fronts of groups, of each group its share,
// and returns them in order.
func takeShare(groups [][]int, n int) []int {
	rows := make([]int, 0, n)
	for i, share := range apportion(n, groups) {
		rows = append(rows, groups[i][:share]...)
		groups[i] = groups[i][share:]
	}
	slices.Sort(rows)
	return rows
}

// apportion divides n by the sizes of groups: the whole part of what each is
// due, and one more for those with the greatest rest, the first of equals.
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
