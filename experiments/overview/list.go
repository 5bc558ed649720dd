package overview

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/internal/words"
)

// List is a list of experiments for scripts.
type List struct {
	Scale       study.Scale `json:"scale"` // of times and memory
	Experiments []Listed    `json:"experiments"`

	none string // why [List.Under] keeps none
}

// Listed describes an experiment, and the cost of all its seeds at a scale, one after another on one thread.
type Listed struct {
	ID         string                     `json:"id"`
	Paper      string                     `json:"paper"`
	Figure     string                     `json:"figure"`
	Kind       string                     `json:"kind"` // figure, table or other
	Title      string                     `json:"title"`
	About      string                     `json:"about"` // the parts of AboutParts as one text
	AboutParts study.About                `json:"about_parts"`
	Claims     int                        `json:"claims"`
	Seeds      int                        `json:"seeds"`            // the default number
	Of         string                     `json:"of,omitempty"`     // the experiment whose run it shows a part of
	Absent     string                     `json:"absent,omitempty"` // why it is not attempted
	Secs       float64                    `json:"seconds,omitempty"`
	Bytes      float64                    `json:"bytes,omitempty"`
	Specs      map[study.Scale]study.Spec `json:"specs"`
}

// NewList lists experiments with their costs at a scale.
func NewList(all []*study.Experiment, scale study.Scale) *List {
	l := &List{Scale: scale, Experiments: []Listed{}}
	for _, e := range all {
		c := e.CostAt(scale)
		listed := Listed{
			ID: e.ID, Paper: e.Paper, Figure: e.Figure, Kind: e.Kind(), Title: e.Title,
			About: e.About.String(), AboutParts: e.About, Claims: len(e.Claims), Seeds: e.DefaultSeeds(scale),
			Absent: e.Absent, Secs: c.Seconds * float64(e.DefaultSeeds(scale)), Bytes: c.Bytes, Specs: e.Source().Specs,
		}
		if e.Of != nil {
			listed.Of = e.Of.ID
		}
		l.Experiments = append(l.Experiments, listed)
	}
	return l
}

// Under keeps the experiments that are known to take less than a number of seconds.
func (l *List) Under(seconds float64) {
	if len(l.Experiments) == 0 {
		return
	}
	l.Experiments = slices.DeleteFunc(l.Experiments, func(e Listed) bool { return e.Secs == 0 })
	if len(l.Experiments) == 0 {
		l.none = fmt.Sprintf("The time of none of these experiments is known at scale %s.", l.Scale)
		return
	}
	shortest := slices.MinFunc(l.Experiments, func(a, b Listed) int { return cmp.Compare(a.Secs, b.Secs) })
	l.none = fmt.Sprintf("None of these experiments takes less than %s at scale %s on one thread. The shortest, %s, takes "+
		"about %s.", record.FormatDuration(seconds), l.Scale, shortest.ID, record.FormatDuration(shortest.Secs))
	l.Experiments = slices.DeleteFunc(l.Experiments, func(e Listed) bool { return e.Secs >= seconds })
}

// Summary counts the experiments, and says how long all of them take.
func (l *List) Summary() string {
	if len(l.Experiments) == 0 {
		return cmp.Or(l.none, "No experiment fits all that was asked for. (None fits --attempted=false: all of the "+
			"papers' experiments can be run.)")
	}
	seconds, claims, unknown := 0., 0, 0
	seen := map[string]bool{}
	for _, e := range l.Experiments {
		claims += e.Claims
		if id := e.run(); e.Absent == "" && !seen[id] {
			seen[id] = true
			seconds += e.Secs
			if e.Secs == 0 {
				unknown++
			}
		}
	}
	text := fmt.Sprintf("%s with %d claims and controls", words.Count(len(l.Experiments), "experiment"), claims)
	if seconds > 0 {
		text += fmt.Sprintf(", which take about %s on one thread at scale %s", record.FormatDuration(seconds), l.Scale)
		if unknown > 0 {
			text += fmt.Sprintf(", except for %d of unknown time", unknown)
		}
	}
	return text + ". Run some: ansatz run ID... --resume."
}

// run returns the ID of the experiment whose run this one shows.
func (e *Listed) run() string {
	if e.Of != "" {
		return e.Of
	}
	return e.ID
}

// Table returns a table with a row for each experiment.
func (l *List) Table() *report.Table {
	t := &report.Table{
		Name: "experiments", Caption: "Experiments of the papers. Times are those of all seeds on one thread.",
		Columns: []report.Column{
			{Name: "id"}, {Name: "of the paper"}, {Name: "claims", Numeric: true},
			{Name: "time", Numeric: true, Help: "of all seeds on one thread"}, {Name: "memory", Numeric: true},
			{Name: "run of"}, {Name: "title"},
		},
	}
	views := false
	for _, e := range l.Experiments {
		seconds, memory := report.Cell{Text: "?", Value: math.NaN()}, report.Cell{Text: "?", Value: math.NaN()}
		if e.Secs > 0 {
			seconds = report.Cell{Text: record.FormatDuration(e.Secs), Value: e.Secs}
		}
		if e.Bytes > 0 {
			memory = report.Cell{Text: words.Bytes(e.Bytes), Value: e.Bytes}
		}
		title := report.Cell{Text: e.Title}
		if e.Absent != "" {
			seconds.Text, memory.Text = "–", "–"
			title = report.Cell{Text: e.Title + " (not attempted: " + e.Absent + ")", Mark: report.Muted}
		}
		views = views || e.Of != ""
		t.Rows = append(t.Rows, []report.Cell{{Text: e.ID}, {Text: e.Figure}, {Value: float64(e.Claims)}, seconds,
			memory, {Text: e.Of}, title})
	}
	if !views {
		t.Drop("run of")
	}
	return t
}
