package pickle

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// MaxText is the largest length, in bytes, of a text or of bytes within a program's instructions, and so of every
// string that [Program.Run] returns. Longer ones are stored separately, and only [Bytes] returns them, so that nothing
// else copies, hashes or prints them, and the elements of an array are in memory once.
const MaxText = 1 << 12

const (
	// maxInstructions bounds what a pickle can build: each instruction adds at most one item to its stack, one to its
	// memo and one level to the depth of its lists, and at worst some 200 bytes to the memory. A checkpoint of fifty
	// thousand tensors needs about as many, and so does a list of a hundred thousand labels.
	maxInstructions = 1 << 21

	// maxMarks bounds the number of open marks, which need more memory. Python itself does not nest pickles so deeply.
	maxMarks = 1 << 12

	maxLine = 1 << 10 // bytes of a number or of the name of a class
	maxLong = 1 << 10 // bytes of an integer: the time to decode it grows with the square of its length
)

// A Program is a pickle that has been checked and made harmless.
type Program struct {
	code []byte // instructions for the library's machine
	long []any  // the texts and bytes that are stored separately, in order of use
	size int64
}

// Size returns the number of bytes of the pickle, up to and with its STOP.
func (p *Program) Size() int64 { return p.size }

// A scanner reads one pickle, checks its instructions and writes harmless ones.
type scanner struct {
	size    int64 // bytes of the data, which begin with the pickle
	limit   int64 // the largest allowed size of the pickle in bytes
	read    int64 // bytes read
	marks   int   // open marks, ignoring that a POP may remove one
	in      *bufio.Reader
	scratch [MaxText]byte // holds an argument that is short
	out     bytes.Buffer
	long    []any
}

// Scan reads a pickle of at most limit bytes from the start of r, which holds size bytes, up to and including its
// STOP. Its memory is bounded by what it has read plus one text, which is no longer than limit or the rest of r. It
// may read up to 4096 bytes beyond the pickle.
//
// The error is an [*Error].
func Scan(r io.Reader, size, limit int64) (*Program, error) {
	s := &scanner{size: size, limit: limit, in: bufio.NewReader(r)}
	for range maxInstructions {
		op, arg, err := s.instruction()
		if err != nil {
			return nil, err
		}
		if err := s.translate(op, arg); err != nil {
			return nil, err
		}
		if op == opStop {
			return &Program{code: s.out.Bytes(), long: s.long, size: s.read}, nil
		}
	}
	return nil, s.fail(Large, fmt.Sprintf("a pickle of at most %d instructions", maxInstructions), "more")
}

// instruction reads an opcode and its argument, without the length or the line end that delimits it. A short argument
// is valid only until the next call.
func (s *scanner) instruction() (op byte, arg []byte, err error) {
	const want = "a pickle instruction"
	if s.read == s.size {
		return 0, nil, cut(s.read, want)
	}
	op, err = s.in.ReadByte()
	if err != nil {
		return 0, nil, s.readFailed(want, err)
	}
	switch opcodes[op].kind {
	case unknown:
		return 0, nil, s.fail(Damaged, want, fmt.Sprintf("the byte %#02x, which is none", op))
	case outside:
		return 0, nil, s.fail(Forged, "a pickle that is whole in itself",
			fmt.Sprintf("the instruction %#02x, which refers to what is elsewhere", op))
	}
	if err := s.mark(op); err != nil {
		return 0, nil, err
	}
	s.read++
	arg, err = s.argument(opcodes[op])
	return op, arg, err
}

// mark counts the marks that an instruction pushes or pops.
func (s *scanner) mark(op byte) error {
	switch op {
	case '(':
		s.marks++
	case '1', 'd', 'e', 'i', 'l', 'o', 't', 'u', 0x90, 0x91:
		s.marks--
	}
	switch {
	case s.marks > maxMarks:
		return s.fail(Forged, fmt.Sprintf("at most %d marks at a time", maxMarks), "one more")
	case s.marks < 0:
		return s.fail(Damaged, "an instruction that needs no mark", fmt.Sprintf("%q without one", op))
	}
	return nil
}

// argument reads the argument of an instruction.
func (s *scanner) argument(arg argument) ([]byte, error) {
	switch arg.kind {
	case fixed:
		return s.readBytes(uint64(arg.bytes), "the argument of a pickle instruction")
	case integer, text, raw:
		return s.counted(arg.bytes)
	case line:
		return s.line(s.scratch[:0], maxLine)
	case class:
		module, err := s.line(s.scratch[:0], maxLine)
		if err != nil {
			return nil, err
		}
		return s.line(append(module, '\n'), maxLine)
	case quoted, escaped:
		return s.line(s.scratch[:0], s.size) // room applies the limit
	}
	return nil, nil
}

// readBytes reads the next n bytes; what describes them in errors.
func (s *scanner) readBytes(n uint64, what string) ([]byte, error) {
	if n > uint64(s.size-s.read) {
		return nil, cut(s.size, what)
	}
	if err := s.room(n); err != nil {
		return nil, err
	}
	data := s.scratch[:]
	if n > MaxText {
		data = make([]byte, n)
	}
	got, err := io.ReadFull(s.in, data[:n])
	s.read += int64(got)
	return data[:n], s.readFailed(what, err)
}

// counted reads a length, in the given number of bytes, and then as many bytes as the length says.
func (s *scanner) counted(bytes int) ([]byte, error) {
	head, err := s.readBytes(uint64(bytes), "the length of a pickled text")
	if err != nil {
		return nil, err
	}
	var length [8]byte
	copy(length[:], head)
	n := binary.LittleEndian.Uint64(length[:])
	return s.readBytes(n, fmt.Sprintf("a pickled text of %d bytes", n))
}

// line appends the bytes up to the next newline to b, at most limit bytes including the newline.
func (s *scanner) line(b []byte, limit int64) ([]byte, error) {
	const want = "the rest of a line"
	for n := int64(0); ; {
		part, err := s.in.ReadSlice('\n')
		if int64(len(part)) > s.size-s.read {
			return nil, cut(s.size, want)
		}
		if n += int64(len(part)); n > limit {
			return nil, s.fail(Damaged, fmt.Sprintf("a line of at most %d bytes", limit), "a longer one")
		}
		if err := s.room(uint64(len(part))); err != nil {
			return nil, err
		}
		b = append(b, part...)
		s.read += int64(len(part))
		if err == nil {
			return b[:len(b)-1], nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return nil, s.readFailed(want, err)
		}
	}
}

// room returns an error if n more bytes would make the pickle too long.
func (s *scanner) room(n uint64) error {
	if n > uint64(s.limit) || s.read > s.limit-int64(n) {
		return s.fail(Large, fmt.Sprintf("a pickle of at most %d bytes", s.limit), "a longer one")
	}
	return nil
}
