package table

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/data/array"
	"gonum.org/v1/gonum/mat"
)

// Encoder makes the features and targets of a learner from a table. It is fitted to one table, and encodes every table
// that has its columns in the same way: it holds the names of the columns, the categories, the values that replace
// missing ones, and the scaling. It is saved as JSON; see [ParseEncoder].
type Encoder struct {
	Columns []EncoderColumn `json:"columns"`           // in the order of their features
	Dropped []string        `json:"dropped,omitempty"` // columns of the fitted table that are not features
	Target  EncoderTarget   `json:"target"`
	Ordinal bool            `json:"ordinal,omitempty"` // as in [EncodeOptions]

	// The scaling of the features, set by [Encoder.FitScaling]; both are nil if there is none.
	Standard *Standard `json:"standard,omitempty"`
	Quantile *Quantile `json:"quantile,omitempty"`
	// Blocks says that the features of a nominal column share one scale in Standard, see [BlockScaling].
	Blocks bool `json:"blocks,omitempty"`
}

// EncoderColumn is a column that becomes features.
type EncoderColumn struct {
	Name       string   `json:"name"`
	Kind       Kind     `json:"kind"`
	Categories []string `json:"categories,omitempty"` // of a nominal column
	Mean       float64  `json:"mean"`                 // replaces missing numbers
	Mode       int32    `json:"mode"`                 // index of the category that replaces missing ones; -1 for none
}

// EncoderTarget is the column to predict.
type EncoderTarget struct {
	Name    string   `json:"name"`
	Classes []string `json:"classes,omitempty"` // names by index; empty for a regression

	// Standard is the scaling of a regression's targets, set by [Encoder.FitScaling].
	Standard *Standard `json:"standard,omitempty"`
}

// NewEncoder fits an encoder to a table. Columns and categories come from all rows, the values that replace missing ones
// from o.Rows. The encoder has no scaling yet. The task is classification if the target is nominal or o.Classify is
// set, else regression.
//
// It returns a [*FormatError] when an option does not fit the table, a row has no target, there are no features, or the
// matrix would be too large.
func NewEncoder(t *Table, o EncodeOptions) (*Encoder, error) {
	target, columns, err := t.choose(o)
	if err != nil {
		return nil, err
	}
	e := &Encoder{Ordinal: o.Ordinal, Dropped: slices.Clone(o.Ignore)}
	if e.Target, err = t.newTarget(&t.Columns[target], o.Classify); err != nil {
		return nil, err
	}
	for _, i := range columns {
		c := &t.Columns[i]
		column := EncoderColumn{Name: c.Name, Kind: c.Kind, Mode: noCode}
		if c.Kind == Nominal {
			column.Categories, column.Mode = slices.Clone(c.Categories), c.mode(o.Rows)
		} else {
			column.Mean = c.mean(o.Rows)
		}
		e.Columns = append(e.Columns, column)
	}
	if e.countFeatures() == 0 {
		return nil, t.unfit("at least one feature", "none besides the target")
	}
	return e, e.checkSize(t)
}

// features returns the number of features of a column.
func (c *EncoderColumn) features(ordinal bool) int {
	if c.Kind == Numeric || ordinal {
		return 1
	}
	return len(c.Categories)
}

// countFeatures returns the number of features.
func (e *Encoder) countFeatures() int {
	n := 0
	for i := range e.Columns {
		n += e.Columns[i].features(e.Ordinal)
	}
	return n
}

// checkSize fails if the matrix of a table's features would be too large.
func (e *Encoder) checkSize(t *Table) error {
	if n := e.countFeatures(); !fits(t.Rows, n) {
		return tooLarge(t.Name, t.Rows, n)
	}
	return nil
}

// Features returns the names of the features. Those of a nominal column are called "column=category".
func (e *Encoder) Features() []string {
	var names []string
	for _, c := range e.Columns {
		if c.Kind == Numeric || e.Ordinal {
			names = append(names, c.Name)
			continue
		}
		for _, category := range c.Categories {
			names = append(names, c.Name+"="+category)
		}
	}
	return names
}

