package examples

import (
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/cost"
	"github.com/ansatz-lab/ansatz/experiments/linalg"
	"github.com/ansatz-lab/ansatz/experiments/workload"
	"github.com/ansatz-lab/ansatz/rfm"
)

// Outline returns the images that a spec names without opening them, and what would have to be read.
// Their matrices have dimensions and no elements (see [linalg.Outline]); the sizes are from the
// catalogue of datasets. An unknown set is an [*input.Error].
func Outline(s Spec) (*Set, cost.Reading, error) {
	set, err := workload.FindDatasetSize(s.Data, s.Size)
	if err != nil {
		return nil, cost.Reading{}, err
	}
	set = set.Of(s.Classes)
	shape := data.Shape{Channels: set.Shape.Channels, Height: set.Shape.Height, Width: set.Shape.Width}
	if s.Grey {
		shape.Channels = 1
	}
	e := &Set{Description: Description{
		Name: s.Data, Task: rfm.Classification, Shape: &shape, Classes: classNames(s.Classes, set.Classes), Unit: 1,
	}}
	e.Train = outlineOf(workload.ImagesUsed(s.Train, set.Train), shape, set.Classes)
	e.Test = outlineOf(workload.ImagesUsed(s.Test, set.Tested), shape, set.Classes)
	used := linalg.RowCount(e.Train.X) + linalg.RowCount(e.Test.X)
	return e, set.Reading(used, s.Normalise == workload.ByDataset), nil
}

// outlineOf returns the outline of n images with one-hot targets.
func outlineOf(n int, shape data.Shape, classes int) rfm.Examples {
	return rfm.Examples{X: linalg.Outline(n, shape.Pixels()), Y: linalg.Outline(n, classes)}
}

// classNames returns the names in a list A,B,…, or as many empty names as there are classes.
func classNames(list string, classes int) []string {
	if list != "" {
		return strings.Split(list, ",")
	}
	return slices.Repeat([]string{""}, classes)
}
