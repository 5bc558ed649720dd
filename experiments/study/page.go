package study

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/ansatz-lab/ansatz/experiments/checkpoint"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/internal/atomicfile"
	"github.com/ansatz-lab/ansatz/internal/lock"
	"github.com/ansatz-lab/ansatz/internal/words"
)

// pageLock is the name of the file that locks the page over the seeds, in the folder above the seeds' folders.
const pageLock = ".page.lock"

// save writes the page over the seeds and the record into the folder above the seeds' folders. Runs of other seeds may
// end at the same time, so it holds a lock: page and record always belong to one run.
func (r Run) save(ctx context.Context, e *Record) (err error) {
	if r.Out == "" {
		return nil
	}
	dir := r.dir(r.Experiment, e.Hash)
	if err := atomicfile.MakeFolder(dir); err != nil {
		return err
	}
	l, err := lock.Wait(ctx, filepath.Join(dir, pageLock))
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return &checkpoint.InterruptedError{Checkpoint: dir}
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Release()) }()
	if e.Scale == OtherScale {
		text, err := toml.Marshal(r.Spec)
		if err := errors.Join(err, atomicfile.WriteBytes(filepath.Join(dir, SpecFile), text)); err != nil {
			return err
		}
	}
	kept := *e
	kept.Report = "" // the folder may be moved
	path, err := record.SaveRecord(dir, &kept)
	e.Report = path
	return err
}

// RecordKind implements [record.Record].
func (e *Record) RecordKind() string { return "experiment" }

// Summary counts the verdicts in one sentence.
func (e *Record) Summary() string {
	if len(e.Statements) > 0 {
		return e.statementSummary()
	}
	count := Tally{}
	for _, c := range e.Claims {
		count.Add(c)
	}
	name := e.ID
	if e.Figure != "" {
		name += ", " + e.Figure + " of the paper,"
	}
	if e.Absent != "" {
		return fmt.Sprintf("%s was not attempted: %s", name, e.Absent)
	}
	verdicts := count.String()
	if e.Figure == "" { // it belongs to no paper
		verdicts = strings.Replace(verdicts, "paper claim", "claim", 1)
	}
	text := fmt.Sprintf("%s at scale %s over %s. %s.", name, e.Scale, words.Count(len(e.Seeds), "seed"), verdicts)
	if e.Scale == OtherScale {
		text += " The settings are not the experiment's own (--spec): these verdicts say nothing about the paper."
	}
	return text
}

// The heading and the help of the column with the null controls, in tables of claims.
const (
	NullControl     = "null control"
	NullControlHelp = "what the claim's null control measures, in its own unit: mostly the excess of a similarity over its " +
		"null, else what the control's own row says, such as standard deviations of the null or a share of the layers"
)

