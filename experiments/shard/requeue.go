package shard

import (
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/ansatz-lab/ansatz/internal/atomicfile"
	"github.com/ansatz-lab/ansatz/internal/jsonfile"
)

// How often a task that ran out of time is requeued although it completed no unit.
const (
	mostRequeues = 500 // if it wrote checkpoints; at a day each, this exceeds the longest seed of the papers
	mostIdle     = 3   // if it wrote none either
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

// now returns how many units of the shard are complete, and the names, sizes and digests of the others' checkpoints.
// It ignores the files' times, since clocks may jump.
func (a *Attempt) now() (wholeUnits int, left string) {
	var b strings.Builder
	for _, k := range a.plan.Shards[a.shard-1] {
		id := a.plan.Units[k].ID
		if a.out.has(id) {
			wholeUnits++
			continue
		}
		_ = filepath.WalkDir(a.out.scratch(id), func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return nil // an unreadable file is no checkpoint
			}
			if digest, err := digestStart(path); err == nil {
				fmt.Fprintln(&b, path, digest)
			}
			return nil
		})
	}
	return wholeUnits, b.String()
}

// digestStart returns the size of a file, and a digest of its first MiB. That is enough to notice a change:
// checkpoints begin with a digest of the rest, or with the number of their step.
func digestStart(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	h := sha256.New()
	_, err = io.Copy(h, io.LimitReader(f, 1<<20))
	return fmt.Sprintf("%d %x", info.Size(), h.Sum(nil)), err
}

// next returns the first unit of the shard that is not complete.
func (a *Attempt) next() Unit {
	for _, k := range a.plan.Shards[a.shard-1] {
		if u := a.plan.Units[k]; !a.out.has(u.ID) {
			return u
		}
	}
	return Unit{}
}

// Again returns nil if the task should be requeued. If it made no progress several times, for example because a unit
// takes longer than the task's limit, it returns an error, and records it as the failure of the unit u or, if none was
// begun, of the next one.
func (a *Attempt) Again(u Unit) error {
	made, left := a.now()
	path := filepath.Join(string(a.out), "slurm", "attempts", fmt.Sprintf("%d.json", a.shard))
	var n attempts
	if jsonfile.Read(path, jsonfile.Small, &n) != nil || n.Job != a.job || n.Requeues < 0 || n.Idle < 0 {
		n = attempts{Job: a.job} // a new job, or a damaged file
	}
	n.Requeues++
	n.Idle++
	if left != a.left {
		n.Idle = 0
	}
	if made > a.begun {
		n = attempts{Job: a.job}
	}
	if err := atomicfile.MakeFolder(filepath.Dir(path)); err != nil {
		return err
	}
	if err := writeJSON(path, n); err != nil {
		return err
	}
	if n.Idle < mostIdle && n.Requeues < mostRequeues {
		return nil
	}
	err := fmt.Errorf("its task ran out of time %d times: give ansatz resume a longer --time", n.Requeues)
	if u.ID == "" {
		u = a.next()
	}
	if u.ID == "" {
		return err
	}
	if noted := a.out.writeFailure(u, err); noted != nil {
		return noted
	}
	return fmt.Errorf("%s: %w", u.Name, err)
}
