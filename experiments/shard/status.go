package shard

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/ansatz-lab/ansatz/internal/jsonfile"
	"github.com/ansatz-lab/ansatz/internal/lock"
)

// State is the state of a shard or a unit.
type State string

// The states. A shard has the first of these states that any of its units has.
const (
	Running State = "running"
	Failed  State = "failed"
	Waiting State = "waiting" // not begun, or stopped
	Whole   State = "whole"
)

// Status is the progress of a plan's work.
type Status struct {
	Done   bool   `json:"done"` // all units are there and merged
	Title  string `json:"title"`
	Kind   string `json:"kind"`
	Plan   string `json:"plan"` // its hash
	Units  int    `json:"units"`
	Whole  int    `json:"whole"` // units
	Merged bool   `json:"merged"`
	// Job is Slurm's array, if the plan was last submitted there. Active is the number of its tasks
	// that run or will run, according to Slurm.
	Job    string        `json:"job,omitempty"`
	Active int           `json:"active,omitempty"`
	Shards []ShardStatus `json:"shards"`
}

// ShardStatus is the progress of a shard.
type ShardStatus struct {
	Shard int    `json:"shard"` // from 1 on
	State State  `json:"state"`
	Units int    `json:"units"`
	Whole int    `json:"whole"`
	Now   string `json:"now,omitempty"`   // the unit that is being made
	Error string `json:"error,omitempty"` // of a unit that failed
	Task  string `json:"task,omitempty"`  // what Slurm says of its task; see [Status.AddTasks]
	Log   string `json:"log,omitempty"`   // of that task
}

// StatusOf reads the status of a plan from its folder.
func StatusOf(p *Plan, out string) *Status {
	s := &Status{Title: p.Title, Kind: p.Kind, Plan: p.Hash, Units: len(p.Units)}
	for i := range p.Shards {
		shard := p.shardStatus(i, folder(out))
		s.Whole += shard.Whole
		s.Shards = append(s.Shards, shard)
	}
	m, err := readMerged(out)
	s.Merged = err == nil && m.Plan == p.Hash
	s.Done = s.Merged && s.Whole == s.Units
	return s
}

func (p *Plan) shardStatus(i int, f folder) ShardStatus {
	s := ShardStatus{Shard: i + 1, State: Whole, Units: len(p.Shards[i])}
	rank := map[State]int{Running: 0, Failed: 1, Waiting: 2, Whole: 3}
	for _, k := range p.Shards[i] {
		u := p.Units[k]
		state, why := f.state(u.ID)
		switch state {
		case Whole:
			s.Whole++
		case Running:
			s.Now = u.Name
		case Failed:
			s.Error = u.Name + ": " + why
		}
		if rank[state] < rank[s.State] {
			s.State = state
		}
	}
	return s
}

// state returns the state of a unit, and why it failed.
func (f folder) state(id string) (_ State, why string) {
	switch {
	case f.has(id):
		return Whole, ""
	case lock.Held(f.lock(id)):
		return Running, ""
	}
	if why = f.failure(id); why != "" {
		return Failed, why
	}
	return Waiting, ""
}

// Running returns the names of units that are being made, one of each shard.
func (s *Status) Running() []string {
	var all []string
	for _, shard := range s.Shards {
		if shard.State == Running {
			all = append(all, shard.Now)
		}
	}
	return all
}

// Missing returns the shards, counted from 1, that are not complete.
func (s *Status) Missing() []int {
	var all []int
	for _, shard := range s.Shards {
		if shard.State != Whole {
			all = append(all, shard.Shard)
		}
	}
	return all
}

// MergedFile is the name of the file that records the merge.
const MergedFile = "merged.json"

// merged is the content of MergedFile.
type merged struct {
	Plan  string            `json:"plan"`
	Units map[string]string `json:"units"` // the checksums of their receipts, by ID
}

func readMerged(out string) (*merged, error) {
	m := &merged{}
	return m, jsonfile.Read(filepath.Join(out, MergedFile), jsonfile.Large, m)
}

// AddTasks adds Slurm's state of the tasks of a submission. Slurm forgets ended tasks after some minutes, so only
// files tell what is complete.
func (s *Status) AddTasks(sub *Submission, tasks []Task, out string) {
	s.Job = sub.Job
	for _, t := range tasks {
		if t.Active() {
			s.Active++
		}
	}
	for i := range s.Shards {
		shard := &s.Shards[i]
		if shard.State != Whole && slices.Contains(sub.Shards, shard.Shard) {
			shard.addTask(sub, tasks, out)
		}
	}
}

func (s *ShardStatus) addTask(sub *Submission, tasks []Task, out string) {
	s.Task = "not in the queue"
	for _, t := range tasks {
		if t.Job == sub.Job && t.Shard == s.Shard {
			s.Task = t.String()
		}
	}
	log := filepath.Join(LogFolder(out), fmt.Sprintf("%s_%d.out", sub.Job, s.Shard))
	if _, err := os.Stat(log); err == nil {
		s.Log = log
	}
}
