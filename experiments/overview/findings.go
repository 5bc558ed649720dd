package overview

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/internal/words"
)

// finding is a question that the results answer. Each has a page of its own.
type finding struct {
	name, title string // the end of the page's file, and its heading
	text        string // what was compared, without numbers
	answer      string // in words, for any verdict: {ours} is the mean of the first claim, {null} that of its control
	// claims and pictures are IDs of experiments with the name of a measure, or of a figure. The first claim, and the first
	// picture, stand for the finding.
	claims, pictures []string
	statements       bool // the finding is about statements that are false as printed, instead of claims
}

// howFindingsWereChosen introduces the findings.
const howFindingsWereChosen = "These are the questions on which the papers' arguments rest, chosen for what they ask and not " +
	"for their verdicts. Each has a page with all its numbers, nulls, pictures and commands."

// found is a finding with the records that it is about.
type found struct {
	finding
	claims   []ComparedClaim
	pictures []picture
	records  []*study.Record // of claims and pictures, each once
	// stated and failed are how many statements were checked as they are printed, and how many of them are false.
	stated, failed int
}

// picture is a figure of a record.
type picture struct {
	record *study.Record
	figure *report.Figure
}

// findings returns the findings whose first claim was measured.
func (r *Overview) findings() ([]found, error) {
	var all []found
	records := r.judgedRecords()
	claims := comparedClaims(records)
	for _, f := range findings {
		x := found{finding: f}
		if f.statements {
			x.addStatements(claims, records)
		}
		for _, name := range f.claims {
			id, value, _ := strings.Cut(name, " ")
			at := slices.IndexFunc(claims, func(c ComparedClaim) bool { return c.Experiment == id && c.Value == value })
			if at >= 0 && (len(x.claims) > 0 || claims[at].Ours != nil) {
				x.add(claims[at], records)
			} else if len(x.claims) == 0 {
				break // the claim that stands for the finding was not measured
			}
		}
		if len(x.claims) == 0 {
			continue
		}
		if err := x.addPictures(records); err != nil {
			return nil, err
		}
		all = append(all, x)
	}
	return all, nil
}

// add adds a claim of one of the records.
func (f *found) add(c ComparedClaim, records []*study.Record) {
	f.claims = append(f.claims, c)
	f.addRecord(records[slices.IndexFunc(records, func(e *study.Record) bool { return e.ID == c.Experiment })])
}

// addStatements adds the statements that are false as printed, each followed by its correction.
func (f *found) addStatements(claims []ComparedClaim, records []*study.Record) {
	after := false
	for _, c := range claims {
		switch {
		case c.Statement == "":
		case c.Kind == study.OfPaper:
			f.stated++
			if after = c.Verdict == study.Fails; after {
				f.failed++
				f.add(c, records)
			}
		case after && strings.HasSuffix(c.Statement, study.Corrected):
			f.add(c, records)
		}
	}
	if f.failed == 0 {
		f.claims = nil
	}
}

// addRecord adds a record, once.
func (f *found) addRecord(e *study.Record) {
	if !slices.Contains(f.records, e) {
		f.records = append(f.records, e)
	}
}

// addPictures adds the pictures that can be drawn.
func (f *found) addPictures(records []*study.Record) error {
	for _, name := range f.finding.pictures {
		id, figure, _ := strings.Cut(name, " ")
		of := slices.IndexFunc(records, func(e *study.Record) bool { return e.ID == id })
		if of < 0 {
			continue
		}
		figures, err := records[of].Figures()
		if err != nil {
			return err
		}
		if i := slices.IndexFunc(figures, func(x report.Figure) bool { return x.Name == figure }); i >= 0 {
			f.pictures = append(f.pictures, picture{records[of], &figures[i]})
			f.addRecord(records[of])
		}
	}
	return nil
}

// verdict returns the verdict on the first claim; statements that are false as printed fail.
func (f found) verdict() study.Verdict { return f.claims[0].Verdict }

// answerText returns the answer, the first claim with its verdict between marks, and its numbers; or, for statements, the
// counts.
func (f found) answerText(mark string, escape func(string) string) string {
	if f.statements {
		return escape(fmt.Sprintf("Of %s of the papers' theory, checked as printed, %d hold and %d fail.",
			words.Count(f.stated, "statement"), f.stated-f.failed, f.failed))
	}
	c := f.claims[0]
	null := "–"
	if c.Control != nil {
		null = c.Control.Cell().Text
	}
	answer := strings.NewReplacer("{ours}", c.Judgement.Cell().Text, "{null}", null).Replace(f.answer)
	return escape(answer) + " Claim: " + escape(c.Text()) + " " + mark + capital(string(f.verdict())) + "." + mark + " " +
		escape(numbers(c))
}

// plain returns a text unchanged.
func plain(text string) string { return text }

