package weights

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gorgonia.org/tensor"
)

func vector[T any](values ...T) *tensor.Dense {
	return tensor.New(tensor.WithShape(len(values)), tensor.WithBacking(values))
}

func TestZeroStateDict(t *testing.T) {
	var d StateDict
	if d.Len() != 0 || len(d.Names()) != 0 || len(d.Metadata()) != 0 || len(d.NaNs()) != 0 {
		t.Error("the zero StateDict is not empty")
	}
	if _, ok := d.Get("a"); ok {
		t.Error("the zero StateDict has a tensor")
	}
	d.Set("a", nil)
	if err := d.Check(nil); err != nil || d.Len() != 0 {
		t.Errorf("Len is %d and Check gives %v", d.Len(), err)
	}
}

func TestSet(t *testing.T) {
	var d StateDict
	a, b := vector[float32](1, 2), vector[int64](3)
	d.Set("b", b)
	d.Set("a", a)
	d.Set("c", vector[uint8](4))
	if got, want := d.Names(), []string{"b", "a", "c"}; !slices.Equal(got, want) {
		t.Errorf("Names are %q, want %q", got, want)
	}
	if got, ok := d.Get("a"); !ok || got != a {
		t.Error("Get does not give what was set")
	}
	d.Set("b", vector[float64](5))
	d.Set("a", nil)
	d.Set("unknown", nil)
	if got, want := d.Names(), []string{"b", "c"}; !slices.Equal(got, want) {
		t.Errorf("Names are %q, want %q", got, want)
	}
	d.Names()[0] = "changed"
	for name := range d.All() {
		if name != "b" {
			t.Errorf("the first name is %q", name)
		}
		break
	}
}

// TestSetRowMajor sets tensors whose elements are not stored in row-major order. Get must return them in that order.
func TestSetRowMajor(t *testing.T) {
	matrix := func() *tensor.Dense {
		return tensor.New(tensor.WithShape(2, 3), tensor.WithBacking([]float32{1, 2, 3, 4, 5, 6}))
	}
	slice := func(d *tensor.Dense, s ...tensor.Slice) *tensor.Dense {
		v, err := d.Slice(s...)
		if err != nil {
			t.Fatal(err)
		}
		return v.(*tensor.Dense)
	}
	tests := []struct {
		name  string
		given *tensor.Dense
		shape []int
		want  []float32
	}{
		{"row-major", matrix(), []int{2, 3}, []float32{1, 2, 3, 4, 5, 6}},
		{"transposed", transposed(t, matrix()), []int{3, 2}, []float32{1, 4, 2, 5, 3, 6}},
		{"column-major", tensor.New(tensor.WithShape(2, 3), tensor.AsFortran([]float32{1, 2, 3, 4, 5, 6})), []int{2, 3},
			[]float32{1, 2, 3, 4, 5, 6}},
		{"row", slice(matrix(), tensor.S(1)), []int{3}, []float32{4, 5, 6}},
		{"columns", slice(matrix(), nil, tensor.S(1, 3)), []int{2, 2}, []float32{2, 3, 5, 6}},
		{"slice of a transposed", slice(transposed(t, matrix()), tensor.S(1, 3)), []int{2, 2}, []float32{2, 5, 3, 6}},
		{"element", slice(matrix(), tensor.S(1), tensor.S(1)), []int{}, []float32{5}},
		{"empty", tensor.New(tensor.WithShape(0, 3), tensor.WithBacking([]float32{})), []int{0, 3}, []float32{}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var d StateDict
			d.Set("a", test.given)
			got, _ := d.Get("a")
			if !slices.Equal([]int(got.Shape()), test.shape) || !slices.Equal(got.Float32s(), test.want) ||
				got.IsView() {
				t.Errorf("got %v %v, want %v %v of its own", got.Shape(), got.Float32s(), test.shape, test.want)
			}
		})
	}
}

