package progress

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// batchWork is the progress of a batch, in estimated seconds on one thread.
type batchWork struct {
	all, done int     // seeds
	total     float64 // seconds of all seeds
	made      float64 // seconds of the seeds that are done
	assumed   float64 // seconds of a seed without an estimate
	speedup   float64 // of a job over one thread
	jobs      int
	running   []runningSeed
	start     time.Time
}

// runningSeed is a seed that is being made.
type runningSeed struct {
	name  string
	cost  float64 // seconds; 0 is not known
	start time.Time
}

func newBatchWork(seeds []study.PlannedSeed, jobs, threads int, now time.Time) *batchWork {
	w := &batchWork{all: len(seeds), jobs: jobs, speedup: record.Speedup(threads / jobs), start: now}
	known := 0
	for _, s := range seeds {
		w.total += s.Cost.Seconds
		if s.Cost.Seconds > 0 {
			known++
		}
	}
	w.assumed = 1
	if known > 0 {
		w.assumed = w.total / float64(known)
	}
	w.total += w.assumed * float64(len(seeds)-known)
	return w
}

func seedName(s study.PlannedSeed) string {
	return fmt.Sprintf("%s, seed %d", s.Run.Experiment.ID, s.Seed)
}

func (w *batchWork) begin(s study.PlannedSeed, now time.Time) {
	w.running = append(w.running, runningSeed{seedName(s), s.Cost.Seconds, now})
}

func (w *batchWork) end(s study.PlannedSeed) {
	w.done++
	w.made += cmp.Or(s.Cost.Seconds, w.assumed)
	w.running = slices.DeleteFunc(w.running, func(r runningSeed) bool { return r.name == seedName(s) })
}

func (w *batchWork) names() []string {
	var all []string
	for _, r := range w.running {
		all = append(all, r.name)
	}
	return all
}

// progress returns the part of the work that is done, and the time left at the rate so far. Before the
// first seed is done, the time left follows from the estimates.
func (w *batchWork) progress(now time.Time) (part float64, left time.Duration, known bool) {
	const almost = .95 // the most that a running seed counts as done
	done := w.made
	estimated := false
	for _, r := range w.running {
		if r.cost > 0 {
			done += math.Min(almost*r.cost, now.Sub(r.start).Seconds()*w.speedup)
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
		rest /= w.speedup * float64(w.jobs)
	default:
		return part, 0, false
	}
	return part, time.Duration(rest * float64(time.Second)), true
}