// FeatureColumns returns, for every feature, the name of its column.
func (e *Encoder) FeatureColumns() []string {
	var names []string
	for i := range e.Columns {
		for range e.Columns[i].features(e.Ordinal) {
			names = append(names, e.Columns[i].Name)
		}
	}
	return names
}

// Encode makes features, a matrix of rows × features without missing values, and targets from a table with the encoder's
// columns. It finds columns and categories by name, and lists in the match what did not fit. Neither is scaled yet; see
// [Encoder.Scale]. A target is NaN if it is missing or a class that the encoder does not know; Y is nil if the table
// has no target column.
//
// It returns a [*FormatError] when a column is missing, a text stands in a numeric column, or the matrix would be too
// large.
func (e *Encoder) Encode(t *Table) (*Set, Match, error) {
	if t.Rows == 0 {
		return nil, Match{}, t.unfit("rows", "none")
	}
	columns, target, match, err := e.findColumns(t)
	if err != nil {
		return nil, match, err
	}
	match.Ordinal = e.Ordinal
	if err := e.checkSize(t); err != nil {
		return nil, match, err
	}
	s := &Set{Name: t.Name, Features: e.Features(), Target: e.Target.Name, Classes: slices.Clone(e.Target.Classes)}
	s.X = mat.NewDense(t.Rows, len(s.Features), nil)
	first := 0
	for i, c := range columns {
		known := &e.Columns[i]
		if err := e.encodeColumn(s.X, first, t, c, known, &match); err != nil {
			return nil, match, err
		}
		first += known.features(e.Ordinal)
	}
	if target != nil {
		s.Y = e.Target.encode(target, &match)
	}
	return s, match, nil
}

// encodeColumn sets the features of a column, which begin at column first of x.
func (e *Encoder) encodeColumn(x *mat.Dense, first int, t *Table, c *Column, known *EncoderColumn, m *Match) error {
	if known.Kind == Numeric {
		c = c.withoutDashes()
	}
	m.addMissing(known.Name, c.CountMissing())
	if known.Kind == Numeric {
		values, texts := c.numbers()
		if texts.Rows > 0 {
			f := t.unfitAt(texts.First, "numbers in column "+show(c.Name), show(texts.Names[0]))
			f.Hint = "leave the cell empty where the number is not known"
			if _, ok := parseNumber(strings.Replace(texts.Names[0], ",", ".", 1)); ok {
				f.Hint = "--decimal comma reads numbers with a decimal comma"
			}
			return f
		}
		for i, v := range values {
			if c.IsMissing(i) {
				v = known.Mean
			}
			x.Set(i, first, v)
		}
		return nil
	}
	codes, unknown := c.codesAmong(known.Categories)
	m.addUnknown(known.Name, unknown)
	for i, code := range codes {
		if code == noCode && (c.IsMissing(i) || e.Ordinal) {
			code = known.Mode
		}
		switch {
		case code == noCode: // none of the categories
		case e.Ordinal:
			x.Set(i, first, float64(code))
		default:
			x.Set(i, first+int(code), 1)
		}
	}
	return nil
}

// encode returns the targets in a column: numbers or indices of classes, and NaN for missing and unknown ones.
func (target *EncoderTarget) encode(c *Column, m *Match) []float64 {
	var y []float64
	if len(target.Classes) == 0 {
		y, m.UnknownTargets = c.numbers()
		y = slices.Clone(y)
	} else {
		var codes []int32
		codes, m.UnknownTargets = c.codesAmong(target.Classes)
		y = make([]float64, len(codes))
		for i, code := range codes {
			if y[i] = float64(code); code == noCode {
				y[i] = math.NaN()
			}
		}
	}
	m.UnknownTargets.Column, m.Unlabelled = target.Name, c.CountMissing()
	for i := range y {
		if c.IsMissing(i) {
			y[i] = math.NaN()
		}
	}
	return y
}

