package examples

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/ansatz-lab/ansatz/data/table"
	"github.com/ansatz-lab/ansatz/data/table/dialect"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/internal/words"
)

// A column of texts names the rows if more than half of its rows have different texts, and at least leastNames texts
// differ. Fewer may differ by chance.
const leastNames = 10

// TableProfile describes a table, and the rows and columns of it that a machine is fitted to.
type TableProfile struct {
	Name    string        `json:"name"`
	Rows    int           `json:"rows"`    // of the file
	Columns int           `json:"columns"` // of the file
	ReadAs  string        `json:"read_as,omitempty"`
	Target  TargetProfile `json:"target"`

	Numeric     int             `json:"numeric"` // columns of numbers that are features
	Categorical []CategoryCount `json:"categorical,omitempty"`
	Features    int             `json:"features"` // of the matrix, categories being columns of 0 and 1

	Dropped    []DroppedColumn `json:"dropped,omitempty"`
	Unlabelled int             `json:"rows_without_target,omitempty"` // which are left out
	Missing    []MissingCount  `json:"missing,omitempty"`             // values that are filled in
	Notes      []string        `json:"notes,omitempty"`               // on columns that may have been misread

	kept  []int  // rows of the file that have a target; nil for all
	noted []note // Notes in parts
}

// note is a note on a column, and the names of other columns for which it holds.
type note struct {
	kind, text string
	others     []string
}

// note adds a note on a column. Columns with a note of the same kind share one.
func (p *TableProfile) note(kind, name, text string) {
	if i := slices.IndexFunc(p.noted, func(n note) bool { return n.kind == kind }); i >= 0 {
		p.noted[i].others = append(p.noted[i].others, name)
		return
	}
	p.noted = append(p.noted, note{kind: kind, text: text})
}

// noteNames notes categories of a column that differ only in letter case, and dashes that may be missing values.
func (p *TableProfile) noteNames(c *table.Column) {
	if dash := slices.IndexFunc(c.Categories, dialect.MayBeMissing); dash >= 0 && p.ReadAs != "" &&
		!slices.Contains(c.Categories, "+") {
		p.note("dash", c.Name, fmt.Sprintf("%s: %s counts as a category; if it stands for no value, leave such cells empty", c.Name,
			c.Categories[dash]))
	}
	spelt := map[string]string{}
	for row, code := range c.Codes {
		if c.IsMissing(row) {
			continue
		}
		name := c.Categories[code]
		lower := strings.ToLower(name)
		if other, is := spelt[lower]; is && other != name {
			p.note("case", c.Name, fmt.Sprintf("%s: %s and %s differ only in letter case, and count as different", c.Name, other,
				name))
			return
		}
		spelt[lower] = name
	}
}

// quoteName returns the name of a column as the flag --ignore takes it in a shell.
func quoteName(name string) string {
	if strings.ContainsAny(name, ",\"") {
		name = `"` + strings.ReplaceAll(name, `"`, `""`) + `"` // names are separated as the values of a CSV file
	}
	isPlain := func(c rune) bool {
		return unicode.IsLetter(c) || unicode.IsDigit(c) || strings.ContainsRune("_-.:/+", c)
	}
	if !strings.ContainsFunc(name, func(c rune) bool { return !isPlain(c) }) {
		return name
	}
	return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
}

// TargetProfile describes the column to predict.
type TargetProfile struct {
	Column string `json:"column"`
	Chosen string `json:"chosen"` // how the column was chosen: given, named class, or last

	Numbers *NumberRange `json:"numbers,omitempty"` // of a regression
	Classes []ClassCount `json:"classes,omitempty"` // of a classification
}

// NumberRange describes the targets of a regression.
type NumberRange struct {
	Least    float64 `json:"least"`
	Greatest float64 `json:"greatest"`
	Mean     float64 `json:"mean"`
	Whole    int     `json:"whole,omitempty"` // how many values differ, if all are whole and few, as those of classes
}

// CategoryCount counts the categories of a column.
type CategoryCount struct {
	Column     string `json:"column"`
	Categories int    `json:"categories"`
}

// ClassCount counts the rows of a class.
type ClassCount struct {
	Class string `json:"class"`
	Rows  int    `json:"rows"`
}

// MissingCount counts the missing values of a column.
type MissingCount struct {
	Column string `json:"column"`
	Rows   int    `json:"rows"`
}

// DroppedColumn is a column that is no feature, and why.
type DroppedColumn struct {
	Column string `json:"column"`
	Reason string `json:"reason"`
}

// newProfile returns the profile of the table of a spec, with the fields that do not depend on its encoding.
func (s Spec) newProfile(t *table.Table) *TableProfile {
	return &TableProfile{Name: fileName(s.Data), Rows: t.Rows, Columns: len(t.Columns), ReadAs: t.ReadAs}
}

// DropColumns takes the rows without target out of a table, and adds to the options the columns that can be no features, which
// it returns. Its error, an [*input.Error], says why no machine can be fitted to the table.
func DropColumns(t *table.Table, o *table.EncodeOptions) ([]DroppedColumn, error) {
	p := &TableProfile{Name: t.Name}
	err := p.dropColumns(t, o, nil)
	return p.Dropped, err
}

// dropColumns takes the rows without target out of a table, and adds to the options the columns that can be no features: texts
// that name the rows, and columns of one value. It records these columns, and those that the options ignore already.
func (p *TableProfile) dropColumns(t *table.Table, o *table.EncodeOptions, split []string) error {
	if len(t.Columns) == 0 {
		return nil // the encoder refuses the table
	}
	target := t.DefaultTarget()
	p.Target.Chosen = "last"
	if strings.EqualFold(t.Columns[target].Name, "class") {
		p.Target.Chosen = "named class"
	}
	if o.Target != "" {
		if target, p.Target.Chosen = t.Find(o.Target), "given"; target < 0 {
			return noColumn(p.Name, t, o.Target)
		}
	}
	numbersRows, stray := make([]bool, len(t.Columns)), make([]string, len(t.Columns)) // before rows are taken out
	for i := range t.Columns {
		numbersRows[i], stray[i] = isRowNumber(&t.Columns[i]), cmp.Or(strayText(t, i), datesText(&t.Columns[i]))
	}
	if t.Rows > 0 && t.Columns[target].CountMissing() == t.Rows {
		return input.Errorf("%s: no row has a value of %s; --target names another column", p.Name, t.Columns[target].Name)
	}
	p.dropRows(t, target)
	if n, rows := countNames(&t.Columns[target]); namesRows(n, rows) {
		return input.Errorf("%s: the target %s has %s: that cannot be learned; --target names another column", p.Name,
			t.Columns[target].Name, namesText(n, rows, stray[target]))
	}
	ignored := map[string]bool{}
	for _, name := range o.Ignore {
		ignored[name] = true
		reason := "ignored"
		if slices.Contains(split, name) {
			reason = "divides the rows"
		}
		p.Dropped = append(p.Dropped, DroppedColumn{name, reason})
	}
	for _, n := range t.Notes {
		if !ignored[n.Column] {
			p.note(n.Kind, n.Column, n.Column+": "+n.Text)
		}
	}
	p.noteNames(&t.Columns[target])
	left := 0
	o.Ignore = slices.Clip(o.Ignore) // which others hold
	for i := range t.Columns {
		name := t.Columns[i].Name
		if i == target || ignored[name] {
			continue
		}
		if reason := reasonToDrop(t, i, stray[i]); reason != "" {
			p.Dropped = append(p.Dropped, DroppedColumn{name, reason})
			o.Ignore = append(o.Ignore, name)
			continue
		}
		left++
		p.noteNames(&t.Columns[i])
		if stray[i] != "" {
			p.note("stray", name, fmt.Sprintf("%s is categorical: %s", name, stray[i]))
		}
		if numbersRows[i] {
			p.note("counts", name, fmt.Sprintf("%s rises by 1 from row to row, as numbers of rows do: if it measures nothing, "+
				"leave it out (--ignore %s)", name, quoteName(name)))
		}
	}
	if left == 0 && len(p.Dropped) > 0 {
		return input.Errorf("%s: no column is left to learn %s from; left out: %s", p.Name, t.Columns[target].Name, p.droppedText())
	}
	return nil
}

