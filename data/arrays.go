package data

import (
	"fmt"
	"slices"

	"github.com/ansatz-lab/ansatz/data/array"
)

// arrayError returns an error about an array in a file.
func arrayError(path, name, want, got, hint string) error {
	return &FormatError{Path: path, Offset: array.NoOffset, Want: fmt.Sprintf("%s to be %s", name, want),
		Got: got, Hint: hint}
}

// checkImages returns an error unless an array has bytes in the given order and
// shape, where -1 stands for any number but 0.
func checkImages(path string, a *array.Array, fortran bool, shape ...int) error {
	same := func(got, want int) bool { return got == want || want == -1 && got > 0 }
	if a.Type == array.Uint8 && a.Fortran == fortran && slices.EqualFunc(a.Shape, shape, same) {
		return nil
	}
	order := map[bool]string{false: "row-major", true: "column-major"}
	return arrayError(path, "the array "+a.Name, fmt.Sprintf("%s uint8 of shape %d (-1 is any)", order[fortran], shape),
		fmt.Sprintf("%s %v of shape %d", order[a.Fortran], a.Type, a.Shape), "the file belongs to another dataset")
}

// addImages appends consecutive images from pix, and their labels, where class 0
// has the label first. The images alias pix.
func (p *planes) addImages(path string, pix []uint8, labels []int, first int) error {
	size := p.shape.Pixels()
	if n := len(pix) / size; n != len(labels) {
		return tooFew(path, n, len(labels), getHint(p.name))
	}
	for i, l := range labels {
		if l < first || l-first >= len(p.classes) {
			return arrayError(path, fmt.Sprintf("the label of image %d", i),
				fmt.Sprintf("from %d to %d", first, first+len(p.classes)-1), fmt.Sprint(l), getHint(p.name))
		}
		p.labels = append(p.labels, uint16(l-first))
		p.images = append(p.images, pix[i*size:(i+1)*size:(i+1)*size])
	}
	return nil
}
