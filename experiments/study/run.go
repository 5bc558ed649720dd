package study

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/ansatz-lab/ansatz/experiments/checkpoint"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/job"
	"github.com/ansatz-lab/ansatz/experiments/record"
)

// Run is an experiment to be run over seeds. Experiment, Seeds, and Scale or Spec must be set.
type Run struct {
	Experiment *Experiment
	Scale      Scale
	Spec       Spec // nil for the scale's own
	Seeds      int  // from Setting.Seed on
	// Looks are set for a run that adds seeds until all claims are decided. If nil, the looks planned in Out are used.
	Looks   Looks
	Setting Setting
	// Out is the folder for the results; "" keeps them in memory.
	Out string
	// Resume keeps complete seeds in Out as they are, and continues an interrupted seed.
	Resume bool
	// Made, if not nil, lists seeds that runs of this command made before and that are not made
	// again: several experiments show parts of one run. Run adds its own.
	Made *MadeSeeds
	// Begin, if not nil, is called for each seed, with whether it is complete already.
	Begin func(seed uint64, there bool)
	// Program is the command that runs the experiment, in [Record.Command]; "" is "ansatz run".
	Program string
	// Now, if not nil, replaces [time.Now].
	Now func() time.Time

	// digests are the inputs, computed once for all seeds; withSpec sets it.
	digests func() (job.Inputs, error)
}

// Run runs the seeds one after another, judges the claims, and writes seeds, record and page to Out. An experiment
// that cannot be run gives a record that says so. At scale [Smoke] no claim holds or fails. The record has
// [OtherScale] if Spec is that of no scale, as that of [Experiment.Collect] has.
//
// Settings that cannot be run are an [*input.Error]. If ctx ends and Out is set, the error is a
// [*checkpoint.InterruptedError].
func (r Run) Run(ctx context.Context) (*Record, error) {
	if r.Experiment.Absent != "" {
		out := r.Experiment.record(r.Scale, nil, "")
		out.conclude()
		return out, nil
	}
	if r.Seeds < 1 {
		return nil, input.Errorf("--seeds %d: want at least 1", r.Seeds)
	}
	r, spec, hash, err := r.withSpec()
	if err != nil {
		return nil, err
	}
	out := r.Experiment.record(r.Scale, spec, hash)
	out.program = r.Program
	if out.Looks, err = r.planLooks(r.runFolder(hash)); err != nil {
		return nil, err
	}
	for k := range r.Seeds {
		s, err := r.runSeed(ctx, r.Setting.Seed+uint64(k), spec, hash)
		if err != nil && ctx.Err() != nil && r.Out != "" && !checkpoint.IsUnsaved(err) {
			return nil, &checkpoint.InterruptedError{Checkpoint: r.dir(r.Experiment, hash)}
		}
		if err != nil {
			return nil, fmt.Errorf("%s, seed %d: %w", r.Experiment.ID, r.Setting.Seed+uint64(k), err)
		}
		out.add(s)
	}
	out.conclude()
	return out, r.save(ctx, out)
}

// withSpec returns the run with its spec and scale set, the spec as JSON, and its hash.
func (r Run) withSpec() (_ Run, spec json.RawMessage, hash string, err error) {
	if r.Spec == nil {
		if r.Spec, err = r.Experiment.SpecAt(r.Scale); err != nil {
			return r, nil, "", err
		}
	}
	if r.digests == nil {
		r.digests = sync.OnceValues(r.inputs)
	}
	spec, hash, err = r.Experiment.Hash(r.Spec)
	if err == nil && r.Experiment.ScaleOf(hash) == OtherScale {
		r.Scale = OtherScale // --spec changes the settings of the scale
	}
	return r, spec, hash, err
}

// Hash returns settings as JSON, and a hash of them and of the experiment's ID.
func (e *Experiment) Hash(s Spec) (spec json.RawMessage, hash string, err error) {
	spec, err = json.Marshal(s)
	if err != nil {
		return nil, "", err
	}
	return spec, hashOf(e.Source().ID, spec), nil
}

// hashOf returns the hash of an experiment's settings as JSON without white space.
func hashOf(id string, spec []byte) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n", id, spec))
	return fmt.Sprintf("%x", sum[:6])
}

