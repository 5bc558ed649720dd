package weights

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// rewrites gives what is written instead of some instructions.
//
// Those that look up a class or call something become a tuple of what they would
// have worked on and a BINPERSID, the one instruction whose effect is this
// package's: see [machine.resolve]. The library's machine knows a few classes of
// its own, copies arguments and prints them in its errors, all of which a hostile
// pickle of a few kilobytes can turn into terabytes.
//
// The others lose what does harm and is not needed: objects have no state here,
// sets do not hash their items, and a frame says only what to read ahead.
var rewrites = map[byte]string{
	'R':  "\x86Q", // REDUCE: TUPLE2 of the function and its arguments
	0x81: "\x86Q", // NEWOBJ: TUPLE2 of the class and its arguments
	0x92: "\x87Q", // NEWOBJ_EX: TUPLE3 of the class and its arguments, some with names
	'o':  "tQ",    // OBJ: TUPLE of the class and its arguments
	0x93: "\x86Q", // STACK_GLOBAL: TUPLE2 of the module and the name
	'i':  "t",     // INST: TUPLE of the arguments
	'b':  "0",     // BUILD: POP of the state
	0x8f: "]",     // EMPTY_SET: EMPTY_LIST
	0x90: "e",     // ADDITEMS: APPENDS
	0x91: "l",     // FROZENSET: LIST
	0x95: "",      // FRAME
}

// rewrite replaces the instruction at byte at of the output, which has been copied
// there, if it is one of rewrites, a GLOBAL, or an integer that the machine does
// not get right.
func (s *scanner) rewrite(at int) error {
	code := s.out.Bytes()[at:]
	op, arg := code[0], code[1:]
	instead, ok := rewrites[op]
	switch {
	case op == opFrame:
		if n := binary.LittleEndian.Uint64(arg); n > uint64(s.size-s.read) {
			return cut(s.format, s.base+s.size, fmt.Sprintf("a frame of %d bytes in a pickle", n))
		}
	case op == opLong1, op == opLong4:
		n := len(arg) - opcodes[op].bytes
		if n > maxLong {
			return s.fail(fmt.Sprintf("an integer of at most %d bytes", maxLong), fmt.Sprintf("one of %d", n), hintCut)
		}
		// Python 2 wrote 0L in no bytes, on which the machine panics.
		instead, ok = "K\x00", n == 0
	case op == opGlobal:
		instead, ok = stackGlobal(arg), true
	}
	if ok {
		s.out.Truncate(at)
		s.out.WriteString(instead)
	}
	return nil
}

// stackGlobal returns the instructions that put the two lines of a GLOBAL on the
// stack and do as a STACK_GLOBAL does.
func stackGlobal(lines []byte) string {
	module, name, _ := bytes.Cut(lines, []byte("\n"))
	name = bytes.TrimSuffix(name, []byte("\n"))
	return binUnicode(module) + binUnicode(name) + rewrites[opStackGlobal]
}

// binUnicode returns the instruction that puts a text on the stack.
func binUnicode(text []byte) string {
	code := binary.LittleEndian.AppendUint32([]byte{'X'}, uint32(len(text)))
	return string(append(code, text...))
}
