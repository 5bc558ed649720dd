// Package values reads and writes the elements of tensors of floats, whatever their precision.
package values

import (
	"gonum.org/v1/gonum/floats"
	"gorgonia.org/tensor"
)

// Reader returns a function that reads element i of t, in memory order.
func Reader(t *tensor.Dense) func(i int) float64 {
	if t.Dtype() == tensor.Float64 { // the Data of a scalar are no slice
		x := t.Float64s()
		return func(i int) float64 { return x[i] }
	}
	x := t.Float32s()
	return func(i int) float64 { return float64(x[i]) }
}

// Set sets element i of t, in memory order.
func Set(t *tensor.Dense, i int, v float64) {
	switch x := t.Data().(type) {
	case []float32:
		x[i] = float32(v)
	case []float64:
		x[i] = v
	}
}

// Fill sets all elements.
func Fill(t *tensor.Dense, v float64) {
	switch x := t.Data().(type) {
	case []float32:
		for i := range x {
			x[i] = float32(v)
		}
	case []float64:
		for i := range x {
			x[i] = v
		}
	}
}

// Scale multiplies all elements by a factor.
func Scale(t *tensor.Dense, factor float64) {
	switch x := t.Data().(type) {
	case []float32:
		for i := range x {
			x[i] = float32(float64(x[i]) * factor)
		}
	case []float64:
		for i := range x {
			x[i] *= factor
		}
	}
}

// AddTo adds the elements of t from the element first on to sum, as many as sum has.
func AddTo(sum []float64, t *tensor.Dense, first int) {
	switch x := t.Data().(type) {
	case []float32:
		for i, v := range x[first : first+len(sum)] {
			sum[i] += float64(v)
		}
	case []float64:
		floats.Add(sum, x[first:first+len(sum)])
	}
}

// CopyTo copies the elements of t to dst, as many as fit, and returns their number.
func CopyTo[T float32 | float64](dst []T, t *tensor.Dense) int {
	switch x := t.Data().(type) {
	case []float32:
		return Convert(dst, x)
	case []float64:
		return Convert(dst, x)
	}
	return 0
}

// CopyFrom copies v to the elements of t, as many as fit, and returns their number.
func CopyFrom[T float32 | float64](t *tensor.Dense, v []T) int {
	switch x := t.Data().(type) {
	case []float32:
		return Convert(x, v)
	case []float64:
		return Convert(x, v)
	}
	return 0
}

// Repeat fills t with copies of v, one after another. It copies a part of the last one where t ends, and nothing if v is empty.
func Repeat[T float32 | float64](t *tensor.Dense, v []T) {
	switch x := t.Data().(type) {
	case []float32:
		repeat(x, v)
	case []float64:
		repeat(x, v)
	}
}

func repeat[A, B float32 | float64](x []A, v []B) {
	for len(x) > 0 && len(v) > 0 {
		x = x[Convert(x, v):]
	}
}

// Convert copies numbers of one precision to another, as many as fit, and returns their number.
func Convert[A, B float32 | float64](dst []A, src []B) int {
	n := min(len(dst), len(src))
	if same, ok := any(src).([]A); ok {
		return copy(dst, same)
	}
	for i, v := range src[:n] {
		dst[i] = A(v)
	}
	return n
}