// TestChangedAfterSet transposes a tensor after it was put into a StateDict. It must be written transposed.
func TestChangedAfterSet(t *testing.T) {
	var d StateDict
	m := tensor.New(tensor.WithShape(2, 2), tensor.WithBacking([]float32{1, 2, 3, 4}))
	d.Set("m", m)
	transposed(t, m)
	var b bytes.Buffer
	if err := WriteSafetensors(&b, &d, nil); err != nil {
		t.Fatal(err)
	}
	got, err := readBytes(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	want := []view{{"m", "float32", []int{2, 2}, []string{exact(1.0), exact(3.0), exact(2.0), exact(4.0)}}}
	if diff := cmp.Diff(want, views(got)); diff != "" {
		t.Error(diff)
	}
}

func TestSHA256(t *testing.T) {
	base := func() *StateDict {
		d := new(StateDict)
		d.Set("a", tensor.New(tensor.WithShape(1, 2), tensor.WithBacking([]float32{1, 2})))
		d.Set("b", vector[int64](3))
		return d
	}
	// The digest is part of certificates, so it must never change.
	const want = "34a24f524ba8d55cb152da76cc549ef7914c8f7381e9d4077dd88b3d61e2c449"
	if got := base().SHA256(); got != want {
		t.Errorf("SHA256 is %s, want %s", got, want)
	}

	other := new(StateDict)
	other.Set("b", vector[int64](3))
	other.Set("a", tensor.New(tensor.WithShape(1, 2), tensor.WithBacking([]float32{1, 2})))
	if other.SHA256() != want {
		t.Error("SHA256 depends on the order")
	}

	changes := map[string]func(d *StateDict){
		"value":   func(d *StateDict) { d.Set("b", vector[int64](4)) },
		"type":    func(d *StateDict) { d.Set("b", vector[uint64](3)) },
		"shape":   func(d *StateDict) { d.Set("a", vector[float32](1, 2)) },
		"name":    func(d *StateDict) { d.Set("b", nil); d.Set("c", vector[int64](3)) },
		"fewer":   func(d *StateDict) { d.Set("b", nil) },
		"more":    func(d *StateDict) { d.Set("c", vector[float32]()) },
		"minus 0": func(d *StateDict) { d.Set("b", vector(float32(math.Copysign(0, -1)))) },
	}
	seen := map[string]string{want: "nothing"}
	for name, change := range changes {
		d := base()
		change(d)
		digest := d.SHA256()
		if same, ok := seen[digest]; ok {
			t.Errorf("SHA256 is the same after a change of %s and of %s", name, same)
		}
		seen[digest] = name
	}
}

// TestSHA256OfContainers checks that the digest does not depend on the container.
func TestSHA256OfContainers(t *testing.T) {
	for _, same := range [][]string{
		{"dtypes.zip.pth", "dtypes.old.pth", "deflated.zip.pth", "dtypes.safetensors"},
		{"network.zip.pth", "network.old.pth", "checkpoint.zip.pth", "checkpoint.old.pth", "compiled.zip.pth",
			"compiled.old.pth", "protocol4.zip.pth", "python2.old.pth"},
	} {
		var digests []string
		for _, name := range same {
			d, err := readBytes(fixture(t, name))
			if err != nil {
				t.Fatal(err)
			}
			digests = append(digests, d.SHA256())
		}
		if len(slices.Compact(digests)) != 1 {
			t.Errorf("digests of %q are %q", same, digests)
		}
	}
}

func TestNaNs(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	var d StateDict
	d.Set("f64 inf", vector(0, -inf))
	d.Set("f32", vector[float32](math.MaxFloat32, -0, math.SmallestNonzeroFloat32))
	d.Set("f64", vector(math.MaxFloat64, -math.MaxFloat64))
	d.Set("f32 nan", vector(0, float32(nan)))
	d.Set("f64 nan", vector(nan))
	d.Set("f32 inf", vector(float32(inf)))
	d.Set("ints", vector[int64](math.MaxInt64))
	d.Set("scalar", tensor.New(tensor.FromScalar(nan)))
	d.Set("empty", vector[float32]())
	want := []string{"f64 inf", "f32 nan", "f64 nan", "f32 inf", "scalar"}
	if got := d.NaNs(); !slices.Equal(got, want) {
		t.Errorf("NaNs are %q, want %q", got, want)
	}
}

func TestFloat16(t *testing.T) {
	for bits := range 1 << 16 {
		b := uint16(bits)
		got := float16(b)
		sign, exp, mant := 1.0, int(b>>10&0x1f), float64(b&0x3ff)
		if b>>15 == 1 {
			sign = -1
		}
		want := sign * math.Ldexp(1+mant/1024, exp-15)
		switch {
		case exp == 0:
			want = sign * math.Ldexp(mant, -24)
		case exp == 31 && mant == 0:
			want = math.Inf(int(sign))
		case exp == 31:
			if got == got {
				t.Fatalf("%#04x gives %v, want a NaN", b, got)
			}
			continue
		}
		if math.Float64bits(float64(got)) != math.Float64bits(want) {
			t.Fatalf("%#04x gives %v, want %v", b, got, want)
		}
	}
}

func TestBfloat16(t *testing.T) {
	dst := make([]float32, 1)
	for bits := range 1 << 16 {
		if err := widenBfloat16(dst, binary.LittleEndian.AppendUint16(nil, uint16(bits))); err != nil {
			t.Fatal(err)
		}
		if got := math.Float32bits(dst[0]); got != uint32(bits)<<16 {
			t.Fatalf("%#04x gives the bits %#08x", bits, got)
		}
	}
}

// TestChunks writes and reads more elements than fit into a chunk.
func TestChunks(t *testing.T) {
	const n = 3*chunk/2 + 1
	values := make([]uint16, n)
	for i := range values {
		values[i] = uint16(i * 7)
	}
	var b bytes.Buffer
	if err := writeValues(&b, vector(values...)); err != nil {
		t.Fatal(err)
	}
	got, err := u16.read(&b, n)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.([]uint16), values) {
		t.Error("the elements differ")
	}
}

