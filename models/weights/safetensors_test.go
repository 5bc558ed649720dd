package weights

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gorgonia.org/tensor"
)

func TestReadSafetensorsErrors(t *testing.T) {
	const one = `"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}`
	eight := floats(2)
	tests := []struct {
		name             string
		header, elements string
		want             string
	}{
		{"no brace", ` {` + one + `}`, eight, "begins with a brace"},
		{"nothing", ``, "", "begins with a brace"},
		{"no JSON", `{` + one, eight, "unexpected end of JSON input"},
		{"two values", `{` + one + `} {}`, eight, "invalid character"},
		{"no UTF-8", "{\"\xff\":1}", "", "not UTF-8"},
		{"deep", strings.Repeat(`{"a":`, 20000) + "1" + strings.Repeat("}", 20000), "", "exceeded max depth"},
		{"name twice", `{` + one + `,` + one + `}`, eight, `"w" twice`},
		{"name twice, once escaped", `{` + one + `,` + strings.Replace(one, "w", `\u0077`, 1) + `}`,
			eight, `"w" twice`},
		{"dtype twice", `{"w":{"dtype":"F32","dtype":"F32","shape":[2],"data_offsets":[0,8]}}`, eight, `"dtype" twice`},
		{"metadata twice", `{"__metadata__":{},"__metadata__":{}}`, "", `"__metadata__" twice`},
		{"key of the metadata twice", `{"__metadata__":{"a":"b","a":"b"}}`, "", `"a" twice`},
		{"metadata of numbers", `{"__metadata__":{"a":1}}`, "", "a text, found 1"},
		{"metadata of nothing", `{"__metadata__":null}`, "", "an object, found <nil>"},
		{"tensor of nothing", `{"w":null}`, "", "an object"},
		{"no shape", `{"w":{"dtype":"F32","data_offsets":[0,8]}}`, eight, `2 of them for "w"`},
		{"another key", `{"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8],"stride":[1]}}`, eight, `"stride"`},
		{"dtype of nothing", `{"w":{"dtype":1,"shape":[2],"data_offsets":[0,8]}}`, eight, "a text, found 1"},
		{"float8", `{"w":{"dtype":"F8_E4M3","shape":[8],"data_offsets":[0,8]}}`, eight, `"F8_E4M3"`},
		{"shape of nothing", `{"w":{"dtype":"F32","shape":2,"data_offsets":[0,8]}}`, eight, "an array, found 2"},
		{"shape of a text", `{"w":{"dtype":"F32","shape":["2"],"data_offsets":[0,8]}}`, eight,
			"an integer ≥ 0, found 2"},
		{"shape of an array", `{"w":{"dtype":"F32","shape":[[2]],"data_offsets":[0,8]}}`, eight,
			"an integer ≥ 0, found ["},
		{"fraction", `{"w":{"dtype":"F32","shape":[2.0],"data_offsets":[0,8]}}`, eight, "found 2.0"},
		{"exponent", `{"w":{"dtype":"F32","shape":[2e0],"data_offsets":[0,8]}}`, eight, "found 2e0"},
		{"negative size", `{"w":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}}`, eight, "found -2"},
		{"2⁶³", `{"w":{"dtype":"F32","shape":[9223372036854775808],"data_offsets":[0,8]}}`, eight,
			"found 9223372036854775808"},
		{"too many dimensions", `{"w":{"dtype":"F32","shape":[2` + strings.Repeat(",1", 32) +
			`],"data_offsets":[0,8]}}`, eight, "at most 32 numbers"},
		{"one offset", `{"w":{"dtype":"F32","shape":[2],"data_offsets":[0]}}`, eight, "two data_offsets, found 1"},
		{"three offsets", `{"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8,8]}}`, eight, "at most 2 numbers"},
		{"wrong offsets", `{"w":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}}`, eight, "4 bytes for it"},
		{"offsets reversed",
			`{"w":{"dtype":"F32","shape":[0],"data_offsets":[0,0]},` +
				`"v":{"dtype":"F32","shape":[0],"data_offsets":[8,0]}}`,
			eight, "data_offsets [8, 0]"},
		{"product that wraps", `{"w":{"dtype":"F32","shape":[4294967296,4294967296,2],"data_offsets":[0,8]}}`, eight,
			"8 bytes for it"},
		{"bytes that wrap", `{"w":{"dtype":"F64","shape":[2305843009213693953],"data_offsets":[0,8]}}`, eight,
			"8 bytes for it"},
		{"gap",
			`{"w":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"v":{"dtype":"U8","shape":[1],"data_offsets":[2,3]}}`,
			"abc", `"v" to begin at 1`},
		{"gap at the beginning", `{"w":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}}`, "ab", `"w" to begin at 0`},
		{"overlap",
			`{"w":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"v":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}}`,
			"abc", `"v" to begin at 2`},
		{"the same twice",
			`{"w":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"v":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}`,
			"a", "to begin at 1"},
		{"beyond the file", `{` + one + `}`, eight[:7], "the end of the data"},
		{"far beyond the file",
			`{"w":{"dtype":"U8","shape":[9223372036854775807],"data_offsets":[0,9223372036854775807]}}`, "a",
			"the end of the data"},
		{"bytes of no tensor", `{` + one + `}`, eight + "a", "1 bytes that belong to no tensor"},
		{"bytes of no tensors", `{}`, "a", "1 bytes that belong to no tensor"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			data := safetensorsFile(test.header, test.elements)
			d, err := ReadSafetensors(bytes.NewReader(data), int64(len(data)))
			if d != nil {
				t.Error("a state dict beside the error")
			}
			wantFormatError(t, err, test.want, "safetensors: byte")
		})
	}
}

