package array

import (
	"fmt"
	"slices"

	"github.com/ansatz-lab/ansatz/internal/pickle"
)

// dtypes are NumPy's names of the types of elements.
var dtypes = map[string]Type{
	"b1": Uint8, "u1": Uint8, "i1": Int8, "u2": Uint16, "i2": Int16,
	"u4": Uint32, "i4": Int32, "u8": Uint64, "i8": Int64, "f4": Float32, "f8": Float64,
}

// A complaint is what is wrong with an array: parts of a [FormatError].
type complaint struct{ want, got, hint string }

// read returns the array, without a name, or what keeps it from being read.
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

// describe says what a is, to follow "found".
func (a *ndarray) describe() string {
	if a.wrong != "" {
		return a.wrong
	}
	what := fmt.Sprintf("dtype %q", a.dtype.order+a.dtype.name)
	if !a.dtype.plain {
		what = "a dtype that is no plain number"
	}
	return fmt.Sprintf("an array of shape %v and %s", a.shape, what)
}

// describeRaw says how many bytes the elements of a are, if they are bytes.
func (a *ndarray) describeRaw() string {
	if n, ok := pickle.Len(a.raw); ok {
		return fmt.Sprintf("%d bytes", n)
	}
	return describePickled(a.raw)
}

// number returns the array of no dimension that v is, or nil.
func number(v any) *Array {
	a, ok := v.(*ndarray)
	if !ok || len(a.shape) > 0 {
		return nil
	}
	read, _ := a.read()
	return read
}

// asInt returns an integer of Python or NumPy.
func asInt(v any) (int, bool) {
	if n, ok := v.(int); ok {
		return n, true
	}
	if a := number(v); a != nil && !a.Type.isFloat() {
		return a.int(0)
	}
	return 0, false
}

// asFloat returns a number of Python or NumPy.
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
