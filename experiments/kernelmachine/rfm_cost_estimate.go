package kernelmachine

import (
	"cmp"

	"github.com/ansatz-lab/ansatz/experiments/cost"
	"github.com/ansatz-lab/ansatz/experiments/linalg"
	"github.com/ansatz-lab/ansatz/experiments/workload"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/rfm"
)

// Size is that of the machine on the examples that are open.
func (c *ConvRFM) Size() workload.PatchMachineSize {
	m, x := c.machine, c.examples.Train.X
	p := workload.PatchMachineSize{
		Kernel: workload.KernelName(m.Kernel), Depth: m.Kernel.Depth(), Patch: cmp.Or(m.Patch, rfm.DefaultPatch), Pad: m.Pad,
		Iterations: m.Iterations, Layers: m.Layers, Filters: cmp.Or(m.Filters, rfm.DefaultFilters), Sample: m.Sample,
		Train: x.Len(), Tested: c.examples.Test.X.Len(), Ridges: len(m.Ridges), Shape: models.Shape{Channels: x.Channels, Height: x.Height, Width: x.Width},
	}
	if m.Validation != nil {
		p.Judged = m.Validation.X.Len()
	}
	p.Backend, p.Precision = c.spec.Backend, c.spec.Precision
	p.Outputs = linalg.ColumnCount(c.examples.Train.Y)
	p.Reading = workload.ReadingOf(c.spec.Data, c.spec.Size, p.Train+p.Judged+p.Tested, c.spec.Normalise == workload.ByDataset)
	return p
}

// Job is what a fit takes of examples that are open.
func (r *RFM) Job() cost.Machine {
	m, x := r.machine, r.examples.Train
	inputs, outputs := linalg.ColumnCount(x.X), linalg.ColumnCount(x.Y)
	s := workload.MachineSize{Train: linalg.RowCount(x.X), Inputs: inputs, Outputs: outputs, Iterations: m.Iterations, Sample: m.Sample, Diagonal: m.Diagonal}
	if r.examples.Test.X != nil {
		s.Tested = linalg.RowCount(r.examples.Test.X)
	}
	s.Reading = workload.ReadingOf(r.spec.Data, r.spec.Size, s.Train+s.Tested, r.spec.Normalise == workload.ByDataset)
	return s.Job()
}
