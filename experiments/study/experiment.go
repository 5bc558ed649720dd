package study

import (
	"cmp"
	"context"
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"gonum.org/v1/gonum/mat"
)

// Experiment is a figure or a table of a paper that can be reproduced.
type Experiment struct {
	ID     string // PAPER/NAME, as in rfm/fig7
	Paper  string
	Figure string // the paper's name for it; "" for an experiment that belongs to no paper
	Title  string
	About  About
	Claims []Claim
	Specs  map[Scale]Spec
	// Seeds is the default number of seeds; 0 stands for [MinSeeds].
	Seeds int
	// SmallSeeds is the default at scale small, if it differs: as many as the time allows, regardless of the verdicts.
	SmallSeeds int
	// Stated says that the experiment checks statements, each with its own verdict, instead of claims.
	Stated bool
	// Of, if not nil, is the experiment whose run this one shows a part of, with claims of its own: for example a
	// figure whose numbers also stand in a table of the paper. One run, with Of's specs, serves both.
	Of *Experiment
	// Shows are patterns, as in [path.Match], of the names of the run's tables, charts and figures
	// that this experiment shows; nil shows all.
	Shows []string
	// Panels are patterns of the names of the charts and figures that are the panels a, b, c, … of the paper's figure,
	// in this order; nil stands for all charts and figures in their own order.
	Panels []string
	// Printed are the paper's numbers in the charts of the run.
	Printed []Printed
	// Absent, if not "", says why the experiment cannot be run. It has no specs then, and its claims are not attempted.
	Absent string
}

// Spec is the settings of an experiment, and runs it: a pointer to a documented struct whose fields
// can be set from TOML.
type Spec interface {
	// Run runs the experiment with one seed. An estimate of its cost calls it for a [DryRun] too, in
	// which it must do nothing that takes long: see [Setting.Dry].
	Run(ctx context.Context, in Setting) (*Outcome, error)
}

// Substituter is a [Spec] that can say which data stand in for the paper's.
type Substituter interface {
	// StandIns maps a dataset of the paper, by the name given to [Claim.On], to the name of the data used in its
	// place. Datasets that are the paper's own are left out.
	StandIns() map[string]string
}

// standIns returns the stand-ins of a record's settings, which are JSON; nil if they are unknown.
func (e *Experiment) standIns(settings json.RawMessage) map[string]string {
	if e.Absent != "" || len(settings) == 0 {
		return nil
	}
	spec, err := e.emptySpec()
	if err != nil || json.Unmarshal(settings, spec) != nil {
		return nil // settings of another version
	}
	if s, known := spec.(Substituter); known {
		return s.StandIns()
	}
	return nil
}

// Scale is the size of an experiment.
type Scale string

const (
	Smoke      Scale = "smoke"  // seconds, on generated data: for tests
	Small      Scale = "small"  // minutes on two cores
	Medium     Scale = "medium" // hours on two cores, where small cannot decide claims; few experiments have it
	PaperScale Scale = "paper"  // the paper's own settings
)

// Scales lists the scales from small to large.
var Scales = []Scale{Smoke, Small, Medium, PaperScale}

// ParseScale reads smoke, small, medium or paper. Another text is an [*input.Error].
func ParseScale(text string) (Scale, error) {
	if s := Scale(text); slices.Contains(Scales, s) {
		return s, nil
	}
	return "", input.Errorf("--scale %q: want smoke, small, medium or paper", text)
}

// Outcome is what an experiment found with one seed. Its tables and charts have the same form for every seed, so that
// they can be averaged.
type Outcome struct {
	// Values are what claims are judged by, by name. What could not be measured is absent, or NaN.
	Values map[string]float64
	// Units are the values of measures that claims are judged by unit: see [Outcome.SetUnits].
	Units map[string]map[string]float64
	// Statements are the same for every seed, but for their numbers.
	Statements []Statement
	Tables     []report.Table
	Charts     []Chart
	// Figures are pictures of this seed.
	Figures  []report.Figure
	Matrices map[string]*mat.Dense // by the names of their files, without .npy
	// Notes are remarks for the reader, for example on what was left out.
	Notes []string
	Data  []DataUsed
}

// DataUsed says what data a run was made on.
type DataUsed struct {
	Name   string `json:"name"`   // of the dataset, and which part of it was used
	Images int    `json:"images"` // 0 of tables
	SHA256 string `json:"sha256"` // see [data.Info]
}

// AddDataset records the digest of a dataset, under a text that says what of it was used.
func (o *Outcome) AddDataset(what string, set data.Dataset) error {
	info, err := data.Describe(set)
	if err == nil {
		o.Data = append(o.Data, DataUsed{what, info.Images, info.SHA256})
	}
	return err
}

