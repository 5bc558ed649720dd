package tangent

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"

	"github.com/ansatz-lab/ansatz/data/array"
	"github.com/ansatz-lab/ansatz/experiments/cost"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/job"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/shard"
	"github.com/ansatz-lab/ansatz/experiments/workload"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/models/kernels"
)

const (
	blockFile  = "block.npy"  // of a unit: its part of the kernel, (block, row, column)
	layersFile = "layers.npy" // of a unit: its part of the layers' kernels, (layer, row, column)
	gramFile   = "gram.npy"   // of the merged results: the whole kernel
)

// shardSettings are the settings of a kernel as the plan of its shards stores them.
type shardSettings struct {
	Spec   NTKSpec    `json:"spec"` // without Dir and Threads
	Inputs job.Inputs `json:"inputs"`
}

// inputs identifies what the measurement reads besides files.
func (m *NTKMeasurement) inputs() job.Inputs {
	return job.Inputs{Data: map[string]string{"images": m.conv.DataSHA256, "normalisation": m.conv.Normalise}}
}

// kernelBlock is a unit of a plan: a block on the diagonal of a kernel or above it, whose rows and columns are
// ranges of batches of images.
type kernelBlock struct {
	Initial bool              `json:"initial,omitempty"` // of the weights before training
	Rows    models.BatchRange `json:"rows"`
	Columns models.BatchRange `json:"columns"`
}

// check returns an input error unless the block fits a kernel of that many batches.
func (b kernelBlock) check(batches int) error {
	if b.Rows.From < 0 || b.Rows.From >= b.Rows.To || b.Columns.From >= b.Columns.To || b.Columns.To > batches ||
		(b.Rows != b.Columns && b.Rows.To > b.Columns.From) {
		return input.Errorf("the plan has a block of batches %d to %d with %d to %d of %d: another version of ansatz "+
			"made it", b.Rows.From+1, b.Rows.To, b.Columns.From+1, b.Columns.To, batches)
	}
	return nil
}

// Limits that decide into how many blocks a kernel is divided. Every block computes the gradients of its rows
// and columns anew.
const (
	fewBlocks    = 16      // enough for a few machines
	blockSeconds = 30 * 60 // at most, on one thread
	blockBytes   = 4 << 30 // at most, of its entries and gradients
	mostSides    = 64      // most ranges that the images are divided into; the other limits give way
)

// PlanNTK plans a neural tangent kernel. A unit is a block of Θ: a process holds the gradients of its rows and
// columns only. Merging computes the spectrum and writes what [NTKRecord.Save] writes, and the kernel as gram.npy.
// If shards is 0, their number is chosen.
func PlanNTK(s NTKSpec, threads, shards int) (*shard.Plan, error) {
	s.Threads = max(1, threads)
	m, err := openNTK(s, true)
	if err != nil {
		return nil, err
	}
	parts, err := m.partsOf(false, nil)
	if err != nil {
		return nil, err
	}
	var units []shard.Unit
	for _, b := range m.divide(parts, shards) {
		text, err := json.Marshal(b)
		if err != nil {
			return nil, err
		}
		needs := m.blockCost(parts, b)
		units = append(units, shard.Unit{Name: blockName(parts, b), Spec: text, Seconds: needs.Seconds,
			Bytes: needs.Bytes, Disk: blockDisk(parts, b)})
	}
	inputs := m.inputs()
	if inputs.Files, err = job.DigestFiles(s.Arch, s.Weights, s.InitWeights); err != nil {
		return nil, err
	}
	spectrum := cost.TangentSpectrum{Tangents: m.Job()}
	merging := workload.Estimate(s.Backend, s.Precision, spectrum)
	if m.initial != nil {
		merging = workload.Estimate(s.Backend, s.Precision, spectrum, spectrum)
	}
	title := fmt.Sprintf("the neural tangent kernel of %s on %s", filepath.Base(s.Arch), filepath.Base(s.Data))
	settings := shardSettings{m.spec, inputs}
	settings.Spec.Dir, settings.Spec.Threads = "", 0
	start := workload.Estimate(s.Backend, s.Precision, m.Job().Block(0, 0)).Seconds
	all := models.BatchRange{To: parts.Batches()}
	w := job.Work{Kind: job.NTKKind, Title: title, Backend: s.Backend, Units: units, Start: start, Merging: merging,
		MergeDisk: float64(parts.KernelBytes(all, all)) + 4*job.PageBytes}
	return w.Plan(threads, shards, settings, nil)
}

