package table

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/ansatz-lab/ansatz/data/array"
	"github.com/google/go-cmp/cmp"
)

// arrayOf returns an array of the given type and shape with the numbers in data, a slice.
func arrayOf(t *testing.T, kind array.Type, data any, shape ...int) *array.Array {
	t.Helper()
	b, err := binary.Append(nil, binary.LittleEndian, data)
	if err != nil {
		t.Fatal(err)
	}
	return &array.Array{Type: kind, Shape: shape, Bytes: b}
}

func TestFromArrays(t *testing.T) {
	x := arrayOf(t, array.Float64, []float64{1, 2, math.NaN(), 4, 5, 6}, 2, 3)
	y := arrayOf(t, array.Int64, []int64{7, -8}, 2, 1)
	want := &Table{Name: "npz", Rows: 2, Columns: []Column{
		{Name: "x1", Values: []float64{1, 4}},
		{Name: "x2", Values: []float64{2, 5}},
		{Name: "x3", Values: []float64{0, 6}, Missing: []bool{true, false}},
		{Name: "y", Values: []float64{7, -8}},
	}}
	got, err := FromArrays("npz", x, y)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got, content); d != "" {
		t.Error(d)
	}
	fortran := arrayOf(t, array.Float64, []float64{1, 4, 2, 5, math.NaN(), 6}, 2, 3)
	fortran.Fortran = true
	if got, err = FromArrays("npz", fortran, y); err != nil || !cmp.Equal(want, got, content) {
		t.Errorf("%v\n%s", err, cmp.Diff(want, got, content))
	}
}

func TestFromArraysTypes(t *testing.T) {
	want := []float64{3, 200}
	for _, x := range []*array.Array{
		arrayOf(t, array.Uint8, []uint8{3, 200}, 2),
		arrayOf(t, array.Uint16, []uint16{3, 200}, 2),
		arrayOf(t, array.Uint32, []uint32{3, 200}, 2),
		arrayOf(t, array.Uint64, []uint64{3, 200}, 2),
		arrayOf(t, array.Int16, []int16{3, 200}, 2),
		arrayOf(t, array.Int32, []int32{3, 200}, 2),
		arrayOf(t, array.Int64, []int64{3, 200}, 2),
		arrayOf(t, array.Float32, []float32{3, 200}, 2),
	} {
		got, err := FromArrays("x", x, nil)
		if err != nil || !cmp.Equal(got.Columns[0].Values, want) {
			t.Errorf("%v: %v, %v", x.Type, got, err)
		}
	}
	for _, x := range []*array.Array{
		arrayOf(t, array.Int8, []int8{-3}, 1),
		arrayOf(t, array.Int16, []int16{-3}, 1),
		arrayOf(t, array.Int32, []int32{-3}, 1),
	} {
		if got, err := FromArrays("x", x, nil); err != nil || got.Columns[0].Values[0] != -3 {
			t.Errorf("%v: %v, %v", x.Type, got, err)
		}
	}
}

func TestFromArraysErrors(t *testing.T) {
	x := arrayOf(t, array.Float32, []float32{1, 2}, 2, 1)
	for name, c := range map[string]struct{ x, y *array.Array }{
		"none":         {nil, nil},
		"a number":     {arrayOf(t, array.Uint8, []uint8{1}), nil},
		"three axes":   {arrayOf(t, array.Uint8, []uint8{1}, 1, 1, 1), nil},
		"no rows":      {arrayOf(t, array.Uint8, []uint8{}, 0, 3), nil},
		"too few":      {arrayOf(t, array.Uint16, []uint16{1}, 2), nil},
		"negative":     {arrayOf(t, array.Uint8, []uint8{1}, -1, -1), nil},
		"huge":         {arrayOf(t, array.Uint8, []uint8{1}, math.MaxInt, 4), nil},
		"no type":      {&array.Array{Shape: []int{1}, Bytes: []byte{1}}, nil},
		"infinite":     {arrayOf(t, array.Float64, []float64{math.Inf(-1)}, 1), nil},
		"targets":      {x, arrayOf(t, array.Uint8, []uint8{1, 2, 3}, 3)},
		"inf. targets": {x, arrayOf(t, array.Float64, []float64{1, math.Inf(1)}, 2)},
	} {
		_, err := FromArrays(name, c.x, c.y)
		wantFormatError(t, err)
	}
}
