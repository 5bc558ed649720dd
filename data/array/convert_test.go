package array

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"testing"
)

// little returns a one-dimensional array of the given type that holds numbers, a slice.
func little(t testing.TB, kind Type, numbers any) *Array {
	t.Helper()
	b, err := binary.Append(nil, binary.LittleEndian, numbers)
	if err != nil {
		t.Fatal(err)
	}
	return &Array{Name: "a", Type: kind, Shape: []int{len(b) / kind.Size()}, Bytes: b}
}

func TestNumbers(t *testing.T) {
	for _, test := range []struct {
		a    *Array
		want []float64
	}{
		{little(t, Uint8, []uint8{0, 255}), []float64{0, 255}},
		{little(t, Int8, []int8{-128, 127}), []float64{-128, 127}},
		{little(t, Uint16, []uint16{1, 65535}), []float64{1, 65535}},
		{little(t, Int16, []int16{-32768, -1}), []float64{-32768, -1}},
		{little(t, Uint32, []uint32{1 << 31, 7}), []float64{1 << 31, 7}},
		{little(t, Int32, []int32{-1 << 31, 7}), []float64{-1 << 31, 7}},
		{little(t, Uint64, []uint64{1 << 62, 7}), []float64{1 << 62, 7}},
		{little(t, Int64, []int64{-1 << 63, 7}), []float64{-1 << 63, 7}},
		{little(t, Float32, []float32{-3, 1 << 40}), []float64{-3, 1 << 40}},
		{little(t, Float64, []float64{-1 << 63, 1 << 62}), []float64{-1 << 63, 1 << 62}},
	} {
		if got := test.a.Float64s(); !slices.Equal(got, test.want) {
			t.Errorf("%v: %v, want %v", test.a.Type, got, test.want)
		}
		ints, err := test.a.Ints()
		if err != nil || len(ints) != 2 || float64(ints[0]) != test.want[0] || float64(ints[1]) != test.want[1] {
			t.Errorf("%v: %v, %v, want %v", test.a.Type, ints, err, test.want)
		}
	}
}

func TestIntsRefuses(t *testing.T) {
	for _, a := range []*Array{
		little(t, Float64, []float64{0, 1.5}),
		little(t, Float64, []float64{0, math.NaN()}),
		little(t, Float64, []float64{0, math.Inf(-1)}),
		little(t, Float64, []float64{0, 1 << 63}),
		little(t, Float32, []float32{0, 1e30}),
		little(t, Uint64, []uint64{0, 1 << 63}),
	} {
		_, err := a.Ints()
		wantFormatError(t, err, NoOffset, "at index 1")
	}
}

func TestLen(t *testing.T) {
	for n, a := range map[int]*Array{1: {}, 0: {Shape: []int{3, 0, 2}}, 6: {Shape: []int{3, 2}}} {
		if a.Len() != n {
			t.Errorf("%v has %d elements", a.Shape, a.Len())
		}
	}
}

var allTypes = []Type{Uint8, Int8, Uint16, Int16, Uint32, Int32, Uint64, Int64, Float32, Float64}

// TestConvert checks that a conversion of integers keeps every number, and fails exactly where the new type cannot hold
// a number. It also converts single to double precision.
func TestConvert(t *testing.T) {
	values := []int64{0, 1, -1, 127, -128, 128, 255, 256, 32767, 65535, 1<<24 + 1, 1<<31 - 1, -1 << 31, 1<<32 - 1,
		1 << 53, 1<<53 + 1, 1<<63 - 1, -1 << 63}
	for _, from := range allTypes {
		for _, to := range allTypes {
			if !convertible(from, to) || from.isFloat() {
				continue
			}
			for _, v := range values {
				bits, ok := from.encode(v)
				if !ok {
					continue
				}
				raw := make([]byte, 2*from.Size())
				from.putBits(raw, 1, bits)
				got, bad, ok := convert(raw, from, to)
				_, fits := to.encode(v)
				if ok != fits || !ok && bad != 1 {
					t.Errorf("%d from %v to %v: %v at %d", v, from, to, ok, bad)
				}
				if ok && (len(got) != 2*to.Size() || to.float(got, 0) != 0 || to.float(got, 1) != float64(v)) {
					t.Errorf("%d from %v to %v: % x", v, from, to, got)
				}
			}
		}
	}
	single := little(t, Float32, []float32{0.1, float32(math.Inf(1))})
	got, _, ok := convert(single.Bytes, Float32, Float64)
	if want := little(t, Float64, []float64{float64(float32(0.1)), math.Inf(1)}); !ok || !bytes.Equal(got, want.Bytes) {
		t.Errorf("single precision: % x", got)
	}
}

func TestEncodeKnowsItsBounds(t *testing.T) {
	for kind, test := range map[Type]struct{ least, most int64 }{
		Uint8: {0, 255}, Int8: {-128, 127}, Uint16: {0, 65535}, Int16: {-32768, 32767},
		Uint32: {0, 1<<32 - 1}, Int32: {-1 << 31, 1<<31 - 1}, Float64: {-1 << 53, 1 << 53},
	} {
		for v, want := range map[int64]bool{test.least: true, test.most: true, test.least - 1: false,
			test.most + 1: false} {
			if _, ok := kind.encode(v); ok != want {
				t.Errorf("%d as %v: %v", v, kind, ok)
			}
		}
	}
	if _, ok := Float32.encode(1<<24 + 1); ok {
		t.Error("a float32 holds 2²⁴+1")
	}
}

func TestSwap(t *testing.T) {
	for size, want := range map[int]string{1: "abcdefgh", 2: "badcfehg", 4: "dcbahgfe", 8: "hgfedcba"} {
		got := []byte("abcdefgh")
		if swap(got, size); string(got) != want {
			t.Errorf("%d bytes: %s", size, got)
		}
	}
}

func TestType(t *testing.T) {
	for _, kind := range allTypes {
		if kind.Size() == 0 || kind.String() == Type(0).String() {
			t.Errorf("%v takes %d bytes", kind, kind.Size())
		}
	}
	if Type(0).Size() != 0 || Type(99).Size() != 0 || Type(99).String() != "type 99" {
		t.Errorf("types that are none: %v %v", Type(0), Type(99))
	}
}

func TestFormatError(t *testing.T) {
	cause := errors.New("why")
	err := &FormatError{Path: "a.mat", Offset: 7, Want: "this", Got: "that", Hint: "do so", Err: cause}
	if got, want := err.Error(), "a.mat: at byte 7: expected this, found that: why; do so"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if !errors.Is(err, cause) {
		t.Error("the cause is lost")
	}
}
