package tangent

import (
	"github.com/ansatz-lab/ansatz/experiments/cost"

	"github.com/ansatz-lab/ansatz/experiments/workload"
)

// Job is what the kernel of one network takes.
func (m *NTKMeasurement) Job() cost.Tangents {
	j := cost.TangentsOf(m.net.Layers(), m.Source.Dataset.Len(), m.net.Classes)
	j.Reading = workload.ReadingOfSpec(m.spec.DataSpec, m.spec.Images, m.Source.Loader.Normalisation.Name == workload.ByDataset)
	return j
}
