package study

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ansatz-lab/ansatz/experiments/checkpoint"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
)

// Run is what to run. Experiment, Seeds, and Scale or Spec are needed.
type Run struct {
	Experiment *Experiment
	Scale      Scale
	Spec       Spec // nil for the scale's own
	Seeds      int  // from Setting.Seed on
	Setting    Setting
	// Out is the folder for what is found; "" keeps it in memory.
	Out string
	// Resume takes what is whole in Out as it is, and goes on with a seed that was
	// interrupted.
	Resume bool
	// Made, if not nil, is what was made before, and is taken as it is: several
	// experiments show parts of one run. What this one makes is added.
	Made *MadeSeeds
	// Begin, if not nil, is told of each seed, and whether it is there already.
	Begin func(seed uint64, there bool)
	// Now, if not nil, is asked for the time in the place of [time.Now].
	Now func() time.Time
}

// Record is an experiment over its seeds. Spec is the settings as JSON, and
// Hash what tells them from others: the folder of the run is OUT/ID/HASH.
type Record struct {
	ID     string          `json:"id"`
	Paper  string          `json:"paper"`
	Figure string          `json:"figure"`
	Title  string          `json:"title"`
	Scale  Scale           `json:"scale"`
	Spec   json.RawMessage `json:"spec"`
	Hash   string          `json:"spec_hash"`
	Seeds  []uint64        `json:"seeds"`
	Claims []Judgement     `json:"claims"`
	// Statements are those of an experiment about statements.
	Statements []Statement    `json:"statements,omitempty"`
	Tables     []report.Table `json:"tables"` // means and standard deviations
	Notes      []string       `json:"notes,omitempty"`
	Report     string         `json:"report,omitempty"` // the path of the page

	// Absent is why it was not attempted.
	Absent string `json:"absent,omitempty"`

	experiment *Experiment
	seeds      []*seedRecord
	drawn      []report.Figure // nil if not drawn yet
}

// seedRecord is a run with one seed, as run.json has it.
type seedRecord struct {
	Experiment string          `json:"experiment"`
	Spec       json.RawMessage `json:"spec"`
	Seed       uint64          `json:"seed"`
	// Made is when the run began, in UTC and by seconds; zero in records from before
	// it was written down.
	Made time.Time `json:"made,omitzero"`
	// Resumed says that the run went on from what one that was interrupted had kept:
	// what it took is without that.
	Resumed      bool               `json:"resumed,omitempty"`
	record.Usage                    // seconds, cpu_seconds and peak_bytes
	Data         []DataUsed         `json:"data"`
	Machine      machineRecord      `json:"machine"`
	Values       map[string]float64 `json:"values"`
	Statements   []Statement        `json:"statements,omitempty"`
	Notes        []string           `json:"notes,omitempty"`
	Tables       []report.Table     `json:"tables"`
	Charts       []Chart            `json:"charts"`
	Figures      []report.Figure    `json:"figures"` // without their pictures, which are in files

	outcome *Outcome
	folder  seedFolder // that it was read from
}

// Run runs the seeds, one after the other. Of an experiment that cannot be run it
// says so. At scale [Smoke] no claim holds or fails: give [OtherScale] with a Spec
// whose settings are other than a scale's. It returns an [*input.Error] for settings
// that cannot be run, and where ctx ends an [*checkpoint.InterruptedError] if seeds are kept.
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
	for k := range r.Seeds {
		s, err := r.seed(ctx, r.Setting.Seed+uint64(k), spec, hash)
		if err != nil && ctx.Err() != nil && r.Out != "" && !checkpoint.IsUnsaved(err) {
			return nil, &checkpoint.InterruptedError{Checkpoint: r.dir(r.Experiment, hash)}
		}
		if err != nil {
			return nil, fmt.Errorf("%s, seed %d: %w", r.Experiment.ID, r.Setting.Seed+uint64(k), err)
		}
		out.add(s)
	}
	out.conclude()
	return out, r.save(out)
}

// withSpec is the run with the spec that it has, as JSON too, and with its hash.
func (r Run) withSpec() (_ Run, spec json.RawMessage, hash string, err error) {
	if r.Spec == nil {
		if r.Spec, err = r.Experiment.SpecAt(r.Scale); err != nil {
			return r, nil, "", err
		}
	}
	spec, hash, err = r.Experiment.Hash(r.Spec)
	return r, spec, hash, err
}

