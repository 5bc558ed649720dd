package experiments

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/ansatz-lab/ansatz/experiments/spread"
)

// The kinds of jobs that can be spread out.
const (
	runKind     = "run"     // seeds of experiments
	verifyKind  = "verify"  // groups of images of a verification
	convRFMKind = "convrfm" // tiles of a kernel matrix
	tabularKind = "tabular" // tables of a benchmark
	trainKind   = "train"   // networks
)

// JobSetting is what a job needs of the machine that it runs on, and what decides
// nothing of what it makes.
type JobSetting struct {
	DataDir string // "" is as in [Setting]
}

// jobKinds says how the job of a plan is opened, by the kind of the plan.
type jobKinds map[string]func(p *spread.Plan, in JobSetting) (spread.Job, error)

// open opens the job of a plan.
func (k jobKinds) open(p *spread.Plan, in JobSetting) (spread.Job, error) {
	open, known := k[p.Kind]
	if !known {
		return nil, badInput("the plan is of kind %q: want one of %v; another version of ansatz made it", p.Kind, slices.Sorted(maps.Keys(k)))
	}
	if err := p.MadeBy(jobMaker(p.Threads)); err != nil {
		return nil, err
	}
	return open(p, in)
}

// jobMaker is this program, as the maker of units.
func jobMaker(threads int) spread.Maker {
	return spread.Maker{Version: Version(), Backend: backendName(""), Threads: max(1, threads)}
}

// plannedWork is the work of a plan: units of a kind, and what merging them takes
// besides writing files.
type plannedWork struct {
	kind, title string
	units       []spread.Unit
	merging     Cost
}

// plan divides the work into shards, 0 for as many as suit. Settings and merge become
// JSON. The units' seconds are those of one thread; of the plan they are its threads'.
func (w plannedWork) plan(threads, shards int, settings, merge any) (*spread.Plan, error) {
	for i := range w.units {
		w.units[i].Seconds /= Speedup(threads)
	}
	if shards == 0 {
		shards = spread.Shards(w.units)
	}
	p := spread.Plan{
		Kind: w.kind, Title: w.title, Maker: jobMaker(threads), Units: w.units,
		MergeSeconds: w.merging.Seconds / Speedup(threads), MergeBytes: w.merging.Bytes,
	}
	var err error
	if p.Settings, err = json.Marshal(settings); err != nil {
		return nil, fmt.Errorf("planning %s: %w", w.title, err)
	}
	if p.Merge, err = json.Marshal(merge); err != nil {
		return nil, fmt.Errorf("planning %s: %w", w.title, err)
	}
	return spread.New(p, shards)
}
