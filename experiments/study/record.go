package study

import (
	"encoding/json"
	"math"
	"path/filepath"
	"slices"
	"time"

	"github.com/ansatz-lab/ansatz/data/array"
	"github.com/ansatz-lab/ansatz/experiments/job"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"gonum.org/v1/gonum/mat"
)

// Record is an experiment run over seeds, with a judgement for every claim. Spec is the settings as
// JSON, and Hash identifies them: the folder of the run is OUT/ID/HASH.
type Record struct {
	ID     string          `json:"id"`
	Paper  string          `json:"paper"`
	Figure string          `json:"figure"`
	Title  string          `json:"title"`
	Scale  Scale           `json:"scale"`
	Spec   json.RawMessage `json:"spec"`
	Hash   string          `json:"spec_hash"`
	Seeds  []uint64        `json:"seeds"`
	Looks  Looks           `json:"looks,omitempty"` // where seeds were added until all claims were decided
	Claims []Judgement     `json:"claims"`
	// Statements are set if the experiment checks statements.
	Statements []Statement    `json:"statements,omitempty"`
	Tables     []report.Table `json:"tables"` // means and standard deviations
	Notes      []string       `json:"notes,omitempty"`
	Report     string         `json:"report,omitempty"` // the path of the page

	// Absent says why the experiment was not attempted.
	Absent string `json:"absent,omitempty"`

	experiment *Experiment
	program    string // see [Run]
	seeds      []*seedRecord
	drawn      []report.Figure // nil if not drawn yet
}

// seedRecord is a run with one seed, as run.json stores it.
type seedRecord struct {
	Experiment string          `json:"experiment"`
	Spec       json.RawMessage `json:"spec"`
	Seed       uint64          `json:"seed"`
	// Made is when the run began, in UTC with whole seconds; zero in old records.
	Made time.Time `json:"made,omitzero"`
	// Resumed says that the run continued from a checkpoint of an interrupted attempt. Usage covers
	// the last attempt alone.
	Resumed      bool               `json:"resumed,omitempty"`
	record.Usage                    // seconds, cpu_seconds and peak_bytes
	Data         []DataUsed         `json:"data"`
	Inputs       *job.Inputs        `json:"inputs,omitempty"` // nil in records of earlier versions
	Machine      machineRecord      `json:"machine"`
	Values       map[string]float64 `json:"values"`
	// Units are the values by units, by the names of their measures.
	Units      map[string]map[string]float64 `json:"units,omitempty"`
	Statements []Statement                   `json:"statements,omitempty"`
	Notes      []string                      `json:"notes,omitempty"`
	Tables     []report.Table                `json:"tables"`
	Charts     []Chart                       `json:"charts"`
	Figures    []report.Figure               `json:"figures"` // without their pictures, which are in files

	outcome *Outcome
	folder  seedFolder // where it was read from
}

// record returns a record of the experiment without seeds.
func (e *Experiment) record(scale Scale, spec json.RawMessage, hash string) *Record {
	return &Record{
		ID: e.ID, Paper: e.Paper, Figure: e.Figure, Title: e.Title, Scale: scale, Spec: spec, Hash: hash,
		Absent: e.Absent, experiment: e,
	}
}

// add adds a seed, with the part of its outcome that the experiment shows.
func (e *Record) add(s *seedRecord) {
	shown := *s
	shown.outcome = e.experiment.shown(s.outcome)
	e.drawn = nil
	e.Seeds, e.seeds = append(e.Seeds, s.Seed), append(e.seeds, &shown)
}

// conclude judges the claims, and combines tables and notes over the seeds.
func (e *Record) conclude() {
	outcomes := e.outcomes()
	e.Claims = []Judgement{}
	standIns := e.experiment.standIns(e.Spec)
	for _, c := range e.experiment.Claims {
		e.Claims = append(e.Claims, c.judgeAt(e.Scale, standIns, outcomes, e.Looks.Confidence()))
	}
	e.addControls()
	if len(outcomes) == 0 {
		e.Notes = []string{"Not attempted: " + e.Absent}
		return
	}
	e.Statements = StatementsOverSeeds(outcomes)
	e.Tables, e.Notes = tablesOverSeeds(outcomes), e.notesOverSeeds()
}

