package shard

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// AddTasks adds what Slurm says of the tasks of a submission. It forgets tasks some
// minutes after they have ended: what is whole the files alone say.
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
