package pickle

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

func scanText(data string) (*Program, error) {
	return Scan(strings.NewReader(data), int64(len(data)), 1<<20)
}

// inText, inBytes and inInteger return what Scan writes for a text, for bytes and for a long integer.
func inText(s string) string    { return "X" + string([]byte{byte(len(s)), byte(len(s) >> 8), 0, 0}) + s }
func inBytes(s string) string   { return "B" + inText(s)[1:] }
func inInteger(s string) string { return "\x8b" + inText(s)[1:] }

func TestScan(t *testing.T) {
	tests := []struct {
		name, pickle, want string
	}{
		{"None", "N.", "N."},
		{"arguments", "K\x01J\x01\x02\x03\x04I1\n.", "K\x01J\x01\x02\x03\x04I1\n."},
		{"strs of Python 2", "U\x02..T\x01\x00\x00\x00.S'.'\n.", inText("..") + inText(".") + inText(".") + "."},
		{"texts", "X\x01\x00\x00\x00.\x8c\x01.\x8d\x01\x00\x00\x00\x00\x00\x00\x00.V.\n.",
			strings.Repeat(inText("."), 4) + "."},
		{"bytes", "C\x01.B\x01\x00\x00\x00.\x8e\x01\x00\x00\x00\x00\x00\x00\x00.\x96\x01\x00\x00\x00\x00\x00\x00\x00..",
			strings.Repeat(inBytes("."), 4) + "."},
		{"the longest text", "X\x00\x10\x00\x00" + strings.Repeat("a", MaxText) + ".",
			inText(strings.Repeat("a", MaxText)) + "."},
		{"a longer text", "X\x01\x10\x00\x00" + strings.Repeat("a", MaxText+1) + ".", "\x97."},
		{"REDUCE", ")R.", ")\x82\x01\x87Q."},
		{"NEWOBJ", ")\x81.", ")\x82\x01\x87Q."},
		{"NEWOBJ_EX", ")}\x92.", ")}0\x82\x01\x87Q."},
		{"OBJ", "(No.", "(Nt\x82\x04\x86Q."},
		{"INST", "(ia\nb\n.", "(t" + inText("a") + inText("b") + "\x82\x03\x87Q\x82\x05\x87Q."},
		{"BUILD", "N}b.", "N}\x82\x02\x87Q."},
		{"BINPERSID", "NQ.", "N\x82\x06\x86Q."},
		{"sets", "\x8f(N\x90(\x91.", "](Ne(l."},
		{"STACK_GLOBAL", "\x8c\x01a\x8c\x01b\x93.", inText("a") + inText("b") + "\x82\x03\x87Q."},
		{"GLOBAL", "ca\nb\n.", inText("a") + inText("b") + "\x82\x03\x87Q."},
		{"FRAME", "\x95\x02\x00\x00\x00\x00\x00\x00\x00N.", "N."},
		{"long of no bytes", "\x8a\x00\x8b\x00\x00\x00\x00.", "K\x00K\x00."},
		{"long", "\x8a\x01\x02\x8b\x01\x00\x00\x00\x02.", inInteger("\x02") + inInteger("\x02") + "."},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p, err := scanText(test.pickle)
			if err != nil {
				t.Fatal(err)
			}
			if string(p.code) != test.want {
				t.Errorf("got %q, want %q", p.code, test.want)
			}
			if p.Size() != int64(len(test.pickle)) {
				t.Errorf("read %d bytes, want %d", p.Size(), len(test.pickle))
			}
		})
	}
}

// TestScanStops checks that a pickle ends at its STOP, whatever follows.
func TestScanStops(t *testing.T) {
	p, err := scanText("K\x01.K\x02.")
	if err != nil || p.Size() != 3 || string(p.code) != "K\x01." {
		t.Errorf("read %d bytes, %q, %v", p.Size(), p.code, err)
	}
}

