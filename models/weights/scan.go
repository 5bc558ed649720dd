package weights

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

const (
	// maxInstructions bounds what a pickle can build: its stack, its memo and
	// the depth of its lists grow by at most one per instruction, and the memory
	// by some 200 bytes at the worst. A checkpoint of fifty thousand tensors
	// needs about as many.
	maxInstructions = 1 << 21

	// maxMarks bounds the marks that are open at a time, which take more. Python
	// itself does not nest what it pickles so deep.
	maxMarks = 1 << 12

	// maxPickle is the most bytes of a pickle. It holds names and shapes; the
	// elements of tensors are elsewhere.
	maxPickle = 256 << 20

	maxLine = 1 << 10 // bytes of a number or of the name of a class
	maxLong = 1 << 10 // bytes of an integer: decoding takes the square of its length
)

// hintStateDict is the way out of most that a pickle can hold.
const hintStateDict = "in Python, save the parameters alone: torch.save(model.state_dict(), 'weights.pth')"

// A scanner reads one pickle, checks its instructions and writes harmless ones.
type scanner struct {
	format string
	base   int64 // where the pickle begins in the file
	size   int64 // bytes from there to the end of the file or record
	read   int64 // bytes read
	marks  int   // open marks, not counting that a POP may take one
	in     *bufio.Reader
	out    bytes.Buffer
}

// scanPickle reads a pickle from the start of r, which holds size bytes and lies
// at byte base of a file, up to and with its STOP. It returns the number of its
// bytes and a pickle of the same meaning that a machine can run in safety: every
// instruction is known and has its whole argument, and none looks up a class,
// calls anything, or takes more time or memory than its length warrants. See
// rewrites.
//
// The error is a [FormatError] or one of reading r.
func scanPickle(format string, r io.Reader, base, size int64) (code []byte, n int64, err error) {
	s := &scanner{format: format, base: base, size: size, in: bufio.NewReader(r)}
	for range maxInstructions {
		at := s.out.Len()
		op, err := s.instruction()
		if err != nil {
			return nil, 0, err
		}
		if op == opStop {
			return s.out.Bytes(), s.read, nil
		}
		if err := s.rewrite(at); err != nil {
			return nil, 0, err
		}
	}
	return nil, 0, s.fail(fmt.Sprintf("a pickle of at most %d instructions", maxInstructions), "more", hintStateDict)
}

// instruction copies an opcode and its argument to the output.
func (s *scanner) instruction() (op byte, err error) {
	const want = "a pickle instruction"
	if s.read == s.size {
		return 0, cut(s.format, s.base+s.read, want)
	}
	op, err = s.in.ReadByte()
	if err != nil {
		return 0, s.readFailed(want, err)
	}
	arg := opcodes[op]
	if arg.kind == unknown {
		return 0, s.fail(want, fmt.Sprintf("the byte %#02x, which is none", op), hintCut)
	}
	if err := s.mark(op); err != nil {
		return 0, err
	}
	s.read++
	s.out.WriteByte(op)
	return op, s.argument(arg)
}

// mark counts the marks that an instruction opens or takes.
func (s *scanner) mark(op byte) error {
	switch op {
	case '(':
		s.marks++
	case '1', 'd', 'e', 'i', 'l', 'o', 't', 'u', 0x90, 0x91:
		s.marks--
	}
	switch {
	case s.marks > maxMarks:
		return s.fail(fmt.Sprintf("at most %d marks at a time", maxMarks), "one more", hintForged)
	case s.marks < 0:
		return s.fail("an instruction that needs no mark", fmt.Sprintf("%q without one", op), hintCut)
	}
	return nil
}

// argument copies the argument of an instruction.
func (s *scanner) argument(arg argument) error {
	switch arg.kind {
	case fixed:
		return s.take(uint64(arg.bytes), "the argument of a pickle instruction")
	case counted:
		return s.counted(arg.bytes)
	case digits:
		return s.line(maxLine)
	case line:
		return s.line(maxPickle)
	case class:
		if err := s.line(maxLine); err != nil {
			return err
		}
		return s.line(maxLine)
	}
	return nil
}

// take copies the next n bytes, which are said to be what.
func (s *scanner) take(n uint64, what string) error {
	if n > uint64(s.size-s.read) {
		return cut(s.format, s.base+s.size, what)
	}
	if err := s.room(n); err != nil {
		return err
	}
	copied, err := io.CopyN(&s.out, s.in, int64(n))
	s.read += copied
	return s.readFailed(what, err)
}

// counted copies a length of so many bytes and as many bytes as it says.
func (s *scanner) counted(bytes int) error {
	at := s.out.Len()
	if err := s.take(uint64(bytes), "the length of a pickled text"); err != nil {
		return err
	}
	var length [8]byte
	copy(length[:], s.out.Bytes()[at:])
	n := binary.LittleEndian.Uint64(length[:])
	return s.take(n, fmt.Sprintf("a pickled text of %d bytes", n))
}

// line copies up to and with the next newline, at most limit bytes.
func (s *scanner) line(limit int) error {
	const want = "the rest of a line"
	for n := 0; ; {
		part, err := s.in.ReadSlice('\n')
		if int64(len(part)) > s.size-s.read {
			return cut(s.format, s.base+s.size, want)
		}
		if n += len(part); n > limit {
			return s.fail(fmt.Sprintf("a line of at most %d bytes", limit), "a longer one", hintCut)
		}
		if err := s.room(uint64(len(part))); err != nil {
			return err
		}
		s.out.Write(part)
		s.read += int64(len(part))
		if !errors.Is(err, bufio.ErrBufferFull) {
			return s.readFailed(want, err)
		}
	}
}

// room checks that n more bytes do not make the pickle too long.
func (s *scanner) room(n uint64) error {
	if n > maxPickle || s.read > maxPickle-int64(n) {
		return s.fail(fmt.Sprintf("a pickle of at most %d bytes", maxPickle), "a longer one", hintStateDict)
	}
	return nil
}

// fail returns an error at the next byte.
func (s *scanner) fail(want, got, hint string) error {
	return &FormatError{Format: s.format, Offset: s.base + s.read, Want: want, Got: got, Hint: hint}
}

// readFailed returns the error of a read of what, or nil if err is nil.
func (s *scanner) readFailed(what string, err error) error {
	if err == nil {
		return nil
	}
	return readFailed(s.format, s.base+s.read, what, err)
}
