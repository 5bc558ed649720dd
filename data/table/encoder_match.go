package table

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ansatz-lab/ansatz/data/table/dialect"
	"github.com/ansatz-lab/ansatz/internal/words"
)

// Match says how the columns and values of a table fit an [Encoder].
type Match struct {
	Extra     []string // columns that the encoder does not know; they are ignored
	OtherCase []string // the encoder's columns that were found under a name in other letter case
	HasTarget bool     // whether the table has the column to predict

	// Missing counts missing values by column; the mean or the most frequent category replaces them. Unknown counts values
	// whose category the encoder does not know: all their features are 0, or with Ordinal that of the most frequent category.
	Missing, Unknown []CellCount
	Ordinal          bool // the encoder's

	Unlabelled int // rows whose target is missing
	// UnknownTargets counts rows with a class that the encoder does not know or, in a regression, a text.
	UnknownTargets CellCount
}

// CellCount counts cells of a column.
type CellCount struct {
	Column string
	Rows   int
	Names  []string // for unknown categories: the first few different values
	First  int      // for unknown categories: the first row
}

// add counts a cell.
func (c *CellCount) add(row int, name string) {
	if c.Rows++; c.Rows == 1 {
		c.First = row
	}
	if len(c.Names) < shownNames && !slices.Contains(c.Names, name) {
		c.Names = append(c.Names, name)
	}
}

// shownNames is the number of unknown categories that a CellCount names.
const shownNames = 3

func (m *Match) addMissing(column string, rows int) {
	if rows > 0 {
		m.Missing = append(m.Missing, CellCount{Column: column, Rows: rows})
	}
}

func (m *Match) addUnknown(column string, unknown CellCount) {
	if unknown.Rows > 0 {
		unknown.Column = column
		m.Unknown = append(m.Unknown, unknown)
	}
}

// CountMissing returns the number of missing values in all columns.
func (m *Match) CountMissing() int { return countRows(m.Missing) }

func countRows(counts []CellCount) int {
	n := 0
	for _, c := range counts {
		n += c.Rows
	}
	return n
}

// String describes the counts, as "colour 3 (pink, grey), size 1".
func (c CellCount) String() string {
	text := fmt.Sprintf("%s %d", c.Column, c.Rows)
	if len(c.Names) > 0 {
		text += " (" + strings.Join(c.Names, ", ") + ")"
	}
	return text
}

// Notes returns sentences on what was ignored, filled in or unknown; none if the table fits as it is.
func (m *Match) Notes() []string {
	var notes []string
	add := func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }
	if n := len(m.Extra); n > 0 {
		add("columns that the model does not use are ignored: %s", words.Names(m.Extra, shownColumns))
	}
	if len(m.OtherCase) > 0 {
		add("columns are found under names in other letter case: %s", words.Names(m.OtherCase, shownColumns))
	}
	if len(m.Missing) > 0 {
		add("missing values are filled in with the mean or the most frequent category of the training rows: %s",
			listCounts(m.Missing))
	}
	if len(m.Unknown) > 0 {
		as := "none of its categories"
		if m.Ordinal {
			as = "the most frequent one"
		}
		add("categories that the model does not know count as %s: %s", as, listCounts(m.Unknown))
	}
	if m.Unlabelled > 0 {
		add("rows without a target are predicted and not scored: %d", m.Unlabelled)
	}
	if m.UnknownTargets.Rows > 0 {
		add("rows with a target that the model does not know are predicted and not scored: %v", m.UnknownTargets)
	}
	return notes
}

// shownColumns is the number of columns that a list names.
const shownColumns = 12

func listCounts(counts []CellCount) string {
	names := make([]string, len(counts))
	for i, c := range counts {
		names[i] = c.String()
	}
	return words.Some(names, shownColumns)
}

