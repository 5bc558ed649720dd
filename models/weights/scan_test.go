package weights

import (
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

func scanText(data string) (code []byte, n int64, err error) {
	return scanPickle("test", strings.NewReader(data), 100, int64(len(data)))
}

func TestScanPickle(t *testing.T) {
	tests := []struct {
		name, pickle, want string
	}{
		{"None", "N.", "N."},
		{"what follows is left", "N.N.", "N."},
		{"arguments", "K\x01J\x01\x02\x03\x04U\x02..X\x01\x00\x00\x00.S'.'\nI1\n.", "K\x01J\x01\x02\x03\x04U\x02..X\x01\x00\x00\x00.S'.'\nI1\n."},
		{"REDUCE", ")R.", ")\x86Q."},
		{"NEWOBJ", ")\x81.", ")\x86Q."},
		{"NEWOBJ_EX", ")}\x92.", ")}\x87Q."},
		{"OBJ", "(No.", "(NtQ."},
		{"INST", "(ia\nb\n.", "(t."},
		{"BUILD", "N}b.", "N}0."},
		{"sets", "\x8f(N\x90(\x91.", "](Ne(l."},
		{"STACK_GLOBAL", "\x8c\x01a\x8c\x01b\x93.", "\x8c\x01a\x8c\x01b\x86Q."},
		{"GLOBAL", "ca\nb\n.", "X\x01\x00\x00\x00aX\x01\x00\x00\x00b\x86Q."},
		{"FRAME", "\x95\x02\x00\x00\x00\x00\x00\x00\x00N.", "N."},
		{"long of no bytes", "\x8a\x00\x8b\x00\x00\x00\x00.", "K\x00K\x00."},
		{"long", "\x8a\x01\x02\x8b\x01\x00\x00\x00\x02.", "\x8a\x01\x02\x8b\x01\x00\x00\x00\x02."},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			code, n, err := scanText(test.pickle)
			if err != nil {
				t.Fatal(err)
			}
			if string(code) != test.want {
				t.Errorf("got %q, want %q", code, test.want)
			}
			if end := strings.TrimSuffix(test.pickle, "N."); test.name == "what follows is left" && n != int64(len(end)) {
				t.Errorf("read %d bytes, want %d", n, len(end))
			} else if test.name != "what follows is left" && n != int64(len(test.pickle)) {
				t.Errorf("read %d bytes, want %d", n, len(test.pickle))
			}
		})
	}
}

func TestScanPickleErrors(t *testing.T) {
	tests := []struct {
		name, pickle string
		offset       int64
		want         string
	}{
		{"nothing", "", 100, "the end of the data"},
		{"no STOP", "N", 101, "the end of the data"},
		{"unknown", "N\xff.", 101, "the byte 0xff"},
		{"cut argument", "J\x01", 102, "the end of the data"},
		{"cut length", "X\x01\x00", 103, "the length of a pickled text"},
		{"cut text", "U\x03ab", 104, "a pickled text of 3 bytes"},
		{"4 GB of text", "X\xff\xff\xff\xff.", 106, "a pickled text of 4294967295 bytes"},
		{"2⁶⁴ bytes", "\x8e\xff\xff\xff\xff\xff\xff\xff\xff.", 110, "bytes"},
		{"text of -1 bytes", "T\xff\xff\xff\xff.", 106, "bytes"},
		{"frame of 2⁶³ bytes", "\x95\x00\x00\x00\x00\x00\x00\x00\x80N.", 111, "a frame of 9223372036854775808 bytes"},
		{"line without an end", "Sabc", 104, "the rest of a line"},
		{"class without a name", "cabc\nd", 106, "the rest of a line"},
		{"endless number", "I" + strings.Repeat("1", 2000) + "\n.", 101, "a line of at most 1024 bytes"},
		{"endless class", "c" + strings.Repeat("a", 2000) + "\nb\n.", 101, "a line of at most 1024 bytes"},
		{"endless integer", "\x8b\x00\x10\x00\x00" + strings.Repeat("a", 4096) + ".", 100 + 5 + 4096, "an integer of at most 1024 bytes"},
		{"no mark", "Nt.", 101, "'t' without one"},
		{"endless marks", strings.Repeat("(", maxMarks+1), 100 + maxMarks, "at most 4096 marks"},
		{"endless pickle", strings.Repeat("N", maxInstructions+1), 100 + maxInstructions, "at most 2097152 instructions"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, _, err := scanText(test.pickle)
			wantFormatError(t, err, test.want, "test: byte")
			var format *FormatError
			if errors.As(err, &format) && format.Offset != test.offset {
				t.Errorf("offset is %d, want %d: %v", format.Offset, test.offset, err)
			}
		})
	}
}

func TestScanPickleTooLong(t *testing.T) {
	s := &scanner{format: "test", size: maxPickle * 4, read: maxPickle - 1}
	wantFormatError(t, s.room(2), "a pickle of at most 268435456 bytes")
	if err := s.room(1); err != nil {
		t.Error(err)
	}
}

// TestScanPickleReadError tells a failing disk from bad content.
func TestScanPickleReadError(t *testing.T) {
	for _, pickle := range []string{"", "N", "J\x01", "U\x09abc", "Sabc"} {
		broken := errors.New("broken disk")
		r := io.MultiReader(strings.NewReader(pickle), iotest.ErrReader(broken))
		_, _, err := scanPickle("test", r, 0, 100)
		var format *FormatError
		if !errors.Is(err, broken) || errors.As(err, &format) {
			t.Errorf("after %q: %v, want the error of the reader", pickle, err)
		}
	}
}

