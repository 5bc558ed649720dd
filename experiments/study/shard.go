package study

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/job"
	"github.com/ansatz-lab/ansatz/experiments/shard"
	"github.com/ansatz-lab/ansatz/internal/jsonfile"
	"github.com/ansatz-lab/ansatz/internal/words"
)

// seedUnit is a seed of a run, as a unit of a plan.
type seedUnit struct {
	Experiment string          `json:"experiment"` // the ID of the experiment that is run
	Spec       json.RawMessage `json:"spec"`
	Seed       uint64          `json:"seed"`
}

// shownRun is a run of a plan, whose page the merge writes.
type shownRun struct {
	ID    string          `json:"id"`
	Scale Scale           `json:"scale"`
	Spec  json.RawMessage `json:"spec"`
	Seed  uint64          `json:"seed"`
	Seeds int             `json:"seeds"`
}

// PlanRuns divides the seeds of some runs, which are one unit each, into a number of shards; 0 chooses the number.
// Merging writes the same files as the runs would write to Out.
func PlanRuns(runs []Run, threads, shards int) (*shard.Plan, error) {
	for i := range runs {
		runs[i].Out, runs[i].Resume = "out", false // so that seeds have distinct folders
	}
	planned, err := NewPlan(runs)
	if err != nil {
		return nil, err
	}
	units, err := seedUnits(planned)
	if err != nil {
		return nil, err
	}
	var shown []shownRun
	for _, r := range planned.runs {
		if r.Experiment.Absent != "" {
			continue
		}
		_, spec, _, err := r.withSpec()
		if err != nil {
			return nil, err
		}
		shown = append(shown, shownRun{r.Experiment.ID, r.Scale, spec, r.Setting.Seed, r.Seeds})
	}
	return job.Work{Kind: job.RunKind, Title: planned.title(), Units: units}.Plan(threads, shards, nil, shown)
}

// seedUnits returns a unit for each seed of a plan.
func seedUnits(p *Plan) ([]shard.Unit, error) {
	var units []shard.Unit
	for _, s := range p.Seeds {
		_, spec, _, err := s.Run.withSpec()
		if err != nil {
			return nil, err
		}
		id := s.Run.Experiment.Source().ID
		text, err := json.Marshal(seedUnit{id, spec, s.Seed})
		if err != nil {
			return nil, err
		}
		units = append(units, shard.Unit{Name: fmt.Sprintf("%s, seed %d", id, s.Seed), Spec: text,
			Seconds: s.Cost.Seconds, Bytes: s.Cost.Bytes})
	}
	return units, nil
}

// title names the runs in a few words.
func (p *Plan) title() string {
	var ids []string
	for _, r := range p.runs {
		ids = append(ids, r.Experiment.ID)
	}
	return fmt.Sprintf("%s at scale %s", words.Some(ids, 4), p.runs[0].Scale)
}

// runJob makes seeds of experiments. It implements [shard.Job].
type runJob struct {
	catalogue Catalogue
	setting   Setting
	shown     []shownRun
}

// NewJobs returns a function that opens jobs whose units are seeds of the catalogue's experiments.
func NewJobs(c Catalogue) func(p *shard.Plan, in job.Setting) (shard.Job, error) {
	return func(p *shard.Plan, in job.Setting) (shard.Job, error) {
		j := &runJob{catalogue: c, setting: Setting{DataDir: in.DataDir, Threads: p.Threads}}
		if err := json.Unmarshal(p.Merge, &j.shown); err != nil {
			return nil, input.Errorf("the plan's runs: %w", err)
		}
		return j, nil
	}
}

// newRun returns a run of an experiment with settings as JSON.
func (j *runJob) newRun(id string, scale Scale, spec json.RawMessage) (Run, error) {
	e, err := j.catalogue.Find(id)
	if err != nil {
		return Run{}, err
	}
	s, err := e.decodeSpec(spec)
	return Run{Experiment: e, Scale: scale, Spec: s, Setting: j.setting}, err
}

// decodeSpec reads settings from JSON. They must be complete, that is, have the same hash when encoded again.
func (e *Experiment) decodeSpec(spec json.RawMessage) (Spec, error) {
	s, err := e.emptySpec()
	if err != nil {
		return nil, err
	}
	if err := jsonfile.Decode(spec, s); err != nil {
		return nil, input.Errorf("%s: its settings: %w", e.ID, err)
	}
	_, hash, err := e.Hash(s)
	if err == nil && hash != hashOf(e.Source().ID, spec) {
		err = input.Errorf("%s: its settings are not those of this version of ansatz", e.ID)
	}
	return s, err
}

// readUnit reads a unit. Its experiment must be in the catalogue, since it names a folder.
func (j *runJob) readUnit(u shard.Unit) (s seedUnit, err error) {
	if err := json.Unmarshal(u.Spec, &s); err != nil {
		return s, input.Errorf("unit %s: %w", u.Name, err)
	}
	_, err = j.catalogue.Find(s.Experiment)
	return s, err
}

// Make implements [shard.Job].
func (j *runJob) Make(ctx context.Context, u shard.Unit, room shard.Room) (shard.Made, error) {
	unit, err := j.readUnit(u)
	if err != nil {
		return shard.Made{}, err
	}
	r, err := j.newRun(unit.Experiment, OtherScale, unit.Spec)
	if err != nil {
		return shard.Made{}, err
	}
	r.Setting.Progress, r.Setting.checkpoints = room.Progress, room.Scratch
	s, err := r.measure(ctx, unit.Seed)
	if err != nil {
		return shard.Made{}, err
	}
	s.Spec = unit.Spec
	data := map[string]string{}
	for _, d := range s.Data {
		data[fmt.Sprintf("%s; seed %d", d.Name, unit.Seed)] = d.SHA256 // generated data depend on the seed
	}
	return shard.Made{Data: data}, s.writeTo(room.Dir)
}

// Merge implements [shard.Job]: it copies the seeds to the folders that ansatz run uses, and writes the pages over them.
func (j *runJob) Merge(ctx context.Context, units []shard.Folder, out string) error {
	for _, u := range units {
		unit, err := j.readUnit(u.Unit)
		if err != nil {
			return err
		}
		to := filepath.Join(out, filepath.FromSlash(unit.Experiment), hashOf(unit.Experiment, unit.Spec),
			SeedName(unit.Seed))
		if err := u.Place(to, nil); err != nil {
			return err
		}
	}
	for _, s := range j.shown {
		r, err := j.newRun(s.ID, s.Scale, s.Spec)
		if err != nil {
			return err
		}
		r.Seeds, r.Setting.Seed, r.Out, r.Resume = s.Seeds, s.Seed, out, true
		if _, err := r.Run(ctx); err != nil {
			return err
		}
	}
	return nil
}
