package shard

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/ansatz-lab/ansatz/internal/atomicfile"
)

// How often a task whose time is over is requeued without having made a unit, and without having
// left more to continue from.
const (
	mostRequeues = 500 // of a day each, more than the longest seed of the papers takes
	mostIdle     = 3
)

// Attempt is a task of Slurm that works on a shard and may run out of time.
type Attempt struct {
	plan  *Plan
	out   folder
	shard int
	job   string
	begun int    // units that were complete at the beginning
	left  string // the checkpoints at the beginning; see now
}

// attempts is the content of OUT/slurm/attempts/SHARD.json.
type attempts struct {
	Job      string `json:"job"`
	Requeues int    `json:"requeues"` // since a unit was made
	Idle     int    `json:"idle"`     // since a checkpoint was written
}

// BeginAttempt records the state of a shard when a task of a job begins.
func BeginAttempt(p *Plan, out string, shard int, job string) *Attempt {
	a := &Attempt{plan: p, out: folder(out), shard: shard, job: job}
	a.begun, a.left = a.now()
	return a
}

// now returns how many units of the shard are complete, and the names, sizes and times of the files
// that the others would continue from.
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
				return nil // a file that cannot be read is no checkpoint
			}
			if info, err := d.Info(); err == nil {
				fmt.Fprintln(&b, path, info.Size(), info.ModTime().UnixNano())
			}
			return nil
		})
	}
	return wholeUnits, b.String()
}

// Again returns nil if the task should be requeued. If it made no progress several times, as with a
// unit that takes longer than the task's limit, the error says so and is recorded as the reason why
// the unit failed.
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
	if err := atomicfile.WriteJSON(path, n); err != nil {
		return err
	}
	if n.Idle < mostIdle && n.Requeues < mostRequeues {
		return nil
	}
	err := fmt.Errorf("the time of its task was over %d times before it was made: ansatz resume --time with "+
		"more", n.Requeues)
	if u.ID == "" {
		return err
	}
	if noted := a.out.writeFailure(u, err); noted != nil {
		return noted
	}
	return fmt.Errorf("%s: %w", u.Name, err)
}