// numbers describes the measurement, its threshold, and the comparison with the null.
func numbers(c ComparedClaim) string {
	text := fmt.Sprintf("Measured: %s; threshold: %s; paper: %s.", c.Judgement.Cell().Text, c.Want, c.PaperText())
	if null := c.Control; null != nil && null.Verdict != study.NotAttempted {
		text += fmt.Sprintf(" Against the null: %s, threshold: %s (%s).", null.Cell().Text, null.Want, null.Verdict)
	}
	if c.Why != "" {
		text += " Not attempted at this scale: " + strings.TrimSuffix(c.Why, ".") + "."
	}
	return text
}

// findingsSection returns the findings as a section of the page: a table with links to the experiments, and figures.
func (r *Overview) findingsSection() (report.Section, error) {
	all, err := r.findings()
	s := report.Section{Heading: "Findings", ID: "findings", Text: []string{howFindingsWereChosen}}
	t := report.Table{Name: "findings", Caption: "The findings, with the verdicts on the claims that stand for them.",
		Columns: []report.Column{{Name: "verdict"}, {Name: "question", Sentences: true}, {Name: "finding", Sentences: true},
			{Name: "in"}}}
	for _, f := range all {
		in := f.claims[0].Experiment
		t.Rows = append(t.Rows, []report.Cell{f.verdict().Cell(), {Text: f.title}, {Text: f.answerText("", plain)},
			{Text: in, Link: anchorOf(in)}})
		if len(f.pictures) == 0 {
			continue
		}
		of := f.pictures[0]
		shown, err := of.figure.Within(embedded)
		if err != nil {
			return s, err
		}
		shown.File = path.Join(of.record.RunID(), of.record.Hash, "figures", of.figure.Name)
		shown.Name = "finding-" + f.name
		shown.Caption = f.title + " " + f.answerText("", plain)
		shown.CSV = nil // the experiment's own page links it
		s.Figures = append(s.Figures, shown)
	}
	s.Lead = []report.Table{t}
	return s, err
}

// findingPrefix begins the names of the documents of findings.
const findingPrefix = "finding-"

// writeFindings writes the findings, each with its numbers, a picture and a link to its page.
func (d *document) writeFindings() error {
	if len(d.found) == 0 {
		return nil
	}
	d.writeParagraph("## Findings")
	d.writeParagraph("%s", howFindingsWereChosen)
	for i, f := range d.found {
		number := fmt.Sprintf("%d. ", i+1)
		lines := []string{fmt.Sprintf("%s[%s](%s) %s", number, plainMarkdown(f.title),
			linkTo(path.Base(paperFile(d.index, findingPrefix+f.name)), ""), f.answerText("**", plainMarkdown))}
		if len(f.pictures) > 0 {
			of := f.pictures[0]
			if link := d.link(of.record, "figures", of.figure.Name, ".png", ".svg"); link != "" {
				indent := strings.Repeat(" ", len(number)) // which makes the picture a part of the item
				lines = append(lines, fmt.Sprintf("%s![%s](%s)", indent, plainMarkdown(of.figure.Alt), link))
			}
		}
		d.writeParagraph("%s", strings.Join(lines, "\n\n"))
	}
	return nil
}

// writeFinding writes the page of the finding that the document is named after.
func (d *document) writeFinding() error {
	at := slices.IndexFunc(d.found, func(f found) bool { return findingPrefix+f.name == d.name })
	f := d.found[at]
	d.writeParagraph("# %s", plainMarkdown(f.title))
	d.writeParagraph("%s", f.answerText("**", plainMarkdown))
	d.writeParagraph("%s", plainMarkdown(f.text))
	t := claimsTableOf(f.claims)
	t.Drop("paper", "scale")
	if err := d.writeTable(t.WithoutEmpty()); err != nil {
		return err
	}
	for _, p := range f.pictures {
		if link := d.link(p.record, "figures", p.figure.Name, ".png", ".svg"); link != "" {
			d.writeParagraph("![%s](%s)", plainMarkdown(p.figure.Alt), link)
			d.writeParagraph("*[%s](%s).* %s", p.record.ID, d.linkToAnchor(anchorInOverview(p.record, d.r)),
				plainMarkdown(p.figure.Caption))
		}
	}
	var known, commands []string
	for _, c := range f.claims {
		if c.Diagnosis != "" {
			known = append(known, fmt.Sprintf("- %s (%s): %s", plainMarkdown(c.titled()), c.Verdict,
				plainMarkdown(c.Diagnosis)))
		}
	}
	if len(known) > 0 {
		d.writeParagraph("## What fails or is undecided")
		d.writeParagraph("%s", strings.Join(known, "\n"))
	}
	for _, e := range f.records {
		commands = append(commands, "    "+e.Command())
	}
	d.writeParagraph("## How it was made")
	d.writeParagraph("%s", strings.Join(commands, "\n"))
	d.writeParagraph("Back to [all results](%s).", linkTo(path.Base(d.index), ""))
	return nil
}

// capital returns a text with a capital letter at its beginning.
func capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }
