package kernelmachine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"

	"github.com/ansatz-lab/ansatz/data/array"
	"github.com/ansatz-lab/ansatz/experiments/cost"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/job"
	"github.com/ansatz-lab/ansatz/experiments/linalg"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/shard"
	"github.com/ansatz-lab/ansatz/experiments/workload"
	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/internal/atomicfile"
	"gonum.org/v1/gonum/mat"
)

// columnsFile is the file of a unit: columns of a kernel matrix.
const columnsFile = "columns.npy"

// planSettings are the settings of a plan that its results depend on.
type planSettings struct {
	Spec   ConvRFMSpec `json:"spec"` // without Dir and Threads
	Inputs job.Inputs  `json:"inputs"`
}

// inputs identifies what the machine reads.
func (c *ConvRFM) inputs() job.Inputs {
	data := map[string]string{"training images": c.conv.TrainSHA, "validation images": c.conv.ValidationSHA,
		"test images": c.conv.TestSHA, "normalisation": c.conv.Inputs}
	maps.DeleteFunc(data, func(_, text string) bool { return text == "" })
	return job.Inputs{Data: data}
}

// tileColumns is a unit of a plan: the columns From ≤ c < To of the tiles of a kernel matrix.
type tileColumns struct {
	Matrix string `json:"matrix"` // the name of a [firstKernel]
	From   int    `json:"from"`
	To     int    `json:"to"`
}

// check returns an input error unless the columns are among that many columns.
func (c tileColumns) check(columns int) error {
	if c.From < 0 || c.From >= c.To || c.To > columns {
		return input.Errorf("the plan has columns %d to %d of %d of tiles: another version of ansatz made it",
			c.From+1, c.To, columns)
	}
	return nil
}

// mostKernelUnits is roughly the largest number of units of a kernel matrix in a plan.
const mostKernelUnits = 256

// PlanConvRFM plans the kernel matrices with M = I, that is before features are learned: of the training
// images, and of the test and validation images with them. Units are columns of tiles, in the first matrix
// of its upper half only, with about the same number of tiles in each. Merging writes kernel.npy,
// the matrix that [ConvRFMFit.SaveKernel] writes for a machine without iterations, and test-kernel.npy and
// validation-kernel.npy, whose columns are the training images. If shards is 0, their number is chosen.
func PlanConvRFM(ctx context.Context, s ConvRFMSpec, threads, shards int) (*shard.Plan, error) {
	s.Threads = max(1, threads)
	c, err := NewConvRFM(ctx, s)
	if err != nil {
		return nil, err
	}
	kernels, err := c.firstKernels()
	if err != nil {
		return nil, err
	}
	var units []shard.Unit
	merged, onDisk := 0., 0.
	for _, k := range kernels {
		some, err := k.divide(c)
		if err != nil {
			return nil, err
		}
		units, merged = append(units, some...), max(merged, k.mergedBytes())
		onDisk += k.mergedBytes() / 2
	}
	title := fmt.Sprintf("the kernel %v of %d images of %s", c.machine.Kernel, c.examples.Train.X.Len(),
		c.examples.Name)
	size := c.Size()
	start := workload.Estimate(size.Backend, size.Precision, size.KernelPart(kernels[0].parts, 0, 0)).Seconds
	w := job.Work{Kind: job.ConvRFMKind, Title: title, Backend: s.Backend, Units: units, Start: start,
		Merging: cost.Resources{Bytes: merged}, MergeDisk: onDisk}
	s.Dir, s.Threads = "", 0
	return w.Plan(threads, shards, planSettings{s, c.inputs()}, nil)
}

// divide divides the columns of tiles into units.
func (k firstKernel) divide(c *ConvRFM) ([]shard.Unit, error) {
	size := c.Size()
	images := float64(c.examples.Train.X.Len() + c.examples.Validation.X.Len() + c.examples.Test.X.Len())
	all := k.parts.Columns()
	each := (k.parts.Tiles(0, all) + mostKernelUnits - 1) / mostKernelUnits
	var units []shard.Unit
	for from := 0; from < all; {
		to := from + 1
		for to < all && k.parts.Tiles(from, to+1) <= each {
			to++
		}
		text, err := json.Marshal(tileColumns{k.name, from, to})
		if err != nil {
			return nil, err
		}
		first, last := k.parts.Images(from, to)
		needs := workload.Estimate(size.Backend, size.Precision, size.KernelPart(k.parts, from, to))
		units = append(units, shard.Unit{
			Name: fmt.Sprintf("%s, columns %d to %d", k.title, first+1, last), Spec: text, Seconds: needs.Seconds,
			Bytes: cost.ProcessBytes + float64(k.parts.Bytes(from, to)) +
				4*images*float64(workload.ValuesPerImage(size.Shape)) + 2*size.Reading.Opened,
			Disk: c.elementBytes()*k.entries(first, last) + job.NoteBytes,
		})
		from = to
	}
	return units, nil
}

// elementBytes returns how many bytes an entry of a part takes in its file; see [shardJob.writeColumns].
func (c *ConvRFM) elementBytes() float64 {
	if c.machine.Precision == graph.Double {
		return 8
	}
	return 4
}