// ClaimsTable returns the claims with their verdicts. An alignment claim has the verdict on its
// null control beside its own.
func (e *Record) ClaimsTable() *report.Table {
	ofPaper, printed, kinds := "", "expected", map[Origin]string{OfPaper: "claim", OfControl: "control"}
	if e.Figure != "" { // it belongs to a paper
		ofPaper, printed, kinds[OfPaper] = " of the paper", "paper", "paper"
	}
	t := &report.Table{
		Name: "claims", Caption: "Claims" + ofPaper + " and controls, which no paper states. Ours is the mean over " +
			"the seeds with its " + e.Looks.text() + ". A claim holds if the whole interval is within the " +
			"threshold, and fails if all of it is beyond.",
		Columns: []report.Column{{Name: "verdict"}, {Name: "kind"}, {Name: "claim", Sentences: true},
			{Name: "ours", Numeric: true}, {Name: "threshold"}, {Name: printed}, {Name: "seeds", Numeric: true}},
	}
	if e.Scale == Smoke {
		t.Caption += " Scale smoke is a functional test: no claim holds or fails there."
	}
	controlled := slices.ContainsFunc(e.Claims, func(c Judgement) bool { return c.Control != nil })
	if controlled {
		t.Columns = append(t.Columns, report.Column{Name: "above null", Help: "the verdict on the claim's null control"},
			report.Column{Name: NullControl, Numeric: true, Help: NullControlHelp})
	}
	for _, c := range e.Claims {
		if remark := c.remark(); remark != "" {
			t.Caption += " " + remark
		}
		row := []report.Cell{c.Verdict.Cell(), {Text: kinds[c.Kind]}, {Text: c.TextWithReason()}, c.Cell(), {Text: c.Want},
			{Text: c.PaperText()}, {Value: float64(c.Seeds)}}
		switch {
		case c.Control != nil:
			row = append(row, c.Control.Verdict.Cell(), c.Control.Cell())
		case controlled:
			row = append(row, report.Cell{}, report.Cell{Value: math.NaN()})
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// remark returns a sentence on how the claim was judged, "" if that needs none.
func (j Judgement) remark() string {
	if j.Method == "" {
		return ""
	}
	return fmt.Sprintf("%s is the %s.", j.Value, j.Method)
}

// Cell returns the verdict with its mark.
func (v Verdict) Cell() report.Cell {
	marks := map[Verdict]report.Mark{Holds: report.Good, Fails: report.Bad, NotAttempted: report.Muted}
	return report.Cell{Text: string(v), Mark: marks[v]}
}

// Cell returns the mean over the seeds with its confidence interval, in grey where the scale cannot decide the claim.
func (j Judgement) Cell() report.Cell {
	if j.Ours == nil {
		return record.NumberCell(nil, "")
	}
	c := report.Cell{Text: j.intervalText(), Value: *j.Ours}
	if j.Why != "" {
		c.Text, c.Mark = c.Text+" (cannot decide)", report.Muted
	}
	return c
}

// intervalText returns the mean with half its interval, or with the ends of an interval that is not symmetric.
func (j Judgement) intervalText() string {
	size := math.Abs(*j.Ours)
	d := max(0, min(4, 2-int(math.Floor(math.Log10(size+1e-9)))))
	tiny := size > 0 && size < 1e-4 && j.Error != nil && *j.Error < 1e-3 // both would be printed as 0.0000
	switch {
	case j.Error == nil:
		return fmt.Sprintf("%.4g", *j.Ours)
	case *j.Error == 0: // the same number for every seed
		return fmt.Sprintf("%.4g, every seed", *j.Ours)
	case tiny && j.skewed():
		return fmt.Sprintf("%.2g (%.2g to %.2g)", *j.Ours, *j.Low, *j.High)
	case tiny:
		return fmt.Sprintf("%.2g ± %.1g", *j.Ours, *j.Error)
	case j.skewed():
		return fmt.Sprintf("%.*f (%.*f to %.*f)", d, *j.Ours, d, *j.Low, d, *j.High)
	}
	return fmt.Sprintf("%.*f ± %.*f", d, *j.Ours, d, *j.Error)
}

// ErrorCell returns half the interval, or its ends if it is not symmetric.
func (j Judgement) ErrorCell() report.Cell {
	if j.skewed() {
		return report.Cell{Text: fmt.Sprintf("%.2g to %.2g", *j.Low, *j.High), Value: *j.Error}
	}
	return record.NumberCell(j.Error, "%.2g")
}

// skewed reports whether one end of the interval is farther from the estimate than the other by a tenth of the interval.
func (j Judgement) skewed() bool {
	return j.Low != nil && math.Abs(*j.High+*j.Low-2**j.Ours) > .1*(*j.High-*j.Low)
}

// PaperText returns the paper's value for the claim, as tables print it.
func (j Judgement) PaperText() string {
	switch j.Paper {
	case "picture", "pictures", "bars", "approximation":
		return "shown in the figure"
	}
	return j.Paper
}

// AllTables returns the table of the claims, then the experiment's own tables.
func (e *Record) AllTables() []*report.Table {
	all := []*report.Table{e.ClaimsTable()}
	for i := range e.Tables {
		all = append(all, &e.Tables[i])
	}
	return all
}

// WriteText writes the tables of the experiment and its summary; for an experiment about statements
// it writes one statement a line, as scripts read them.
func (e *Record) WriteText(w io.Writer) error {
	for _, line := range e.Lines() {
		fmt.Fprintln(w, line)
	}
	if len(e.Statements) == 0 {
		for i, t := range e.AllTables() {
			if i > 0 {
				fmt.Fprintln(w)
			}
			if err := t.WriteText(w); err != nil {
				return err
			}
		}
	}
	_, err := fmt.Fprintln(w, e.Summary())
	return err
}

// JudgedTables returns the table of the claims, or the tables of the statements.
func (e *Record) JudgedTables() []report.Table {
	if len(e.Statements) > 0 {
		return e.statementsTables()
	}
	return []report.Table{*e.ClaimsTable()}
}

// Page returns the record as a page, with the claims or statements first.
func (e *Record) Page() (*report.Page, error) {
	figures, err := e.Figures()
	if err != nil {
		return nil, err
	}
	heading := e.Title
	if e.Figure != "" {
		heading = e.Figure + ": " + e.Title
	}
	found := report.Section{Heading: heading, Command: e.Command(), Text: e.Text(), Folded: e.Folded(),
		Figures: figures, Tables: e.Tables}
	return &report.Page{
		Title: e.Title, Lead: e.Summary(),
		Sections:   []report.Section{{Heading: e.heading(), Tables: e.JudgedTables()}, found},
		Provenance: e.RecordFacts(), Panels: e.panels(figures),
	}, nil
}

// panels returns the figures that are panels of the paper's figure: those that the experiment names, or else all, in
// their order. It returns nil if one cannot be drawn again.
func (e *Record) panels(figures []report.Figure) []report.Figure {
	all := figures
	if e.experiment != nil && e.experiment.Panels != nil {
		all = nil
		for _, pattern := range e.experiment.Panels {
			for _, f := range figures {
				if matches(pattern, f.Name) {
					all = append(all, f)
				}
			}
		}
	}
	all = all[:min(len(all), report.MaxPanels)]
	if slices.ContainsFunc(all, func(f report.Figure) bool { return !f.Drawable() }) {
		return nil
	}
	return all
}

// Figures returns the charts over the seeds, then the pictures of up to three seeds.
func (e *Record) Figures() ([]report.Figure, error) {
	if e.drawn == nil && len(e.seeds) > 0 {
		charts, err := ChartsOverSeeds(e.outcomes(), e.experiment.Source().Printed...)
		if err != nil {
			return nil, err
		}
		e.drawn = append(charts, e.pictures()...)
	}
	return slices.Clone(e.drawn), nil
}

// mostPictured is the largest number of seeds in a figure of pictures.
const mostPictured = 3

// pictures returns the first seed's figures that have a picture, drawn for the first few seeds together. If the seeds'
// arrays are missing, it uses an existing picture: the one in the seed's folder or, if version control leaves seeds'
// folders out, the one in the folder of the page over the seeds.
func (e *Record) pictures() []report.Figure {
	var all []report.Figure
	first := e.seeds[0]
	for _, f := range first.outcome.Figures {
		if drawn, err := e.overSeeds(f.Name); err == nil {
			f = drawn
		}
		if f.Empty() && first.folder != "" {
			record.ReadPicture(&f, filepath.Dir(string(first.folder)))
		}
		if f.Empty() {
			continue
		}
		f.Description = nil // it is in the seed's folder, with its array
		if len(e.seeds) > 1 {
			f.Caption = strings.TrimSpace(fmt.Sprintf("%s Seed %d where no seed is named.", f.Caption, e.Seeds[0]))
		}
		all = append(all, f)
	}
	return all
}

// overSeeds draws a figure of pictures as the first seeds made it. It returns an error if their arrays are missing.
func (e *Record) overSeeds(name string) (report.Figure, error) {
	var of []report.Figure
	var names []string
	for _, s := range e.seeds[:min(len(e.seeds), mostPictured)] {
		i := slices.IndexFunc(s.outcome.Figures, func(f report.Figure) bool { return f.Name == name })
		if i < 0 {
			continue
		}
		f := s.outcome.Figures[i]
		if !f.Drawable() {
			var err error
			if f, err = f.Redraw(string(s.folder)); err != nil {
				return f, err
			}
		}
		of, names = append(of, f), append(names, fmt.Sprintf("seed %d", s.Seed))
	}
	return report.Repeats(of, names)
}

// heading returns the heading of the claims or statements.
func (e *Record) heading() string {
	if len(e.Statements) > 0 {
		return "Statements"
	}
	return "Claims"
}