// findColumns returns the table's columns in the encoder's order, found by name, and the target, nil if there is none. It
// accepts a name in other letter case if only one column has it.
func (e *Encoder) findColumns(t *Table) (columns []*Column, target *Column, m Match, err error) {
	names := []string{e.Target.Name}
	for _, c := range e.Columns {
		names = append(names, c.Name)
	}
	exact, folded := map[string]int{}, map[string][]int{}
	for i, c := range t.Columns {
		exact[c.Name] = i
	}
	claimed := make([]bool, len(t.Columns))
	for _, name := range append(slices.Clone(names), e.Dropped...) {
		if i, there := exact[name]; there {
			claimed[i] = true
		}
	}
	for i, c := range t.Columns {
		if lower := strings.ToLower(c.Name); !claimed[i] {
			folded[lower] = append(folded[lower], i)
		}
	}
	var missing []string
	for k, name := range names {
		i, there := exact[name]
		if candidates := folded[strings.ToLower(name)]; !there && len(candidates) == 1 && !claimed[candidates[0]] {
			i, there = candidates[0], true
			claimed[i] = true
			m.OtherCase = append(m.OtherCase, name)
		}
		switch {
		case k == 0 && there:
			target, m.HasTarget = &t.Columns[i], true
		case k == 0:
		case there:
			columns = append(columns, &t.Columns[i])
		default:
			missing = append(missing, name)
		}
	}
	for i, c := range t.Columns {
		if !claimed[i] {
			m.Extra = append(m.Extra, c.Name)
		}
	}
	if len(missing) > 0 {
		f := t.unfit("every column that the model was fitted to", "no column "+words.Names(missing, shownColumns))
		if len(m.Extra) > 0 {
			f.Hint = "columns that the model does not know: " + words.Names(m.Extra, shownColumns)
		}
		return nil, nil, m, f
	}
	return columns, target, m, nil
}

// numbers returns the values of a column as numbers, even if they were read as categories: 0 for missing values, and NaN
// for texts, which it counts.
func (c *Column) numbers() (values []float64, texts CellCount) {
	if c.Kind == Numeric {
		return c.Values, texts
	}
	values = make([]float64, len(c.Codes))
	for i, code := range c.Codes {
		if code == noCode {
			continue
		}
		v, ok := parseNumber(c.Categories[code])
		if values[i] = v; !ok {
			values[i] = math.NaN()
			texts.add(i, c.Categories[code])
		}
	}
	return values, texts
}

// withoutDashes returns the column with missing values in place of dashes, as [dialect.MayBeMissing] defines them. In a file
// whose column holds nothing but dashes, they were read as categories.
func (c *Column) withoutDashes() *Column {
	if c.Kind == Numeric || !slices.ContainsFunc(c.Categories, dialect.MayBeMissing) {
		return c
	}
	with := *c
	with.Codes, with.Missing = slices.Clone(c.Codes), make([]bool, len(c.Codes))
	for i, code := range c.Codes {
		if code == noCode || dialect.MayBeMissing(c.Categories[code]) {
			with.Codes[i], with.Missing[i] = noCode, true
		}
	}
	return &with
}

// codesAmong returns the values of a column as indices into categories. It finds a category by name or, if both are
// numbers, by value: 1 is "1", "1.0" and "01". The index is -1 for missing values and for unknown ones, which it counts.
func (c *Column) codesAmong(categories []string) (codes []int32, unknown CellCount) {
	find := newCategoryIndex(categories)
	codes = make([]int32, c.Len())
	known := make([]int32, len(c.Categories))
	for k, name := range c.Categories {
		known[k] = find.byName(name)
	}
	for i := range codes {
		codes[i] = noCode
		if c.IsMissing(i) {
			continue
		}
		var name string
		if c.Kind == Nominal {
			codes[i], name = known[c.Codes[i]], c.Categories[c.Codes[i]]
		} else {
			name = formatNumber(c.Values[i])
			codes[i] = find.byName(name)
		}
		if codes[i] == noCode {
			unknown.add(i, name)
		}
	}
	return codes, unknown
}

// formatNumber returns a number as the name of a category.
func formatNumber(v float64) string { return strconv.FormatFloat(v+0, 'f', -1, 64) } // -0 is 0

// categoryIndex finds the indices of categories by name or value.
type categoryIndex struct {
	names  map[string]int32
	values map[float64]int32 // for names that are numbers; -1 if several names have the same value
}

func newCategoryIndex(categories []string) categoryIndex {
	find := categoryIndex{make(map[string]int32, len(categories)), map[float64]int32{}}
	for code, name := range categories {
		find.names[name] = int32(code)
		if v, ok := parseNumber(name); ok {
			if _, again := find.values[v]; again {
				find.values[v] = noCode
			} else {
				find.values[v] = int32(code)
			}
		}
	}
	return find
}

// byName returns the index of the category with that name or value, -1 if there is none. It takes all spellings of booleans
// as the same: true, True and TRUE.
func (find categoryIndex) byName(name string) int32 {
	spelt := []string{name}
	if lower := strings.ToLower(name); lower == "true" || lower == "false" {
		spelt = append(spelt, lower, strings.ToUpper(lower), strings.ToUpper(lower[:1])+lower[1:])
	}
	for _, name := range spelt {
		if code, ok := find.names[name]; ok {
			return code
		}
	}
	if v, ok := parseNumber(name); ok {
		if code, ok := find.values[v]; ok {
			return code
		}
	}
	return noCode
}
