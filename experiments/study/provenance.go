package study

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/internal/words"
)

// RecordFacts returns how the record was made: command, seeds, times, machines and data.
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

// seconds returns how long the seed took or, if it was interrupted, how long since it was resumed.
func (s *seedRecord) seconds() string {
	text := fmt.Sprintf("%.1f", s.Seconds)
	if s.Resumed {
		text += " since it was resumed"
	}
	return text
}

// String describes the machine in one line.
func (m machineRecord) String() string {
	on := m.Backend
	if m.Device != "" {
		on += " on " + m.Device
	}
	text := fmt.Sprintf("%s, backend %s, %d of %d processors", m.System, on, m.Threads, m.Processors)
	if m.Processor != "" {
		text += " (" + m.Processor + ")"
	}
	return text + ", " + m.Go
}

// bySeed joins the texts of all seeds and merges equal ones: "a (seeds 0 1), b (seed 2)". If all are equal, the seeds
// are not named.
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

// dataFacts returns the data of all seeds by name, with the seeds that used it unless all did. If seeds drew different
// images or rows, it only counts the draws; their digests are in the seeds' run.json.
func (e *Record) dataFacts() (facts []report.Fact) {
	var names []string
	digests, by := map[string][]string{}, map[string][]uint64{}
	for _, s := range e.seeds {
		for _, d := range s.Data {
			name := strings.ReplaceAll(d.Name, fmt.Sprintf("drawn by seed %d,", s.Seed), "drawn by the seed,")
			if d.Images > 0 { // 0 of tables, whose names give their size
				name += ": " + words.Count(d.Images, "image")
			}
			if by[name] == nil {
				names = append(names, name)
			}
			digests[name], by[name] = append(digests[name], d.SHA256), append(by[name], s.Seed)
		}
	}
	for _, name := range names {
		draws, seeds := slices.Compact(slices.Sorted(slices.Values(digests[name]))), slices.Compact(by[name])
		text := name + ", SHA-256 " + draws[0]
		if n := len(draws); n > 1 {
			text = fmt.Sprintf("%s, drawn %d times, SHA-256 in the run.json of the seeds", name, n)
		}
		if len(seeds) < len(e.seeds) {
			text += " (" + record.SeedsText(seeds) + ")"
		}
		facts = append(facts, report.Fact{Name: "data", Value: text})
	}
	return facts
}

// valuesTable returns the values that claims are judged by, with a column for each seed; nil if there are no claims.
func (e *Record) valuesTable() *report.Table {
	if len(e.Statements) > 0 || len(e.Claims) == 0 {
		return nil
	}
	t := &report.Table{
		Name: "values", Caption: "The measures by which claims are judged, as run.json and metrics.csv name " +
			"them, seed by seed.",
		Columns: []report.Column{{Name: "measure"}},
	}
	for _, s := range e.seeds {
		t.Columns = append(t.Columns, report.Column{Name: fmt.Sprintf("seed %d", s.Seed), Numeric: true})
	}
	t.Columns = append(t.Columns, report.Column{Name: "mean", Numeric: true},
		report.Column{Name: "±", Numeric: true, Help: "half the confidence interval, or its ends if it is not symmetric"},
		report.Column{Name: "claim"})
	for i, c := range e.Claims {
		row := []report.Cell{{Text: c.Value}}
		for _, s := range e.seeds {
			v := math.NaN()
			if x := e.experiment.Claims[i].values([]*Outcome{s.outcome}); len(x) > 0 {
				v = x[0]
			}
			row = append(row, report.Cell{Value: v})
		}
		t.Rows = append(t.Rows, append(row, record.PlainCell(c.Ours), c.ErrorCell(), report.Cell{Text: c.Text()}))
	}
	return t
}

// RecordDetail returns how the numbers were made, as a folded part of a page.
func (e *Record) RecordDetail() report.Detail {
	d := report.Detail{
		Summary: fmt.Sprintf("Record: scale %s, %s, ansatz %s", e.Scale, words.Count(len(e.Seeds), "seed"),
			e.bySeed(func(s *seedRecord) string { return s.Machine.Version })),
		Facts: e.RecordFacts(),
	}
	if t := e.valuesTable(); t != nil {
		d.Tables = append(d.Tables, *t)
	}
	return d
}

// SpecFile is the name of the file beside the record that holds the settings of a run with [OtherScale], in TOML.
const SpecFile = "spec.toml"

// Command returns the command that makes the run again. Settings of no scale need the file [SpecFile]. A run that added seeds until
// its claims were decided needs the same plan of looks, since its intervals depend on it.
func (e *Record) Command() string {
	c := cmp.Or(e.program, "ansatz run") + " " + e.ID
	if e.Scale == OtherScale {
		c += " --spec " + SpecFile
	} else {
		c += fmt.Sprintf(" --scale %s", e.Scale)
	}
	if len(e.Looks) > 0 {
		if e.Looks[0] != MinSeeds {
			c += fmt.Sprintf(" --seeds %d", e.Looks[0])
		}
		if e.Seeds[0] != 0 {
			c += fmt.Sprintf(" --seed %d", e.Seeds[0])
		}
		return c + fmt.Sprintf(" --until-settled --max-seeds %d", e.Looks[len(e.Looks)-1])
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

// Span formats the days, or times, from first to last; zero times are "not recorded".
func Span(first, last time.Time, layout string) string {
	switch {
	case first.IsZero():
		return "not recorded"
	case first.Format(layout) == last.Format(layout):
		return first.Format(layout) + " UTC"
	}
	return fmt.Sprintf("%s to %s UTC", first.Format(layout), last.Format(layout))
}

// Times returns when the first and the last of the seeds were begun, zero if no record says so.
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
