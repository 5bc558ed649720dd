package profile

import (
	"fmt"
	"math"

	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/similarity"
)

// AboveNullCell shows a correlation, marked where it lies above a null with mean 0 and this
// standard deviation.
func AboveNullCell(v, sd float64) report.Cell {
	if v > similarity.NullDeviations*sd {
		return record.MarkedCell(record.CorrelationCell(v), report.Good)
	}
	return record.MarkedCell(record.CorrelationCell(v), report.Muted)
}

// ComponentsFigure draws the components of a basis as patches.
func ComponentsFigure(name string, b *Basis) (report.Figure, error) {
	const columns, most = 9, 54
	patch := []int{b.Channels, b.Patch, b.Patch}
	var rows [][]report.Image
	for k := range min(b.Kept, most) {
		img := record.PatchImage(b.Vectors[k], patch)
		img.Caption = fmt.Sprintf("%d: σ = %.2g", k+1, math.Sqrt(b.Variances[k]))
		if k%columns == 0 {
			rows = append(rows, nil)
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], img)
	}
	f, err := report.ImageGrid(name, nil, rows)
	f.Caption = "The principal components of the patches in descending order of their variance, each scaled to its own range, with the standard deviation σ of the patches along it; mid-grey is 0."
	f.Alt, f.Wide = "Principal components of image patches: from smooth ones to fine ones", true
	return f, err
}

// WhatPartialIs is said wherever profiles are compared.
const WhatPartialIs = "A profile is compared on the principal components in the order of their variance, and every profile that follows that order is correlated with every other: " +
	"those of filters that are random patches too, whose profile is the standard deviations σ of the patches along the components. " +
	"Rotating one of two sets of filters at random leaves a correlation of mean 0 and standard deviation 1/√(m − 1) of m components, exactly; that null is narrow for smooth profiles. " +
	"Therefore profiles are held against σ and against the ranks of the components too, and the partial correlation is of what a fit of both leaves of either profile: what networks share beyond the spectrum. "
