package onnx

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"
)

// Type is ONNX's number for the type of a tensor's elements.
type Type int

// The supported types.
const (
	Float32  Type = 1
	Uint8    Type = 2
	Int8     Type = 3
	Uint16   Type = 4
	Int16    Type = 5
	Int32    Type = 6
	Int64    Type = 7
	Bool     Type = 9
	Float16  Type = 10
	Float64  Type = 11
	Uint32   Type = 12
	Uint64   Type = 13
	BFloat16 Type = 16
)

var supported = []Type{Float32, Uint8, Int8, Uint16, Int16, Int32, Int64, Bool, Float16, Float64, Uint32, Uint64, BFloat16}

// String names the type.
func (t Type) String() string {
	names := map[Type]string{Float32: "float32", Uint8: "uint8", Int8: "int8", Uint16: "uint16", Int16: "int16",
		Int32: "int32", Int64: "int64", 8: "string", Bool: "bool", Float16: "float16", Float64: "float64",
		Uint32: "uint32", Uint64: "uint64", 14: "complex64", 15: "complex128", BFloat16: "bfloat16"}
	if name, ok := names[t]; ok {
		return name
	}
	return "number " + strconv.Itoa(int(t))
}

// width returns the size of an element in bytes.
func (t Type) width() int64 {
	switch t {
	case Uint8, Int8, Bool:
		return 1
	case Uint16, Int16, Float16, BFloat16:
		return 2
	case Float64, Int64, Uint64:
		return 8
	}
	return 4
}

// Tensor is a constant of a file, or one that [Evaluate], [Ints] or [Numbers] made. The numbers in a file are read when a
// caller asks for them.
type Tensor struct {
	Name  string
	Shape []int
	Type  Type

	file   *file
	raw    span
	packed []span
	loose  []uint64
	field  protowire.Number // the field that packed and loose are from, 0 if the numbers are raw
	// elsewhere is the path of the file that holds raw, "" for the model's own file.
	elsewhere string

	ints   []int64   // the elements of a constant that is not in a file
	floats []float64 // the same, of floating point numbers
}

// Ints returns a constant tensor of type [Int64]. A nil shape makes a scalar.
func Ints(shape []int, v ...int64) *Tensor {
	return &Tensor{Shape: shape, Type: Int64, ints: append([]int64{}, v...)}
}

// Numbers returns a constant tensor of type [Float32]. A nil shape makes a scalar.
func Numbers(shape []int, v ...float64) *Tensor {
	return &Tensor{Shape: shape, Type: Float32, floats: append([]float64{}, v...)}
}

// Size returns the number of elements.
func (t *Tensor) Size() int {
	n := 1
	for _, d := range t.Shape {
		n *= d
	}
	return n
}

// IsFloat reports whether the elements are floating point numbers.
func (t *Tensor) IsFloat() bool {
	return slices.Contains([]Type{Float32, Float16, Float64, BFloat16}, t.Type)
}

// IsDouble reports whether the elements are float64.
func (t *Tensor) IsDouble() bool { return t.Type == Float64 }

// Ints returns the elements as whole numbers. Floats with fractions or beyond ±2⁵³ are an error.
func (t *Tensor) Ints() ([]int64, error) {
	if t.ints != nil {
		return t.ints, nil
	}
	out := make([]int64, 0, t.stored())
	fraction := false
	err := t.each(func(bits uint64) {
		v := t.number(bits)
		if t.IsFloat() {
			fraction = fraction || v != math.Trunc(v) || math.Abs(v) > 1<<53
			out = append(out, int64(v))
			return
		}
		out = append(out, t.whole(bits))
	})
	if err == nil && fraction {
		err = t.wrong("whole numbers", "fractions")
	}
	return out, err
}

// Sizes is [Tensor.Ints] with elements of type int.
func (t *Tensor) Sizes() ([]int, error) {
	v, err := t.Ints()
	out := make([]int, len(v))
	for i, x := range v {
		out[i] = int(x)
	}
	return out, err
}

// Doubles returns the elements as float64, or an error if the file cannot be read.
func (t *Tensor) Doubles() ([]float64, error) {
	switch {
	case t.floats != nil:
		return t.floats, nil
	case t.ints != nil:
		out := make([]float64, len(t.ints))
		for i, v := range t.ints {
			out[i] = float64(v)
		}
		return out, nil
	}
	out := make([]float64, 0, t.stored())
	err := t.each(func(bits uint64) { out = append(out, t.number(bits)) })
	return out, err
}