func TestReadSafetensorsLength(t *testing.T) {
	for _, test := range []struct {
		length uint64
		want   string
	}{
		{maxHeader + 1, "a header of at most 100000000 bytes"},
		{math.MaxUint64, "a header of at most 100000000 bytes"},
		{maxHeader, "a header of 100000000 bytes, found the end of the data"},
		{3, "a header of 3 bytes, found the end of the data"},
	} {
		data := append(binary.LittleEndian.AppendUint64(nil, test.length), "{}"...)
		_, err := ReadSafetensors(bytes.NewReader(data), int64(len(data)))
		wantFormatError(t, err, test.want)
	}
}

func TestReadSafetensors(t *testing.T) {
	tests := []struct {
		name             string
		header, elements string
		want             string
	}{
		{"no tensors", `{}`, "", ""},
		{"spaces after the header", `{}       `, "", ""},
		{"order of the header",
			`{"b":{"dtype":"U8","shape":[1],"data_offsets":[1,2]},` +
				`"a":{"dtype":"I8","shape":[1,1],"data_offsets":[0,1]}}`,
			"ab", "b uint8 [1];a int8 [1 1];"},
		{"empty tensors",
			`{"a":{"dtype":"F16","shape":[2,0],"data_offsets":[0,0]},` +
				`"b":{"dtype":"U8","shape":[],"data_offsets":[0,1]},` +
				`"c":{"dtype":"F64","shape":[0],"data_offsets":[1,1]}}`,
			"a", "a float32 [2 0];b uint8 [];c float64 [0];"},
		{"unaligned",
			`{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},` +
				`"b":{"dtype":"F32","shape":[2],"data_offsets":[1,9]}}`,
			"a" + floats(2), "a uint8 [1];b float32 [2];"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			data := safetensorsFile(test.header, test.elements)
			d, err := ReadSafetensors(bytes.NewReader(data), int64(len(data)))
			if err != nil {
				t.Fatal(err)
			}
			if got := summary(d); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func TestMetadataIsACopy(t *testing.T) {
	data := safetensorsFile(`{"__metadata__":{"a":"b"}}`, "")
	d, err := readBytes(data)
	if err != nil {
		t.Fatal(err)
	}
	d.Metadata()["a"] = "c"
	if got := d.Metadata()["a"]; got != "b" {
		t.Errorf("metadata is %q after a change of the copy", got)
	}
}

// TestWriteSafetensors checks every byte of a small file.
func TestWriteSafetensors(t *testing.T) {
	var d StateDict
	d.Set("w<&>", tensor.New(tensor.WithShape(2), tensor.WithBacking([]float32{1, -2})))
	d.Set(`"ö"`, tensor.New(tensor.FromScalar(int64(3))))
	d.Set("none", tensor.New(tensor.WithShape(0, 2), tensor.WithBacking([]uint8{})))
	var b bytes.Buffer
	if err := WriteSafetensors(&b, &d, map[string]string{"z": "1\n", "a": "<2>"}); err != nil {
		t.Fatal(err)
	}
	header := `{"__metadata__":{"a":"<2>","z":"1\n"},` +
		`"w<&>":{"dtype":"F32","shape":[2],"data_offsets":[8,16]},` +
		`"\"ö\"":{"dtype":"I64","shape":[],"data_offsets":[0,8]},` +
		`"none":{"dtype":"U8","shape":[0,2],"data_offsets":[16,16]}}`
	header += strings.Repeat(" ", (8-len(header)%8)%8)
	elements := "\x03\x00\x00\x00\x00\x00\x00\x00" + "\x00\x00\x80\x3f" + "\x00\x00\x00\xc0"
	if diff := cmp.Diff(string(safetensorsFile(header, elements)), b.String()); diff != "" {
		t.Error(diff)
	}
}

func TestWriteSafetensorsErrors(t *testing.T) {
	good := tensor.New(tensor.WithShape(1), tensor.WithBacking([]float32{1}))
	tests := []struct {
		name     string
		key      string
		tensor   *tensor.Dense
		metadata map[string]string
		want     string
	}{
		{"name of the metadata", "__metadata__", good, nil, "rename it"},
		{"name that is not UTF-8", "\xff", good, nil, "rename it"},
		{"metadata that is not UTF-8", "a", good, map[string]string{"a": "\xff"}, "UTF-8"},
		{"strings", "a", tensor.New(tensor.WithShape(1), tensor.WithBacking([]string{"1"})), nil, "of type string"},
		{"ints of no size", "a", tensor.New(tensor.WithShape(1), tensor.WithBacking([]int{1})), nil, "of type int"},
		{"transposed strings", "a",
			transposed(t, tensor.New(tensor.WithShape(1, 2), tensor.WithBacking([]string{"1", "2"}))), nil,
			"of type string"},
		{"endless name", strings.Repeat("a", maxHeader), good, nil, "the header is"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var d StateDict
			d.Set(test.key, test.tensor)
			var b bytes.Buffer
			err := WriteSafetensors(&b, &d, test.metadata)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error is %v, want it to say %q", err, test.want)
			}
			if b.Len() > 0 {
				t.Errorf("wrote %d bytes before the error", b.Len())
			}
		})
	}
}

// A limitedWriter fails as soon as more bytes are written than it has room for.
type limitedWriter struct{ left int }

var errFull = errors.New("disk full")

func (w *limitedWriter) Write(p []byte) (int, error) {
	if w.left -= len(p); w.left < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestWriteSafetensorsToFullDisk(t *testing.T) {
	d := randomDict(rand.New(rand.NewPCG(1, 2)))
	var b bytes.Buffer
	if err := WriteSafetensors(&b, d, nil); err != nil {
		t.Fatal(err)
	}
	for n := range b.Len() {
		if err := WriteSafetensors(&limitedWriter{n}, d, nil); !errors.Is(err, errFull) {
			t.Fatalf("with room for %d of %d bytes: %v", n, b.Len(), err)
		}
	}
}

func transposed(t *testing.T, d *tensor.Dense) *tensor.Dense {
	t.Helper()
	if err := d.T(); err != nil {
		t.Fatal(err)
	}
	return d
}

// TestRoundTrip writes random tensors and checks that the same tensors are read, and that writing these gives the same
// bytes.
func TestRoundTrip(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 0))
		d := randomDict(rng)
		var metadata map[string]string
		if seed%3 == 0 {
			metadata = map[string]string{"seed": fmt.Sprint(seed), randomName(rng): randomName(rng)}
		}
		var b bytes.Buffer
		if err := WriteSafetensors(&b, d, metadata); err != nil {
			t.Fatal(err)
		}
		got, err := ReadSafetensors(bytes.NewReader(b.Bytes()), int64(b.Len()))
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if diff := cmp.Diff(views(d), views(got)); diff != "" {
			t.Fatalf("seed %d (-written +read):\n%s", seed, diff)
		}
		if diff := cmp.Diff(metadata, got.Metadata()); diff != "" {
			t.Fatalf("seed %d: metadata (-written +read):\n%s", seed, diff)
		}
		if d.SHA256() != got.SHA256() {
			t.Fatalf("seed %d: SHA256 differs", seed)
		}
		var again bytes.Buffer
		if err := WriteSafetensors(&again, got, metadata); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(b.Bytes(), again.Bytes()) {
			t.Fatalf("seed %d: other bytes when written again", seed)
		}
	}
}

