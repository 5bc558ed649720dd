package kernelmachine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/ansatz-lab/ansatz/data/array"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/job"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/shard"
	"github.com/ansatz-lab/ansatz/internal/jsonfile"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

// firstKernel is a kernel matrix with M = I, that is before features are learned, which processes can
// compute part by part.
type firstKernel struct {
	name, title string
	file        string // of the whole matrix
	parts       *rfm.KernelParts
	use         func(k *mat.Dense) // makes the machine use the whole matrix
}

// trainKernel is the name of the kernel matrix of the training images with themselves.
const trainKernel = "train"

// firstKernels returns the kernel matrices with M = I that [ConvRFM.Run] needs: of the training images,
// and of the validation and test images with them.
func (c *ConvRFM) firstKernels() ([]firstKernel, error) {
	m, e := &c.machine, c.examples
	useValidation := func(k *mat.Dense) { m.KnownValidation = k }
	useTest, batch := func(k *mat.Dense) { c.testKernel = k }, predictBatch
	if m.Validation == &e.Test { // paper mode
		useTest, batch = useValidation, 0
	}
	parts, err := m.KernelParts(e.Train.X)
	if err != nil {
		return nil, &input.Error{Err: err}
	}
	all := []firstKernel{{trainKernel, "training images", "kernel.npy", parts,
		func(k *mat.Dense) { m.Known = mat.NewSymDense(e.Train.X.Len(), k.RawMatrix().Data) }}}
	for _, cross := range []struct {
		name  string
		x     rfm.Images
		batch int
		use   func(k *mat.Dense)
	}{{"validation", e.Validation.X, 0, useValidation}, {"test", e.Test.X, batch, useTest}} {
		if cross.x.Len() == 0 {
			continue
		}
		parts, err := m.CrossKernelParts(cross.x, e.Train.X, cross.batch)
		if err != nil {
			return nil, &input.Error{Err: err}
		}
		all = append(all, firstKernel{cross.name, cross.name + " images with training images",
			cross.name + "-kernel.npy", parts, cross.use})
	}
	return all, nil
}

// mergedBytes returns the bytes of two such matrices, which reading and writing one take.
func (k firstKernel) mergedBytes() float64 {
	rows, columns := k.parts.Dims()
	return 2 * 8 * float64(rows) * float64(columns)
}

// entries returns how many entries are stored for the columns first ≤ c < last. In the symmetric kernel matrix
// of the training images, these are the rows before last.
func (k firstKernel) entries(first, last int) float64 {
	rows, _ := k.parts.Dims()
	if k.name == trainKernel {
		rows = last
	}
	return float64(rows) * float64(last-first)
}

// checkMemory returns a [*rfm.MemoryError] if two such matrices take more than limit bytes; 0 is no limit.
func (k firstKernel) checkMemory(limit int64, doing string) error {
	if need := int64(k.mergedBytes()); limit > 0 && need > limit {
		_, images := k.parts.Dims()
		return &rfm.MemoryError{Need: need, Limit: limit, Examples: images, Solver: doing}
	}
	return nil
}

// UseKernel makes the first iteration read kernel matrices with M = I instead of computing them. Path is
// the folder of a merged plan of [PlanConvRFM] for the same images, or an NPY file of the kernel matrix of the
// training images, as [ConvRFMFit.SaveKernel] writes it for a machine without iterations. UseKernel computes
// some rows and columns itself, and returns an input error if they differ.
func (c *ConvRFM) UseKernel(ctx context.Context, path string) error {
	kernels, err := c.firstKernels()
	if err != nil {
		return err
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return c.useMerged(ctx, kernels, path)
	}
	c.conv.Solver += "; the kernel matrix with M = I was read from " + path
	return c.readKernel(ctx, kernels[0], path)
}

// useMerged makes the first iteration read all kernel matrices in the folder of a merged plan.
func (c *ConvRFM) useMerged(ctx context.Context, kernels []firstKernel, dir string) error {
	p, err := shard.Read(dir)
	if err != nil {
		return &input.Error{Err: err}
	}
	if p.Kind != job.ConvRFMKind {
		return input.Errorf("%s has a plan of kind %q: want one of ansatz plan convrfm", dir, p.Kind)
	}
	var planned planSettings
	if err := job.Decode(p.Settings, &planned); err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	if err := c.inputs().CheckPlanned(planned.Inputs); err != nil {
		return fmt.Errorf("%s has kernels of other images (--iters, --ridge and --select say whether some are "+
			"held out): give the flags of its plan: %w", dir, err)
	}
	var merged mergedKernels
	if err := jsonfile.Read(filepath.Join(dir, mergedFile), jsonfile.Small, &merged); err != nil {
		return input.Errorf("%w: merge the plan first, with ansatz merge --out %s", err, dir)
	}
	for _, k := range kernels {
		if err := merged.check(dir, k.file); err != nil {
			return err
		}
		if err := c.readKernel(ctx, k, filepath.Join(dir, k.file)); err != nil {
			return err
		}
	}
	c.conv.Solver += "; the kernel matrices with M = I were read from " + dir
	return nil
}

// readKernel makes the machine use the kernel matrix in a file.
func (c *ConvRFM) readKernel(ctx context.Context, k firstKernel, path string) error {
	if err := k.checkMemory(record.AvailableMemory(), "reading a kernel matrix"); err != nil {
		return err
	}
	read, err := array.ReadNPYMatrix(path)
	if err != nil {
		return &input.Error{Err: err}
	}
	var other *rfm.InputError
	if err := k.parts.Check(ctx, read); errors.As(err, &other) {
		return &input.Error{Err: fmt.Errorf("%s: %w", path, err)}
	} else if err != nil {
		return err
	}
	k.use(read)
	c.machine.Memory = record.AvailableMemory()
	return nil
}
