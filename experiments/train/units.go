package train

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/job"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/shard"
	"github.com/ansatz-lab/ansatz/internal/jsonfile"
)

// shardJob trains networks.
type shardJob struct {
	shardSettings
	dataDir string
	threads int
}

// OpenJob opens the job of a plan of this kind. It returns an [*input.Error] if the plan's inputs differ from those on
// this machine.
func OpenJob(p *shard.Plan, in job.Setting) (shard.Job, error) {
	j := shardJob{dataDir: in.DataDir, threads: p.Threads}
	return j, job.Decode(p.Settings, &j.shardSettings)
}

// decodeUnit returns the network of a unit.
func decodeUnit(u shard.Unit) (unit networkUnit, err error) {
	if err := job.Decode(u.Spec, &unit); err != nil {
		return unit, err
	}
	return unit, unit.check()
}

// Make implements [shard.Job].
func (j shardJob) Make(ctx context.Context, u shard.Unit, room shard.Room) (shard.Made, error) {
	unit, err := decodeUnit(u)
	if err != nil {
		return shard.Made{}, err
	}
	t, err := j.open(ctx, unit)
	if err != nil {
		return shard.Made{}, err
	}
	r, err := t.Run(ctx, Run{Out: room.Scratch, Resume: true, Progress: func(p Progress) {
		room.Progress(p.Stage, p.Done, p.Total)
	}})
	if err != nil {
		return shard.Made{}, err
	}
	// Generated images, random labels and held-out images depend on the seed.
	name := func(which string) string {
		return fmt.Sprintf("%s, %s images; seed %d", t.conv.Data, which, unit.Spec.Seed)
	}
	made := shard.Made{Data: map[string]string{
		name("training"): unit.Inputs.Data[trainImages], name("test"): unit.Inputs.Data[testImages],
	}}
	return made, keepNetwork(r, room.Scratch, room.Dir)
}

// open prepares the training of a unit, which must be the one that was planned.
func (j shardJob) open(ctx context.Context, unit networkUnit) (*Training, error) {
	if err := unit.Inputs.Files.Check(); err != nil {
		return nil, err
	}
	s := unit.Spec
	s.Dir, s.Backend, s.Threads = j.dataDir, j.Backend, j.threads
	t, err := NewTraining(ctx, s)
	if err != nil {
		return nil, err
	}
	in, err := t.inputs()
	if err != nil {
		return nil, err
	}
	return t, in.CheckPlanned(unit.Inputs)
}

// keepNetwork copies the files of a training except for its checkpoint, which contains times and is no longer needed.
func keepNetwork(r *Record, from, to string) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, e := range entries {
		source, name := filepath.Join(from, e.Name()), filepath.Join(to, e.Name())
		switch {
		case e.Name() == record.TrainingFile:
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
	return record.WriteRecord(to, r.movedTo(""))
}

// copyFile copies a file; the caller makes the folder appear atomically.
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

// movedTo returns the record of a training with the paths of another folder.
func (r *Record) movedTo(dir string) *Record {
	moved := *r
	for _, path := range []*string{&moved.Weights, &moved.LastWeights, &moved.InitialWeights} {
		if *path != "" {
			*path = filepath.Join(dir, filepath.Base(*path))
		}
	}
	return &moved
}

// Merge implements [shard.Job].
func (j shardJob) Merge(ctx context.Context, units []shard.Folder, out string) error {
	var all NetworksRecord
	for _, u := range units {
		if err := ctx.Err(); err != nil {
			return err
		}
		unit, err := decodeUnit(u.Unit)
		if err != nil {
			return err
		}
		r, err := placeNetwork(u, filepath.Join(out, filepath.FromSlash(unit.Folder)))
		if err != nil {
			return err
		}
		all.addNetwork(unit.Folder, r)
	}
	if _, err := record.SaveRecord(out, &all); err != nil {
		return err
	}
	return record.SweepPage(out)
}

// placeNetwork copies a network to its place atomically.
func placeNetwork(u shard.Folder, to string) (*Record, error) {
	r := &Record{}
	if err := jsonfile.Read(filepath.Join(u.Dir, record.FileName), jsonfile.Large, r); err != nil {
		return nil, &input.Error{Err: err}
	}
	return r, u.Place(to, func(dir string) error { return record.WriteRecord(dir, r.movedTo(to)) })
}
