package experiments

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"time"

	"github.com/ansatz-lab/ansatz/experiments/report"
)

// ExperimentRun is what to run.
type ExperimentRun struct {
	Experiment *Experiment
	Scale      Scale
	Spec       Spec // nil for the scale's own
	Seeds      int  // from Setting.Seed on
	Setting    Setting
	// Out is the folder for what is found; "" keeps it in memory.
	Out string
	// Resume takes what is whole in Out as it is.
	Resume bool
	// Begin, if not nil, is told of each seed, and whether it is there already.
	Begin func(seed uint64, there bool)
}

// ExperimentRecord is an experiment over its seeds.
type ExperimentRecord struct {
	ID     string      `json:"id"`
	Paper  string      `json:"paper"`
	Figure string      `json:"figure"`
	Title  string      `json:"title"`
	Scale  Scale       `json:"scale"`
	Spec   Spec        `json:"spec"`
	Hash   string      `json:"spec_hash"`
	Seeds  []uint64    `json:"seeds"`
	Claims []Judgement `json:"claims"`
	// Statements are those of an experiment about statements.
	Statements []Statement    `json:"statements,omitempty"`
	Tables     []report.Table `json:"tables"` // means and standard deviations
	Notes      []string       `json:"notes,omitempty"`
	Report     string         `json:"report,omitempty"` // the path of the page

	about string
	seeds []*seedRecord
}

// seedRecord is a run with one seed, as run.json has it.
type seedRecord struct {
	Experiment string             `json:"experiment"`
	Spec       json.RawMessage    `json:"spec"`
	Seed       uint64             `json:"seed"`
	Seconds    float64            `json:"seconds"`
	Data       []DataUsed         `json:"data"`
	Machine    machineRecord      `json:"machine"`
	Values     map[string]float64 `json:"values"`
	Statements []Statement        `json:"statements,omitempty"`
	Notes      []string           `json:"notes,omitempty"`
	Tables     []report.Table     `json:"tables"`
	Charts     []Chart            `json:"charts"`
	Figures    []figureRecord     `json:"figures"`

	outcome *Outcome
}

// Run runs the seeds, one after the other.
func (r ExperimentRun) Run(ctx context.Context) (*ExperimentRecord, error) {
	if r.Seeds < 1 {
		return nil, badInput("--seeds %d: want at least 1", r.Seeds)
	}
	if r.Spec == nil {
		var err error
		if r.Spec, err = r.Experiment.SpecAt(r.Scale); err != nil {
			return nil, err
		}
	}
	hash, err := r.hash()
	if err != nil {
		return nil, err
	}
	e := r.Experiment
	out := &ExperimentRecord{ID: e.ID, Paper: e.Paper, Figure: e.Figure, Title: e.Title, Scale: r.Scale, Spec: r.Spec, Hash: hash, about: e.About}
	for k := range r.Seeds {
		in := r.Setting
		in.Seed += uint64(k)
		s, err := r.seed(ctx, in, hash)
		if err != nil && ctx.Err() != nil && r.Out != "" {
			return nil, &InterruptedError{r.dir(hash)}
		}
		if err != nil {
			return nil, fmt.Errorf("%s, seed %d: %w", e.ID, in.Seed, err)
		}
		out.Seeds, out.seeds = append(out.Seeds, in.Seed), append(out.seeds, s)
	}
	out.conclude(e.Claims)
	return out, r.save(out)
}

// hash tells specs apart.
func (r ExperimentRun) hash() (string, error) {
	text, err := json.Marshal(r.Spec)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n", r.Experiment.ID, text))
	return fmt.Sprintf("%x", sum[:6]), nil
}

// seed runs with one seed, unless that is there already.
func (r ExperimentRun) seed(ctx context.Context, in Setting, hash string) (*seedRecord, error) {
	f := r.folder(hash, in.Seed)
	if r.Resume {
		if s, err := f.read(); s != nil || err != nil {
			r.begin(in.Seed, true)
			return s, err
		}
	}
	r.begin(in.Seed, false)
	start := time.Now()
	o, err := r.Spec.Run(ctx, in)
	if err != nil {
		return nil, err
	}
	o.Values = finiteValues(o.Values)
	o.dropAbsent()
	spec, err := json.Marshal(r.Spec)
	if err != nil {
		return nil, err
	}
	s := &seedRecord{
		Experiment: r.Experiment.ID, Spec: spec, Seed: in.Seed, Seconds: time.Since(start).Seconds(), Data: o.Data,
		Machine: thisMachine(in.Threads), Values: o.Values, Statements: o.Statements, Notes: o.Notes, Tables: o.Tables, Charts: o.Charts, outcome: o,
	}
	for _, fig := range o.Figures {
		s.Figures = append(s.Figures, figureRecord{fig.Name, fig.Caption, fig.Alt, fig.Wide})
	}
	return s, f.write(s)
}

func (r ExperimentRun) begin(seed uint64, there bool) {
	if r.Begin != nil {
		r.Begin(seed, there)
	}
}

// conclude puts the seeds together.
func (e *ExperimentRecord) conclude(claims []Claim) {
	outcomes := e.outcomes()
	e.Claims = []Judgement{}
	for _, c := range claims {
		j := c.judge(outcomes)
		if e.Scale == Smoke && (j.Verdict == Holds || j.Verdict == Fails) {
			j.Verdict = Inconclusive // that scale shows that it runs, and no more
		}
		e.Claims = append(e.Claims, j)
	}
	e.Statements = statementsOverSeeds(outcomes)
	e.Tables, e.Notes = tablesOverSeeds(outcomes), outcomes[0].Notes
}

func (e *ExperimentRecord) outcomes() []*Outcome {
	var all []*Outcome
	for _, s := range e.seeds {
		all = append(all, s.outcome)
	}
	return all
}
