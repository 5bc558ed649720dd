package scaling

import (
	"fmt"
	"slices"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/report"
)

// checkSizes returns an [*input.Error] unless every list has rising sizes above 0.
func checkSizes(lists ...[]int) error {
	for _, sizes := range lists {
		if len(sizes) == 0 || slices.Min(sizes) < 1 || !slices.IsSorted(sizes) {
			return input.Errorf("sizes %v: want at least one, above 0 and rising", sizes)
		}
	}
	return nil
}

// provenance returns how a cost was measured, for its page.
func provenance(backend string, threads int, seed uint64, kernels, version string) []report.Fact {
	return []report.Fact{
		{Name: "backend", Value: backend}, {Name: "threads", Value: fmt.Sprint(threads)},
		{Name: "kernels", Value: kernels}, {Name: "seed", Value: fmt.Sprint(seed)}, {Name: "version", Value: version},
	}
}
