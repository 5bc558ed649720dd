package study

import (
	"path"
	"slices"

	"github.com/ansatz-lab/ansatz/experiments/report"
)

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
