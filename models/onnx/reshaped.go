package onnx

import (
	"fmt"
	"slices"
)

// mostReshaped is the largest number of elements of a tensor that is reshaped, so that products do not overflow.
const mostReshaped = 1 << 34

// Reshaped returns the shape to which a Reshape, Flatten, Squeeze or Unsqueeze brings a tensor of shape from. Asked is the
// shape that the node of a Reshape asks for, and the axes of the others; nil if the node has none. Shapes and axes that do not
// fit are an error.
func Reshaped(n *Node, from, asked []int) ([]int, error) {
	switch n.Op {
	case "Flatten":
		return flattened(from, n.Int("axis", 1))
	case "Squeeze":
		return squeezed(from, asked)
	case "Unsqueeze":
		return unsqueezed(from, asked)
	}
	if asked == nil {
		return nil, fmt.Errorf("it has no shape")
	}
	shape, open, known := slices.Clone(asked), -1, 1
	for i, d := range shape {
		switch {
		case d == 0 && n.Int("allowzero", 0) == 0 && i < len(from):
			shape[i] = from[i]
		case d == -1 && open < 0:
			open = i
			continue
		case d < 0 || d > mostReshaped:
			return nil, fmt.Errorf("a reshape to %v: want sizes from 0 to %d, and at most one of -1", asked, mostReshaped)
		}
		if shape[i] > mostReshaped/max(known, 1) {
			return nil, fmt.Errorf("a reshape to %v: want at most %d elements", asked, mostReshaped)
		}
		known *= shape[i]
	}
	size := 1
	for _, d := range from {
		size *= d
	}
	if open >= 0 && known == 0 {
		return nil, fmt.Errorf("a reshape of %v to %v: no size of -1 follows from the others", from, asked)
	}
	if open >= 0 {
		shape[open] = size / known
		known *= shape[open]
	}
	if known != size {
		return nil, fmt.Errorf("a reshape of %v to %v: want as many elements, %d", from, asked, size)
	}
	return shape, nil
}

func flattened(from []int, axis int) ([]int, error) {
	at := axis
	if at < 0 {
		at += len(from)
	}
	if at < 0 || at > len(from) {
		return nil, fmt.Errorf("axis %d of %v: want one from %d to %d", axis, from, -len(from), len(from))
	}
	shape := []int{1, 1}
	for i, d := range from {
		if i < at {
			shape[0] *= d
		} else {
			shape[1] *= d
		}
	}
	return shape, nil
}

// squeezed leaves out axes or, without any, all axes of one element.
func squeezed(from, axes []int) ([]int, error) {
	var gone []int
	for _, a := range axes {
		a, err := axisOf(a, len(from))
		if err != nil || from[a] != 1 {
			return nil, fmt.Errorf("axes %v of %v: want axes of one element", axes, from)
		}
		gone = append(gone, a)
	}
	shape := []int{}
	for i, d := range from {
		if !(slices.Contains(gone, i) || axes == nil && d == 1) {
			shape = append(shape, d)
		}
	}
	return shape, nil
}

// unsqueezed inserts axes of one element.
func unsqueezed(from, axes []int) ([]int, error) {
	rank := len(from) + len(axes)
	switch {
	case axes == nil:
		return nil, fmt.Errorf("it has no axes")
	case rank > maxRank:
		return nil, fmt.Errorf("a tensor of %d axes: want at most %d", rank, maxRank)
	}
	shape := make([]int, rank)
	for i := range shape {
		shape[i] = -1
	}
	for _, a := range axes {
		a, err := axisOf(a, rank)
		if err != nil {
			return nil, err
		}
		shape[a] = 1
	}
	for i := range shape {
		if shape[i] > 0 {
			continue
		}
		if len(from) == 0 {
			return nil, fmt.Errorf("axes %v: want each once", axes)
		}
		shape[i], from = from[0], from[1:]
	}
	return shape, nil
}
