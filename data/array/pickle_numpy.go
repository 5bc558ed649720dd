package array

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/internal/pickle"
)

// numpy is the [pickle.World] of NumPy arrays. Its methods record what the pickle says
// about an array; only [ndarray.read] checks it.
type numpy struct{}

type (
	// A class stands for numpy.ndarray.
	class struct{}

	// A function stands for a NumPy function that rebuilds arrays.
	function func(args []any) any

	// A dtype is NumPy's type of elements.
	dtype struct {
		name  string // such as f4; only the keys of dtypes can be read
		order string // > is big-endian; <, | and = are little-endian
		plain bool   // whether it is neither a record nor an array type
	}

	// An ndarray is an array or a NumPy number, not checked yet.
	ndarray struct {
		wrong   string // why it cannot be read, if it cannot
		shape   []int
		dtype   *dtype
		fortran bool
		raw     any // the elements
	}
)

// Global returns a class or function that rebuilds arrays; nil for any other.
func (numpy) Global(module, name string) any {
	switch module + "." + name {
	case "numpy.ndarray":
		return class{}
	case "numpy.dtype":
		return function(newDtype)
	case "numpy.core.multiarray._reconstruct", "numpy._core.multiarray._reconstruct":
		return function(reconstruct)
	case "numpy.core.multiarray.scalar", "numpy._core.multiarray.scalar":
		return function(newNumber)
	case "numpy.core.numeric._frombuffer", "numpy._core.numeric._frombuffer":
		return function(fromBuffer)
	}
	return nil
}

// Call calls a function that rebuilds arrays. A call of anything else returns an array
// that cannot be read.
func (numpy) Call(f any, args []any) any {
	if f, ok := f.(function); ok {
		return f(args)
	}
	return broken("the result of calling something that is not a function")
}

// Build sets the state of an array or a dtype.
func (numpy) Build(object, state any) {
	items, _ := pickle.Sequence(state)
	switch o := object.(type) {
	case *ndarray:
		o.build(items)
	case *dtype:
		o.build(items)
	}
}

// Persistent returns an array that cannot be read: NumPy does not use persistent ids.
func (numpy) Persistent(id any) any { return broken("a persistent id") }

func broken(format string, args ...any) *ndarray {
	return &ndarray{wrong: fmt.Sprintf(format, args...)}
}

// newDtype is numpy.dtype; its arguments are a name and two flags, which we can ignore.
func newDtype(args []any) any {
	d := &dtype{plain: true}
	if len(args) > 0 {
		d.name = shortText(args[0])
	}
	return d
}

// build records the state of a dtype: a version, the byte order, the element type of an array type, the names and the
// fields of a record, and more that does not affect numbers or their bytes.
func (d *dtype) build(state []any) {
	if len(state) < 5 {
		d.plain = false
		return
	}
	d.order = shortText(state[1])
	d.plain = strings.Contains("<>|=", d.order) && state[2] == nil && state[3] == nil && state[4] == nil
}

// shortText returns a text about an array, or "?" if it is longer than any of NumPy's: a
// pickle could make us keep a long text a million times.
func shortText(v any) string {
	if s, ok := pickle.Text(v); ok && len(s) <= 32 {
		return s
	}
	return "?"
}

// reconstruct is numpy's _reconstruct. Its arguments are a class, and placeholders that the state of the array replaces.
// The elements of a class other than numpy.ndarray may mean anything, so it cannot be read.
func reconstruct(args []any) any {
	if len(args) == 0 {
		return broken("an array without a class")
	}
	switch c := args[0].(type) {
	case class:
		return broken("an array without a state")
	case *pickle.Global:
		return &pickle.Object{Class: c.Name}
	}
	return broken("an array of no class")
}

// build records the state of an array: a version, a shape, a dtype, whether it is in Fortran order, and the elements.
func (a *ndarray) build(state []any) {
	if len(state) != 5 {
		a.wrong = fmt.Sprintf("an array with a state of %d parts", len(state))
		return
	}
	fortran := state[3] == true || state[3] == 1
	a.set(state[1], state[2], fortran, state[4])
}

// newNumber is numpy's scalar; its arguments are a dtype and the bytes of a number.
func newNumber(args []any) any {
	if len(args) != 2 {
		return broken("a NumPy number of %d parts", len(args))
	}
	a := new(ndarray)
	a.set(nil, args[0], false, args[1])
	return a
}