// Floats returns the elements as float32, or an error if the file cannot be read.
func (t *Tensor) Floats() ([]float32, error) {
	out := make([]float32, 0, t.stored())
	if t.floats != nil || t.ints != nil {
		v, err := t.Doubles()
		for _, x := range v {
			out = append(out, float32(x))
		}
		return out, err
	}
	err := t.each(func(bits uint64) { out = append(out, float32(t.number(bits))) })
	return out, err
}

// stored returns the number of elements, or fewer if the file has too few bytes for them: a bound for what is allocated.
func (t *Tensor) stored() int {
	if t.ints != nil || t.floats != nil {
		return t.Size()
	}
	bytes := t.raw.len() / t.Type.width()
	for _, s := range t.packed {
		bytes += s.len()
	}
	return int(min(int64(t.Size()), bytes+int64(len(t.loose))))
}

// wrong returns an error about the tensor's content.
func (t *Tensor) wrong(want, found string) error {
	return &Error{t.path(), -1, fmt.Sprintf("the tensor %q of shape %v and %v: want %s, found %s", t.Name, t.Shape, t.Type,
		want, found)}
}

func (t *Tensor) path() string {
	if t.file == nil {
		return ""
	}
	return t.file.path
}

// each calls see with the bits of every element in turn.
func (t *Tensor) each(see func(bits uint64)) error {
	if t.ints != nil || t.floats != nil {
		v, _ := t.Doubles()
		for _, x := range v {
			if t.ints != nil {
				see(uint64(int64(x)))
			} else {
				see(uint64(math.Float32bits(float32(x))))
			}
		}
		return nil
	}
	if t.field != 0 {
		return t.eachField(see)
	}
	return t.eachRaw(see)
}

// eachRaw reads numbers that the file holds as raw bytes, the lowest byte first.
func (t *Tensor) eachRaw(see func(bits uint64)) error {
	width := t.Type.width()
	if t.raw.len() != width*int64(t.Size()) {
		return t.wrong(fmt.Sprintf("%d bytes", width*int64(t.Size())), fmt.Sprint(t.raw.len()))
	}
	r, done, err := t.open()
	if err != nil {
		return err
	}
	defer done()
	buf := make([]byte, 1<<16)
	for at := t.raw.from; at < t.raw.to; {
		b := buf[:min(int64(len(buf)), t.raw.to-at)]
		if n, err := r.ReadAt(b, at); n < len(b) {
			return t.wrong(fmt.Sprintf("%d bytes", t.raw.len()), fmt.Sprintf("the error %q", err))
		}
		at += int64(len(b))
		for ; len(b) > 0; b = b[width:] {
			switch width {
			case 1:
				see(uint64(b[0]))
			case 2:
				see(uint64(binary.LittleEndian.Uint16(b)))
			case 4:
				see(uint64(binary.LittleEndian.Uint32(b)))
			case 8:
				see(binary.LittleEndian.Uint64(b))
			}
		}
	}
	return nil
}

// eachField reads numbers from the field of their type. Float16, bool and small whole numbers share the field of int32.
func (t *Tensor) eachField(see func(bits uint64)) error {
	kind, ok := map[protowire.Number]protowire.Type{4: protowire.Fixed32Type, 5: protowire.VarintType,
		7: protowire.VarintType, 10: protowire.Fixed64Type, 11: protowire.VarintType}[t.field]
	fits := map[protowire.Number][]Type{4: {Float32}, 5: {Int32, Int16, Int8, Uint16, Uint8, Bool, Float16, BFloat16},
		7: {Int64}, 10: {Float64}, 11: {Uint32, Uint64}}[t.field]
	if !ok || !slices.Contains(fits, t.Type) {
		return t.wrong("numbers in the field of their type", fmt.Sprintf("them in field %d", t.field))
	}
	var got int
	count := func(bits uint64) {
		if got++; got <= t.Size() {
			see(bits)
		}
	}
	for _, v := range t.loose {
		count(v)
	}
	buf := make([]byte, 1<<16)
	for _, s := range t.packed {
		for at := s.from; at < s.to; {
			b := buf[:min(int64(len(buf)), s.to-at)]
			if n, err := t.file.r.ReadAt(b, at); n < len(b) {
				return t.wrong("its numbers", fmt.Sprintf("the error %q", err))
			}
			used := 0
			for used < len(b) {
				x, n := consume(b[used:], kind)
				if n < 0 && at+int64(len(b)) < s.to && used > 0 {
					break // a number that goes on after the buffer
				}
				if n < 0 {
					return t.wrong("packed numbers", protowire.ParseError(n).Error())
				}
				count(x)
				used += n
			}
			at += int64(used)
		}
	}
	if got != t.Size() {
		return t.wrong(fmt.Sprintf("%d numbers", t.Size()), fmt.Sprint(got))
	}
	return nil
}

