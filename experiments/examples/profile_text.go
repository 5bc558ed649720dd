package examples

import (
	"fmt"
	"math"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/internal/words"
)

// shownNames is how many columns or classes a line names.
const shownNames = 8

// ProfileLines describes a table from a file, and the part of it that a machine is fitted to, in a line for each subject.
// It is nil for other examples.
func (e *Description) ProfileLines() []string {
	p := e.Conventions.Table
	if p == nil {
		return nil
	}
	lines := []string{p.sizeText(), "Target: " + p.Target.text(), "Features: " + p.featuresText()}
	add := func(name, text string) {
		if text != "" {
			lines = append(lines, name+": "+text)
		}
	}
	add("Dropped", p.droppedText())
	add("Missing", p.missingText())
	add("Fit on", e.Conventions.Train)
	add("Test on", e.Conventions.Test)
	for _, note := range p.Notes {
		add("Note", note)
	}
	return lines
}

// facts returns the profile as a page shows it. The profile may be nil.
func (p *TableProfile) facts() []report.Fact {
	if p == nil {
		return nil
	}
	facts := []report.Fact{{Name: "table", Value: p.sizeText()}, {Name: "target", Value: p.Target.text()},
		{Name: "columns", Value: p.featuresText()}}
	if text := p.droppedText(); text != "" {
		facts = append(facts, report.Fact{Name: "left out", Value: text})
	}
	return facts
}

func (p *TableProfile) sizeText() string {
	text := fmt.Sprintf("%s: %s, %s", p.Name, words.Count(p.Rows, "row"), words.Count(p.Columns, "column"))
	if p.ReadAs != "" {
		text += " (" + p.ReadAs + ")"
	}
	return text
}

// text describes the target, and how it was chosen.
func (p *TargetProfile) text() string {
	text := p.Column
	if p.Numbers == nil {
		var classes []string
		for _, c := range p.Classes {
			classes = append(classes, fmt.Sprintf("%s %d", c.Class, c.Rows))
		}
		text += fmt.Sprintf(", %d classes (%s)", len(p.Classes), words.Some(classes, shownNames))
	} else {
		text += fmt.Sprintf(", numeric (%s to %s, mean %s)", number(p.Numbers.Least), number(p.Numbers.Greatest),
			number(p.Numbers.Mean))
	}
	switch p.Chosen {
	case "last":
		text += ", the last column; --target names another"
	case "named class":
		text += ", by its name; --target names another"
	}
	if p.Numbers != nil && p.Numbers.Whole > 1 {
		text += fmt.Sprintf("; --classify takes its %d whole numbers for classes", p.Numbers.Whole)
	}
	return text
}

func (p *TableProfile) featuresText() string {
	text := fmt.Sprintf("%d numeric", p.Numeric)
	if len(p.Categorical) == 0 {
		return text
	}
	var columns []string
	for _, c := range p.Categorical {
		columns = append(columns, fmt.Sprintf("%s: %d", c.Column, c.Categories))
	}
	return fmt.Sprintf("%s, %d categorical (categories of %s), %d after one-hot encoding", text, len(p.Categorical),
		words.Some(columns, shownNames), p.Features)
}

// droppedText says which columns and rows are left out, and why.
func (p *TableProfile) droppedText() string {
	var parts, columns []string
	for _, d := range p.Dropped {
		columns = append(columns, fmt.Sprintf("%s (%s)", d.Column, d.Reason))
	}
	if len(columns) > 0 {
		parts = append(parts, words.Some(columns, shownNames))
	}
	if p.Unlabelled > 0 {
		parts = append(parts, words.Count(p.Unlabelled, "row")+" without a target")
	}
	return strings.Join(parts, "; ")
}

func (p *TableProfile) missingText() string {
	n := 0
	var columns []string
	for _, m := range p.Missing {
		n += m.Rows
		columns = append(columns, fmt.Sprintf("%s %d", m.Column, m.Rows))
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%s (%s), filled in with the mean or the most frequent category of the training rows",
		words.Count(n, "value"), words.Some(columns, shownNames))
}

// number writes a number to about four digits, without an exponent where it can be read so.
func number(v float64) string {
	if size := math.Abs(v); size >= 1e4 && size < 1e15 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.4g", v)
}
