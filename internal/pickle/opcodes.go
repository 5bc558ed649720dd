package pickle

// A kind is the layout of a pickle instruction's argument.
type kind uint8

const (
	unknown kind = iota // no such instruction
	outside             // refers to something outside the file
	bare                // no argument
	fixed               // a fixed number of bytes
	integer             // an unsigned length in a fixed number of bytes, then that many bytes
	text                // the same, with characters
	raw                 // the same, with bytes
	line                // the rest of the line
	class               // two lines: a module and a name in it
	quoted              // a text of Python 2 with quotes and escapes, up to the end of the line
	escaped             // a text in Latin-1 with escapes, up to the end of the line
)

// An argument is the kind of an argument, and the number of bytes of its fixed part.
type argument struct {
	kind  kind
	bytes int
}

// The opcodes that the scanner knows by name.
const (
	opStop       = '.'
	opGlobal     = 'c'
	opInst       = 'i'
	opFrame      = 0x95
	opText       = 'X' // BINUNICODE
	opBytes      = 'B' // BINBYTES
	opInteger    = 0x8b
	opZero       = "K\x00" // BININT1
	opNextBuffer = "\x97"
)

// opcodes gives the argument of every opcode of the pickle protocols 0 to 5, as Python's pickletools does.
var opcodes = [256]argument{
	'(':       {bare, 0},    // MARK
	opStop:    {bare, 0},    // STOP
	'0':       {bare, 0},    // POP
	'1':       {bare, 0},    // POP_MARK
	'2':       {bare, 0},    // DUP
	'F':       {line, 0},    // FLOAT
	'I':       {line, 0},    // INT
	'J':       {fixed, 4},   // BININT
	'K':       {fixed, 1},   // BININT1
	'L':       {line, 0},    // LONG
	'M':       {fixed, 2},   // BININT2
	'N':       {bare, 0},    // NONE
	'P':       {line, 0},    // PERSID
	'Q':       {bare, 0},    // BINPERSID
	'R':       {bare, 0},    // REDUCE
	'S':       {quoted, 0},  // STRING
	'T':       {text, 4},    // BINSTRING
	'U':       {text, 1},    // SHORT_BINSTRING
	'V':       {escaped, 0}, // UNICODE
	opText:    {text, 4},    // BINUNICODE
	'a':       {bare, 0},    // APPEND
	'b':       {bare, 0},    // BUILD
	opGlobal:  {class, 0},   // GLOBAL
	'd':       {bare, 0},    // DICT
	'}':       {bare, 0},    // EMPTY_DICT
	'e':       {bare, 0},    // APPENDS
	'g':       {line, 0},    // GET
	'h':       {fixed, 1},   // BINGET
	opInst:    {class, 0},   // INST
	'j':       {fixed, 4},   // LONG_BINGET
	'l':       {bare, 0},    // LIST
	']':       {bare, 0},    // EMPTY_LIST
	'o':       {bare, 0},    // OBJ
	'p':       {line, 0},    // PUT
	'q':       {fixed, 1},   // BINPUT
	'r':       {fixed, 4},   // LONG_BINPUT
	's':       {bare, 0},    // SETITEM
	't':       {bare, 0},    // TUPLE
	')':       {bare, 0},    // EMPTY_TUPLE
	'u':       {bare, 0},    // SETITEMS
	'G':       {fixed, 8},   // BINFLOAT
	0x80:      {fixed, 1},   // PROTO
	0x81:      {bare, 0},    // NEWOBJ
	0x82:      {outside, 0}, // EXT1
	0x83:      {outside, 0}, // EXT2
	0x84:      {outside, 0}, // EXT4
	0x85:      {bare, 0},    // TUPLE1
	0x86:      {bare, 0},    // TUPLE2
	0x87:      {bare, 0},    // TUPLE3
	0x88:      {bare, 0},    // NEWTRUE
	0x89:      {bare, 0},    // NEWFALSE
	0x8a:      {integer, 1}, // LONG1
	opInteger: {integer, 4}, // LONG4
	opBytes:   {raw, 4},     // BINBYTES
	'C':       {raw, 1},     // SHORT_BINBYTES
	0x8c:      {text, 1},    // SHORT_BINUNICODE
	0x8d:      {text, 8},    // BINUNICODE8
	0x8e:      {raw, 8},     // BINBYTES8
	0x8f:      {bare, 0},    // EMPTY_SET
	0x90:      {bare, 0},    // ADDITEMS
	0x91:      {bare, 0},    // FROZENSET
	0x92:      {bare, 0},    // NEWOBJ_EX
	0x93:      {bare, 0},    // STACK_GLOBAL
	0x94:      {bare, 0},    // MEMOIZE
	opFrame:   {fixed, 8},   // FRAME
	0x96:      {raw, 8},     // BYTEARRAY8
	0x97:      {outside, 0}, // NEXT_BUFFER
	0x98:      {bare, 0},    // READONLY_BUFFER
}
