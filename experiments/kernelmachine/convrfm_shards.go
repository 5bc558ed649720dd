package kernelmachine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/ansatz-lab/ansatz/data/array"
	"github.com/ansatz-lab/ansatz/experiments/cost"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/job"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/shard"
	"github.com/ansatz-lab/ansatz/experiments/workload"
	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

// The files of a part of a kernel matrix, and of the whole matrix.
const (
	columnsFile = "columns.npy"
	kernelFile  = "kernel.npy"
)

// planSettings are the settings of a plan that its results depend on.
type planSettings struct {
	Spec        ConvRFMSpec `json:"spec"` // without Dir and Threads
	TrainSHA256 string      `json:"train_sha256"`
	Inputs      string      `json:"inputs"` // how the inputs were normalised
}

// tileColumns is a unit of a plan: the columns From ≤ c < To of the tiles of a kernel matrix.
type tileColumns struct {
	From int `json:"from"`
	To   int `json:"to"`
}

// check returns an input error unless the columns are among that many columns.
func (c tileColumns) check(columns int) error {
	if c.From < 0 || c.From >= c.To || c.To > columns {
		return input.Errorf("the plan has columns %d to %d of %d of tiles: another version of ansatz made it",
			c.From+1, c.To, columns)
	}
	return nil
}

// mostKernelUnits is roughly the largest number of units in a plan.
const mostKernelUnits = 256

// PlanConvRFM plans the kernel matrix of the training images with M = I, that is before features are
// learned. Units are columns of tiles of the upper half, with about the same number of tiles in each.
// Merging writes kernel.npy, the matrix that [ConvRFMFit.SaveKernel] writes for a machine without
// iterations. If shards is 0, their number is chosen.
func PlanConvRFM(ctx context.Context, s ConvRFMSpec, threads, shards int) (*shard.Plan, error) {
	s.Threads = max(1, threads)
	c, err := NewConvRFM(ctx, s)
	if err != nil {
		return nil, err
	}
	parts, err := c.machine.KernelParts(c.examples.Train.X)
	if err != nil {
		return nil, err
	}
	units, err := divideTiles(parts, c.Size())
	if err != nil {
		return nil, err
	}
	title := fmt.Sprintf("the kernel %v of %d images of %s", c.machine.Kernel, c.examples.Train.X.Len(),
		c.examples.Name)
	s.Dir, s.Threads = "", 0
	w := job.Work{Kind: job.ConvRFMKind, Title: title, Units: units,
		Merging: cost.Resources{Bytes: mergedBytes(c.examples.Train.X.Len())}}
	return w.Plan(threads, shards, planSettings{s, c.conv.TrainSHA, c.conv.Inputs}, nil)
}

// divideTiles divides the columns of tiles into units.
func divideTiles(p *rfm.KernelParts, size workload.PatchMachineSize) ([]shard.Unit, error) {
	all := p.Columns()
	each := (p.Tiles(0, all) + mostKernelUnits - 1) / mostKernelUnits
	var units []shard.Unit
	for from := 0; from < all; {
		to := from + 1
		for to < all && p.Tiles(from, to+1) <= each {
			to++
		}
		text, err := json.Marshal(tileColumns{from, to})
		if err != nil {
			return nil, err
		}
		first, last := p.Images(from, to)
		needs := workload.Estimate(size.Backend, size.Precision, size.KernelPart(p, from, to))
		units = append(units, shard.Unit{
			Name: fmt.Sprintf("columns %d to %d", first+1, last), Spec: text, Seconds: needs.Seconds,
			Bytes: cost.ProcessBytes + float64(p.Bytes(from, to)) +
				4*float64(last)*float64(workload.ValuesPerImage(size.Shape)) + 2*size.Reading.Opened,
		})
		from = to
	}
	return units, nil
}

// shardJob makes the units of a kernel matrix.
type shardJob struct {
	*ConvRFM
	parts *rfm.KernelParts
}

// OpenJob opens the job of a plan of this kind. It returns an [*input.Error] if the plan does not fit
// what is on this machine.
func OpenJob(p *shard.Plan, in job.Setting) (shard.Job, error) {
	var s planSettings
	if err := job.Decode(p.Settings, &s); err != nil {
		return nil, err
	}
	s.Spec.Dir, s.Spec.Threads = in.DataDir, p.Threads
	c, err := NewConvRFM(context.Background(), s.Spec)
	if err != nil {
		return nil, err
	}
	if err := job.CheckUnchanged("the training images of "+s.Spec.Data, c.conv.TrainSHA, s.TrainSHA256); err != nil {
		return nil, err
	}
	if err := job.CheckUnchanged("what is read of "+s.Spec.Data, c.conv.Inputs, s.Inputs); err != nil {
		return nil, err
	}
	parts, err := c.machine.KernelParts(c.examples.Train.X)
	return shardJob{c, parts}, err
}

