package main

import (
	"fmt"
	"math"
	"time"

	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// batchWork is how far a batch is, in seconds of one thread as they were estimated.
type batchWork struct {
	all, done int     // seeds
	total     float64 // of all
	made      float64 // of those that are made
	other     float64 // what a seed counts of which the time is not known
	threads   float64 // by how much a job is faster than one thread
	jobs      int
	running   []runningSeed
	start     time.Time
}

// runningSeed is a seed that is made now.
type runningSeed struct {
	name  string
	cost  float64 // 0 is not known
	start time.Time
}

func newBatchWork(seeds []study.PlannedSeed, jobs, threads int, now time.Time) *batchWork {
	w := &batchWork{all: len(seeds), jobs: jobs, threads: record.Speedup(threads / jobs), start: now}
	known := 0
	for _, s := range seeds {
		w.total += s.Cost.Seconds
		if s.Cost.Seconds > 0 {
			known++
		}
	}
	if known > 0 {
		w.other = w.total / float64(known)
	} else {
		w.other = 1
	}
	w.total += w.other * float64(len(seeds)-known)
	return w
}

func (w *batchWork) weight(cost float64) float64 {
	if cost == 0 {
		return w.other
	}
	return cost
}

func seedName(s study.PlannedSeed) string {
	return fmt.Sprintf("%s, seed %d", s.Run.Experiment.ID, s.Seed)
}

func (w *batchWork) begin(s study.PlannedSeed, now time.Time) {
	w.running = append(w.running, runningSeed{seedName(s), s.Cost.Seconds, now})
}

func (w *batchWork) end(s study.PlannedSeed) {
	w.done++
	w.made += w.weight(s.Cost.Seconds)
	for i, r := range w.running {
		if r.name == seedName(s) {
			w.running = append(w.running[:i], w.running[i+1:]...)
			return
		}
	}
}

func (w *batchWork) names() []string {
	var all []string
	for _, r := range w.running {
		all = append(all, r.name)
	}
	return all
}

// progress is what part of the work is done, and how long the rest takes at the
// rate so far, or as long as no seed is made as it was estimated.
func (w *batchWork) progress(now time.Time) (part float64, left time.Duration, known bool) {
	const almost = .95 // of a seed that takes longer than it should
	done := w.made
	estimated := false
	for _, r := range w.running {
		if r.cost > 0 {
			done += math.Min(almost*r.cost, now.Sub(r.start).Seconds()*w.threads)
			estimated = true
		}
	}
	if w.total == 0 {
		return 1, 0, true
	}
	part = done / w.total
	rest := w.total - done
	switch {
	case w.done > 0:
		rest *= now.Sub(w.start).Seconds() / done
	case estimated:
		rest /= w.threads * float64(w.jobs)
	default:
		return part, 0, false
	}
	return part, time.Duration(rest * float64(time.Second)), true
}