// partsOf divides the kernel of the network, or of the network before training, into batches.
func (m *NTKMeasurement) partsOf(initial bool, progress func(done, total int)) (*models.NTKParts, error) {
	net, o := m.network(initial)
	o.Progress = progress
	return net.NTKParts(m.Source.Dataset.Len(), o)
}

// blockDisk returns the bytes of a block's files.
func blockDisk(p *models.NTKParts, b kernelBlock) float64 {
	return float64(p.KernelBytes(b.Rows, b.Columns)) + job.NoteBytes
}

// divide divides the kernels into the fewest blocks that suffice for the shards and keep to the limits above.
func (m *NTKMeasurement) divide(p *models.NTKParts, shards int) []kernelBlock {
	if shards == 0 {
		shards = fewBlocks
	}
	for sides := 1; ; sides++ {
		blocks := m.blocks(p, sides)
		largest := blocks[max(0, len(blocks)-2)] // the last above the diagonal
		enough := len(blocks) >= shards && m.blockCost(p, largest).Seconds <= blockSeconds &&
			p.HeldBytes(largest.Rows, largest.Columns) <= blockBytes
		if enough || sides == min(p.Batches(), mostSides) {
			return blocks
		}
	}
}

// blocks divides the batches evenly into as many ranges as sides says, and the kernels into the blocks of these ranges.
func (m *NTKMeasurement) blocks(p *models.NTKParts, sides int) (all []kernelBlock) {
	side := func(k int) models.BatchRange {
		return models.BatchRange{From: k * p.Batches() / sides, To: (k + 1) * p.Batches() / sides}
	}
	for i := range sides {
		for k := i; k < sides; k++ {
			all = append(all, kernelBlock{Rows: side(i), Columns: side(k)})
		}
	}
	if m.initial != nil {
		for _, b := range all {
			b.Initial = true
			all = append(all, b)
		}
	}
	return all
}

// blockCost returns the time and memory that a block needs.
func (m *NTKMeasurement) blockCost(p *models.NTKParts, b kernelBlock) cost.Resources {
	first, last := p.Images(b.Rows)
	left, right := p.Images(b.Columns)
	others := right - left
	if b.Rows == b.Columns {
		others = 0
	}
	outputs := m.net.Classes
	return workload.Estimate(m.spec.Backend, m.spec.Precision, m.Job().Block((last-first)*outputs, others*outputs))
}

// blockName names a unit.
func blockName(p *models.NTKParts, b kernelBlock) string {
	first, last := p.Images(b.Rows)
	name := fmt.Sprintf("images %d to %d", first+1, last)
	if b.Rows != b.Columns {
		first, last = p.Images(b.Columns)
		name += fmt.Sprintf(" with %d to %d", first+1, last)
	}
	if b.Initial {
		name += ", before training"
	}
	return name
}

// shardJob makes blocks of neural tangent kernels.
type shardJob struct {
	*NTKMeasurement
	parts   *models.NTKParts // of the network; that before training has the same batches
	command string           // of the record
}

// OpenJob opens the job of a plan that [PlanNTK] made. It returns an [*input.Error] if files or images
// on this machine differ from the planned ones.
func OpenJob(p *shard.Plan, in job.Setting) (shard.Job, error) {
	var s shardSettings
	if err := job.Decode(p.Settings, &s); err != nil {
		return nil, err
	}
	if err := s.Inputs.Files.Check(); err != nil {
		return nil, err
	}
	s.Spec.Dir, s.Spec.Threads = in.DataDir, p.Threads
	m, err := openNTK(s.Spec, true)
	if err != nil {
		return nil, err
	}
	if err := m.inputs().CheckPlanned(s.Inputs); err != nil {
		return nil, err
	}
	parts, err := m.partsOf(false, nil)
	return shardJob{m, parts, p.Command}, err
}

