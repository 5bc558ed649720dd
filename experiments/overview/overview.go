package overview

import (
	"errors"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// Overview holds the results in a folder, and the experiments without results.
type Overview struct {
	Dir     string
	Records []*study.Record     // see [study.Catalogue.Collect]
	Missing []*study.Experiment // that can be run, but were not
	Papers  []string            // in the order in which they are shown
}

// ErrNoExperiments is the error of a folder without results of experiments.
var ErrNoExperiments = errors.New("has no results of experiments")

// ReadOverview reads the results of a catalogue's experiments in a folder. If there are none, the error
// wraps [ErrNoExperiments].
func ReadOverview(c study.Catalogue, dir string) (*Overview, error) {
	records, err := c.Collect(dir)
	if err != nil {
		return nil, err
	}
	r := &Overview{Dir: dir, Records: records, Papers: c.Papers()}
	for _, e := range c {
		if !slices.ContainsFunc(records, func(x *study.Record) bool { return x.ID == e.ID }) {
			r.Missing = append(r.Missing, e)
		}
	}
	if len(r.judgedRecords()) == 0 {
		return nil, input.Errorf("%s %w: want a folder that ansatz run --out wrote to", dir, ErrNoExperiments)
	}
	return r, nil
}

// judgedRecords returns one record for each experiment that was run: the one with the settings of the largest scale.
func (r *Overview) judgedRecords() []*study.Record {
	return slices.DeleteFunc(keepLargest(r.Records), func(e *study.Record) bool { return len(e.Seeds) == 0 })
}

// Commands returns the commands that make the runs again, one for each experiment that was run.
func (r *Overview) Commands() (all []string) {
	for _, e := range r.judgedRecords() {
		all = append(all, e.Command())
	}
	return all
}

// absentRecords returns the records of experiments that cannot be run.
func (r *Overview) absentRecords() []*study.Record {
	return slices.DeleteFunc(slices.Clone(r.Records), func(e *study.Record) bool { return e.Absent == "" })
}

// paperTitle returns the name and title of a paper.
func paperTitle(paper string) string {
	titles := map[string]string{
		"cnfa":      "Mechanism of feature learning in convolutional neural networks",
		"rfm":       "Feature learning in neural networks and kernel machines that recursively learn features",
		"hyperbf":   "AGOP as a greedy approximation of gradient descent",
		"energy":    "On representation learning in the first layer of deep CNNs and the dynamics of gradient descent",
		"ntk":       "Feature learning and random features in standard finite-width CNNs",
		"alignment": "What later papers say of features that are learned",
		"theory":    "The statements of all papers",
	}
	if t := titles[paper]; t != "" {
		return paper + ": " + t
	}
	return paper
}

// anchorInOverview returns the anchor of a record, which also begins the names of its figures and tables.
func anchorInOverview(e *study.Record, r *Overview) string {
	name := anchorOf(e.ID)
	if !slices.Contains(r.judgedRecords(), e) && e.Absent == "" {
		name += "-" + e.Hash
	}
	return name
}

// anchorOf returns the anchor of an experiment.
func anchorOf(id string) string { return strings.ReplaceAll(id, "/", "-") }

// withPrefix returns the tables with a prefix before their names.
func withPrefix(prefix string, tables []report.Table) []report.Table {
	all := slices.Clone(tables)
	for i := range all {
		all[i].Name = prefix + "-" + all[i].Name
	}
	return all
}

// Verdicts holds the counts and the claims, as scripts read them.
type Verdicts struct {
	Run          []string              `json:"run"` // experiments
	NotRun       []string              `json:"not_run"`
	NotAttempted []string              `json:"not_attempted"`
	Verdicts     map[study.Verdict]int `json:"verdicts"`
	// Counts counts the papers' claims and controls separately, each number once.
	Counts    study.Tally           `json:"counts"`
	AboveNull map[study.Verdict]int `json:"above_null"` // of the null controls
	Claims    []ComparedClaim       `json:"claims"`
}

// Verdicts returns the counts and the claims.
func (r *Overview) Verdicts() Verdicts {
	t := r.tally("")
	v := Verdicts{NotRun: []string{}, NotAttempted: []string{}, Verdicts: t.verdicts, Counts: t.counts, AboveNull: t.controls,
		Claims: r.claims("")}
	for _, e := range r.Missing {
		v.NotRun = append(v.NotRun, e.ID)
	}
	for _, e := range r.judgedRecords() {
		v.Run = append(v.Run, e.ID)
	}
	for _, e := range r.absentRecords() {
		v.NotAttempted = append(v.NotAttempted, e.ID)
	}
	return v
}
