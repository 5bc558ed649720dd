package overview

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// embedded is the size in bytes to which pictures on the page of all results are reduced, if possible.
const embedded = 42_000

// Page returns one report about all results: findings first, then papers and experiments, and all claims at the end.
func (r *Overview) Page() (*report.Page, error) {
	p := &report.Page{Title: "Five papers on feature learning: their claims, checked", Lead: r.Summary(),
		Provenance: r.provenance()}
	found, err := r.findingsSection()
	if err != nil {
		return nil, err
	}
	if len(found.Lead[0].Rows) > 0 {
		p.Sections = append(p.Sections, found)
	}
	summary := report.Section{Heading: "By paper", Lead: []report.Table{*r.SummaryTable()}}
	claims := report.Section{
		Heading: "Claims", Lead: []report.Table{*r.ClaimsTable()}, Details: []report.Detail{howToRead()},
	}
	p.Sections = append(p.Sections, summary)
	for _, paper := range r.Papers {
		chapter, err := r.chapter(paper)
		if err != nil {
			return nil, err
		}
		if len(chapter.Parts) > 0 {
			p.Sections = append(p.Sections, chapter)
		}
	}
	p.Sections = append(p.Sections, claims)
	if t := r.MissingTable(); len(t.Rows) > 0 {
		p.Sections = append(p.Sections, report.Section{Heading: "Not here", Lead: []report.Table{*t}})
	}
	return p, nil
}

// howToRead explains verdicts and null controls.
func howToRead() report.Detail {
	return report.Detail{Summary: "How to read the verdicts", Text: []string{
		"A claim is a sentence of the paper made checkable: a number and its threshold, written before it was " +
			"measured. Ours is the mean over the seeds, and its error half the 95 % confidence interval of the " +
			"mean by Student’s t; wider where seeds were added until claims were decided (--until-settled). Where an " +
			"interval is not symmetric, its ends stand in brackets.",
		fmt.Sprintf("A claim holds if the whole interval is within the threshold, and fails if all of it is "+
			"beyond. Otherwise it is inconclusive, as are all claims with fewer than %d seeds or at scale smoke, "+
			"a functional test that gives no verdicts.", study.MinSeeds),
		"A claim of alignment has a null control: the same measure after random rotations have destroyed the " +
			"alignment. Much similarity is due to chance, so the verdict on the excess over the null stands beside " +
			"the claim's.",
		"Seeds differ in their examples and initial weights. ± in other tables, bands of curves and whiskers " +
			"of bars are one standard deviation over the seeds.",
	}}
}

// chapter returns the section of a paper.
func (r *Overview) chapter(paper string) (report.Section, error) {
	s := report.Section{ID: "paper-" + paper, Heading: paperTitle(paper)}
	for _, e := range r.Records {
		if e.Paper != paper {
			continue
		}
		part, err := r.part(e)
		if err != nil {
			return s, fmt.Errorf("%s: %w", e.ID, err)
		}
		s.Parts = append(s.Parts, part)
	}
	return s, nil
}

// part returns the section of an experiment.
func (r *Overview) part(e *study.Record) (report.Section, error) {
	name := anchorInOverview(e, r)
	s := report.Section{ID: name, Heading: e.Figure + ": " + e.Title, Note: noteInOverview(e), Command: e.Command(),
		Text: e.Text(), Folded: e.Folded()}
	if e.Absent != "" {
		s.Lead = withPrefix(name, []report.Table{*e.ClaimsTable()})
		return s, nil
	}
	if name != anchorOf(e.ID) {
		s.Heading += fmt.Sprintf(" (scale %s)", e.Scale)
	}
	s.Lead = withPrefix(name, e.JudgedTables())
	for i := range s.Lead {
		if len(e.Statements) == 0 {
			s.Lead[i].Caption = fmt.Sprintf("Claims, %s.", e.ID)
		}
	}
	figures, err := e.Figures()
	if err != nil {
		return s, err
	}
	for _, f := range figures {
		if f, err = f.Within(embedded); err != nil {
			return s, err
		}
		f.File = path.Join(e.RunID(), e.Hash, "figures", f.Name)
		f.Name = name + "-" + f.Name
		s.Figures = append(s.Figures, f)
	}
	s.Tables = withPrefix(name, e.Tables)
	d := e.RecordDetail()
	d.Tables = nil // the values, seed by seed, are on the experiment's own page
	s.Details = []report.Detail{d}
	return s, nil
}

// noteInOverview says how many claims hold, for the table of contents.
func noteInOverview(e *study.Record) string {
	if e.Absent != "" {
		return string(study.NotAttempted)
	}
	t := study.Tally{}
	for _, c := range claimsIn(e) {
		t.Add(c.Judgement)
	}
	var parts []string
	for _, o := range study.Origins() {
		if n := t.Sum(o); n > 0 {
			parts = append(parts, fmt.Sprintf("%d of %d %s hold", t[o][study.Holds], n,
				map[study.Origin]string{study.OfPaper: "claims", study.OfControl: "controls"}[o]))
		}
	}
	return strings.Join(parts, ", ")
}

// provenance returns the versions and machines of all runs.
func (r *Overview) provenance() []report.Fact {
	var versions, machines []string
	seconds := 0.0
	counted := map[string]bool{} // by folder: several records may show parts of one run
	for _, e := range r.Records {
		for _, s := range e.Made() {
			if !counted[s.Folder] {
				seconds += s.Seconds
			}
			counted[s.Folder] = true
			versions, machines = appendMissing(versions, s.Version), appendMissing(machines, s.Machine)
		}
	}
	first, last := study.Times(r.Records)
	return []report.Fact{
		{Name: "made", Value: study.Span(first, last, time.DateTime)},
		{Name: "ansatz", Value: strings.Join(versions, ", ")},
		{Name: "machines", Value: strings.Join(machines, "; ")},
		{Name: "seconds, of all seeds", Value: fmt.Sprintf("%.0f", seconds)},
		{Name: "this page", Value: "made by ansatz " + record.Version() + ", which judged the claims anew"},
	}
}

// appendMissing appends a text unless the list has it.
func appendMissing(all []string, text string) []string {
	if slices.Contains(all, text) {
		return all
	}
	return append(all, text)
}
