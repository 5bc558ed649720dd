package job

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/ansatz-lab/ansatz/experiments/cost"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/shard"
)

// The kinds of jobs that can be divided into shards.
const (
	RunKind     = "run"     // seeds of experiments
	VerifyKind  = "verify"  // groups of images of a verification
	ConvRFMKind = "convrfm" // tiles of kernel matrices
	NTKKind     = "ntk"     // blocks of a neural tangent kernel
	TabularKind = "tabular" // tables of a benchmark
	TrainKind   = "train"   // networks
)

// NoteBytes is the approximate size of a unit's small files: the receipt and the descriptions of its arrays.
const NoteBytes = 2 << 10

// PageBytes is the approximate size of a page with its figures, tables and record.
const PageBytes = 1 << 20

// Setting holds what a job needs to know of the machine that it runs on. It does not change the results.
type Setting struct {
	DataDir string // "" is as in [study.Setting]
}

// Kinds maps the kind of a plan to a function that opens its job.
type Kinds map[string]func(p *shard.Plan, in Setting) (shard.Job, error)

// Open opens the job of a plan.
func (k Kinds) Open(p *shard.Plan, in Setting) (shard.Job, error) {
	open, known := k[p.Kind]
	if !known {
		return nil, input.Errorf("the plan is of kind %q: want one of %v; another version of ansatz made it", p.Kind,
			slices.Sorted(maps.Keys(k)))
	}
	backend := p.Backend
	if p.Kind == RunKind || input.CheckBackend(backend) != nil {
		backend = "" // experiments compute on the default backend
	}
	if err := p.MadeBy(jobMaker(p.Threads, backend)); err != nil {
		return nil, err
	}
	return open(p, in)
}

// jobMaker describes this program with a backend, "" for the default, as a maker of units.
func jobMaker(threads int, backend string) shard.Maker {
	return shard.Maker{Version: record.Version(), Backend: input.BackendName(backend), Device: input.DeviceName(backend),
		Threads: max(1, threads)}
}

// Work is the work of a plan: units of one kind, and the cost of merging besides writing files.
type Work struct {
	Kind, Title string
	Backend     string // of the units, "" for the default
	Units       []shard.Unit
	// Start is the part of each unit's seconds that is spent on opening the inputs. A process does so only once,
	// however many units it makes.
	Start     float64
	Merging   cost.Resources
	MergeDisk float64 // bytes that merging writes
}

// Plan divides the work into shards; 0 chooses their number. The units' seconds, given for one thread, are converted
// to the given number of threads, but not those on a GPU. Settings and merge are stored as JSON.
func (w Work) Plan(threads, shards int, settings, merge any) (*shard.Plan, error) {
	speedup := record.Speedup(threads)
	if input.DeviceName(w.Backend) != "" {
		speedup = 1
	}
	for i := range w.Units {
		w.Units[i].Seconds /= speedup
	}
	if shards == 0 {
		shards = shard.Shards(w.Units)
	}
	if n := len(w.Units); n > 0 {
		again := w.Start * (1 - float64(min(shards, n))/float64(n)) / speedup
		for i := range w.Units {
			w.Units[i].Seconds = max(0, w.Units[i].Seconds-again)
		}
	}
	p := shard.Plan{
		Kind: w.Kind, Title: w.Title, Maker: jobMaker(threads, w.Backend), Units: w.Units,
		MergeSeconds: w.Merging.Seconds / speedup, MergeBytes: w.Merging.Bytes,
		MergeDisk: w.MergeDisk,
	}
	var err error
	if p.Settings, err = json.Marshal(settings); err != nil {
		return nil, fmt.Errorf("planning %s: %w", w.Title, err)
	}
	if p.Merge, err = json.Marshal(merge); err != nil {
		return nil, fmt.Errorf("planning %s: %w", w.Title, err)
	}
	return shard.New(p, shards)
}