// number returns the value of an element from its bits.
func (t *Tensor) number(bits uint64) float64 {
	switch t.Type {
	case Float32:
		return float64(math.Float32frombits(uint32(bits)))
	case Float64:
		return math.Float64frombits(bits)
	case Float16:
		return half(uint16(bits))
	case BFloat16:
		return float64(math.Float32frombits(uint32(uint16(bits)) << 16))
	case Uint64:
		return float64(bits)
	}
	return float64(t.whole(bits))
}

// whole returns the value of a whole number from its bits, with a sign if its type has one.
func (t *Tensor) whole(bits uint64) int64 {
	switch t.Type {
	case Int8:
		return int64(int8(bits))
	case Int16:
		return int64(int16(bits))
	case Int32:
		return int64(int32(bits))
	case Uint8, Bool:
		return int64(uint8(bits))
	case Uint16:
		return int64(uint16(bits))
	case Uint32:
		return int64(uint32(bits))
	}
	return int64(bits)
}

// half returns the value of a float16 from its bits.
func half(bits uint16) float64 {
	sign, exponent, fraction := 1., int(bits>>10&31), float64(bits&1023)
	if bits>>15 == 1 {
		sign = -1
	}
	switch exponent {
	case 0:
		return sign * math.Ldexp(fraction, -24)
	case 31:
		if fraction != 0 {
			return math.NaN()
		}
		return math.Inf(int(sign))
	}
	return sign * math.Ldexp(1024+fraction, exponent-25)
}

// open returns a reader of the file that holds the raw numbers, and a function that closes it.
func (t *Tensor) open() (io.ReaderAt, func(), error) {
	if t.elsewhere == "" {
		return t.file.r, func() {}, nil
	}
	f, err := os.Open(t.elsewhere)
	if err != nil {
		return nil, nil, &Error{t.path(), -1, fmt.Sprintf("the weights %q: %v", t.Name, err)}
	}
	return f, func() { f.Close() }, nil
}

// external sets the file, in the folder of the model, that holds a tensor, and the tensor's place in that file.
func (f *file) external(t *Tensor, at map[string]string) error {
	location := at["location"]
	if f.path == "" || location == "" || !filepath.IsLocal(filepath.FromSlash(location)) {
		return f.refuse("the weights %q lie in %q: want a file in the folder of the model", t.Name, location)
	}
	folder, err := filepath.EvalSymlinks(filepath.Dir(f.path))
	if err != nil {
		return f.refuse("the weights %q: %v", t.Name, err)
	}
	path, err := filepath.EvalSymlinks(filepath.Join(folder, filepath.FromSlash(location)))
	if errors.Is(err, os.ErrNotExist) {
		return f.refuse("the weights %q lie in %q, which is not beside the model: copy it there", t.Name, location)
	}
	if err != nil {
		return f.refuse("the weights %q: %v", t.Name, err)
	}
	if rel, err := filepath.Rel(folder, path); err != nil || !filepath.IsLocal(rel) {
		return f.refuse("the weights %q lie in %q, a link out of the folder of the model", t.Name, location)
	}
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return f.refuse("the weights %q lie in %q, which is not a regular file", t.Name, location)
	}
	offset, err1 := number(at["offset"], 0)
	length, err2 := number(at["length"], t.Type.width()*int64(t.Size()))
	if err1 != nil || err2 != nil || offset > info.Size() || length > info.Size()-offset {
		return f.refuse("the weights %q are %s bytes at byte %s of %q, which has %d bytes: is that the file that was "+
			"exported with the model?", t.Name, at["length"], at["offset"], location, info.Size())
	}
	t.elsewhere, t.raw = path, span{offset, offset + length}
	return nil
}

// number parses a whole number of at least 0. An empty text is otherwise.
func number(text string, otherwise int64) (int64, error) {
	if text == "" {
		return otherwise, nil
	}
	v, err := strconv.ParseInt(text, 10, 64)
	if err == nil && v < 0 {
		err = errors.New("below 0")
	}
	return v, err
}
