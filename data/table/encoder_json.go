package table

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/ansatz-lab/ansatz/internal/jsonfile"
)

// ParseEncoder reads an encoder from JSON. It returns an error if the text is not the JSON of an encoder, or its parts do
// not fit together. An encoder that it returns never panics on a table, whatever the text.
func ParseEncoder(text []byte) (*Encoder, error) {
	e := &Encoder{}
	if err := jsonfile.Decode(text, e); err != nil {
		return nil, fmt.Errorf("table: not an encoder: %w", err)
	}
	if err := e.check(); err != nil {
		return nil, fmt.Errorf("table: not an encoder: %w", err)
	}
	return e, nil
}

// MarshalText returns "numeric" or "nominal".
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads "numeric" or "nominal"; any other text is an error.
func (k *Kind) UnmarshalText(text []byte) error {
	for _, known := range []Kind{Numeric, Nominal} {
		if string(text) == known.String() {
			*k = known
			return nil
		}
	}
	return fmt.Errorf("kind %s: want %v or %v", show(string(text)), Numeric, Nominal)
}

// CheckText returns a [*FormatError] if a name or a category is not UTF-8, since JSON would change it.
func (e *Encoder) CheckText() error {
	names := slices.Concat([]string{e.Target.Name}, e.Target.Classes, e.Dropped)
	for _, c := range e.Columns {
		names = append(append(names, c.Name), c.Categories...)
	}
	for _, name := range names {
		if !utf8.ValidString(name) {
			return &FormatError{Path: "the table's names", Want: "text in UTF-8", Got: show(name), Offset: -1,
				Hint: "save the table as UTF-8, or: iconv -f LATIN1 -t UTF-8"}
		}
	}
	return nil
}

// check returns an error if the parts of an encoder do not fit together.
func (e *Encoder) check() error {
	if len(e.Columns) == 0 || len(e.Columns) >= maxColumns {
		return fmt.Errorf("%d columns: want 1 to %d", len(e.Columns), maxColumns-1)
	}
	names := []string{e.Target.Name}
	for i := range e.Columns {
		names = append(names, e.Columns[i].Name)
		if err := e.Columns[i].check(); err != nil {
			return fmt.Errorf("column %s: %w", show(e.Columns[i].Name), err)
		}
	}
	n := e.countFeatures()
	switch {
	case !areDistinct(names):
		return errors.New("two columns of one name")
	case !areDistinct(e.Target.Classes):
		return errors.New("two classes of one name")
	case n == 0 || !fits(1, n):
		return fmt.Errorf("%d features: want 1 to %d", n, maxCells)
	case e.Standard != nil && e.Quantile != nil:
		return errors.New("two scalings: want one at most")
	case e.Blocks && e.Standard == nil:
		return errors.New("blocks of features without a scaling")
	case len(e.Target.Classes) > 0 && e.Target.Standard != nil:
		return errors.New("scaled targets of a classification")
	}
	return errors.Join(e.Standard.check(n), e.Quantile.check(n), e.Target.Standard.check(1))
}

func areDistinct(names []string) bool {
	seen := make(map[string]bool, len(names))
	for _, name := range names {
		seen[name] = true
	}
	return len(seen) == len(names)
}

func (c *EncoderColumn) check() error {
	switch {
	case c.Kind == Numeric && len(c.Categories) > 0:
		return errors.New("categories of a numeric column")
	case len(c.Categories) > maxCategories || !areDistinct(c.Categories):
		return errors.New("two categories of one name, or too many")
	case c.Mode < noCode || int(c.Mode) >= len(c.Categories):
		return fmt.Errorf("mode %d of %d categories", c.Mode, len(c.Categories))
	}
	return nil
}

// check returns an error unless t is nil or scales that many columns.
func (t *Standard) check(columns int) error {
	switch {
	case t == nil:
		return nil
	case len(t.Mean) != columns || len(t.Scale) != columns:
		return fmt.Errorf("%d means and %d deviations for %d features", len(t.Mean), len(t.Scale), columns)
	case slices.ContainsFunc(t.Scale, func(v float64) bool { return !(v > 0) }):
		return errors.New("a standard deviation that is not above 0")
	}
	return nil
}

// savedQuantile is a fitted [Quantile] as JSON.
type savedQuantile struct {
	Normal    bool        `json:"normal,omitempty"`
	Levels    []float64   `json:"levels"`
	Quantiles [][]float64 `json:"quantiles"` // by column
}

// MarshalJSON returns the levels and quantiles that Fit learned.
func (t *Quantile) MarshalJSON() ([]byte, error) {
	return json.Marshal(savedQuantile{t.Normal, t.levels, t.quantiles})
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (t *Quantile) UnmarshalJSON(text []byte) error {
	var s savedQuantile
	if err := jsonfile.Decode(text, &s); err != nil {
		return err
	}
	*t = Quantile{Normal: s.Normal, levels: s.Levels, quantiles: s.Quantiles}
	return nil
}

// check returns an error unless t is nil or scales that many columns.
func (t *Quantile) check(columns int) error {
	if t == nil {
		return nil
	}
	n := len(t.levels)
	if n == 0 || t.levels[0] != 0 || n > 1 && t.levels[n-1] != 1 || !rises(t.levels) {
		return errors.New("levels that do not rise from 0 to 1")
	}
	if len(t.quantiles) != columns {
		return fmt.Errorf("quantiles of %d features for %d", len(t.quantiles), columns)
	}
	for _, q := range t.quantiles {
		if len(q) != n || !slices.IsSorted(q) {
			return errors.New("quantiles that do not rise, or are not one for each level")
		}
	}
	return nil
}

// rises reports whether every number is greater than the previous one.
func rises(values []float64) bool {
	for i := 1; i < len(values); i++ {
		if !(values[i] > values[i-1]) {
			return false
		}
	}
	return true
}
