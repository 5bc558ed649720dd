package array

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// The following functions write pickles by hand. Each of the first three returns instructions that leave a value on the
// stack.

func pickledText(s string) string {
	return "X" + string(binary.LittleEndian.AppendUint32(nil, uint32(len(s)))) + s
}

func pickledGlobal(name string) string {
	at := strings.LastIndex(name, ".")
	return "c" + name[:at] + "\n" + name[at+1:] + "\n"
}

// pickledNDArray returns the instructions for an array. Its arguments are the instructions for its shape, for the name
// of its dtype and for its elements.
func pickledNDArray(shape, name, raw string) string {
	return pickledGlobal("numpy.core.multiarray._reconstruct") + "(" + pickledGlobal("numpy.ndarray") +
		"K\x00\x85U\x01btR(K\x01" + shape +
		pickledGlobal("numpy.dtype") + "(" + name + "\x89\x88tR(K\x03U\x01<NNNK\x00K\x00K\x00tb\x89" + raw + "tb"
}

// under returns a pickle of a dict with a value, given by its instructions, under the key "k".
func under(value string) string { return "\x80\x02}U\x01k" + value + "s." }

// readEntries reads the value under every key of a dict as every type, and returns the errors.
func readEntries(d *Dict) (errs []error) {
	for _, key := range d.Keys() {
		_, err1 := d.Array(key)
		_, err2 := d.Ints(key)
		_, err3 := d.Strings(key)
		_, err4 := d.Int(key)
		_, err5 := d.Float(key)
		_, err6 := d.Text(key)
		errs = append(errs, err1, err2, err3, err4, err5, err6)
	}
	return errs
}

// TestPickleForged checks that arrays and numbers that NumPy never writes are refused with an error that says why.
func TestPickleForged(t *testing.T) {
	const four, u1 = "U\x041234", "U\x02u1"
	state := func(state string) string {
		return pickledGlobal("numpy.core.multiarray._reconstruct") + "(" + pickledGlobal("numpy.ndarray") +
			"K\x00\x85U\x01btR" + state + "b"
	}
	dtype := pickledGlobal("numpy.dtype") + "(U\x02u1\x89\x88tR"
	tests := []struct{ name, value, want string }{
		{"fewer bytes than the shape has", pickledNDArray("K\x05\x85", u1, four),
			`expected an array of shape [5] and dtype "<u1" in 5 bytes under "k", found 4 bytes`},
		{"more bytes", pickledNDArray("K\x03\x85", u1, four), "found 4 bytes"},
		{"no bytes", pickledNDArray("K\x03\x85", u1, "N"), "found None"},
		{"text beyond bytes", pickledNDArray("K\x01\x85", u1,
			"c_codecs\nencode\nX\x02\x00\x00\x00\xc4\x80U\x06latin1\x86R"), "found 1 bytes"},
		{"negative dimension", pickledNDArray("J\xff\xff\xff\xff\x85", u1, four), "an array without a shape"},
		{"dimension that is no number", pickledNDArray("N\x85", u1, four), "an array without a shape"},
		{"too many dimensions", pickledNDArray("("+strings.Repeat("K\x01", maxRank+1)+"t", u1, four),
			"an array without a shape"},
		{"larger than the memory",
			pickledNDArray("\x8a\x06\x00\x00\x00\x00\x00\x01\x8a\x06\x00\x00\x00\x00\x00\x01\x86", u1, four),
			"an array of at most 4294967296 bytes"},
		{"unknown type", pickledNDArray("K\x04\x85", "U\x02x1", four), `dtype "<x1"`},
		{"type of an endless name", pickledNDArray("K\x04\x85", pickledText(strings.Repeat("u", 3000)), four),
			`dtype "<?"`},
		{"no state", pickledGlobal("numpy.core.multiarray._reconstruct") + "(" + pickledGlobal("numpy.ndarray") +
			"K\x00\x85U\x01btR", "an array without a state"},
		{"a state of one part", state("K\x01\x85"), "an array with a state of 1 parts"},
		{"no dtype", state("(K\x01K\x04\x85N\x89" + four + "t"), "an array without a dtype"},
		{"itself", pickledGlobal("numpy.core.multiarray._reconstruct") + "(" + pickledGlobal("numpy.ndarray") +
			"K\x00\x85U\x01btRq\x09(K\x01K\x04\x85" + dtype + "\x89h\x09tb", "in 4 bytes"},
		{"unknown order of bytes", state("(K\x01K\x04\x85" + dtype + "(K\x03U\x01!NNNK\x00K\x00K\x00tb\x89" + four +
			"t"), "not a plain number"},
		{"dtype of a short state", state("(K\x01K\x04\x85" + dtype + "K\x03\x85b\x89" + four + "t"), "not a plain number"},
		{"no class", pickledGlobal("numpy.core.multiarray._reconstruct") + ")R", "an array without a class"},
		{"class that is none", pickledGlobal("numpy.core.multiarray._reconstruct") + "K\x01\x85R",
			"an array of no class"},
		{"number of one part", pickledGlobal("numpy.core.multiarray.scalar") + "N\x85R", "a NumPy number of 1 parts"},
		{"buffer of one part", pickledGlobal("numpy.core.numeric._frombuffer") + "N\x85R", "from a buffer of 1 parts"},
		{"buffer in no order", pickledGlobal("numpy.core.numeric._frombuffer") + "(" + four + dtype +
			"K\x04\x85U\x01KtR", "in no known order"},
		{"persistent", "U\x01aQ", "a persistent id"},
		{"call of an array", "K\x01)R", "calling something that is not a function"},
		{"class", pickledGlobal("numpy.ndarray"), "a class, type or function of NumPy"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			data := under(test.value)
			d, err := readPickle("x", strings.NewReader(data), int64(len(data)))
			if err != nil {
				t.Fatal(err)
			}
			_, err = d.Array("k")
			wantPickleError(t, err, "x", test.want)
		})
	}
}

