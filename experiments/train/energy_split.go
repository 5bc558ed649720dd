package train

import (
	"fmt"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/models"
)

// mostParts is the most parts of a class.
const mostParts = 1000

// labelSplit divides every class at random into parts, which are classes of their
// own. Where there is no set of a hundred classes, one of ten that is split has as
// few images of each, of which most of the label must be learned by heart.
func (d *Data) labelSplit(l labelling, seed uint64) (err error) {
	if d.Train, err = SplitLabels(d.Train, l, seed); err != nil || d.Test == nil {
		return err
	}
	d.Test, err = SplitLabels(d.Test, l, seed+1)
	return err
}

// SplitLabels draws for every image a part of its class, or of any class.
func SplitLabels(set data.Dataset, l labelling, seed uint64) (data.Dataset, error) {
	labels, err := data.Labels(set)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, class := range set.Classes() {
		for part := range l.parts {
			names = append(names, fmt.Sprintf("%s, part %d", class, part+1))
		}
	}
	rng := models.Stream(seed, "parts of classes")
	for i, label := range labels {
		if labels[i] = label*l.parts + rng.IntN(l.parts); l.Shuffled {
			labels[i] = rng.IntN(len(names))
		}
	}
	return data.Relabel(set, labels, names)
}
