package pickle

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// An operation is the effect of an instruction that needs classes. The library's machine knows a few classes itself,
// copies arguments and prints them in errors, which a hostile pickle of a few kilobytes can turn into terabytes. So
// the scanner replaces these instructions by a tuple of their operands, with an operation as its last item, and a
// BINPERSID, the one instruction that this package executes: see [runner.resolve]. A pickle cannot forge an operation:
// only EXT1 puts one on the stack, and the scanner rejects an EXT1 in its input.
type operation byte

const (
	opCall       operation = iota + 1 // of a function and a tuple of arguments
	opBuild                           // of an object and its state
	opFind                            // of a module and a name in it
	opObject                          // of a tuple of a class and arguments
	opInstance                        // of a tuple of arguments and a class
	opPersistent                      // of a persistent id
)

// on returns the instructions that apply the operation to that many values on the stack.
func (o operation) on(values int) string {
	tuple := [...]byte{1: 0x86, 2: 0x87} // TUPLE2 and TUPLE3, with the operation
	return string([]byte{0x82, byte(o), tuple[values], 'Q'})
}

// rewrites maps instructions to their replacements. Those that are not operations just lose harmful effects that are
// not needed: sets do not hash their items, and frames, which only say how much to read ahead, are dropped.
var rewrites = map[byte]string{
	'R':     opCall.on(2),         // REDUCE
	0x81:    opCall.on(2),         // NEWOBJ
	0x92:    "0" + opCall.on(2),   // NEWOBJ_EX: POP of the arguments with names
	'o':     "t" + opObject.on(1), // OBJ: TUPLE of the class and its arguments
	0x93:    opFind.on(2),         // STACK_GLOBAL
	'b':     opBuild.on(2),        // BUILD
	'Q':     opPersistent.on(1),   // BINPERSID
	0x8f:    "]",                  // EMPTY_SET: EMPTY_LIST
	0x90:    "e",                  // ADDITEMS: APPENDS
	0x91:    "l",                  // FROZENSET: LIST
	opFrame: "",                   // FRAME
}

// translate writes the instruction op with its argument, or its replacement.
func (s *scanner) translate(op byte, arg []byte) (err error) {
	switch opcodes[op].kind {
	case integer:
		return s.integer(arg)
	case class:
		s.class(op, arg)
		return nil
	case quoted:
		arg, err = s.unquote(arg)
		op = opText
	case escaped:
		arg, err = s.unescape(arg)
		op = opText
	case text:
		op = opText
	case raw:
		op = opBytes
	case line:
		arg = append(arg, '\n')
	}
	if err != nil {
		return err
	}
	if op == opText || op == opBytes {
		s.data(op, arg)
		return nil
	}
	if op == opFrame {
		if n := binary.LittleEndian.Uint64(arg); n > uint64(s.size-s.read) {
			return cut(s.size, fmt.Sprintf("a frame of %d bytes in a pickle", n))
		}
	}
	if instead, ok := rewrites[op]; ok {
		s.out.WriteString(instead)
		return nil
	}
	s.out.WriteByte(op)
	s.out.Write(arg)
	return nil
}

// data writes a text or bytes, or stores them separately if they are long.
func (s *scanner) data(op byte, arg []byte) {
	if len(arg) > MaxText {
		s.long = append(s.long, &long{data: arg, text: op == opText})
		s.out.WriteString(opNextBuffer)
		return
	}
	s.counted4(op, arg)
}

// counted4 writes an instruction whose argument is preceded by its length in 4
// bytes.
func (s *scanner) counted4(op byte, arg []byte) {
	s.out.WriteByte(op)
	s.out.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(arg))))
	s.out.Write(arg)
}

// integer writes a long integer.
func (s *scanner) integer(arg []byte) error {
	switch {
	case len(arg) > maxLong:
		return s.fail(Damaged, fmt.Sprintf("an integer of at most %d bytes", maxLong),
			fmt.Sprintf("one of %d", len(arg)))
	case len(arg) == 0:
		// Python 2 wrote 0L as no bytes, which makes the machine panic.
		s.out.WriteString(opZero)
	default:
		s.counted4(opInteger, arg)
	}
	return nil
}

// class writes the operation that looks up a class, given by two lines with its module and its name. For an INST,
// which ends the list of arguments, it also writes the operation that creates an instance.
func (s *scanner) class(op byte, lines []byte) {
	module, name, _ := bytes.Cut(lines, []byte("\n"))
	if op == opInst {
		s.out.WriteByte('t')
	}
	s.counted4(opText, module)
	s.counted4(opText, name)
	s.out.WriteString(opFind.on(2))
	if op == opInst {
		s.out.WriteString(opInstance.on(2))
	}
}