// runSeed runs one seed, unless its record is there already.
func (r Run) runSeed(ctx context.Context, seed uint64, spec json.RawMessage, hash string) (*seedRecord, error) {
	f := r.folder(hash, seed)
	if s, err := r.readComplete(f); s != nil || err != nil {
		r.begin(seed, true)
		return s, errors.Join(err, f.removeLeftovers())
	}
	release, err := f.lock()
	if err != nil {
		return nil, err
	}
	s, err := r.readComplete(f) // another process may have made it since
	if s == nil && err == nil {
		r.begin(seed, false)
		s, err = r.makeSeed(ctx, f, seed, spec)
	}
	return s, errors.Join(err, release())
}

// readComplete reads a complete seed that is not to be made again; nil if there is none. If its data have
// changed since, the error is an [*input.Error].
func (r Run) readComplete(f seedFolder) (*seedRecord, error) {
	if r.Made.has(f) {
		return f.read()
	}
	if !r.Resume {
		return nil, nil
	}
	s, err := f.read()
	return s, errors.Join(err, r.checkInputs(f, s))
}

// makeSeed runs one seed with checkpoints, and writes its folder.
func (r Run) makeSeed(ctx context.Context, f seedFolder, seed uint64, spec json.RawMessage) (*seedRecord, error) {
	r.Setting = r.Setting.WithCheckpoints(f.checkpoints())
	if err := f.sweepCheckpoints(r.Resume); err != nil {
		return nil, err
	}
	s, err := r.measure(ctx, seed)
	if err != nil {
		return nil, err
	}
	s.Spec = spec
	if err := f.write(s); err != nil {
		return nil, err
	}
	r.Made.add(f)
	return s, f.removeCheckpoints()
}

// measure runs one seed, and measures time and memory.
func (r Run) measure(ctx context.Context, seed uint64) (*seedRecord, error) {
	in := r.Setting
	in.Seed = seed
	in.attempt = &attempt{}
	began := time.Now
	if r.Now != nil {
		began = r.Now
	}
	made := began().UTC().Truncate(time.Second)
	reads, err := r.inputs()
	if err != nil {
		return nil, err
	}
	var o *Outcome
	used, err := record.MeasureUsage(func() (err error) {
		o, err = r.Spec.Run(ctx, in)
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := r.checkMeasured(o); err != nil {
		return nil, err
	}
	o.Values = record.FiniteValues(o.Values)
	o.finish()
	s := &seedRecord{
		Experiment: r.Experiment.Source().ID, Seed: seed, Made: made, Resumed: in.attempt.resumed, Usage: used,
		Data: o.Data, Inputs: &reads, Machine: thisMachine(in.Threads),
		Values: o.Values, Units: o.Units, Statements: o.Statements, Notes: o.Notes, Tables: o.Tables, Charts: o.Charts,
		Figures: o.Figures, outcome: o,
	}
	return s, nil
}

// checkMeasured returns an error if a seed did not set the measure of a claim. It checks at scale [Smoke] alone, where
// a run takes seconds; at other scales, and with settings of a user's, the claim is not attempted.
func (r Run) checkMeasured(o *Outcome) error {
	for _, c := range r.Experiment.Claims {
		for _, m := range append([]Measure{c.Measure}, c.besides...) {
			_, set := o.Values[m.name]
			if c.estimate == wilcoxonOverUnits {
				_, set = o.Units[m.name]
			}
			if r.Scale == Smoke && !set {
				return fmt.Errorf("there is a claim about measure %q, which Run does not set: set NaN where it cannot be "+
					"measured", m.name)
			}
		}
	}
	return nil
}

// MadeSeeds lists the seeds that the runs of one command have made. The zero value is ready to use.
type MadeSeeds struct{ folders map[seedFolder]bool }

func (m *MadeSeeds) has(f seedFolder) bool { return m != nil && f != "" && m.folders[f] }

func (m *MadeSeeds) add(f seedFolder) {
	if m == nil || f == "" {
		return
	}
	if m.folders == nil {
		m.folders = map[seedFolder]bool{}
	}
	m.folders[f] = true
}

func (r Run) begin(seed uint64, there bool) {
	if r.Begin != nil {
		r.Begin(seed, there)
	}
}
