package experiments

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/ansatz-lab/ansatz/experiments/spread"
	"github.com/ansatz-lab/ansatz/internal/whole"
)

// trainJob trains networks.
type trainJob struct {
	trainSettings
	dataDir string
	threads int
}

func openTrainJob(p *spread.Plan, in JobSetting) (spread.Job, error) {
	j := trainJob{dataDir: in.DataDir, threads: p.Threads}
	return j, decodePlanned(p.Settings, &j.trainSettings)
}

// networkOf reads a unit.
func networkOf(u spread.Unit) (unit networkUnit, err error) {
	if err := decodePlanned(u.Spec, &unit); err != nil {
		return unit, err
	}
	return unit, unit.check()
}

// Make implements [spread.Job].
func (j trainJob) Make(ctx context.Context, u spread.Unit, room spread.Room) (spread.Made, error) {
	unit, err := networkOf(u)
	if err != nil {
		return spread.Made{}, err
	}
	t, err := j.open(ctx, unit)
	if err != nil {
		return spread.Made{}, err
	}
	r, err := t.Run(ctx, TrainRun{Out: room.Scratch, Resume: true, Progress: func(p TrainProgress) {
		room.Progress(p.Stage, p.Done, p.Total)
	}})
	if err != nil {
		return spread.Made{}, err
	}
	// What is generated is of the seed, and so are labels and who is held out.
	name := func(which string) string {
		return fmt.Sprintf("%s, %s images; seed %d", t.conv.Data, which, unit.Spec.Seed)
	}
	made := spread.Made{Data: map[string]string{name("training"): unit.TrainSHA256, name("test"): unit.TestSHA256}}
	return made, keepNetwork(r, room.Scratch, room.Dir)
}

// open prepares the training of a unit, which must be the one that was planned.
func (j trainJob) open(ctx context.Context, unit networkUnit) (*Training, error) {
	if err := unit.Files.check(); err != nil {
		return nil, err
	}
	s := unit.Spec
	s.Dir, s.Backend, s.Threads = j.dataDir, j.Backend, j.threads
	t, err := NewTraining(ctx, s)
	if err != nil {
		return nil, err
	}
	train, test, err := t.data.digests()
	if err != nil {
		return nil, err
	}
	if err := planned("the training images of "+s.Data, train, unit.TrainSHA256); err != nil {
		return nil, err
	}
	return t, planned("the test images of "+s.Data, test, unit.TestSHA256)
}

// keepNetwork copies what a training left, but for its checkpoint, which holds times
// and serves no more.
func keepNetwork(r *TrainRecord, from, to string) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, e := range entries {
		source, name := filepath.Join(from, e.Name()), filepath.Join(to, e.Name())
		switch {
		case e.Name() == checkpointFile:
			continue
		case e.IsDir():
			err = os.CopyFS(name, os.DirFS(source))
		default:
			err = copyFile(source, name)
		}
		if err != nil {
			return err
		}
	}
	return writeRecord(to, r.in(""))
}

// copyFile makes a copy in a folder that becomes whole later.
func copyFile(from, to string) error {
	f, err := os.Open(from)
	if err != nil {
		return err
	}
	defer f.Close()
	w, err := os.Create(to)
	if err != nil {
		return err
	}
	if _, err := w.ReadFrom(f); err != nil {
		w.Close()
		return err
	}
	return w.Close()
}

// in is the record of a training that is in a folder.
func (r *TrainRecord) in(dir string) *TrainRecord {
	moved := *r
	for _, path := range []*string{&moved.Weights, &moved.LastWeights, &moved.InitialWeights} {
		if *path != "" {
			*path = filepath.Join(dir, filepath.Base(*path))
		}
	}
	return &moved
}

// Merge implements [spread.Job].
func (j trainJob) Merge(ctx context.Context, units []spread.Folder, out string) error {
	var all NetworksRecord
	for _, u := range units {
		if err := ctx.Err(); err != nil {
			return err
		}
		unit, err := networkOf(u.Unit)
		if err != nil {
			return err
		}
		r, err := placeNetwork(u.Dir, filepath.Join(out, filepath.FromSlash(unit.Folder)))
		if err != nil {
			return err
		}
		all.add(unit.Folder, r)
	}
	if _, err := saveRecord(out, &all); err != nil {
		return err
	}
	return sweepPage(out)
}

// placeNetwork copies a network to its place, whole or not at all.
func placeNetwork(from, to string) (*TrainRecord, error) {
	text, err := os.ReadFile(filepath.Join(from, recordFile))
	if err != nil {
		return nil, err
	}
	r := &TrainRecord{}
	if err := json.Unmarshal(text, r); err != nil {
		return nil, badInput("%s: %w", filepath.Join(from, recordFile), err)
	}
	if err := whole.Sweep(to); err != nil {
		return nil, err
	}
	return r, whole.WriteFolder(to, func(dir string) error {
		if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
			return err
		}
		if err := os.Remove(filepath.Join(dir, spread.ReceiptFile)); err != nil {
			return err
		}
		return writeRecord(dir, r.in(to))
	})
}
