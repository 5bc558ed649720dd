package study

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"gonum.org/v1/gonum/mat"
)

// Experiment is a figure or a table of a paper that can be made again.
type Experiment struct {
	ID     string // PAPER/NAME, as in rfm/fig7
	Paper  string
	Figure string // as the paper calls it
	Title  string
	// About says what is done, and where that is not what the paper did.
	About  string
	Claims []Claim
	Specs  map[Scale]Spec
	// Seeds is how many are run unless told otherwise; 0 is [MinSeeds].
	Seeds int
	// Stated says that it is about statements, each with a verdict of its own, in
	// the place of claims.
	Stated bool
	// Of, if not nil, is the experiment of whose run this one shows a part and has
	// claims: a paper's figure of what a table of it has the numbers of. It is run
	// once for both, with Of's specs.
	Of *Experiment
	// Shows are the names of the tables, charts and figures of the run that it
	// shows, patterns as of [path.Match]; nil shows all.
	Shows []string
	// Controls name for the value of a claim of alignment that of the claim that is
	// its null control: of the excess over what chance gives. Both verdicts are
	// shown.
	Controls map[string]string
	// Absent, if not "", is why it cannot be run at all. There are no specs then,
	// and its claims are not attempted.
	Absent string
}

// Spec is the settings of an experiment, a pointer to a documented struct whose
// fields are settable from TOML, and how it is run with them.
type Spec interface {
	// Run makes the experiment with one seed.
	Run(ctx context.Context, in Setting) (*Outcome, error)
}

// Scale is how large an experiment is.
type Scale string

const (
	Smoke      Scale = "smoke" // seconds, on generated data: for tests
	Small      Scale = "small" // minutes on two cores
	PaperScale Scale = "paper" // as the paper says
)

// Scales are all of them, growing.
var Scales = []Scale{Smoke, Small, PaperScale}

// ParseScale reads smoke, small or paper.
func ParseScale(text string) (Scale, error) {
	if s := Scale(text); slices.Contains(Scales, s) {
		return s, nil
	}
	return "", input.Errorf("--scale %q: want smoke, small or paper", text)
}

// Outcome is what an experiment found with one seed. All seeds find tables and
// charts of the same form, from which those over the seeds are made.
type Outcome struct {
	// Values are what claims are judged by, by name. What could not be measured
	// is absent, or NaN.
	Values map[string]float64
	// Statements are the same for every seed, but for their numbers.
	Statements []Statement
	Tables     []report.Table
	Charts     []Chart
	// Figures are pictures of this seed.
	Figures  []report.Figure
	Matrices map[string]*mat.Dense // by the names of their files, without .npy
	// Notes are what a reader has to know, such as what was left out.
	Notes []string
	Data  []DataUsed
}

// DataUsed says what data a run was made on.
type DataUsed struct {
	Name   string `json:"name"`   // of the set, and what was taken of it
	Images int    `json:"images"` // 0 of tables
	SHA256 string `json:"sha256"` // see [data.Info]
}

// AddDataset takes note of data.
func (o *Outcome) AddDataset(what string, set data.Dataset) error {
	info, err := data.Describe(set)
	if err == nil {
		o.Data = append(o.Data, DataUsed{what, info.Images, info.SHA256})
	}
	return err
}

// dropAbsent takes the points of curves out that have no value, for which JSON has
// no word.
func (o *Outcome) dropAbsent() {
	for _, c := range o.Charts {
		for i, s := range c.Series {
			kept := report.Series{Label: s.Label, Dots: s.Dots}
			for k := range s.X {
				if s.Y[k]-s.Y[k] == 0 {
					kept.X, kept.Y = append(kept.X, s.X[k]), append(kept.Y, s.Y[k])
				}
			}
			if s.Low == nil && len(kept.X) < len(s.X) {
				c.Series[i] = kept
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
	// Labels, if there are any, are the names of the places 0, 1, … of X, at which
	// bars are drawn in the place of curves.
	Labels []string `json:"labels,omitempty"`
}

// DefaultSeeds is how many seeds are run by default.
func (e *Experiment) DefaultSeeds() int { return cmp.Or(e.Source().Seeds, MinSeeds) }

// Source is the experiment that is run: another for one that shows a part of it.
func (e *Experiment) Source() *Experiment {
	if e.Of != nil {
		return e.Of
	}
	return e
}

// SpecAt is the spec of a scale.
func (e *Experiment) SpecAt(s Scale) (Spec, error) {
	if e.Absent != "" {
		return nil, input.Errorf("%s is not attempted: %s", e.ID, e.Absent)
	}
	spec, there := e.Source().Specs[s]
	if !there {
		return nil, fmt.Errorf("experiment %s has no scale %s", e.ID, s)
	}
	return spec, nil
}

// shows says whether a table, chart or figure is of the experiment.
func (e *Experiment) shows(name string) bool {
	return e.Shows == nil || slices.ContainsFunc(e.Shows, func(pattern string) bool {
		matched, _ := path.Match(pattern, name) // patterns are ours, and tested
		return matched
	})
}

// shown is what the experiment shows of what its run found. Values are all there.
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

// AddPanel takes in what was found of a panel of a figure, under names that begin with
// the panel's, and titles and captions that say so.
func (o *Outcome) AddPanel(name, title string, found *Outcome) {
	for key, v := range found.Values {
		o.Values[name+"_"+key] = v
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