// TestOpcodes checks the table against the instructions that the machine knows.
func TestOpcodes(t *testing.T) {
	known := 0
	for op, arg := range opcodes {
		if (arg.bytes != 0) != (arg.kind == fixed || arg.kind == counted) {
			t.Errorf("opcode %#02x has kind %d and %d bytes", op, arg.kind, arg.bytes)
		}
		if arg.kind != unknown {
			known++
		}
	}
	if known != 68 {
		t.Errorf("%d opcodes, and pickletools knows 68", known)
	}
}

// TestBombs runs small pickles that, on an unguarded machine, take the memory or
// the time of the world. Most are of no fault otherwise and may be read.
func TestBombs(t *testing.T) {
	const times = 50_000
	megabyte := strings.Repeat("a", 1<<20)
	again := func(s string) string { return "](" + strings.Repeat(s, times) + "e" }
	bombs := map[string]string{
		// Unhashable or endless texts in sets, again and again.
		"sets": text(megabyte) + "q\x000" + "\x8f(" + strings.Repeat("h\x00", times) + "\x90",
		// A class of the library that copies its argument.
		"arrays": "B\x00\x00\x10\x00" + megabyte + "q\x000" + classNamed("array", "_array_reconstructor") + "q\x010" + again("h\x01(Nh\x01K\x00h\x00tR"),
		// A state that the library copies entry by entry.
		"states": "}(" + strings.Repeat(text("a")+"N", times) + "uq\x000" + classNamed("collections", "OrderedDict") + "q\x010" + again("h\x01)Rh\x00b"),
		// Named arguments that the library copies.
		"arguments": "(" + strings.Repeat("N", times) + "tq\x000" + classNamed("mine", "Net") + "q\x010" + again("h\x01h\x00}\x92"),
		// An error that the library prints with all it is about.
		"errors":       text(megabyte) + "q\x000(" + strings.Repeat("h\x00", times) + "t)R",
		"class errors": text(megabyte) + "q\x000(" + strings.Repeat("h\x00", times) + "t)\x93",
		"call errors":  text(megabyte) + "q\x000]q\x01(" + strings.Repeat("h\x00", times) + "tR",
		// Texts that are names of classes.
		"classes": text(megabyte) + "q\x000" + again("h\x00h\x00\x93"),
		// Texts that are keys of storages.
		"keys": text(megabyte) + "q\x000" + classNamed("torch", "FloatStorage") + "q\x010" + text("storage") + "q\x020" + again("(h\x02h\x01h\x00NK\x06tQ"),
		// Texts that are names of tensors.
		"names": text(megabyte) + "q\x000}(" + strings.Repeat("h\x00N", times) + "u",
		// Pairs that a dict is made of, over and over.
		"pairs": "](" + strings.Repeat("]", times) + "eq\x000" + classNamed("collections", "OrderedDict") + "q\x010" + again("h\x01(h\x00tR"),
		// Metadata that every tensor has.
		"metadata": "}(" + strings.Repeat(text("a")+"N", times) + "uq\x000" + persistent("FloatStorage", "0", 6) + "q\x010" +
			classNamed("torch._utils", "_rebuild_tensor_v2") + "q\x020" + again("h\x02(h\x01K\x00K\x06\x85K\x01\x85\x89}h\x00tR"),
		// Shapes of many dimensions.
		"ranks": persistent("FloatStorage", "0", 6) + "q\x000" + integers(make([]int64, maxRank)...) + "q\x010" +
			classNamed("torch._utils", "_rebuild_tensor") + "q\x020(h\x00K\x00h\x01h\x01tq\x030" + again("h\x02h\x03R"),
		// One tensor under many names.
		"tied": rebuilt(persistent("FloatStorage", "0", 1<<20), 0, []int64{1 << 20}, []int64{1}) + "q\x000" + manyNames(times),
		// Lists in lists, marks in marks, tuples in tuples.
		"lists":  strings.Repeat("]", times) + strings.Repeat("a", times-1),
		"marks":  strings.Repeat("(", times) + "N",
		"tuples": "N" + strings.Repeat("\x85", times),
		// Calls of what calls gave.
		"calls": classNamed("mine", "Net") + strings.Repeat(")R", times),
	}
	for name, bomb := range bombs {
		t.Run(name, func(t *testing.T) {
			data := archived(t, bomb, rec{name: "net/data/0", content: floats(6)})
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := time.Now()
			d, err := readBytes(data)
			took := time.Since(start)
			runtime.ReadMemStats(&after)
			if err == nil {
				t.Errorf("read %d tensors", d.Len())
			} else {
				wantFormatError(t, err)
			}
			if len(err.Error()) > 2000 {
				t.Errorf("the error has %d bytes", len(err.Error()))
			}
			if took > 5*time.Second {
				t.Errorf("took %v for %d bytes", took, len(data))
			}
			if used := after.TotalAlloc - before.TotalAlloc; used > 256<<20 {
				t.Errorf("allocated %d bytes for %d", used, len(data))
			}
		})
	}
}

// manyNames pickles a dict of so many names for what is in place 0 of the memo.
func manyNames(n int) string {
	var b strings.Builder
	b.WriteString("}(")
	for i := range n {
		b.WriteString(text(strings.Repeat("a", i%50) + string(rune('A'+i/50%26)) + string(rune('A'+i/1300))))
		b.WriteString("h\x00")
	}
	b.WriteString("u")
	return b.String()
}
