package study

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/ansatz-lab/ansatz/experiments/cost"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/internal/words"
)

// Plan is the runs of one command with their seeds, each once: several experiments may show parts of one run.
type Plan struct {
	Seeds []PlannedSeed // to be run, in this order
	There []PlannedSeed // already complete

	runs []plannedRun // in the order in which they are shown
}

// plannedRun is a run with its folder and those of its seeds.
type plannedRun struct {
	Run
	folder string
	seeds  []seedFolder
}

// PlannedSeed is a seed of a run. Its folder may serve several runs; Run is the first of them.
type PlannedSeed struct {
	Run  Run
	Seed uint64
	Cost cost.Resources // zero if not known

	folder seedFolder
}

// Make runs the seed in this process and writes its folder, but no page.
func (s PlannedSeed) Make(ctx context.Context) error {
	r, spec, hash, err := s.Run.withSpec()
	if err == nil {
		_, err = r.runSeed(ctx, s.Seed, spec, hash)
	}
	return err
}

// NewPlan plans some runs, all with the same Out, which must not be "". It runs nothing.
func NewPlan(runs []Run) (*Plan, error) {
	p := &Plan{}
	made, seen := &MadeSeeds{}, map[seedFolder]bool{}
	for _, r := range runs {
		r.Made = made
		planned := plannedRun{Run: r}
		if r.Experiment.Absent == "" {
			var err error
			if planned, err = p.add(r, seen); err != nil {
				return nil, err
			}
		}
		p.runs = append(p.runs, planned)
	}
	return p, nil
}

// mostSeeds limits the seeds of a run: the plan of a much larger number would fill the memory.
const mostSeeds = 100_000

// add plans the seeds of a run that are not planned yet.
func (p *Plan) add(r Run, seen map[seedFolder]bool) (plannedRun, error) {
	if r.Seeds < 1 || r.Seeds > mostSeeds {
		return plannedRun{}, input.Errorf("--seeds %d: want 1 to %d", r.Seeds, mostSeeds)
	}
	if most := math.MaxUint64 - uint64(r.Seeds-1); r.Setting.Seed > most {
		return plannedRun{}, input.Errorf("--seed %d: want at most %d, for %d seeds from there on", r.Setting.Seed, most, r.Seeds)
	}
	r, _, hash, err := r.withSpec()
	if err != nil {
		return plannedRun{}, err
	}
	if _, _, err := r.looksIn(r.runFolder(hash)); err != nil {
		return plannedRun{}, err
	}
	planned := plannedRun{Run: r}
	takes := r.Experiment.Cost(r.Spec)
	for k := range r.Seeds {
		s := PlannedSeed{Run: r, Seed: r.Setting.Seed + uint64(k), Cost: takes}
		s.folder = r.folder(hash, s.Seed)
		planned.folder, planned.seeds = s.folder.run(), append(planned.seeds, s.folder)
		switch {
		case seen[s.folder]:
		case r.Resume && s.folder.exists():
			if _, err := r.readComplete(s.folder); err != nil {
				return plannedRun{}, err
			}
			p.There = append(p.There, s)
		default:
			p.Seeds = append(p.Seeds, s)
		}
		seen[s.folder] = true
	}
	return planned, nil
}

// Estimate is the expected cost of a plan.
type Estimate struct {
	Experiments int // with seeds to be made
	Seeds       int
	Seconds     float64 // of the seeds whose cost is known
	Bytes       float64 // peak memory of the same seeds
	// Unknown lists the IDs of experiments of unknown time, and Unsure says that one of them is at
	// the scale of the paper.
	Unknown []string
	Unsure  bool
	// Largest is the ID of the experiment that needs the most memory.
	Largest string
}

// Estimate returns the expected cost of the seeds to be made, with jobs seeds at once on threads threads in all.
func (p *Plan) Estimate(jobs, threads int) Estimate {
	jobs = max(1, jobs)
	e := Estimate{Seeds: len(p.Seeds)}
	var ids []string
	var bytes []float64
	longest, largest := 0., 0.
	for _, s := range p.Seeds {
		id := s.Run.Experiment.Source().ID
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
		if s.Cost.Seconds == 0 {
			if !slices.Contains(e.Unknown, id) {
				e.Unknown = append(e.Unknown, id)
			}
			e.Unsure = e.Unsure || s.Run.Scale == PaperScale
		}
		e.Seconds += s.Cost.Seconds
		longest = max(longest, s.Cost.Seconds)
		bytes = append(bytes, s.Cost.Bytes)
		if s.Cost.Bytes > largest {
			largest, e.Largest = s.Cost.Bytes, id
		}
	}
	e.Experiments = len(ids)
	slices.Sort(bytes)
	for _, b := range bytes[max(0, len(bytes)-jobs):] {
		e.Bytes += b
	}
	if input.DeviceName("") == "" { // processes that share a GPU wait for each other
		e.Seconds = max(e.Seconds/float64(jobs), longest) / record.Speedup(threads/jobs)
	}
	return e
}

// String returns the estimate in one line.
func (e Estimate) String() string {
	s := fmt.Sprintf("%s, %s to run", words.Count(e.Experiments, "experiment"), words.Count(e.Seeds, "seed"))
	if e.Seeds == 0 {
		return "nothing is left to run"
	}
	if e.Seconds > 0 {
		s += ", about " + record.FormatDuration(e.Seconds)
	}
	if e.Bytes > 0 {
		s += " and " + words.Bytes(e.Bytes)
	}
	if n := len(e.Unknown); n > 0 {
		s += fmt.Sprintf("; the time of %s is unknown", record.Names(e.Unknown))
	}
	return s
}

// CheckMemory returns an [*input.Error] if the plan needs more memory than is available; 0 or less stands for no limit.
func (p *Plan) CheckMemory(jobs, threads int, have int64) error {
	e := p.Estimate(jobs, threads)
	if have <= 0 || e.Bytes <= float64(have) {
		return nil
	}
	advice := "--spec FILE with fewer examples takes less"
	switch {
	case jobs > 1 && p.Estimate(1, threads).Bytes <= float64(have):
		advice = "--jobs 1 would fit"
	case slices.ContainsFunc(p.Seeds, func(s PlannedSeed) bool { return s.Run.Scale == PaperScale }):
		advice = "--scale small takes less"
	}
	beside := ""
	if jobs > 1 {
		beside = ", with the seeds beside it,"
	}
	return input.Errorf("%s%s needs about %s, but %s are free: %s; --memory 0 runs it all the same", e.Largest, beside,
		words.Bytes(e.Bytes), words.Bytes(have), advice)
}
