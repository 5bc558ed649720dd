package array

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"testing"
)

// fuzzLimit is the largest size in bytes of the arrays that the fuzz tests read.
const fuzzLimit = 1 << 20

// checkFuzzed fails the test unless err is a FormatError whose offset is within the file, or err is nil and the arrays
// have the sizes that their types and shapes require.
func checkFuzzed(t *testing.T, size int, err error, arrays map[string]*Array) {
	t.Helper()
	if err != nil {
		f := (*FormatError)(nil)
		if !errors.As(err, &f) {
			t.Fatalf("error of type %T: %v", err, err)
		}
		if f.Offset > int64(size) {
			t.Fatalf("beyond the %d bytes of the file: %v", size, err)
		}
		return
	}
	total := 0
	for name, a := range arrays {
		if len(a.Bytes) != a.Len()*a.Type.Size() || a.Type.Size() == 0 {
			t.Fatalf("%q: %d bytes for %v %v", name, len(a.Bytes), a.Type, a.Shape)
		}
		total += len(a.Bytes)
		a.Float64s()
		a.Ints()
	}
	if total > fuzzLimit {
		t.Fatalf("%d bytes", total)
	}
}

func FuzzMAT5(f *testing.F) {
	for file := range saidOf(f, ".mat") {
		f.Add(content(f, file), "")
	}
	b := matBuilder{binary.LittleEndian}
	f.Add(b.file(b.matrix(f, "v", 6, []int32{2, 2}, 3, make([]byte, 8))), "v")
	for _, shape := range [][]int32{{1 << 30, 1 << 30, 1 << 30}, {-1, 4}, {0, 1<<31 - 1}, {}, make([]int32, 300)} {
		f.Add(b.file(b.matrix(f, "v", 6, shape, 9, make([]byte, 32))), "v")
	}
	nested := b.matrix(f, "v", 6, []int32{2, 2}, 3, make([]byte, 8))
	for range 40 {
		nested = b.element(uint32(miMatrix), nested)
	}
	f.Add(b.file(nested), "v")
	f.Add(b.file(b.compressed(f, 9, b.compressed(f, 9, b.matrix(f, "v", 6, []int32{2, 2}, 3, make([]byte, 8))))), "")
	f.Add(b.file(b.compressed(f, 9, b.matrix(f, "v", 6, []int32{1, 1 << 21}, 9, make([]byte, 1<<21)))), "v")
	f.Add(append(b.file(), 14, 0, 0, 0, 0xff, 0xff, 0xff, 0xff), "v")
	f.Fuzz(func(t *testing.T, file []byte, name string) {
		var names []string
		if name != "" {
			names = []string{name}
		}
		arrays, err := parseMAT5("f.mat", bytes.NewReader(file), int64(len(file)), fuzzLimit, names)
		checkFuzzed(t, len(file), err, arrays)
		if err == nil && name != "" && len(arrays) != 1 {
			t.Fatalf("%q alone: %v", name, arrays)
		}
	})
}

func FuzzNPY(f *testing.F) {
	for file := range saidOf(f, ".npy") {
		f.Add(content(f, file))
	}
	f.Add(content(f, "object.npy"))
	f.Add(content(f, "record.npy"))
	f.Add(npyFile(npyDict("'|u1'", "True", "(1, 2)"), 1, 2))
	for _, shape := range []string{
		"(4294967296, 4294967296)", "(9223372036854775807, 2)", "(99999999999999999999,)", "(0, 9223372036854775807)",
		"(-1,)", "(nan,)", "(1e3,)", "(True,)", "(1L, 2L)",
		"(" + strings.Repeat("1, ", 300) + ")", strings.Repeat("(", 300), strings.Repeat("(1,", 300), "(",
		"(1)", "()", "None",
	} {
		f.Add(npyFile(npyDict("'<f8'", "False", shape), make([]byte, 16)...))
	}
	for _, kind := range []string{"'|O'", "'<f99999999999'", "'>U4294967295'", "'<M8[ns]'",
		"[('a', " + strings.Repeat("[('b', ", 100), "'" + strings.Repeat("<", 3000), "'\\x3cf8'"} {
		f.Add(npyFile(npyDict(kind, "False", "(2,)"), make([]byte, 16)...))
	}
	f.Add([]byte("\x93NUMPY\x03\x00\xff\xff\xff\xff{'descr': "))
	f.Add([]byte("\x93NUMPY\x09\x00\x01\x00 "))
	f.Fuzz(func(t *testing.T, file []byte) {
		a, err := parseNPY("f.npy", bytes.NewReader(file), int64(len(file)), fuzzLimit)
		checkFuzzed(t, len(file), err, map[string]*Array{"": a})
		b, streamed := parseNPY("f.npy", bytes.NewReader(file), -1, fuzzLimit)
		checkFuzzed(t, len(file), streamed, map[string]*Array{"": b})
		if (err == nil) != (streamed == nil) {
			t.Fatalf("of known size: %v, of unknown: %v", err, streamed)
		}
	})
}

func FuzzNPZ(f *testing.F) {
	for file := range saidOf(f, ".npz") {
		f.Add(content(f, file))
	}
	f.Add(zipFile(f, zip.Store, "a.npy", string(npyFile(npyDict("'|u1'", "True", "(1, 2)"), 1, 2))))
	array := string(npyFile(npyDict("'|u1'", "True", "(1, 2)"), 1, 2))
	f.Add(zipFile(f, zip.Store, "../../a.npy", array, "/etc/a.npy", array, "a\x00.npy", array))
	f.Add(zipFile(f, zip.Deflate, "a.npy", array, "a.npy", array, ".npy", array, "b", array))
	f.Add(zipFile(f, zip.Deflate, "a.npy",
		string(npyFile(npyDict("'|u1'", "False", "(4000000,)"), make([]byte, 4_000_000)...))))
	f.Fuzz(func(t *testing.T, file []byte) {
		arrays, err := parseZip(file, fuzzLimit)
		// Offsets count inflated bytes, of which there are at most about a thousand for each byte of the file.
		checkFuzzed(t, 1100*len(file), err, arrays)
	})
}

func FuzzSuperblock(f *testing.F) {
	for file := range saidOf(f, ".h5") {
		f.Add(content(f, file))
	}
	for version := range byte(5) {
		f.Add(superblockFile(version, 8, 64))
		for at := 9; at < 64; at += 5 { // wrong sizes of addresses, and addresses beyond the end
			hostile := superblockFile(version, 8, 64)
			copy(hostile[at:], "\xff\xff\xff\xff\xff\xff\xff\xff")
			f.Add(hostile)
		}
	}
	// A signature at byte 512, where it may be too, and many signatures.
	f.Add(append(make([]byte, 512), superblockFile(2, 8, 64)...))
	f.Add([]byte(strings.Repeat(hdf5Signature, 100)))
	f.Fuzz(func(t *testing.T, file []byte) {
		err := checkHDF5(file)
		checkFuzzed(t, len(file), err, nil)
		if err != nil {
			return
		}
		at := bytes.Index(file, []byte(hdf5Signature))
		if at < 0 {
			t.Fatal("no signature")
		}
		// A file that is accepted is also accepted with one byte more.
		if err := checkHDF5(append(file, 0)); err != nil {
			t.Fatal(err)
		}
	})
}
