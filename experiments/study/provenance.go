package study

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
)

// RecordFacts are how a record was made: what it takes to make it again, and to
// know what its numbers mean.
func (e *Record) RecordFacts() []report.Fact {
	first, last := Times([]*Record{e})
	facts := []report.Fact{
		{Name: "command", Value: e.Command()}, {Name: "scale", Value: string(e.Scale)},
		{Name: "seeds", Value: strings.Trim(fmt.Sprint(e.Seeds), "[]")},
		{Name: "made", Value: Span(first, last, time.DateTime)},
		{Name: "seconds", Value: e.bySeed((*seedRecord).seconds)},
		{Name: "memory", Value: e.bySeed(func(s *seedRecord) string { return record.MemoryText(s.Peak) })},
		{Name: "ansatz", Value: e.bySeed(func(s *seedRecord) string { return s.Machine.Version })},
		{Name: "machine", Value: e.bySeed(func(s *seedRecord) string { return s.Machine.String() })},
		{Name: "spec", Value: string(e.Spec)},
	}
	if id := e.RunID(); id != e.ID {
		facts = append(facts, report.Fact{Name: "run of", Value: id})
	}
	return append(facts, e.dataFacts()...)
}

// seconds is how long the run took; of one that was interrupted, since it went on.
func (s *seedRecord) seconds() string {
	text := fmt.Sprintf("%.1f", s.Seconds)
	if s.Resumed {
		text += " since it was resumed"
	}
	return text
}

// String says what the machine is.
func (m machineRecord) String() string {
	text := fmt.Sprintf("%s, backend %s, %d of %d processors", m.System, m.Backend, m.Threads, m.Processors)
	if m.Processor != "" {
		text += " (" + m.Processor + ")"
	}
	return text + ", " + m.Go
}

// bySeed is a text of every seed, those that are alike together: "a (seeds 0 1), b
// (seed 2)", and for one text alone no seeds.
func (e *Record) bySeed(text func(*seedRecord) string) string {
	var texts []string
	seeds := map[string][]uint64{}
	for _, s := range e.seeds {
		t := text(s)
		if seeds[t] == nil {
			texts = append(texts, t)
		}
		seeds[t] = append(seeds[t], s.Seed)
	}
	if len(texts) == 1 {
		return texts[0]
	}
	for i, t := range texts {
		texts[i] = fmt.Sprintf("%s (%s)", t, record.SeedsText(seeds[t]))
	}
	return strings.Join(texts, ", ")
}

// dataFacts are the data of all seeds, each once, with the seeds that used it if
// others did not.
func (e *Record) dataFacts() []report.Fact {
	var all []DataUsed
	by := map[DataUsed][]uint64{}
	for _, s := range e.seeds {
		for _, d := range s.Data {
			if !slices.Contains(all, d) {
				all = append(all, d)
			}
			if !slices.Contains(by[d], s.Seed) {
				by[d] = append(by[d], s.Seed)
			}
		}
	}
	var facts []report.Fact
	for _, d := range all {
		text := d.Name + ": SHA-256 " + d.SHA256
		if d.Images > 0 { // tables say themselves what they are
			text = fmt.Sprintf("%s: %d images, SHA-256 %s", d.Name, d.Images, d.SHA256)
		}
		if len(by[d]) < len(e.seeds) {
			text += " (" + record.SeedsText(by[d]) + ")"
		}
		facts = append(facts, report.Fact{Name: "data", Value: text})
	}
	return facts
}

// valuesTable is what claims are judged by, seed by seed; nil if there are no claims.
func (e *Record) valuesTable() *report.Table {
	if len(e.Statements) > 0 || len(e.Claims) == 0 {
		return nil
	}
	t := &report.Table{
		Name: "values", Caption: "What the claims are judged by, as run.json and metrics.csv name it, seed by seed.",
		Columns: []report.Column{{Name: "measure"}},
	}
	for _, s := range e.seeds {
		t.Columns = append(t.Columns, report.Column{Name: fmt.Sprintf("seed %d", s.Seed), Numeric: true})
	}
	t.Columns = append(t.Columns, report.Column{Name: "mean", Numeric: true}, report.Column{Name: "±", Numeric: true, Help: "half the 95 % confidence interval of the mean"}, report.Column{Name: "claim"})
	for _, c := range e.Claims {
		row := []report.Cell{{Text: c.Value}}
		for _, s := range e.seeds {
			v, there := s.outcome.Values[c.Value]
			if !there {
				v = math.NaN()
			}
			row = append(row, report.Cell{Value: v})
		}
		t.Rows = append(t.Rows, append(row, record.PlainCell(c.Ours), record.PlainCell(c.Error), report.Cell{Text: c.Sentence}))
	}
	return t
}

// RecordDetail is the record of how the numbers were made, folded away.
func (e *Record) RecordDetail() report.Detail {
	seeds := "1 seed"
	if n := len(e.Seeds); n > 1 {
		seeds = fmt.Sprintf("%d seeds", n)
	}
	d := report.Detail{
		Summary: fmt.Sprintf("Record: scale %s, %s, ansatz %s", e.Scale, seeds, e.bySeed(func(s *seedRecord) string { return s.Machine.Version })),
		Facts:   e.RecordFacts(),
	}
	if t := e.valuesTable(); t != nil {
		d.Tables = append(d.Tables, *t)
	}
	return d
}

// Command is how the run is made again, but for settings that are those of no scale.
func (e *Record) Command() string {
	c := "ansatz run " + e.ID
	if e.Scale == OtherScale {
		c += " --spec FILE"
	} else {
		c += fmt.Sprintf(" --scale %s", e.Scale)
	}
	var all []string
	for from := 0; from < len(e.Seeds); {
		to := from + 1
		for to < len(e.Seeds) && e.Seeds[to] == e.Seeds[to-1]+1 {
			to++
		}
		part := c
		if e.Seeds[from] != 0 {
			part += fmt.Sprintf(" --seed %d", e.Seeds[from])
		}
		all = append(all, part+fmt.Sprintf(" --seeds %d", to-from))
		from = to
	}
	return strings.Join(all, " && ")
}

// Span is the days from the first to the last of the times, or that they are not
// known.
func Span(first, last time.Time, layout string) string {
	switch {
	case first.IsZero():
		return "not recorded"
	case first.Format(layout) == last.Format(layout):
		return first.Format(layout) + " UTC"
	}
	return fmt.Sprintf("%s to %s UTC", first.Format(layout), last.Format(layout))
}

// Times are when the first and the last of the seeds were begun, zero if no record
// says so.
func Times(records []*Record) (first, last time.Time) {
	for _, e := range records {
		for _, s := range e.seeds {
			if s.Made.IsZero() {
				continue
			}
			if first.IsZero() || s.Made.Before(first) {
				first = s.Made
			}
			if s.Made.After(last) {
				last = s.Made
			}
		}
	}
	return first, last
}
