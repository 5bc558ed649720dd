package experiments

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/ansatz-lab/ansatz/experiments/report"
)

// recordFacts are how a record was made: what it takes to make it again, and to
// know what its numbers mean.
func (e *ExperimentRecord) recordFacts() []report.Fact {
	first, last := times([]*ExperimentRecord{e})
	facts := []report.Fact{
		{Name: "command", Value: e.Command()}, {Name: "scale", Value: string(e.Scale)},
		{Name: "seeds", Value: strings.Trim(fmt.Sprint(e.Seeds), "[]")},
		{Name: "made", Value: span(first, last, time.DateTime)},
		{Name: "seconds", Value: e.bySeed((*seedRecord).seconds)},
		{Name: "memory", Value: e.bySeed(func(s *seedRecord) string { return memoryText(s.Peak) })},
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

// memoryText is the most memory that a run held.
func memoryText(bytes int64) string {
	if bytes == 0 {
		return "not recorded"
	}
	return fmt.Sprintf("%.2g GB", float64(bytes)/1e9)
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
func (e *ExperimentRecord) bySeed(text func(*seedRecord) string) string {
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
		texts[i] = fmt.Sprintf("%s (%s)", t, seedsText(seeds[t]))
	}
	return strings.Join(texts, ", ")
}

// dataFacts are the data of all seeds, each once, with the seeds that used it if
// others did not.
func (e *ExperimentRecord) dataFacts() []report.Fact {
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
			text += " (" + seedsText(by[d]) + ")"
		}
		facts = append(facts, report.Fact{Name: "data", Value: text})
	}
	return facts
}

// seedsText names seeds: "seed 2", "seeds 0 1".
func seedsText(seeds []uint64) string {
	word := "seeds"
	if len(seeds) == 1 {
		word = "seed"
	}
	return fmt.Sprintf("%s %s", word, strings.Trim(fmt.Sprint(seeds), "[]"))
}

// valuesTable is what claims are judged by, seed by seed; nil if there are no claims.
func (e *ExperimentRecord) valuesTable() *report.Table {
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
		t.Rows = append(t.Rows, append(row, plainCell(c.Ours), plainCell(c.Error), report.Cell{Text: c.Sentence}))
	}
	return t
}

// recordDetail is the record of how the numbers were made, folded away.
func (e *ExperimentRecord) recordDetail() report.Detail {
	seeds := "1 seed"
	if n := len(e.Seeds); n > 1 {
		seeds = fmt.Sprintf("%d seeds", n)
	}
	d := report.Detail{
		Summary: fmt.Sprintf("Record: scale %s, %s, ansatz %s", e.Scale, seeds, e.bySeed(func(s *seedRecord) string { return s.Machine.Version })),
		Facts:   e.recordFacts(),
	}
	if t := e.valuesTable(); t != nil {
		d.Tables = append(d.Tables, *t)
	}
	return d
}