// fromBuffer is numpy's _frombuffer of protocol 5. Its arguments are the elements, a dtype,
// a shape, the order of the elements and, in recent versions, the order of the dimensions.
func fromBuffer(args []any) any {
	if len(args) < 4 || len(args) > 5 || len(args) == 5 && args[4] != nil {
		return broken("an array from a buffer of %d parts", len(args))
	}
	order := shortText(args[3])
	if order != "C" && order != "F" {
		return broken("an array whose elements are in no known order")
	}
	a := new(ndarray)
	a.set(args[2], args[1], order == "F", args[0])
	return a
}

// set records shape, dtype, order and elements of an array. A NumPy number has a nil shape.
func (a *ndarray) set(shape, d any, fortran bool, raw any) {
	a.wrong = ""
	a.dtype, _ = d.(*dtype)
	var ok bool
	a.shape, ok = dimensions(shape)
	switch {
	case !ok:
		a.wrong = "an array without a shape"
	case a.dtype == nil:
		a.wrong = "an array without a dtype"
	}
	a.fortran, a.raw = fortran, raw
}

// dimensions converts a pickled shape; nil has no dimensions. It returns false if the shape is not valid.
func dimensions(shape any) ([]int, bool) {
	items, ok := pickle.Sequence(shape)
	if !ok && shape != nil || len(items) > maxRank {
		return nil, false
	}
	out := make([]int, len(items))
	for i, item := range items {
		if out[i], ok = item.(int); !ok || out[i] < 0 {
			return nil, false
		}
	}
	return out, true
}

// dtypes maps NumPy's names to the types of elements.
var dtypes = map[string]Type{
	"b1": Uint8, "u1": Uint8, "i1": Int8, "u2": Uint16, "i2": Int16,
	"u4": Uint32, "i4": Int32, "u8": Uint64, "i8": Int64, "f4": Float32, "f8": Float64,
}

// A complaint says what is wrong with an array, in the fields of a [FormatError].
type complaint struct{ want, got, hint string }

// read returns the array, without a name, or a complaint if it cannot be read.
func (a *ndarray) read() (*Array, *complaint) {
	if a.wrong != "" {
		return nil, &complaint{"an array", a.wrong, ""}
	}
	t := dtypes[a.dtype.name]
	if t == 0 || !a.dtype.plain {
		return nil, &complaint{"an array of integers, booleans, float32 or float64", a.describe(),
			"save it again from Python with astype"}
	}
	n, ok := payload(t, a.shape, MaxBytes)
	if !ok {
		return nil, &complaint{fmt.Sprintf("an array of at most %d bytes", MaxBytes), a.describe(), ""}
	}
	data, ok := pickle.Bytes(a.raw, int(n))
	if !ok {
		return nil, &complaint{fmt.Sprintf("%s in %d bytes", a.describe(), n), a.describeRaw(), damaged}
	}
	if a.dtype.order == ">" && t.Size() > 1 {
		data = slices.Clone(data)
		swap(data, t.Size())
	}
	return &Array{Type: t, Shape: slices.Clone(a.shape), Fortran: a.fortran, Bytes: data}, nil
}

// describe describes a, to follow "found".
func (a *ndarray) describe() string {
	if a.wrong != "" {
		return a.wrong
	}
	what := fmt.Sprintf("dtype %q", a.dtype.order+a.dtype.name)
	if !a.dtype.plain {
		what = "a dtype that is not a plain number"
	}
	return fmt.Sprintf("an array of shape %v and %s", a.shape, what)
}

// describeRaw describes the elements of a: the number of bytes, if they are bytes.
func (a *ndarray) describeRaw() string {
	if n, ok := pickle.Len(a.raw); ok {
		return fmt.Sprintf("%d bytes", n)
	}
	return describePickled(a.raw)
}

// number returns v as an array if it is one without dimensions, else nil.
func number(v any) *Array {
	a, ok := v.(*ndarray)
	if !ok || len(a.shape) > 0 {
		return nil
	}
	read, _ := a.read()
	return read
}

// asInt converts an integer of Python or NumPy.
func asInt(v any) (int, bool) {
	if n, ok := v.(int); ok {
		return n, true
	}
	if a := number(v); a != nil && !a.Type.isFloat() {
		return a.int(0)
	}
	return 0, false
}

// asFloat converts a number of Python or NumPy.
func asFloat(v any) (float64, bool) {
	switch v := v.(type) {
	case int:
		return float64(v), true
	case float64:
		return v, true
	}
	if a := number(v); a != nil {
		return a.Type.float(a.Bytes, 0), true
	}
	return 0, false
}