// decodeUnit returns the block of a unit.
func (j shardJob) decodeUnit(u shard.Unit) (b kernelBlock, err error) {
	if err := job.Decode(u.Spec, &b); err != nil {
		return b, err
	}
	if b.Initial && j.initial == nil {
		return b, input.Errorf("the plan has a block of the weights before training, which it does not name")
	}
	return b, b.check(j.parts.Batches())
}

// Make implements [shard.Job].
func (j shardJob) Make(ctx context.Context, u shard.Unit, room shard.Room) (shard.Made, error) {
	b, err := j.decodeUnit(u)
	if err != nil {
		return shard.Made{}, err
	}
	parts, err := j.partsOf(b.Initial, func(done, total int) { room.Progress("gradients", done, total) })
	if err != nil {
		return shard.Made{}, err
	}
	block, err := parts.Compute(ctx, b.Rows, b.Columns,
		func(first, last int) ([]float32, error) { return j.readPixels(ctx, first, last) })
	if err != nil {
		return shard.Made{}, err
	}
	made := shard.Made{Data: map[string]string{j.Source.Dataset.Name(): j.conv.DataSHA256}}
	if err := array.WriteNPYBlocks(filepath.Join(room.Dir, blockFile), block.Gram); err != nil || len(block.Layers) == 0 {
		return made, err
	}
	return made, array.WriteNPYBlocks(filepath.Join(room.Dir, layersFile), block.Layers)
}

// Merge implements [shard.Job]. The seconds of a kernel are the sum over its units.
func (j shardJob) Merge(ctx context.Context, units []shard.Folder, out string) error {
	whole := *j.NTKMeasurement
	whole.inBlocks = false
	if err := whole.checkMemory(whole.net.Size(), whole.net.Classes); err != nil {
		return err
	}
	now, err := j.mergeKernel(ctx, units, false)
	if err != nil {
		return err
	}
	var before *measuredKernel
	if j.initial != nil {
		if before, err = j.mergeKernel(ctx, units, true); err != nil {
			return err
		}
	}
	r, err := whole.finish(now, before)
	if err != nil {
		return err
	}
	if err := whole.SaveGram(filepath.Join(out, gramFile)); err != nil {
		return err
	}
	record.SetCommand(r, j.command)
	if _, err := r.Save(out); err != nil {
		return err
	}
	return record.SweepPage(out)
}

// mergeKernel puts the blocks of a kernel together, and measures it.
func (j shardJob) mergeKernel(ctx context.Context, units []shard.Folder, initial bool) (*measuredKernel, error) {
	parts, err := j.partsOf(initial, nil)
	if err != nil {
		return nil, err
	}
	k, seconds := parts.Empty(), 0.
	for _, u := range units {
		b, err := j.decodeUnit(u.Unit)
		if err != nil {
			return nil, err
		}
		if b.Initial != initial {
			continue
		}
		r, err := shard.ReadReceipt(u.Dir)
		if err != nil {
			return nil, err
		}
		seconds += r.Seconds
		if err := addBlock(parts, k, b, u.Dir); err != nil {
			return nil, err
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	return j.decompose(k, j.net.Size(), seconds)
}

// addBlock copies a block from the folder of its unit into the kernel.
func addBlock(parts *models.NTKParts, k *models.NTK, b kernelBlock, dir string) error {
	var block kernels.Block
	var err error
	if block.Gram, err = array.ReadNPYBlocks(filepath.Join(dir, blockFile)); err != nil {
		return err
	}
	if len(k.Layers) > 0 {
		if block.Layers, err = array.ReadNPYBlocks(filepath.Join(dir, layersFile)); err != nil {
			return err
		}
	}
	if err := parts.Set(k, b.Rows, b.Columns, &block); err != nil {
		return input.Errorf("%s: %w", dir, err)
	}
	return nil
}
