package report

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"github.com/ansatz-lab/ansatz/data/array"
)

// arrayPath returns the path of a figure's array in the folder of its page.
func arrayPath(name string) string { return filepath.Join("arrays", name+".npy") }

// part is one matrix or image of a description: its shape, and its numbers.
type part struct {
	shape   []int
	numbers *[]float64
}

// parts returns the matrices or images, in their order, without images that have no pixels.
func (d *Description) parts() []part {
	var all []part
	for i := range d.Matrices {
		m := &d.Matrices[i]
		all = append(all, part{[]int{m.Rows, m.Cols}, &m.Data})
	}
	for _, row := range d.Images {
		for i := range row {
			if m := &row[i]; !m.empty() {
				all = append(all, part{[]int{m.Height, m.Width, m.Channels}, &m.Pixels})
			}
		}
	}
	return all
}

func (p part) size() int {
	n := 1
	for _, side := range p.shape {
		n *= side
	}
	return n
}

// shapeOf returns the shape of an array of all parts: (parts, sides of a part), or (elements) if their shapes differ.
func shapeOf(parts []part) []int {
	total := 0
	for _, p := range parts {
		total += p.size()
	}
	if slices.ContainsFunc(parts, func(p part) bool { return !slices.Equal(p.shape, parts[0].shape) }) {
		return []int{total}
	}
	return append([]int{len(parts)}, parts[0].shape...)
}

// array returns the NPY file of the description's matrices or images, nil if there are none. Pixels that are shown in 8 bits
// and are not in the figure's CSV file are stored in 8 bits. Other numbers are float32 if that loses nothing, else float64.
func (f *Figure) array() []byte {
	d := f.Description
	if d == nil {
		return nil
	}
	parts := d.parts()
	if len(parts) == 0 {
		return nil
	}
	var all []float64
	for _, p := range parts {
		if len(*p.numbers) != p.size() {
			return nil // the numbers were not read
		}
		all = append(all, *p.numbers...)
	}
	t := array.Float64
	switch {
	case d.shades(f.CSV != nil):
		t = array.Uint8
		for i, v := range all {
			all[i] = float64(level8(v))
		}
	case !slices.ContainsFunc(all, needsDouble):
		t = array.Float32
	}
	return array.EncodeNPY(t, shapeOf(parts), all)
}

// shades reports whether the figure shows only images in 8 bits, which are not numbered in a CSV file.
func (d *Description) shades(numbered bool) bool {
	if numbered || d.Chart != images {
		return false
	}
	for _, row := range d.Images {
		for _, m := range row {
			if m.Map || slices.ContainsFunc(m.Pixels, math.IsNaN) {
				return false
			}
		}
	}
	return true
}

// needsDouble reports whether v cannot be a float32 without loss.
func needsDouble(v float64) bool { return !math.IsNaN(v) && float64(float32(v)) != v }

// roundArray rounds the numbers of large arrays to float32, so that the stored figure equals the drawn one.
func (d *Description) roundArray() {
	parts, total := d.parts(), 0
	for _, p := range parts {
		if p.size() != len(*p.numbers) {
			return // an error, which drawing reports
		}
		total += p.size()
	}
	if total <= maxNumbers {
		return
	}
	d.Matrices = slices.Clone(d.Matrices)
	d.Images = slices.Clone(d.Images)
	for i, row := range d.Images {
		d.Images[i] = slices.Clone(row)
	}
	for _, p := range d.parts() {
		*p.numbers = slices.Clone(*p.numbers)
		for i, v := range *p.numbers {
			if math.Abs(v) <= math.MaxFloat32 {
				(*p.numbers)[i] = float64(float32(v))
			}
		}
	}
}

// readArray reads the numbers of the matrices or images from the folder of a page, into slices of its own.
func (d *Description) readArray(dir, name string) error {
	d.Matrices, d.Images = slices.Clone(d.Matrices), slices.Clone(d.Images)
	for i, row := range d.Images {
		d.Images[i] = slices.Clone(row)
	}
	parts := d.parts()
	if len(parts) == 0 {
		return nil
	}
	for _, p := range parts { // of a file that may have been changed
		if slices.Min(p.shape) < 0 || slices.Max(p.shape) > maxSide {
			return fmt.Errorf("%s has a part of shape %v: want sides from 0 to %d", arrayPath(name), p.shape, maxSide)
		}
	}
	a, err := array.ReadNPY(filepath.Join(dir, arrayPath(name)))
	if err != nil {
		return err
	}
	if want := shapeOf(parts); !slices.Equal(a.Shape, want) {
		return fmt.Errorf("%s has shape %v, want %v", arrayPath(name), a.Shape, want)
	}
	all := a.Float64s()
	if a.Type == array.Uint8 {
		for i := range all {
			all[i] /= 255
		}
	}
	for _, p := range parts {
		*p.numbers, all = all[:p.size():p.size()], all[p.size():]
	}
	return nil
}
