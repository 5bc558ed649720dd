package job

import (
	"fmt"
	"math"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/cost"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/shard"
	"github.com/ansatz-lab/ansatz/internal/words"
)

// Needs is the estimated cost of a plan on a machine like the one on which costs were measured. The estimate comes
// from the models of package cost and from measured experiments.
type Needs struct {
	Shards  int
	Threads int            // of a process, which makes a shard
	Device  string         // the GPU that each process has, "" for none
	Seconds float64        // of all shards whose time is known, one after another
	Longest float64        // seconds of the longest shard
	Bytes   float64        // the largest memory of a process
	Merging cost.Resources // after the shards; zero if it only writes files
	Unknown int            // shards whose time is not known
	Disk    float64        // bytes that all units and merging write; 0 if unknown
	Scratch float64        // bytes of the checkpoints of a unit, at most
}

// PlanNeeds returns the estimated cost of a plan.
func PlanNeeds(p *shard.Plan) Needs {
	n := Needs{Shards: len(p.Shards), Threads: p.Threads, Device: p.Device,
		Merging: cost.Resources{Seconds: p.MergeSeconds, Bytes: p.MergeBytes}}
	n.Disk = p.MergeDisk
	for _, u := range p.Units {
		n.Disk, n.Scratch = n.Disk+u.Disk, max(n.Scratch, u.Scratch)
	}
	for i := range p.Shards {
		seconds, bytes := shardCost(p, i)
		if seconds == 0 {
			n.Unknown++
		}
		n.Seconds, n.Longest, n.Bytes = n.Seconds+seconds, max(n.Longest, seconds), max(n.Bytes, bytes)
	}
	return n
}

// unit returns what a process takes a number of: cores, as many as it has threads, or one GPU.
func (n Needs) unit() (name string, each int) {
	if n.Device != "" {
		return n.Device, 1
	}
	return "core", max(1, n.Threads)
}

// On returns about how many seconds the shards take on a number of cores, with one process for each core, or for each
// group of cores if a process has several threads; or on a number of GPUs, with one process for each.
func (n Needs) On(units int) float64 {
	_, each := n.unit()
	processes := max(1, min(units/each, n.Shards))
	return max(n.Longest, n.Seconds/float64(processes))
}

// fewUnits are the numbers of cores or GPUs for which an estimate is shown.
var fewUnits = []int{1, 4, 16, 64, 256, 1024}

// String returns the needs in one line: the time on one core or GPU, on several, and on as many as make a difference, and the
// memory of a process.
func (n Needs) String() string {
	var on []string
	name, each := n.unit()
	enough := n.Shards * each
	if n.Longest > 0 {
		enough = min(enough, each*int(math.Ceil(n.Seconds/n.Longest)))
	}
	for _, units := range fewUnits {
		if units >= each && units < enough {
			on = append(on, fmt.Sprintf("%s on %s", record.FormatDuration(n.On(units)), words.Count(units, name)))
		}
	}
	on = append(on, fmt.Sprintf("%s on %s", record.FormatDuration(n.On(enough)), words.Count(enough, name)))
	s := "about " + strings.Join(on, ", ")
	if n.Bytes > 0 {
		s += fmt.Sprintf(", and up to %s for each process", words.Bytes(n.Bytes))
	}
	switch m := n.Merging; {
	case m.Seconds > 0:
		s += fmt.Sprintf("; merging takes %s and %s", record.FormatDuration(m.Seconds), words.Bytes(m.Bytes))
	case m.Bytes > 0:
		s += fmt.Sprintf("; merging takes %s", words.Bytes(m.Bytes))
	}
	return s + n.diskText()
}

// diskText returns the disk space of the plan in words; "" if it is unknown.
func (n Needs) diskText() string {
	if n.Disk == 0 {
		return ""
	}
	s := fmt.Sprintf("; %s on the disk", words.Bytes(n.Disk))
	if n.Scratch > 0 {
		s += fmt.Sprintf(", and up to %s of checkpoints for each process", words.Bytes(n.Scratch))
	}
	return s
}