func TestDtypes(t *testing.T) {
	for i := range dtypes {
		d := dtype(i)
		for _, find := range []struct {
			name string
			in   func(string) (dtype, bool)
		}{{d.String(), dtypeNamed}, {dtypes[d].safetensors, dtypeOfSafetensors}, {dtypes[d].storage, dtypeOfStorage}} {
			if got, ok := find.in(find.name); find.name != "" && (!ok || got != d) {
				t.Errorf("%q gives %v, %t, want %v", find.name, got, ok, d)
			}
		}
	}
	if _, ok := dtypeOfStorage(""); ok {
		t.Error("the storage of no name has a dtype")
	}
	if _, err := dtype(len(dtypes)).read(nil, 0); err == nil {
		t.Error("a dtype that is none can be read")
	}
}

// TestGather reads the elements of a transposed matrix a few bytes at a time.
func TestGather(t *testing.T) {
	raw := []byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11} // 2×3 elements of two bytes
	g := newGather(raw, 2, []int64{3, 1, 2}, []int64{1, 9, 3})
	if n, err := g.Read(make([]byte, 1)); n != 0 || !errors.Is(err, io.ErrShortBuffer) {
		t.Errorf("into one byte: %d, %v", n, err)
	}
	if n, err := g.Read(nil); n != 0 || err != nil {
		t.Errorf("into nothing: %d, %v", n, err)
	}
	var got []byte
	p := make([]byte, 5)
	for {
		n, err := g.Read(p)
		got = append(got, p[:n]...)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if want := []byte{0, 1, 6, 7, 2, 3, 8, 9, 4, 5, 10, 11}; !bytes.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
