package experiments

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/experiments/spread"
)

// verifySettings decide what the parts of a verification are.
type verifySettings struct {
	Spec       VerifySpec `json:"spec"` // without Dir and Threads
	Files      jobFiles   `json:"files"`
	DataSHA256 string     `json:"data_sha256"`
	Normalise  string     `json:"normalise"` // as it was found
}

// imageGroups are groups of images, From ≤ k < To, as a unit of a plan.
type imageGroups struct {
	From int `json:"from"`
	To   int `json:"to"`
}

// SpreadVerify plans a verification: units are groups of its images, whose gradients
// are computed, as many in one as there are threads. Merging compares, and leaves
// what [VerifyRecord.Save] leaves. Of shards 0 is as many as suit.
func SpreadVerify(s VerifySpec, threads, shards int) (*spread.Plan, error) {
	s.Threads = max(1, threads)
	v, err := NewVerification(s)
	if err != nil {
		return nil, err
	}
	groups, err := v.options.Parts()
	if err != nil {
		return nil, err
	}
	var units []spread.Unit
	size, layers := v.size(), v.chosenLayers()
	for from := 0; from < groups; from += s.Threads {
		g := imageGroups{from, min(from+s.Threads, groups)}
		text, err := json.Marshal(g)
		if err != nil {
			return nil, err
		}
		takes := estimated(s.Backend, s.Precision, size.gathering(v.net.Layers(), layers, g.To-g.From))
		units = append(units, spread.Unit{Name: g.name(groups), Spec: text, Seconds: takes.Seconds, Bytes: takes.Bytes})
	}
	files, err := digestFiles(s.Arch, s.Weights, s.InitWeights)
	if err != nil {
		return nil, err
	}
	title := fmt.Sprintf("the ansatz in %s on %s", filepath.Base(s.Arch), filepath.Base(s.Data))
	s.Dir, s.Threads = "", 0
	w := plannedWork{verifyKind, title, units, estimated(s.Backend, s.Precision, size.comparing(v.net.Layers(), layers))}
	return w.plan(threads, shards, verifySettings{s, files, v.conv.DataSHA256, v.conv.Normalise}, nil)
}

func (g imageGroups) name(of int) string {
	if g.To == g.From+1 {
		return fmt.Sprintf("image group %d of %d", g.To, of)
	}
	return fmt.Sprintf("image groups %d to %d of %d", g.From+1, g.To, of)
}

// check refuses groups that there are not.
func (g imageGroups) check(of int) error {
	if g.From < 0 || g.From >= g.To || g.To > of {
		return badInput("the plan has image groups %d to %d of %d: another version of ansatz made it", g.From+1, g.To, of)
	}
	return nil
}

// verifyJob makes parts of a verification.
type verifyJob struct{ *Verification }

// groupsOf reads a unit.
func (j verifyJob) groupsOf(u spread.Unit) (g imageGroups, err error) {
	if err := decodePlanned(u.Spec, &g); err != nil {
		return g, err
	}
	groups, err := j.options.Parts()
	if err != nil {
		return g, err
	}
	return g, g.check(groups)
}

func openVerifyJob(p *spread.Plan, in JobSetting) (spread.Job, error) {
	var s verifySettings
	if err := decodePlanned(p.Settings, &s); err != nil {
		return nil, err
	}
	if err := s.Files.check(); err != nil {
		return nil, err
	}
	s.Spec.Dir, s.Spec.Threads = in.DataDir, p.Threads
	v, err := NewVerification(s.Spec)
	if err != nil {
		return nil, err
	}
	if err := planned(s.Spec.Data, v.conv.DataSHA256, s.DataSHA256); err != nil {
		return nil, err
	}
	if err := planned("the normalisation of "+s.Spec.Data, v.conv.Normalise, s.Normalise); err != nil {
		return nil, err
	}
	return verifyJob{v}, nil
}

// Make implements [spread.Job].
func (j verifyJob) Make(ctx context.Context, u spread.Unit, room spread.Room) (spread.Made, error) {
	g, err := j.groupsOf(u)
	if err != nil {
		return spread.Made{}, err
	}
	o := j.options
	o.Memory = availableMemory()
	o.Progress = func(p cnfa.Progress) { room.Progress(p.Stage, p.Done, p.Total) }
	err = cnfa.Gather(ctx, j.net, j.source.loader, o, g.From, g.To, func(k int, p *cnfa.Part) error {
		return writePart(partFolder(room.Dir, k), p)
	})
	return spread.Made{Data: map[string]string{j.source.set.Name(): j.conv.DataSHA256}}, err
}

// Merge implements [spread.Job]. The seconds of the record are those of the units,
// as if one after another.
func (j verifyJob) Merge(ctx context.Context, units []spread.Folder, out string) error {
	seconds, dirs := 0., map[int]string{}
	for _, u := range units {
		g, err := j.groupsOf(u.Unit)
		if err != nil {
			return err
		}
		r, err := spread.ReadReceipt(u.Dir)
		if err != nil {
			return err
		}
		seconds += r.Seconds
		for k := g.From; k < g.To; k++ {
			dirs[k] = partFolder(u.Dir, k)
		}
	}
	o := j.options
	o.Initial, o.Memory = j.initial, availableMemory()
	result, err := cnfa.VerifyParts(ctx, j.net, o, func(k int) (*cnfa.Part, error) {
		if dirs[k] == "" {
			return nil, badInput("no unit of the plan has image group %d", k+1)
		}
		return readPart(dirs[k])
	})
	if err != nil {
		return err
	}
	if _, err := j.record(result, seconds).Save(ctx, out); err != nil {
		return err
	}
	return sweepPage(out)
}
