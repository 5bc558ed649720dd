package weights

// A kind says how the argument of a pickle instruction is laid out.
type kind uint8

const (
	unknown kind = iota // no such instruction
	bare                // no argument
	fixed               // so many bytes
	counted             // a length of so many bytes, unsigned, and as many bytes as it says
	digits              // a number in decimal up to the end of the line
	line                // text up to the end of the line
	class               // two lines: a module and a name in it
)

// An argument is the kind of an argument and the number of bytes of its fixed
// part.
type argument struct {
	kind  kind
	bytes int
}

// The opcodes that the scanner knows by name.
const (
	opStop        = '.'
	opGlobal      = 'c'
	opStackGlobal = 0x93
	opFrame       = 0x95
	opLong1       = 0x8a
	opLong4       = 0x8b
)

// opcodes gives the argument of every opcode of the pickle protocols 0 to 5, as
// Python's pickletools does.
var opcodes = [256]argument{
	'(':           {bare, 0},    // MARK
	opStop:        {bare, 0},    // STOP
	'0':           {bare, 0},    // POP
	'1':           {bare, 0},    // POP_MARK
	'2':           {bare, 0},    // DUP
	'F':           {digits, 0},  // FLOAT
	'I':           {digits, 0},  // INT
	'J':           {fixed, 4},   // BININT
	'K':           {fixed, 1},   // BININT1
	'L':           {digits, 0},  // LONG
	'M':           {fixed, 2},   // BININT2
	'N':           {bare, 0},    // NONE
	'P':           {line, 0},    // PERSID
	'Q':           {bare, 0},    // BINPERSID
	'R':           {bare, 0},    // REDUCE
	'S':           {line, 0},    // STRING
	'T':           {counted, 4}, // BINSTRING
	'U':           {counted, 1}, // SHORT_BINSTRING
	'V':           {line, 0},    // UNICODE
	'X':           {counted, 4}, // BINUNICODE
	'a':           {bare, 0},    // APPEND
	'b':           {bare, 0},    // BUILD
	opGlobal:      {class, 0},   // GLOBAL
	'd':           {bare, 0},    // DICT
	'}':           {bare, 0},    // EMPTY_DICT
	'e':           {bare, 0},    // APPENDS
	'g':           {digits, 0},  // GET
	'h':           {fixed, 1},   // BINGET
	'i':           {class, 0},   // INST
	'j':           {fixed, 4},   // LONG_BINGET
	'l':           {bare, 0},    // LIST
	']':           {bare, 0},    // EMPTY_LIST
	'o':           {bare, 0},    // OBJ
	'p':           {digits, 0},  // PUT
	'q':           {fixed, 1},   // BINPUT
	'r':           {fixed, 4},   // LONG_BINPUT
	's':           {bare, 0},    // SETITEM
	't':           {bare, 0},    // TUPLE
	')':           {bare, 0},    // EMPTY_TUPLE
	'u':           {bare, 0},    // SETITEMS
	'G':           {fixed, 8},   // BINFLOAT
	0x80:          {fixed, 1},   // PROTO
	0x81:          {bare, 0},    // NEWOBJ
	0x82:          {fixed, 1},   // EXT1
	0x83:          {fixed, 2},   // EXT2
	0x84:          {fixed, 4},   // EXT4
	0x85:          {bare, 0},    // TUPLE1
	0x86:          {bare, 0},    // TUPLE2
	0x87:          {bare, 0},    // TUPLE3
	0x88:          {bare, 0},    // NEWTRUE
	0x89:          {bare, 0},    // NEWFALSE
	opLong1:       {counted, 1}, // LONG1
	opLong4:       {counted, 4}, // LONG4
	'B':           {counted, 4}, // BINBYTES
	'C':           {counted, 1}, // SHORT_BINBYTES
	0x8c:          {counted, 1}, // SHORT_BINUNICODE
	0x8d:          {counted, 8}, // BINUNICODE8
	0x8e:          {counted, 8}, // BINBYTES8
	0x8f:          {bare, 0},    // EMPTY_SET
	0x90:          {bare, 0},    // ADDITEMS
	0x91:          {bare, 0},    // FROZENSET
	0x92:          {bare, 0},    // NEWOBJ_EX
	opStackGlobal: {bare, 0},    // STACK_GLOBAL
	0x94:          {bare, 0},    // MEMOIZE
	opFrame:       {fixed, 8},   // FRAME
	0x96:          {counted, 8}, // BYTEARRAY8
	0x97:          {bare, 0},    // NEXT_BUFFER
	0x98:          {bare, 0},    // READONLY_BUFFER
}
