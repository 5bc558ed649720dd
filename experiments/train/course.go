package train

import (
	"fmt"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/experiments/similarity"
)

// trackedStatements returns the names of the statements that a tracked training measures: all but those that are a
// second name for another.
func trackedStatements() (names []string) {
	for _, s := range cnfa.Statements() {
		if s.SameAs == "" {
			names = append(names, s.Name)
		}
	}
	return names
}

// course returns the measurements of the ansatz during the training.
func (r *Record) course() *similarity.Course {
	c := &similarity.Course{Unit: "step", During: "during the training",
		Alignments: func(time, layer int) []similarity.AlignmentRecord { return r.Ansatz[time].Layers[layer].Alignments }}
	for _, p := range r.Ansatz {
		c.Times, c.Names = append(c.Times, float64(p.Step)), append(c.Names, fmt.Sprintf("step %d", p.Step))
	}
	for _, l := range r.Ansatz[0].Layers {
		c.Layers = append(c.Layers, l.Layer)
	}
	for _, k := range cnfmKinds {
		c.CNFMs = append(c.CNFMs, similarity.CourseCNFM{Name: k.name, Label: k.label,
			At: func(time, layer int) similarity.AnsatzRecord { return k.of(r.Ansatz[time].Layers[layer]) }})
	}
	return c
}
