package overview

import (
	"fmt"
	"html"
	"path"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// findings are the claims with which the results begin, each with a figure of its experiment: of every paper those on
// which its argument rests. They were chosen for what they say, whatever their verdicts are.
var findings = []struct{ experiment, value, figure string }{
	{"cnfa/fig1", "pearson", "similarity-resnet20"},
	{"cnfa/fig7", "gain", "before-resnet20"},
	{"cnfa/fig2", "seen_alike", "seen-resnet20"},
	{"cnfa/features", "change_laplace_sds", "first-layer-eigenvectors"},
	{"cnfa/fig6", "convrfm_gain_mean", "sets"},
	{"rfm/fig1", "fig1_eigenvectors_mean", "features"},
	{"rfm/fig7", "rfm_test_last", "rfm-accuracy"},
	{"rfm/fig4", "a_average", "errors"},
	{"rfm/table1", "theorem1", "widths"},
	{"hyperbf/table1", "cifar10_greedy", "cifar10-accuracy"},
	{"energy/table1", "seeds_pearson", "components"},
	{"energy/fig4", "fig4_random", "profiles-dog_frog"},
	{"ntk/fig2", "mnist_features_shrink", "mnist-parts"},
	{"ntk/fig3", "features_over_centred", "shifted-parts"},
	{"ntk/fig6", "standard_rank_rises_share", "effective-rank"},
}

// howFindingsWereChosen introduces the findings.
const howFindingsWereChosen = "These are the claims on which the papers' arguments rest, chosen for what they say and not " +
	"for their verdicts."

// finding is a claim with which the results begin, in the record that counts.
type finding struct {
	ComparedClaim
	record *study.Record
	figure *report.Figure // nil if it was not drawn
}

// findings returns those of the experiments that were run.
func (r *Overview) findings() ([]finding, error) {
	var all []finding
	records := r.judgedRecords()
	claims := comparedClaims(records)
	for _, f := range findings {
		of := slices.IndexFunc(records, func(e *study.Record) bool { return e.ID == f.experiment })
		at := slices.IndexFunc(claims, func(c ComparedClaim) bool {
			return c.Experiment == f.experiment && c.Value == f.value
		})
		if of < 0 || at < 0 {
			continue
		}
		found := finding{ComparedClaim: claims[at], record: records[of]}
		figures, err := records[of].Figures()
		if err != nil {
			return nil, err
		}
		if i := slices.IndexFunc(figures, func(x report.Figure) bool { return x.Name == f.figure }); i >= 0 {
			found.figure = &figures[i]
		}
		all = append(all, found)
	}
	return all, nil
}

// numbers returns what was measured, its threshold, and how it compares with its null.
func (f finding) numbers() string {
	text := fmt.Sprintf("Measured: %s; threshold: %s; paper: %s.", f.Judgement.Cell().Text, f.Want, f.Judgement.Paper)
	if c := f.Control; c != nil && c.Verdict != study.NotAttempted {
		text += fmt.Sprintf(" Against the null: %s, threshold: %s (%s).", c.Cell().Text, c.Want, c.Verdict)
	}
	if f.Why != "" {
		text += " Not attempted at this scale: " + f.Why + "."
	}
	return text
}

// findingsSection returns the findings as a section of the page: a table that leads to the experiments, and figures.
func (r *Overview) findingsSection() (report.Section, error) {
	all, err := r.findings()
	s := report.Section{Heading: "Findings", ID: "findings", Text: []string{howFindingsWereChosen}}
	t := report.Table{Name: "findings", Caption: "The findings, with the verdicts on them.", Columns: []report.Column{
		{Name: "verdict"}, {Name: "finding", Sentences: true}, {Name: "numbers", Sentences: true}, {Name: "in"},
	}}
	for _, f := range all {
		t.Rows = append(t.Rows, []report.Cell{f.Verdict.Cell(), {Text: f.Text()}, {Text: f.numbers()},
			{Text: f.Experiment, Link: anchorOf(f.Experiment)}})
		if f.figure == nil {
			continue
		}
		picture, err := f.figure.Within(embedded)
		if err != nil {
			return s, err
		}
		picture.File = path.Join(f.record.RunID(), f.record.Hash, "figures", f.figure.Name)
		picture.Name = "finding-" + anchorOf(f.Experiment)
		picture.Caption = fmt.Sprintf("%s, %s: %s %s", f.Experiment, f.Verdict, f.Text(), f.numbers())
		picture.CSV = nil // which the experiment has
		s.Figures = append(s.Figures, picture)
	}
	s.Lead = []report.Table{t}
	return s, err
}

// writeFindings writes the findings, each with its numbers, a picture and a link to its experiment.
func (d *document) writeFindings() error {
	all, err := d.r.findings()
	if err != nil || len(all) == 0 {
		return err
	}
	d.writeParagraph("## Findings")
	d.writeParagraph("%s", howFindingsWereChosen)
	for i, f := range all {
		anchor := anchorInOverview(f.record, d.r)
		lines := []string{
			fmt.Sprintf("%d. **%s.** %s %s [%s](%s)", i+1, capital(string(f.Verdict)), plainMarkdown(f.Text()),
				plainMarkdown(f.numbers()), f.Experiment, d.linkToAnchor(anchor)),
		}
		if f.figure != nil {
			if link := d.link(f.record, "figures", f.figure.Name, ".png", ".svg"); link != "" {
				lines = append(lines, fmt.Sprintf("   <img src=%q alt=%q width=\"480\">", link,
					html.EscapeString(f.figure.Alt)))
			}
		}
		d.writeParagraph("%s", strings.Join(lines, "\n\n"))
	}
	return nil
}

// capital returns a text with a capital letter at its beginning.
func capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }
