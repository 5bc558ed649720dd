package cnfa

import (
	"fmt"

	"github.com/ansatz-lab/ansatz/graph"
)

// MemoryError says that a verification would take more memory than it may.
type MemoryError struct{ Need, Limit int64 }

// Error gives both in GB, and says what makes the need smaller.
func (e *MemoryError) Error() string {
	return fmt.Sprintf(
		"this would take about %.1f GB, there are %.1f GB: take fewer threads (--threads 1), fewer layers "+
			"(--layers), fewer groups (--groups 5) or probes (--outputs probes:16)",
		float64(e.Need)/1e9, float64(e.Limit)/1e9)
}

// InputError returns true: the user asked for more than the memory holds.
func (e *MemoryError) InputError() bool { return true }

// fits estimates the memory that a run takes besides the network's own.
func (g *gatherer) fits() error {
	o := g.o
	if o.Memory == 0 {
		return nil
	}
	perGroup := (o.Images + o.Groups - 1) / o.Groups * graph.Outputs{Probes: o.Probes}.Passes(g.net.Classes)
	need, largest := int64(0), int64(0)
	for _, w := range g.workers {
		need += w.moments.ValueBytes() + w.moments.SumBytes()
	}
	for _, l := range g.layers {
		c, d := int64(l.Filters), int64(l.PatchSize())
		need += momentBytes(c, d, int64(g.groups.len()), int64(perGroup*l.Positions))
		largest = max(largest, 8*(3*c*d+6*c*c)) // W, W₀ and what they are multiplied to
	}
	if need += largest; need > o.Memory {
		return &MemoryError{Need: need, Limit: o.Memory}
	}
	return nil
}

// momentBytes is what the moments of a layer of c filters on patches of d
// elements take, given the number of vectors of a group.
func momentBytes(c, d, groups, vectors int64) int64 {
	if few := vectors * c; few < c*c/2 {
		return 8 * groups * few
	}
	r := min(c, d)
	return 8 * (groups*r*r + c*c)
}