// decodeUnit reads the columns of a unit.
func (j shardJob) decodeUnit(u shard.Unit) (c tileColumns, err error) {
	if err := job.Decode(u.Spec, &c); err != nil {
		return c, err
	}
	return c, c.check(j.parts.Columns())
}

// Make implements [shard.Job].
func (j shardJob) Make(ctx context.Context, u shard.Unit, room shard.Room) (shard.Made, error) {
	c, err := j.decodeUnit(u)
	if err != nil {
		return shard.Made{}, err
	}
	k, err := j.parts.Compute(ctx, c.From, c.To, func(done, total int) { room.Progress("kernel", done, total) })
	if err != nil {
		return shard.Made{}, err
	}
	made := shard.Made{Data: map[string]string{j.examples.Name: j.conv.TrainSHA}}
	return made, j.writeColumns(filepath.Join(room.Dir, columnsFile), k)
}

// writeColumns writes a part in the precision in which it was computed.
func (j shardJob) writeColumns(path string, k *mat.Dense) error {
	if j.machine.Precision == graph.Double {
		return array.WriteNPY(path, k)
	}
	rows, columns := k.Dims()
	values := make([]float32, 0, rows*columns)
	for _, v := range k.RawMatrix().Data {
		values = append(values, float32(v))
	}
	return array.WriteNPYFloat32(path, []int{rows, columns}, values)
}

// Merge implements [shard.Job]. It takes the memory of two kernel matrices, as computing the matrix in
// one process does.
func (j shardJob) Merge(ctx context.Context, units []shard.Folder, out string) error {
	n := j.examples.Train.X.Len()
	if need, limit := int64(mergedBytes(n)), j.machine.Memory; limit > 0 && need > limit {
		return &rfm.MemoryError{Need: need, Limit: limit, Examples: n, Solver: "merging a kernel matrix"}
	}
	k := mat.NewSymDense(n, nil)
	for _, u := range units {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := j.addColumns(k, u); err != nil {
			return err
		}
	}
	if err := array.WriteNPY(filepath.Join(out, kernelFile), k); err != nil {
		return err
	}
	return record.SweepPage(out)
}

// mergedBytes returns the bytes of two kernel matrices of n images.
func mergedBytes(n int) float64 { return 2 * 8 * float64(n) * float64(n) }

// addColumns copies the columns of a unit into the matrix.
func (j shardJob) addColumns(k *mat.SymDense, u shard.Folder) error {
	c, err := j.decodeUnit(u.Unit)
	if err != nil {
		return err
	}
	path := filepath.Join(u.Dir, columnsFile)
	part, err := record.ReadMatrix(path)
	if err != nil {
		return err
	}
	first, last := j.parts.Images(c.From, c.To)
	if rows, columns := part.Dims(); rows != last || columns != last-first {
		return input.Errorf("%s is %d×%d: want %d×%d", path, rows, columns, last, last-first)
	}
	for i := range last {
		row := part.RawRowView(i)
		for at := max(first, i); at < last; at++ {
			k.SetSym(i, at, row[at-first])
		}
	}
	return nil
}

// UseKernel makes the first iteration read the kernel matrix of the training images with M = I from an
// NPY file, instead of computing it. The file is that of a merged plan of [PlanConvRFM], or of
// [ConvRFMFit.SaveKernel] for a machine without iterations. UseKernel computes some of the rows, and
// returns an input error if they differ.
func (c *ConvRFM) UseKernel(ctx context.Context, path string) error {
	images := int64(c.examples.Train.X.Len())
	full, err := record.ReadLargeMatrix(path, max(array.MaxBytes, 8*images*images))
	if err != nil {
		return &input.Error{Err: err}
	}
	n, columns := full.Dims()
	if n != columns {
		return input.Errorf("%s is %d×%d: want a kernel matrix", path, n, columns)
	}
	k := mat.NewSymDense(n, full.RawMatrix().Data)
	parts, err := c.machine.KernelParts(c.examples.Train.X)
	if err != nil {
		return err
	}
	var other *rfm.InputError
	if err := parts.Check(ctx, k); errors.As(err, &other) {
		return &input.Error{Err: fmt.Errorf("%s: %w", path, err)}
	} else if err != nil {
		return err
	}
	c.machine.Known = k
	c.conv.Solver += "; the kernel matrix with M = I was read from " + path
	return nil
}