// The scalings of features, for [Encoder.FitScaling].
const (
	NoScaling       = "none"
	StandardScaling = "standard" // mean 0, standard deviation 1
	QuantileScaling = "quantile" // the share of training rows with smaller numbers
	// BlockScaling is StandardScaling for numeric columns. It centres the features of a nominal column and divides them
	// all by one number, so that the mean squared distance of two rows in them is the same as in a numeric column. A rare
	// category is then not far from all others.
	BlockScaling = "blocks"
)

// Scaling returns the name of the scaling of the features.
func (e *Encoder) Scaling() string {
	switch {
	case e.Standard != nil && e.Blocks:
		return BlockScaling
	case e.Standard != nil:
		return StandardScaling
	case e.Quantile != nil:
		return QuantileScaling
	}
	return NoScaling
}

// FitScaling fits a scaling of the features, named by a constant such as [StandardScaling], and the standardisation of a
// regression's targets, to rows of a set from [Encoder.Encode] (nil for all). [Encoder.Scale] applies both. It returns a
// [*FormatError] if the name is unknown, there are no rows, or their moments are not finite.
func (e *Encoder) FitScaling(name string, s *Set, rows []int) error {
	e.Standard, e.Quantile, e.Target.Standard, e.Blocks = nil, nil, nil, name == BlockScaling
	if len(e.Target.Classes) == 0 {
		e.Target.Standard = &Standard{}
		if err := e.Target.Standard.Fit(Targets(s.Y), rows); err != nil {
			return err
		}
	}
	switch name {
	case NoScaling:
		return nil
	case StandardScaling, BlockScaling:
		e.Standard = &Standard{}
		if err := e.Standard.Fit(s.X, rows); err != nil || !e.Blocks {
			return err
		}
		e.shareScales()
		return nil
	case QuantileScaling:
		e.Quantile = &Quantile{}
		return e.Quantile.Fit(s.X, rows)
	}
	return array.OptionError("scaling", fmt.Sprintf("%s, %s, %s or %s", NoScaling, StandardScaling, QuantileScaling, BlockScaling),
		show(name))
}

// shareScales sets the scale of each nominal column's features, which are 0 or 1, to the root of the sum of their variances.
func (e *Encoder) shareScales() {
	first := 0
	for i := range e.Columns {
		next := first + e.Columns[i].features(e.Ordinal)
		if e.Columns[i].Kind == Nominal && !e.Ordinal {
			variance := 0.
			for _, p := range e.Standard.Mean[first:next] {
				variance += p * (1 - p)
			}
			if variance <= 0 {
				variance = 1
			}
			for j := first; j < next; j++ {
				e.Standard.Scale[j] = math.Sqrt(variance)
			}
		}
		first = next
	}
}

// HasCategories reports whether any column is encoded one-hot.
func (e *Encoder) HasCategories() bool {
	return !e.Ordinal && slices.ContainsFunc(e.Columns, func(c EncoderColumn) bool { return c.Kind == Nominal })
}

// Scale scales, in place, the features of a set from [Encoder.Encode] and the targets of a regression.
func (e *Encoder) Scale(s *Set) {
	switch {
	case e.Standard != nil:
		e.Standard.Apply(s.X)
	case e.Quantile != nil:
		e.Quantile.Apply(s.X)
	}
	if e.Target.Standard != nil && s.Y != nil {
		e.Target.Standard.Apply(Targets(s.Y))
	}
}

// Unit returns the difference in the target's own unit that corresponds to a difference of 1 between scaled targets.
func (target *EncoderTarget) Unit() float64 {
	if target.Standard == nil {
		return 1
	}
	return target.Standard.Scale[0]
}

// Restore converts scaled targets of a regression, in place, to the target's own unit.
func (target *EncoderTarget) Restore(y []float64) {
	if target.Standard != nil && len(y) > 0 {
		target.Standard.Invert(Targets(y))
	}
}