// finish prepares the outcome for run.json: it removes points without a finite value from curves, and rounds the numbers of
// charts and tables that are not whole to six digits. No picture and no table shows more, and all digits would double the
// size of the file. Values, by which claims are judged, keep all digits.
func (o *Outcome) finish() {
	for _, c := range o.Charts {
		for i, s := range c.Series {
			kept := report.Series{Label: s.Label, Dots: s.Dots, Low: s.Low, High: s.High}
			for k := range s.X {
				if s.Y[k]-s.Y[k] == 0 || s.Low != nil {
					kept.X, kept.Y = append(kept.X, s.X[k]), append(kept.Y, s.Y[k])
				}
			}
			for _, numbers := range []report.Numbers{kept.X, kept.Y, kept.Low, kept.High} {
				for k, v := range numbers {
					numbers[k] = record.SixDigits(v)
				}
			}
			c.Series[i] = kept
		}
	}
	for _, t := range o.Tables {
		for _, row := range t.Rows {
			for j := range row {
				row[j].Value = record.SixDigits(row[j].Value)
			}
		}
	}
}

// Chart is curves of one seed, without absent values.
type Chart struct {
	Name    string          `json:"name"` // a file stem, see [report.Figure]
	Title   string          `json:"title"`
	Caption string          `json:"caption"`
	XLabel  string          `json:"x"`
	YLabel  string          `json:"y"`
	Series  []report.Series `json:"series"`
	// Labels, if not empty, are the names of the positions 0, 1, … on the x axis. The chart is then drawn as bars
	// instead of curves.
	Labels []string `json:"labels,omitempty"`
}

// DefaultSeeds returns how many seeds are run by default at a scale.
func (e *Experiment) DefaultSeeds(s Scale) int {
	if of := e.Source(); s == Small {
		return cmp.Or(of.SmallSeeds, of.Seeds, MinSeeds)
	}
	return cmp.Or(e.Source().Seeds, MinSeeds)
}

// Source returns the experiment that is run: Of if that is set, otherwise the experiment itself.
func (e *Experiment) Source() *Experiment {
	if e.Of != nil {
		return e.Of
	}
	return e
}

// SpecAt returns the spec of a scale. It is an [*input.Error] if the experiment cannot be run, or not at that scale.
func (e *Experiment) SpecAt(s Scale) (Spec, error) {
	if e.Absent != "" {
		return nil, input.Errorf("%s is not attempted: %s", e.ID, e.Absent)
	}
	spec, there := e.Source().Specs[s]
	if !there {
		return nil, input.Errorf("%s has no settings at scale %s: %s", e.ID, s, otherScales(e))
	}
	return spec, nil
}

// otherScales names the scales at which at least one of the experiments has settings, as advice for an error.
func otherScales(all ...*Experiment) string {
	var there []string
	for _, s := range Scales {
		if slices.ContainsFunc(all, func(e *Experiment) bool { return e.Source().Specs[s] != nil }) {
			there = append(there, string(s))
		}
	}
	if there == nil {
		return "it has none at any scale"
	}
	return "take --scale " + strings.Join(there, " or ")
}

// shows reports whether the experiment shows the table, chart or figure with a name.
func (e *Experiment) shows(name string) bool {
	return e.Shows == nil || slices.ContainsFunc(e.Shows, func(pattern string) bool { return matches(pattern, name) })
}

// matches reports whether a pattern matches a name.
func matches(pattern, name string) bool {
	matched, _ := path.Match(pattern, name) // a test checks the patterns
	return matched
}

// shown returns the part of an outcome that the experiment shows, with all values.
func (e *Experiment) shown(o *Outcome) *Outcome {
	if e.Shows == nil {
		return o
	}
	out := *o
	out.Tables, out.Charts, out.Figures = nil, nil, nil
	for _, t := range o.Tables {
		if e.shows(t.Name) {
			out.Tables = append(out.Tables, t)
		}
	}
	for _, c := range o.Charts {
		if e.shows(c.Name) {
			out.Charts = append(out.Charts, c)
		}
	}
	out.Figures = slices.DeleteFunc(slices.Clone(o.Figures), func(f report.Figure) bool { return !e.shows(f.Name) })
	return &out
}

// AddPanel adds the outcome of one panel of a figure. The names of its parts are prefixed with the panel's name, and
// captions and the titles of charts include the panel's title.
func (o *Outcome) AddPanel(name, title string, found *Outcome) {
	for key, v := range found.Values {
		o.Set(Measure{key}.Of(name), v)
	}
	for key, units := range found.Units {
		o.SetUnits(Measure{key}.Of(name), units)
	}
	for key, m := range found.Matrices {
		o.Matrices[name+"-"+key] = m
	}
	for _, t := range found.Tables {
		t.Name, t.Caption = name+"-"+t.Name, title+". "+t.Caption
		o.Tables = append(o.Tables, t)
	}
	for _, c := range found.Charts {
		c.Name, c.Title = name+"-"+c.Name, c.Title+" ("+title+")"
		o.Charts = append(o.Charts, c)
	}
	for _, f := range found.Figures {
		f.Name, f.Caption = name+"-"+f.Name, title+". "+f.Caption
		o.Figures = append(o.Figures, f)
	}
	o.Notes, o.Data = append(o.Notes, found.Notes...), append(o.Data, found.Data...)
}