// dropRows takes out the rows without target.
func (p *TableProfile) dropRows(t *table.Table, target int) {
	if labelled := t.RowsWith(target); labelled != nil {
		p.Unlabelled, p.kept = t.Rows-len(labelled), labelled
		t.Keep(labelled)
	}
}

// reasonToDrop says why a column, with the text of [strayText] or [datesText], can be no feature, "" if it can.
func reasonToDrop(t *table.Table, column int, stray string) string {
	c := &t.Columns[column]
	if n, rows := countNames(c); namesRows(n, rows) {
		return namesText(n, rows, stray)
	}
	switch missing := c.CountMissing(); {
	case missing == t.Rows:
		return "no values"
	case !isConstant(c):
		return ""
	case missing > 0:
		return "one value, and none in " + words.Count(missing, "row")
	}
	return "one value"
}

// namesText says how many texts of a column differ. stray is the text of [strayText] or [datesText].
func namesText(n, rows int, stray string) string {
	text := fmt.Sprintf("%s in %s", words.Count(n, "different text"), words.Count(rows, "row"))
	if stray != "" {
		text += ", " + stray
	}
	return text
}

// strayText says what keeps a column of texts from being read as numbers, if at least three quarters of its values are
// numbers or would be without signs and separators; "" for other columns.
func strayText(t *table.Table, column int) string {
	c := &t.Columns[column]
	numbers, texts, first := 0, 0, -1
	var marks []string // that keep values from being numbers, and the rows where they come first
	var marked []int
	m := newMarks(t.ReadAs)
	type reading struct {
		there, isNumber bool
		mark            string
	}
	readings := make([]reading, len(c.Categories)) // each text is read once, however many rows have it
	for row, code := range c.Codes {
		if !c.IsMissing(row) && !readings[code].there {
			readings[code].there = true
			m.observe(c.Categories[code])
		}
	}
	for code := range readings {
		if r := &readings[code]; r.there {
			r.mark, r.isNumber = m.markOf(c.Categories[code])
		}
	}
	for row, code := range c.Codes {
		if c.IsMissing(row) || t.ReadAs != "" && dialect.MayBeMissing(c.Categories[code]) {
			continue // dashes are no values as soon as the others are numbers
		}
		switch mark := readings[code].mark; {
		case !readings[code].isNumber:
			if texts++; first < 0 {
				first = row
			}
		case mark != "" && !slices.Contains(marks, mark):
			marks, marked = append(marks, mark), append(marked, row)
			fallthrough
		default:
			numbers++
		}
	}
	if numbers == 0 || numbers < 3*texts || texts == 0 && marks == nil {
		return ""
	}
	if marks == nil {
		return fmt.Sprintf("numbers but for %d, as %.20q in %s; if those stand for no value, leave such cells empty", texts,
			c.Categories[c.Codes[first]], place(t, first))
	}
	do := "write numbers without"
	if len(marks) == 1 && marks[0] == decimalComma {
		do = "--decimal comma reads them"
	} else if slices.Contains(marks, parentheses) {
		do = "write negative numbers as -1.5"
	}
	text := fmt.Sprintf("numbers with %s, as %.20q in %s; %s", strings.Join(marks, " and "), c.Categories[c.Codes[marked[0]]],
		place(t, marked[0]), do)
	if texts > 0 {
		text += fmt.Sprintf("; and %s, as %.20q in %s", words.Count(texts, "other text"), c.Categories[c.Codes[first]],
			place(t, first))
	}
	return text
}