// shardJob makes the units of kernel matrices.
type shardJob struct {
	*ConvRFM
	kernels []firstKernel
}

// OpenJob opens the job of a plan that [PlanConvRFM] made. It returns an [*input.Error] if the images on
// this machine differ from the planned ones.
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
	if err := c.inputs().CheckPlanned(s.Inputs); err != nil {
		return nil, err
	}
	kernels, err := c.firstKernels()
	return shardJob{c, kernels}, err
}

// decodeUnit reads the columns of a unit.
func (j shardJob) decodeUnit(u shard.Unit) (k firstKernel, c tileColumns, err error) {
	if err := job.Decode(u.Spec, &c); err != nil {
		return k, c, err
	}
	for _, k := range j.kernels {
		if k.name == c.Matrix {
			return k, c, c.check(k.parts.Columns())
		}
	}
	return k, c, input.Errorf("the plan has a kernel matrix %q: another version of ansatz made it", c.Matrix)
}

// Make implements [shard.Job].
func (j shardJob) Make(ctx context.Context, u shard.Unit, room shard.Room) (shard.Made, error) {
	k, c, err := j.decodeUnit(u)
	if err != nil {
		return shard.Made{}, err
	}
	part, err := k.parts.Compute(ctx, c.From, c.To, func(done, total int) { room.Progress("kernel", done, total) })
	if err != nil {
		return shard.Made{}, err
	}
	made := shard.Made{Data: map[string]string{j.examples.Name: j.conv.TrainSHA}}
	return made, j.writeColumns(filepath.Join(room.Dir, columnsFile), part)
}

// writeColumns writes a part in the precision in which it was computed.
func (j shardJob) writeColumns(path string, k *mat.Dense) error {
	if j.machine.Precision == graph.Double {
		return array.WriteNPY(path, k)
	}
	rows, columns := k.Dims()
	return array.WriteNPYFloat32(path, []int{rows, columns}, linalg.Float32s(k))
}

// Merge implements [shard.Job]. It takes the memory of two kernel matrices, as computing the matrix in
// one process does.
func (j shardJob) Merge(ctx context.Context, units []shard.Folder, out string) error {
	merged := mergedKernels{map[string]string{}}
	for _, k := range j.kernels {
		path := filepath.Join(out, k.file)
		if err := j.mergeKernel(ctx, k, units, path); err != nil {
			return err
		}
		sum, err := job.DigestPath(path)
		if err != nil {
			return err
		}
		merged.SHA256[k.file] = sum
	}
	return errors.Join(atomicfile.WriteJSON(filepath.Join(out, mergedFile), merged), record.SweepPage(out))
}

// mergedFile describes the kernel matrices that merging wrote.
const mergedFile = "kernels.json"

// mergedKernels is the content of [mergedFile]: the digests of the files, by their names.
type mergedKernels struct {
	SHA256 map[string]string `json:"sha256"`
}

// check returns an [*input.Error] if a kernel matrix has changed since it was merged.
func (m mergedKernels) check(dir, file string) error {
	want, ok := m.SHA256[file]
	if !ok {
		return input.Errorf("%s does not list %s: merge the plan again", filepath.Join(dir, mergedFile), file)
	}
	sum, err := job.DigestPath(filepath.Join(dir, file))
	if err != nil {
		return &input.Error{Err: err}
	}
	if sum != want {
		return input.Errorf("%s has changed since it was merged: merge the plan again", filepath.Join(dir, file))
	}
	return nil
}

// mergeKernel puts a kernel matrix together from the units that have parts of it, and writes it.
func (j shardJob) mergeKernel(ctx context.Context, k firstKernel, units []shard.Folder, path string) error {
	if err := k.checkMemory(j.machine.Memory, "merging a kernel matrix"); err != nil {
		return err
	}
	rows, columns := k.parts.Dims()
	whole := mat.NewDense(rows, columns, nil)
	for _, u := range units {
		of, c, err := j.decodeUnit(u.Unit)
		if err == nil {
			err = ctx.Err()
		}
		if err == nil && of.name == k.name {
			err = k.addColumns(whole, c, filepath.Join(u.Dir, columnsFile))
		}
		if err != nil {
			return err
		}
	}
	return array.WriteNPY(path, whole)
}

// addColumns copies the columns of a unit into the matrix, and mirrors them if the matrix is symmetric.
func (k firstKernel) addColumns(whole *mat.Dense, c tileColumns, path string) error {
	part, err := array.ReadNPYMatrix(path)
	if err != nil {
		return err
	}
	first, last := k.parts.Images(c.From, c.To)
	if rows, columns := part.Dims(); rows != k.parts.Rows(c.From, c.To) || columns != last-first {
		return input.Errorf("%s is %d×%d: want %d×%d", path, rows, columns, k.parts.Rows(c.From, c.To), last-first)
	}
	if !k.parts.Symmetric() {
		rows, _ := part.Dims()
		whole.Slice(0, rows, first, last).(*mat.Dense).Copy(part)
		return nil
	}
	for i := range last {
		row := part.RawRowView(i)
		for at := max(first, i); at < last; at++ {
			whole.Set(i, at, row[at-first])
			whole.Set(at, i, row[at-first])
		}
	}
	return nil
}