func TestScanErrors(t *testing.T) {
	tests := []struct {
		name, pickle string
		offset       int64
		fault        Fault
		want         string
	}{
		{"nothing", "", 0, Cut, "the end of the data"},
		{"no STOP", "N", 1, Cut, "the end of the data"},
		{"unknown", "N\xff.", 1, Damaged, "the byte 0xff"},
		{"cut argument", "J\x01", 2, Cut, "the end of the data"},
		{"cut length", "X\x01\x00", 3, Cut, "the length of a pickled text"},
		{"cut text", "U\x03ab", 4, Cut, "a pickled text of 3 bytes"},
		{"4 GB of text", "X\xff\xff\xff\xff.", 6, Cut, "a pickled text of 4294967295 bytes"},
		{"2⁶⁴ bytes", "\x8e\xff\xff\xff\xff\xff\xff\xff\xff.", 10, Cut, "bytes"},
		{"text of -1 bytes", "T\xff\xff\xff\xff.", 6, Cut, "bytes"},
		{"frame of 2⁶³ bytes", "\x95\x00\x00\x00\x00\x00\x00\x00\x80N.", 11, Cut,
			"a frame of 9223372036854775808 bytes"},
		{"line without an end", "Sabc", 4, Cut, "the rest of a line"},
		{"class without a name", "cabc\nd", 6, Cut, "the rest of a line"},
		{"endless number", "I" + strings.Repeat("1", 2000) + "\n.", 1, Damaged, "a line of at most 1024 bytes"},
		{"endless class", "c" + strings.Repeat("a", 2000) + "\nb\n.", 1, Damaged, "a line of at most 1024 bytes"},
		{"endless integer", "\x8b\x00\x10\x00\x00" + strings.Repeat("a", 4096) + ".", 4101, Damaged,
			"an integer of at most 1024 bytes"},
		{"no mark", "Nt.", 1, Damaged, "'t' without one"},
		{"endless marks", strings.Repeat("(", maxMarks+1), maxMarks, Forged, "at most 4096 marks"},
		{"endless pickle", strings.Repeat("N", maxInstructions+1), maxInstructions, Large,
			"at most 2097152 instructions"},
		{"text longer than the limit", "X\x00\x00\x20\x00" + strings.Repeat("a", 1<<21) + ".", 5, Large,
			"a pickle of at most 1048576 bytes"},
		{"line longer than the limit", "S" + strings.Repeat("a", 1<<21) + "\n.", 1 + 255<<12, Large,
			"a pickle of at most 1048576 bytes"},
		{"extension", "N\x82\x01.", 1, Forged, "the instruction 0x82"},
		{"buffer", "N\x97.", 1, Forged, "the instruction 0x97"},
		{"text without quotes", "Sab\n.", 4, Damaged, "a text in quotes"},
		{"text with one quote", "S'\n.", 3, Damaged, "a text in quotes"},
		{"text with two quotes", "S'a\"\n.", 5, Damaged, "a text in quotes"},
		{"half an escape", "S'\\x1'\n.", 7, Damaged, "an escape that is none"},
		{"no escape", "V\\u12 4\n.", 8, Damaged, "an escape that is none"},
		{"escape beyond Unicode", "V\\U00110000\n.", 12, Damaged, "an escape that is none"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := scanText(test.pickle)
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("error is %v (%T)", err, err)
			}
			if e.Offset != test.offset || e.Fault != test.fault || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, fault %d; want byte %d, fault %d, %q", err, e.Fault, test.offset, test.fault, test.want)
			}
			if cut := errors.Is(err, io.ErrUnexpectedEOF); cut != (test.fault == Cut) {
				t.Errorf("unwraps to io.ErrUnexpectedEOF: %t", cut)
			}
		})
	}
}

// TestScanReadError checks that an error of the reader is distinguished from bad content.
func TestScanReadError(t *testing.T) {
	for _, pickle := range []string{"", "N", "J\x01", "U\x09abc", "Sabc"} {
		broken := errors.New("broken disk")
		r := io.MultiReader(strings.NewReader(pickle), iotest.ErrReader(broken))
		_, err := Scan(r, 100, 100)
		var e *Error
		if !errors.As(err, &e) || e.Fault != Unread || e.Err != broken {
			t.Errorf("after %q: %v, want the error of the reader", pickle, err)
		}
	}
}

// TestOpcodes checks that the table has as many opcodes as Python's pickletools, and that just those whose argument has
// a fixed size or a length state how many bytes it takes.
func TestOpcodes(t *testing.T) {
	known := 0
	for op, arg := range opcodes {
		if (arg.bytes != 0) != slices.Contains([]kind{fixed, integer, text, raw}, arg.kind) {
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