// addControls sets the null controls of the claims that have one.
func (e *Record) addControls() {
	for i, claim := range e.experiment.Claims {
		null := claim.Control.name
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

// Outcome returns the part of a seed's outcome that the experiment shows, or nil if the seed was not run. Do not
// change it. If the record was read from a folder, the matrices stay there: see [Record.Matrix].
func (e *Record) Outcome(seed uint64) *Outcome {
	if k := slices.Index(e.Seeds, seed); k >= 0 {
		return e.seeds[k].outcome
	}
	return nil
}

// RunID returns the ID of the experiment whose run the record shows: its own or, if it shows a part of another one's
// run, that experiment's.
func (e *Record) RunID() string {
	if e.experiment == nil {
		return e.ID
	}
	return e.experiment.Source().ID
}

// SeedMade is how the run of one seed was made.
type SeedMade struct {
	Seed    uint64
	Folder  string // the run's folder; "" if none was written
	Hash    string // of the settings
	Made    time.Time
	Resumed bool // Usage covers the last attempt alone
	record.Usage
	Threads    int
	Processors int
	System     string // operating system and architecture
	Backend    string
	Version    string // of ansatz
	Machine    string // the five above in one line
}

// Made returns how the run of each seed was made, in the order of Seeds.
func (e *Record) Made() []SeedMade {
	var all []SeedMade
	for _, s := range e.seeds {
		all = append(all, s.made())
	}
	return all
}

// made returns how the run of the seed was made.
func (s *seedRecord) made() SeedMade {
	m := s.Machine
	return SeedMade{
		Seed: s.Seed, Folder: string(s.folder), Hash: s.folder.hash(), Made: s.Made, Resumed: s.Resumed, Usage: s.Usage,
		Threads: m.Threads, Processors: m.Processors, System: m.System, Backend: m.Backend, Version: m.Version,
		Machine: m.String(),
	}
}

// SeedsIn returns how the experiment's runs in a folder of results were made, ordered by settings and seed.
func (e *Experiment) SeedsIn(dir string) ([]SeedMade, error) {
	seeds, err := e.seedsIn(dir)
	if err != nil {
		return nil, err
	}
	var all []SeedMade
	for _, s := range seeds {
		all = append(all, s.made())
	}
	return all, nil
}

// Judge judges the claims on outcomes that were found elsewhere, for seeds 0, 1, ….
func (e *Experiment) Judge(scale Scale, outcomes []*Outcome) *Record {
	r := e.record(scale, nil, "")
	for seed, o := range outcomes {
		r.add(&seedRecord{Seed: uint64(seed), outcome: o})
	}
	r.conclude()
	return r
}

// Values returns a value for every seed, in the order of Seeds; NaN where a seed lacks it.
func (e *Record) Values(name string) []float64 {
	all := make([]float64, 0, len(e.seeds))
	for _, o := range e.outcomes() {
		v, there := o.Values[name]
		if !there {
			v = math.NaN()
		}
		all = append(all, v)
	}
	return all
}

// Charts returns the charts over the seeds: mean curves with Low and High one standard deviation away, or the seed's
// own curves if there is only one. [Chart.Figure] draws them. It is nil if nothing was run.
func (e *Record) Charts() []Chart {
	outcomes := e.outcomes()
	if len(outcomes) == 0 {
		return nil
	}
	all := slices.Clone(outcomes[0].Charts)
	for k := range all {
		all[k].Series = nil
		for s := range outcomes[0].Charts[k].Series {
			all[k].Series = append(all[k].Series, seriesOverSeeds(outcomes, k, s))
		}
	}
	return all
}

// Figure draws the chart, as curves or as bars, with its caption.
func (c Chart) Figure() (report.Figure, error) {
	f, err := c.draw(c.Series)
	f.Caption = c.Caption
	return f, err
}

// Matrix reads a seed's matrix, one of [Outcome.Matrices], from out, the folder of results that was [Run.Out] or that
// [Catalogue.Collect] read. A missing or malformed file is an error.
func (e *Record) Matrix(out string, seed uint64, name string) (*mat.Dense, error) {
	f := Run{Experiment: e.experiment, Out: out}.folder(e.Hash, seed)
	return array.ReadNPYMatrix(filepath.Join(string(f), name+".npy"))
}
