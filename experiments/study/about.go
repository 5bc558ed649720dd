package study

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/report"
)

// About says what an experiment does, in parts. A page shows the first and folds the lists away. An
// item of a list is one or more whole sentences.
type About struct {
	// Done says what is done, in at most four lines.
	Done string `json:"done"`
	// Deviations say where the experiment differs from the paper, and why.
	Deviations []string `json:"deviations,omitempty"`
	// Controls say what is measured besides the paper's results, and what this rules out.
	Controls []string `json:"controls,omitempty"`
	// Conventions define the numbers.
	Conventions []string `json:"conventions,omitempty"`
}

// With returns the text with the parts of another one appended. Items that both have appear once.
func (a About) With(other About) About {
	if !strings.Contains(a.Done, other.Done) {
		a.Done = strings.TrimSpace(a.Done + " " + other.Done)
	}
	join := func(mine, others []string) []string {
		mine = slices.Clone(mine)
		for _, item := range others {
			if !slices.Contains(mine, item) {
				mine = append(mine, item)
			}
		}
		return mine
	}
	a.Deviations = join(a.Deviations, other.Deviations)
	a.Controls = join(a.Controls, other.Controls)
	a.Conventions = join(a.Conventions, other.Conventions)
	return a
}

// String returns all parts as one text.
func (a About) String() string {
	return strings.Join(slices.Concat([]string{a.Done}, a.Deviations, a.Controls, a.Conventions), " ")
}

// Folded returns the lists that are not empty, each to be folded away behind its name.
func (a About) Folded() []report.Detail {
	var all []report.Detail
	for _, part := range []struct {
		name  string
		items []string
	}{
		{"Deviations from the paper", a.Deviations}, {"Controls", a.Controls}, {"Conventions", a.Conventions},
	} {
		if n := len(part.items); n > 0 {
			all = append(all, report.Detail{Summary: fmt.Sprintf("%s (%d)", part.name, n), List: part.items})
		}
	}
	return all
}

// About returns what the experiment does, including the text of the experiment whose run it shows a part of.
func (e *Record) About() About {
	if e.experiment == nil {
		return About{}
	}
	return e.experiment.About.With(e.experiment.Source().About)
}

// Folded returns the lists of the About text, and the diagnoses of claims that fail or are undecided.
func (e *Record) Folded() []report.Detail {
	var known []string
	for _, c := range e.Claims {
		if c.Diagnosis != "" {
			known = append(known, fmt.Sprintf("%s (%s, %s): %s", strings.TrimSuffix(c.Sentence, "."), c.Verdict, c.Cell().Text, c.Diagnosis))
		}
	}
	all := e.About().Folded()
	if len(known) > 0 {
		all = append(all, report.Detail{Summary: fmt.Sprintf("Why claims fail or are undecided (%d)", len(known)), List: known})
	}
	return all
}

// Text returns what was done, and the notes.
func (e *Record) Text() []string {
	var all []string
	if done := e.About().Done; done != "" {
		all = append(all, done)
	}
	return append(all, e.Notes...)
}
