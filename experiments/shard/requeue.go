package shard

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// How often a task whose time is over is made again without having made a unit, or
// without even having left more to go on from.
const (
	mostRequeues = 500 // of a day each, more than the longest seed of the papers takes
	mostIdle     = 3
)

// Attempt is a task of Slurm's at a shard, whose time may be over before it is whole.
type Attempt struct {
	plan  *Plan
	out   folder
	shard int
	job   string
	begun int    // units that were whole
	left  string // what there was to go on from
}

// attempts is what is kept of them, in DIR/slurm/attempts/SHARD.json.
type attempts struct {
	Job      string `json:"job"`
	Requeues int    `json:"requeues"` // since a unit was made
	Idle     int    `json:"idle"`     // since anything was
}

// BeginAttempt takes note of what there is of a shard when a task of a job begins.
func BeginAttempt(p *Plan, out string, shard int, job string) *Attempt {
	a := &Attempt{plan: p, out: folder(out), shard: shard, job: job}
	a.begun, a.left = a.now()
	return a
}

// now is how many units of the shard are whole, and what the others would go on from:
// names, sizes and times of files.
func (a *Attempt) now() (wholeUnits int, left string) {
	var b strings.Builder
	for _, k := range a.plan.Shards[a.shard-1] {
		id := a.plan.Units[k].ID
		if a.out.has(id) {
			wholeUnits++
			continue
		}
		_ = filepath.WalkDir(a.out.scratch(id), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return nil // what cannot be read is nothing to go on from
			}
			if info, err := d.Info(); err == nil {
				fmt.Fprintln(&b, path, info.Size(), info.ModTime().UnixNano())
			}
			return nil
		})
	}
	return wholeUnits, b.String()
}

// Again says whether the task is to be made again: not if it has got nowhere several
// times, as with a unit that takes longer than the task's time. Then the error says
// so, and is noted as why the unit failed that was being made.
func (a *Attempt) Again(u Unit) error {
	made, left := a.now()
	path := filepath.Join(string(a.out), "slurm", "attempts", fmt.Sprintf("%d.json", a.shard))
	var n attempts
	if text, err := os.ReadFile(path); err != nil || json.Unmarshal(text, &n) != nil || n.Job != a.job {
		n = attempts{Job: a.job} // also of a file that is damaged
	}
	n.Requeues++
	n.Idle++
	if left != a.left {
		n.Idle = 0
	}
	if made > a.begun {
		n = attempts{Job: a.job}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	if err := writeJSON(path, n); err != nil {
		return err
	}
	if n.Idle < mostIdle && n.Requeues < mostRequeues {
		return nil
	}
	err := fmt.Errorf("the time of its task was over %d times before it was made: ansatz resume --time with more", n.Requeues)
	if u.ID == "" {
		return err
	}
	if noted := a.out.note(u, err); noted != nil {
		return noted
	}
	return fmt.Errorf("%s: %w", u.Name, err)
}