// place says where a row is: the line of the file, or the number of the row.
func place(t *table.Table, row int) string {
	if line := t.Line(row); line > 0 {
		return fmt.Sprintf("line %d", line)
	}
	return fmt.Sprintf("row %d", row+1)
}

// countNames returns how many texts of a column differ, and how many rows have one; 0 for a column of numbers.
func countNames(c *table.Column) (names, rows int) {
	seen := make([]bool, len(c.Categories))
	for row, code := range c.Codes {
		if c.IsMissing(row) {
			continue
		}
		if rows++; !seen[code] {
			seen[code] = true
			names++
		}
	}
	return names, rows
}

// namesRows reports whether so many different texts in so many rows name the rows.
func namesRows(names, rows int) bool { return names >= leastNames && 2*names > rows }

// isConstant reports whether all rows of a column that have a value have the same.
func isConstant(c *table.Column) bool {
	if c.Kind == table.Nominal {
		names, _ := countNames(c)
		return names == 1
	}
	first, seen := 0., false
	for row, v := range c.Values {
		if c.IsMissing(row) {
			continue
		}
		if seen && v != first {
			return false
		}
		first, seen = v, true
	}
	return true
}

// isRowNumber reports whether a column rises by 1 from row to row, as the number of a row does.
func isRowNumber(c *table.Column) bool {
	for row, v := range c.Values {
		if c.IsMissing(row) || row > 0 && v != c.Values[row-1]+1 {
			return false
		}
	}
	return len(c.Values) >= leastNames
}

// manyCategories names the feature with the most categories if it has over a thousand, "" if none has.
func manyCategories(t *table.Table, o table.EncodeOptions) string {
	widest := 1000
	text := ""
	for i := range t.Columns {
		c := &t.Columns[i]
		if n := len(c.Categories); n > widest && c.Name != o.Target && !slices.Contains(o.Ignore, c.Name) {
			widest, text = n, fmt.Sprintf(": column %s has %d categories, each a column of 0 and 1: --ignore %s leaves it out",
				c.Name, n, quoteName(c.Name))
		}
	}
	return text
}

// describe adds the fields that depend on the encoding of the table.
func (p *TableProfile) describe(t *table.Table, e *table.Encoder, set *table.Set, m table.Match) {
	p.Features = len(set.Features)
	for _, c := range e.Columns {
		if c.Kind == table.Numeric {
			p.Numeric++
		} else {
			p.Categorical = append(p.Categorical, CategoryCount{c.Name, len(c.Categories)})
		}
	}
	for _, c := range m.Missing {
		p.Missing = append(p.Missing, MissingCount{c.Column, c.Rows})
	}
	for _, n := range p.noted {
		if n.others != nil {
			n.text += " (likewise " + words.Some(n.others, shownNames) + ")"
		}
		p.Notes = append(p.Notes, n.text)
	}
	p.Target.Column = e.Target.Name
	if len(set.Classes) > 0 {
		rows := make([]int, len(set.Classes))
		for _, y := range set.Y {
			rows[int(y)]++
		}
		for k, class := range set.Classes {
			p.Target.Classes = append(p.Target.Classes, ClassCount{class, rows[k]})
		}
		return
	}
	p.Target.Numbers = newNumberRange(set.Y)
}

// mostLikelyClasses is the largest number of different whole numbers that are taken for classes, not measurements.
const mostLikelyClasses = 10

// newNumberRange describes the targets of a regression.
func newNumberRange(y []float64) *NumberRange {
	r := &NumberRange{Least: slices.Min(y), Greatest: slices.Max(y)}
	values := map[float64]bool{}
	whole := true
	for _, v := range y {
		r.Mean += v / float64(len(y))
		if whole = whole && v == math.Trunc(v); whole && len(values) <= mostLikelyClasses {
			values[v] = true
		}
	}
	if whole && len(values) <= mostLikelyClasses {
		r.Whole = len(values)
	}
	return r
}
