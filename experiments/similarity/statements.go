package similarity

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
)

// DefaultStatements are the statements that commands measure by default.
const DefaultStatements = "nfa,nfa^0.5"

// ParseStatements parses a list of names of statements for [cnfa.Options], separated by commas; "all" stands for all.
func ParseStatements(flag, list string) (names []string, err error) {
	for name := range strings.SplitSeq(list, ",") {
		switch name = strings.TrimSpace(name); name {
		case "":
		case "all":
			for _, s := range cnfa.Statements() {
				names = append(names, s.Name)
			}
		default:
			if _, err := cnfa.LookupStatement(name); err != nil {
				return nil, input.Errorf("--%s %q: %s", flag, list, strings.TrimPrefix(err.Error(), "cnfa: "))
			}
			names = append(names, name)
		}
	}
	if list != "" && names == nil {
		return nil, input.Errorf("--%s %q: want names of statements, such as nfa^0.5,fact, or all", flag, list)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	order := map[string]int{}
	for i, s := range cnfa.Statements() {
		order[s.Name] = i + 1
	}
	slices.SortStableFunc(names, func(a, b string) int { return order[a] - order[b] })
	return names, nil
}

// AlignmentRecord is how well a statement holds at a layer. Undefined numbers are absent, and Undefined says why.
type AlignmentRecord struct {
	Name             string   `json:"name"`
	Value            *float64 `json:"value,omitempty"`
	StdErr           *float64 `json:"stderr,omitempty"`
	Null             *float64 `json:"null,omitempty"`
	NullSD           *float64 `json:"null_sd,omitempty"`
	NullDraws        int      `json:"null_draws,omitempty"`
	Excess           *float64 `json:"excess,omitempty"`
	NormalisedExcess *float64 `json:"normalised_excess,omitempty"`
	// Alpha is the exponent of the AGOP, if the statement has one other than 1.
	Alpha *float64 `json:"alpha,omitempty"`
	// CannotHold says why the statement is not to be expected at this layer.
	CannotHold string `json:"cannot_hold,omitempty"`
	Undefined  string `json:"undefined,omitempty"`
}

// NewAlignmentRecords returns the records of alignments.
func NewAlignmentRecords(all []cnfa.Alignment) (records []AlignmentRecord) {
	for _, a := range all {
		r := AlignmentRecord{Name: a.Name, CannotHold: a.CannotHold}
		if a.Err != nil {
			r.Undefined = strings.TrimPrefix(a.Err.Error(), "cnfa: ")
			records = append(records, r)
			continue
		}
		r.Value, r.Null, r.NullSD, r.NullDraws = record.Ptr(a.Value), record.Ptr(a.Null), spread(a.NullSD, len(a.Draws)), len(a.Draws)
		r.Excess = record.Ptr(a.Excess())
		if n := a.NormalisedExcess(); !math.IsNaN(n) {
			r.NormalisedExcess = &n
		}
		if !math.IsNaN(a.StdErr) {
			r.StdErr = record.Ptr(a.StdErr)
		}
		if a.Exponent != 0 && a.Exponent != 1 {
			r.Alpha = record.Ptr(a.Exponent)
		}
		records = append(records, r)
	}
	return records
}

// Above reports whether the excess exceeds two standard deviations of null and measurement combined; ok is false if
// that is undefined.
func (r AlignmentRecord) Above() (above, ok bool) { return aboveNull(r.Excess, r.NullSD, r.StdErr) }

// note returns remarks on a value.
func (r AlignmentRecord) note() string {
	var all []string
	if r.Alpha != nil && r.Name == cnfa.FittedNFA {
		all = append(all, fmt.Sprintf("α = %.3g", *r.Alpha))
	}
	for _, s := range []string{r.Undefined, r.CannotHold} {
		if s != "" {
			all = append(all, s)
		}
	}
	return strings.Join(all, "; ")
}

// LayerAlignments is a layer with its alignments, in the same order at all layers.
type LayerAlignments struct {
	Layer      string
	Alignments []AlignmentRecord
}

// ExcessTable returns the normalised excess of every statement, a row for each layer and a column for each statement.
func ExcessTable(layers []LayerAlignments) *report.Table {
	t := &report.Table{
		Name: "statements",
		Caption: "Normalised excess of every statement: how far it lies above its null, as a share of what is possible. It " +
			"is marked where it lies two standard deviations above, those of null and measurement combined; † says that " +
			"the statement is not to be expected there, – that it is not defined.",
		Columns: []report.Column{{Name: "layer"}},
	}
	for _, a := range layers[0].Alignments {
		c := report.Column{Name: a.Name, Numeric: true}
		if s, err := cnfa.LookupStatement(a.Name); err == nil {
			c.Help = s.Says
		}
		t.Columns = append(t.Columns, c)
	}
	for _, l := range layers {
		row := []report.Cell{{Text: l.Layer}}
		for _, a := range l.Alignments {
			cell := record.NumberCell(a.NormalisedExcess, "%+.2f")
			mark := report.Muted
			if above, _ := a.Above(); above {
				mark = report.Good
			}
			if a.CannotHold != "" && a.NormalisedExcess != nil {
				cell.Text, mark = fmt.Sprintf("%+.2f†", cell.Value), report.Muted
			}
			row = append(row, record.MarkedCell(cell, mark))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// StatementTable returns every number of every statement, a row for each layer and statement.
func StatementTable(layers []LayerAlignments) *report.Table {
	t := &report.Table{
		Name:    "alignments",
		Caption: "Every statement at every layer, with its null.",
		Columns: []report.Column{
			{Name: "layer"}, {Name: "statement"},
			{Name: "value", Numeric: true, Help: "Pearson's correlation of all entries of the two matrices; for commutator the " +
				"norm of the commutator, which is small where matrices are aligned"},
			{Name: "± ", Numeric: true, Help: "standard error, by the jackknife over groups of images"},
			{Name: "null", Numeric: true, Help: "mean with random directions in place of W's own"},
			{Name: "± null", Numeric: true, Help: "standard deviation of the null"},
			{Name: "excess", Numeric: true, Help: "value − null; null − value for commutator"},
			{Name: "normalised", Numeric: true, Help: "excess as a share of what is possible"},
			{Name: "note"},
		},
	}
	for _, l := range layers {
		for _, a := range l.Alignments {
			mark := report.Muted
			if above, _ := a.Above(); above {
				mark = report.Good
			}
			t.Rows = append(t.Rows, []report.Cell{
				{Text: l.Layer}, {Text: a.Name}, record.NumberCell(a.Value, "%.3f"), record.NumberCell(a.StdErr, "%.4f"),
				record.NumberCell(a.Null, "%.3f"), record.NumberCell(a.NullSD, "%.3f"),
				record.MarkedCell(record.NumberCell(a.Excess, "%+.3f"), mark),
				record.NumberCell(a.NormalisedExcess, "%+.2f"), {Text: a.note()},
			})
		}
	}
	return t
}

// StatementsText says how to read the tables of statements.
const StatementsText = "Each statement says that two matrices of a layer are proportional, and is measured against a null of " +
	"its own: the same number with random directions in place of the filters' own."

// StatementsDetail explains the statements one by one, folded away.
func StatementsDetail(names []string) report.Detail {
	t := report.Table{
		Name:    "statements-explained",
		Caption: "The statements, one by one.",
		Columns: []report.Column{{Name: "statement"}, {Name: "says"}, {Name: "null keeps"},
			{Name: "destroys"}, {Name: "can hold"}, {Name: "source"}},
	}
	for _, name := range names {
		s, err := cnfa.LookupStatement(name)
		if err != nil {
			continue
		}
		says := s.Says
		if s.SameAs != "" {
			says += "; the same as " + s.SameAs
		}
		kept := "Σ, V"
		if s.Turns == "V" {
			kept = "Σ, U"
		}
		t.Rows = append(t.Rows, []report.Cell{{Text: name}, {Text: says}, {Text: kept}, {Text: s.Turns},
			{Text: s.CanHold()}, {Text: s.Source}})
	}
	return report.Detail{
		Summary: fmt.Sprintf("What the statements say, and what their nulls keep (%d)", len(t.Rows)),
		List: []string{
			"W = UΣVᵀ are the layer's filters, one a row. Σ are their singular values, U its directions among the filters, " +
				"V its directions within a patch. W₀ are the filters before training.",
			"h is what the filters read, and C = Σhhᵀ its second moment.",
			"δ is the gradient of an output in the pre-activation Wh, and S = Σδδᵀ; δℓ and S_ℓ = Σδℓδℓᵀ are the same for an " +
				"image's cross-entropy.",
			"G is the gradient of the mean cross-entropy in W.",
			"A null keeps everything that was measured, Σ, and either U or V. It replaces the other by random directions: what " +
				"similarity is left comes from the spectra of the two matrices, and from the W that both may contain.",
		},
		Tables: []report.Table{t},
	}
}