// TestPickleBombs checks that small pickles that could take very much memory or time are read or refused within 320 MiB
// and 5 seconds.
func TestPickleBombs(t *testing.T) {
	const times = 50_000
	kilobytes := strings.Repeat("a", 4096)
	megabyte := strings.Repeat("a", 1<<20)
	again := func(s string) string { return "](" + strings.Repeat(s, times) + "e" }
	encoded := "c_codecs\nencode\nq\x010" + pickledText("latin1") + "q\x020"
	bombs := map[string]string{
		"bytes":   under("B\x00\x10\x00\x00" + kilobytes + "q\x000" + again("h\x00")),
		"encoded": under(pickledText(megabyte) + "q\x000" + encoded + again("h\x01h\x00h\x02\x86R")),
		"names":   under(pickledText(kilobytes) + "q\x000" + encoded + again("h\x01h\x00h\x02\x86R")),
		"keys": "\x80\x02" + pickledText(megabyte) + "q\x000" + encoded + "}(" +
			strings.Repeat("h\x01h\x00h\x02\x86RN", times) + "u.",
		"arrays": under(pickledText(megabyte) + "q\x000" + pickledGlobal("numpy.dtype") + "(U\x02u1\x89\x88tRq\x010" +
			pickledGlobal("numpy.core.multiarray.scalar") + "q\x020" + again("h\x02h\x01h\x00\x86R")),
		"dtypes": under("B\x00\x10\x00\x00" + kilobytes + "q\x000" + pickledGlobal("numpy.dtype") + "q\x010" +
			again("h\x01h\x00\x85R")),
		"calls": under("N" + strings.Repeat(")R", times)),
		"states": under("(" + strings.Repeat("N", times) + "tq\x000" + pickledNDArray("K\x04\x85", "U\x02u1",
			"U\x041234") + strings.Repeat("h\x00b", times)),
		"itself": under("]q\x00" + strings.Repeat("h\x00a", times)),
	}
	for name, bomb := range bombs {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := time.Now()
			d, err := readPickle("x", strings.NewReader(bomb), int64(len(bomb)))
			if err != nil {
				t.Fatal(err)
			}
			for _, err := range readEntries(d) {
				if err != nil && len(wantPickleError(t, err, "x").Error()) > 2000 {
					t.Errorf("the error has %d bytes", len(err.Error()))
				}
			}
			took := time.Since(start)
			runtime.ReadMemStats(&after)
			if took > 5*time.Second {
				t.Errorf("took %v for %d bytes", took, len(bomb))
			}
			if used := after.TotalAlloc - before.TotalAlloc; used > 320<<20 {
				t.Errorf("allocated %d bytes for %d", used, len(bomb))
			}
		})
	}
}

// FuzzPickle reads arbitrary bytes as a pickle and asks for every value in it.
func FuzzPickle(f *testing.F) {
	hostile, err := filepath.Glob("testdata/hostile/*.pickle")
	if err != nil || len(hostile) == 0 {
		f.Fatalf("%d hostile pickles, %v", len(hostile), err)
	}
	for _, path := range append(hostile, pickles(f)...) {
		content, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(content)
	}
	f.Add([]byte(under(pickledNDArray("K\x04\x85", "U\x02u1", "U\x041234"))))
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := readPickle("x", bytes.NewReader(data), int64(len(data)))
		if err != nil {
			wantPickleError(t, err, "x")
			return
		}
		for _, err := range readEntries(d) {
			var format *FormatError
			if err != nil && (!errors.As(err, &format) || err.Error() == "") {
				t.Fatalf("%v (%T)", err, err)
			}
		}
		for _, key := range d.Keys() {
			a, err := d.Array(key)
			if err != nil {
				continue
			}
			if n, ok := payload(a.Type, a.Shape, MaxBytes); !ok || n != int64(len(a.Bytes)) {
				t.Fatalf("an array of shape %v and %v in %d bytes", a.Shape, a.Type, len(a.Bytes))
			}
		}
	})
}
