package job

import (
	"fmt"

	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/shard"
	"github.com/ansatz-lab/ansatz/internal/words"
)

// PlanTable returns a table with a row for each shard of a plan.
func PlanTable(p *shard.Plan) report.Table {
	t := report.Table{Name: "plan", Caption: p.Title, Columns: []report.Column{
		{Name: "shard", Numeric: true}, {Name: "units", Numeric: true}, {Name: "time"}, {Name: "memory"},
		{Name: "first unit"},
	}}
	for i, shard := range p.Shards {
		seconds, bytes := shardCost(p, i)
		t.Rows = append(t.Rows, []report.Cell{
			{Text: fmt.Sprint(i + 1), Value: float64(i + 1)},
			{Text: fmt.Sprint(len(shard)), Value: float64(len(shard))},
			{Text: KnownText(seconds, record.FormatDuration)}, {Text: KnownText(bytes, words.Bytes)},
			{Text: p.Units[shard[0]].Name},
		})
	}
	return t
}

// shardCost returns the expected cost of a shard; 0 means unknown.
func shardCost(p *shard.Plan, i int) (seconds, bytes float64) {
	for _, k := range p.Shards[i] {
		u := p.Units[k]
		if u.Seconds == 0 {
			return 0, 0
		}
		seconds, bytes = seconds+u.Seconds, max(bytes, u.Bytes)
	}
	return seconds, bytes
}

// KnownText formats a number, or writes a dash for 0, which means unknown.
func KnownText(v float64, text func(float64) string) string {
	if v == 0 {
		return "–"
	}
	return text(v)
}

// PlanSummary describes the size and the cost of a plan, and names the next command.
func PlanSummary(p *shard.Plan, out string) string {
	s := fmt.Sprintf("%s in %s", words.Count(len(p.Units), "unit"), words.Count(len(p.Shards), "shard"))
	n := PlanNeeds(p)
	if n.Seconds > 0 {
		s += ": " + n.String()
	} else {
		s += n.diskText()
	}
	if n.Unknown > 0 {
		s += fmt.Sprintf("; the time of %s is unknown", words.Count(n.Unknown, "shard"))
	}
	return fmt.Sprintf("%s. Next: ansatz submit --engine local|slurm --out %s", s, out)
}

// StatusTable returns a table with a row for each shard of a plan or, unless all is set, for those
// that are not complete.
func StatusTable(s *shard.Status, all bool) report.Table {
	t := report.Table{Name: "status", Caption: s.Title, Columns: []report.Column{
		{Name: "shard", Numeric: true}, {Name: "state"}, {Name: "units finished", Numeric: true},
		{Name: "of", Numeric: true}, {Name: "now, or why it failed"},
	}}
	if s.Job != "" {
		t.Columns = append(t.Columns, report.Column{Name: "task of job " + s.Job})
	}
	for _, one := range s.Shards {
		if one.State == shard.Whole && !all {
			continue
		}
		said := one.Now
		if said == "" {
			said = one.Error
		}
		if said == "" && one.State != shard.Whole {
			said = one.Log
		}
		t.Rows = append(t.Rows, []report.Cell{
			{Text: fmt.Sprint(one.Shard), Value: float64(one.Shard)}, {Text: stateText(one.State)},
			{Text: fmt.Sprint(one.Whole), Value: float64(one.Whole)},
			{Text: fmt.Sprint(one.Units), Value: float64(one.Units)}, {Text: said},
		})
		if s.Job != "" {
			last := len(t.Rows) - 1
			t.Rows[last] = append(t.Rows[last], report.Cell{Text: one.Task})
		}
	}
	return t
}

// stateText returns the word for a state of a shard in tables.
func stateText(s shard.State) string {
	if s == shard.Whole {
		return "complete"
	}
	return string(s)
}

// StatusSummary says how much of a plan is done, and names the next command.
func StatusSummary(s *shard.Status, out string) string {
	text := fmt.Sprintf("%d of %s are complete", s.Whole, words.Count(s.Units, "unit"))
	counts := map[shard.State]int{}
	for _, shard := range s.Shards {
		counts[shard.State]++
	}
	switch {
	case s.Done:
		return text + ", and merged."
	case s.Whole == s.Units && s.Active == 0:
		return fmt.Sprintf("%s. Next: ansatz merge --out %s", text, out)
	case s.Active > 0:
		return fmt.Sprintf("%s; %s running, %s in Slurm's queue.", text, words.Count(counts[shard.Running], "shard"),
			words.Count(s.Active, "job"))
	case counts[shard.Running] > 0:
		return fmt.Sprintf("%s; %s running.", text, words.Count(counts[shard.Running], "shard"))
	}
	return fmt.Sprintf("%s; nothing is running. Next: ansatz resume --out %s", text, out)
}

// DiskWarning warns if the disk of a plan's folder has too little room for the unfinished work; "" if it has enough,
// or if either size is unknown.
func DiskWarning(p *shard.Plan, out string) string {
	free, lacks := p.LacksDisk(out)
	if !lacks {
		return ""
	}
	return fmt.Sprintf("Warning: the disk of %s has %s free, but the unfinished work needs about %s: free some, "+
		"or plan in another folder. Nothing is lost if it fills up: ansatz resume continues once there is room", out,
		words.Bytes(free), words.Bytes(p.Disk(out)))
}
