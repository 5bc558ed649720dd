package examples

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/data/table"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/internal/random"
	"github.com/ansatz-lab/ansatz/internal/suggest"
	"github.com/ansatz-lab/ansatz/internal/words"
)

// trainShare is the default share of a table's rows to train on.
const trainShare = .8

// splitColumns returns the columns that divide the rows, which are no features.
func (s Spec) splitColumns() []string {
	return slices.DeleteFunc([]string{s.SplitColumn, s.SplitGroup, s.SplitTime}, func(c string) bool { return c == "" })
}

// notFeatures returns the columns of a table that divide its rows or are ignored. It returns an input error if one is
// missing or is the target.
func (s Spec) notFeatures(t *table.Table) ([]string, error) {
	columns := s.splitColumns()
	if len(columns) > 1 {
		return nil, input.Errorf("--split-column, --split-group and --split-time each divide the rows: give one of them")
	}
	target := s.Target
	if target == "" {
		target = t.Columns[t.DefaultTarget()].Name
	}
	for _, name := range s.Ignore {
		if !slices.Contains(columns, name) {
			columns = append(columns, name)
		}
	}
	for _, name := range columns {
		switch {
		case t.Find(name) < 0:
			return nil, noColumn(s.Data, t, name)
		case name == target:
			return nil, input.Errorf("%q is the target of %s: it neither divides the rows nor is ignored (--target names "+
				"another)", name, s.Data)
		}
	}
	return columns, nil
}

// noColumn is the error of a column that a table does not have.
func noColumn(data string, t *table.Table, name string) error {
	var names []string
	for _, c := range t.Columns {
		names = append(names, c.Name)
	}
	return input.Errorf("%s has no column %q%s: it has %s", data, name, suggest.Hint(name, names), words.Names(names, 12))
}

// divide divides the rows of a table. The set has their targets.
func (s Spec) divide(t *table.Table, set *table.Set) (Parts, error) {
	switch {
	case s.SplitColumn != "":
		return s.divideByColumn(t)
	case s.SplitGroup != "":
		return s.divideByGroup(t)
	case s.SplitTime != "":
		return s.divideByTime(t)
	}
	return s.divideByChance(set)
}

// counts returns how many of n rows the spec takes for training and for testing.
func (s Spec) counts(n int) (train, test int, err error) {
	train, test = s.Train, s.Test
	if s.TestData != "" {
		test, train = 0, cmp.Or(train, n)
	}
	if train == 0 {
		train = int(math.Round(trainShare * float64(n)))
		if test > 0 {
			train = n - test
		}
		train = min(max(train, 1), n)
	}
	if test == 0 && s.TestData == "" {
		test = n - train
	}
	if train < 1 || test < 0 || train+test > n {
		return 0, 0, s.tooManyRows(n)
	}
	return train, test, nil
}

// tooManyRows is the error of a spec with more training and test rows than the n rows of the table.
func (s Spec) tooManyRows(n int) error {
	var flags []string
	if s.Train > 0 {
		flags = append(flags, fmt.Sprintf("--train %d", s.Train))
	}
	most := fmt.Sprint(n)
	if s.TestData == "" {
		if s.Test > 0 {
			flags = append(flags, fmt.Sprintf("--test %d", s.Test))
		}
		if most = fmt.Sprint(n - 1); len(flags) > 1 {
			most = fmt.Sprintf("%d in all", n)
		}
	}
	return input.Errorf("%s: %s has %s with a target: give at most %s", strings.Join(flags, " and "), s.Data,
		words.Count(n, "row"), most)
}

// divideByChance draws the rows by seed, in proportion to the classes.
func (s Spec) divideByChance(set *table.Set) (Parts, error) {
	n := len(set.Y)
	train, test, err := s.counts(n)
	if err != nil {
		return Parts{}, err
	}
	// The validation part of the split is the test rows: the rest is left out.
	split, err := set.Split(table.Fractions{Train: float64(train) / float64(n),
		Validation: float64(test) / float64(n)}, s.Seed)
	if err != nil {
		return Parts{}, &input.Error{Err: err}
	}
	p := Parts{Train: split.Train, Test: split.Validation}
	if train == n {
		return p, nil
	}
	if p.how = fmt.Sprintf(", drawn by seed %d", s.Seed); len(set.Classes) > 0 {
		p.how += ", in proportion to the classes"
	}
	return p, nil
}

// partNames maps the values of a column of parts, in lower case, to parts. Upper case is allowed too.
var partNames = map[string]string{
	"train": "train", "training": "train", "fit": "train", "validation": "validation", "valid": "validation",
	"val": "validation", "dev": "validation", "test": "test", "testing": "test", "holdout": "test",
}

// divideByColumn takes the parts from a column. Rows without a value are in no part.
func (s Spec) divideByColumn(t *table.Table) (Parts, error) {
	if s.Train != 0 || s.Test != 0 || s.TestData != "" {
		return Parts{}, input.Errorf("--split-column says which rows are for what: leave out --train, --test and --test-data")
	}
	values, err := t.Texts(s.SplitColumn)
	if err != nil {
		return Parts{}, &input.Error{Err: err}
	}
	p := Parts{how: fmt.Sprintf(", as column %s says", s.SplitColumn)}
	into := map[string]*[]int{"train": &p.Train, "validation": &p.Validation, "test": &p.Test}
	for row, v := range values {
		if v == "" {
			continue
		}
		part, known := partNames[strings.ToLower(v)]
		if !known {
			return Parts{}, input.Errorf("--split-column %s: %s of %s says %q: want train, validation or test, or nothing "+
				"for a row to leave out", s.SplitColumn, place(t, row), s.Data, v)
		}
		*into[part] = append(*into[part], row)
	}
	if len(p.Train) == 0 {
		return Parts{}, input.Errorf("--split-column %s: no row of %s says train", s.SplitColumn, s.Data)
	}
	return p, nil
}