// record is that of an experiment without seeds.
func (e *Experiment) record(scale Scale, spec json.RawMessage, hash string) *Record {
	return &Record{
		ID: e.ID, Paper: e.Paper, Figure: e.Figure, Title: e.Title, Scale: scale, Spec: spec, Hash: hash, Absent: e.Absent, experiment: e,
	}
}

// add takes a seed in, as far as the experiment shows what was found.
func (e *Record) add(s *seedRecord) {
	shown := *s
	shown.outcome = e.experiment.shown(s.outcome)
	e.drawn = nil
	e.Seeds, e.seeds = append(e.Seeds, s.Seed), append(e.seeds, &shown)
}

// Hash is the settings as JSON, and what tells them apart from others.
func (e *Experiment) Hash(s Spec) (spec json.RawMessage, hash string, err error) {
	spec, err = json.Marshal(s)
	if err != nil {
		return nil, "", err
	}
	return spec, hashOf(e.Source().ID, spec), nil
}

// hashOf is that of an experiment's settings as JSON without white space.
func hashOf(id string, spec []byte) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n", id, spec))
	return fmt.Sprintf("%x", sum[:6])
}

// seed runs with one seed, unless that is there already.
func (r Run) seed(ctx context.Context, seed uint64, spec json.RawMessage, hash string) (*seedRecord, error) {
	f := r.folder(hash, seed)
	if s, err := r.there(f); s != nil || err != nil {
		r.begin(seed, true)
		return s, errors.Join(err, f.removeLeftovers())
	}
	release, err := f.hold()
	if err != nil {
		return nil, err
	}
	s, err := r.there(f) // another process may have made it since
	if s == nil && err == nil {
		r.begin(seed, false)
		s, err = r.make(ctx, f, seed, spec)
	}
	return s, errors.Join(err, release())
}

// there is a seed that is taken as it is, nil for none.
func (r Run) there(f seedFolder) (*seedRecord, error) {
	if r.Resume || r.Made.has(f) {
		return f.read()
	}
	return nil, nil
}

// make runs with one seed, and keeps what was found.
func (r Run) make(ctx context.Context, f seedFolder, seed uint64, spec json.RawMessage) (*seedRecord, error) {
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

// measure runs with one seed.
func (r Run) measure(ctx context.Context, seed uint64) (*seedRecord, error) {
	in := r.Setting
	in.Seed = seed
	in.attempt = &attempt{}
	began := time.Now
	if r.Now != nil {
		began = r.Now
	}
	made := began().UTC().Truncate(time.Second)
	var o *Outcome
	used, err := record.MeasureUsage(func() (err error) {
		o, err = r.Spec.Run(ctx, in)
		return err
	})
	if err != nil {
		return nil, err
	}
	o.Values = finiteValues(o.Values)
	o.dropAbsent()
	s := &seedRecord{
		Experiment: r.Experiment.Source().ID, Seed: seed, Made: made, Resumed: in.attempt.resumed, Usage: used, Data: o.Data, Machine: thisMachine(in.Threads),
		Values: o.Values, Statements: o.Statements, Notes: o.Notes, Tables: o.Tables, Charts: o.Charts, Figures: o.Figures, outcome: o,
	}
	return s, nil
}

// MadeSeeds is what runs of one command have made. The zero value is ready to use.
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

// conclude puts the seeds together.
func (e *Record) conclude() {
	outcomes := e.outcomes()
	e.Claims = []Judgement{}
	for _, c := range e.experiment.Claims {
		j := c.Judge(outcomes)
		if e.Scale == Smoke && (j.Verdict == Holds || j.Verdict == Fails) {
			j.Verdict = Inconclusive // that scale shows that it runs, and no more
		}
		e.Claims = append(e.Claims, j)
	}
	e.control()
	if len(outcomes) == 0 {
		e.Notes = []string{"Not attempted: " + e.Absent}
		return
	}
	e.Statements = StatementsOverSeeds(outcomes)
	e.Tables, e.Notes = tablesOverSeeds(outcomes), e.notesOverSeeds()
}

// control puts beside a claim that has a null control what was found of that.
func (e *Record) control() {
	for i, j := range e.Claims {
		null := e.experiment.Controls[j.Value]
		k := slices.IndexFunc(e.Claims, func(c Judgement) bool { return c.Value == null })
		if null != "" && k >= 0 {
			c := e.Claims[k]
			c.Control = nil
			e.Claims[i].Control = &c
		}
	}
}

func (e *Record) outcomes() []*Outcome {
	var all []*Outcome
	for _, s := range e.seeds {
		all = append(all, s.outcome)
	}
	return all
}