func randomName(rng *rand.Rand) string {
	letters := []rune("abc.0_\"\\/<>&\x00\x7f\u2028é重🙂")
	name := make([]rune, rng.IntN(12))
	for i := range name {
		name[i] = letters[rng.IntN(len(letters))]
	}
	return string(name)
}

func randomDict(rng *rand.Rand) *StateDict {
	d := new(StateDict)
	for range rng.IntN(12) {
		shape := make([]int64, rng.IntN(4))
		for i := range shape {
			shape[i] = rng.Int64N(5)
		}
		n, _ := product(shape)
		raw := make([]byte, n*8)
		for i := range raw {
			raw[i] = byte(rng.Uint32())
		}
		kinds := []dtype{f32, f64, i8, i16, i32, i64, u8, u16, u32, u64}
		values, err := kinds[rng.IntN(len(kinds))].read(bytes.NewReader(raw), n)
		if err != nil {
			panic(err)
		}
		d.Set(randomName(rng), newDense(shape, values))
	}
	return d
}

// TestAlignment checks that every tensor begins in the file at a multiple of the size of its elements, and that the
// header keeps the order of the tensors.
func TestAlignment(t *testing.T) {
	d := randomDict(rand.New(rand.NewPCG(7, 7)))
	var b bytes.Buffer
	if err := WriteSafetensors(&b, d, nil); err != nil {
		t.Fatal(err)
	}
	n := int64(binary.LittleEndian.Uint64(b.Bytes()))
	places, _, err := parseHeader(b.Bytes()[lengthSize : lengthSize+n])
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, p := range places {
		names = append(names, p.name)
		if at := lengthSize + n + p.begin; at%p.dtype.size() != 0 {
			t.Errorf("%q of %v begins at byte %d", p.name, p.dtype, at)
		}
	}
	if !slices.Equal(names, d.Names()) {
		t.Errorf("the header has the order %q, want %q", names, d.Names())
	}
}