// divideByGroup draws groups of rows by seed: rows with the same value are in the same part.
func (s Spec) divideByGroup(t *table.Table) (Parts, error) {
	train, test, err := s.counts(t.Rows)
	if err != nil {
		return Parts{}, err
	}
	values, err := t.Texts(s.SplitGroup)
	if err != nil {
		return Parts{}, &input.Error{Err: err}
	}
	byValue := map[string][]int{}
	var names []string
	numbers, clusters := map[string]int{}, make([]int, t.Rows)
	c := &t.Columns[t.Find(s.SplitGroup)]
	for row, v := range values {
		if c.IsMissing(row) {
			return Parts{}, input.Errorf("--split-group %s: %s of %s has no value", s.SplitGroup, place(t, row), s.Data)
		}
		if byValue[v] == nil {
			numbers[v] = len(names)
			names = append(names, v)
		}
		clusters[row] = numbers[v]
		byValue[v] = append(byValue[v], row)
	}
	random.New(s.Seed, "groups of rows", 0).Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	// fill takes groups until the part has so many rows, but leaves at least so many groups for other parts.
	fill := func(rows, leave int) (part []int, groups int) {
		for len(part) < rows && len(names) > leave {
			part = append(part, byValue[names[0]]...)
			names, groups = names[1:], groups+1
		}
		slices.Sort(part)
		return part, groups
	}
	p := Parts{clusters: clusters}
	parts := 1
	for _, needed := range []bool{test > 0, s.Holdout > 0} {
		if needed {
			parts++
		}
	}
	if len(names) < parts {
		return Parts{}, input.Errorf("--split-group %s: %s has %s of rows: want at least %d, one for each part",
			s.SplitGroup, s.Data, words.Count(len(names), "group"), parts)
	}
	all, held := len(names), 0
	if s.Holdout > 0 {
		p.Validation, held = fill(max(1, int(math.Round(s.Holdout*float64(train)))), parts-1)
	}
	var fitted, tested int
	leave := min(1, test)
	p.Train, fitted = fill(max(1, train-len(p.Validation)), leave)
	p.Test, tested = fill(test, 0)
	p.how = fmt.Sprintf(", %d of %d groups of equal %s, drawn by seed %d", fitted+held, all, s.SplitGroup, s.Seed)
	if held > 0 {
		p.how += fmt.Sprintf(", of which %d choose the iteration", held)
	}
	if tested > 0 {
		p.how += fmt.Sprintf("; %d for the test", tested)
	}
	return p, nil
}

// divideByTime orders the rows by a column: the first are for training, the next for validation, those after them for testing.
// Rows of the same time are in the same part: usually the earlier one, but the later one if that would be empty.
func (s Spec) divideByTime(t *table.Table) (Parts, error) {
	train, test, err := s.counts(t.Rows)
	if err != nil {
		return Parts{}, err
	}
	times, layout, err := s.times(t)
	if err != nil {
		return Parts{}, err
	}
	order := make([]int, t.Rows)
	for i := range order {
		order[i] = i
	}
	compare := func(i, j int) int { return cmp.Compare(times[i], times[j]) }
	slices.SortStableFunc(order, compare)
	byTime := slices.Clone(order)
	// after returns the first place from i on whose row has another time than the row before it.
	after := func(i int) int {
		for i > 0 && i < len(order) && compare(order[i-1], order[i]) == 0 {
			i++
		}
		return i
	}
	// before returns the first of the places whose rows have the time of the row at place i.
	before := func(i int) int {
		for i > 0 && i < len(order) && compare(order[i-1], order[i]) == 0 {
			i--
		}
		return i
	}
	end := after(train)
	if test > 0 && end == t.Rows {
		end = before(train)
		test += train - end
	}
	begin := end
	if s.Holdout > 0 {
		chosen := train - max(1, int(math.Round(s.Holdout*float64(train))))
		if begin = after(chosen); begin >= end {
			begin = before(min(chosen, end-1))
		}
	}
	last := min(end+test, t.Rows)
	if begin <= 0 || s.Holdout > 0 && begin >= end || test > 0 && end >= last {
		return Parts{}, input.Errorf("--split-time %s: too many rows of %s have the same time: a part would be empty",
			s.SplitTime, s.Data)
	}
	p := Parts{Train: order[:begin:begin], Validation: order[begin:end:end], Test: order[end:last:last],
		how: fmt.Sprintf(", in the order of %s%s", s.SplitTime, layout)}
	for _, part := range [][]int{p.Train, p.Validation, p.Test} {
		slices.Sort(part)
	}
	if s.Holdout == 0 {
		p.Validation = nil
	}
	p.clusters, p.inOrder = make([]int, t.Rows), true
	for i := 1; i < len(byTime); i++ {
		p.clusters[byTime[i]] = p.clusters[byTime[i-1]]
		if compare(byTime[i-1], byTime[i]) != 0 {
			p.clusters[byTime[i]]++
		}
	}
	return p, nil
}
