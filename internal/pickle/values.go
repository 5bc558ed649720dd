package pickle

import (
	"fmt"
	"math/big"

	"github.com/nlpodyssey/gopickle/types"
)

type (
	// A Global is a class or function without a meaning here. Calling it returns an [*Object] and does nothing else.
	Global struct{ Name string }

	// An Object is the result of calling a [*Global]. It accepts and drops whatever is put into it.
	Object struct{ Class string }

	// A function is one that Python uses when it pickles plain values.
	function func(args []any) any

	// A long is a text or bytes that are stored separately.
	long struct {
		data []byte
		text bool
	}

	// A latin1 is bytes that were written as a text of characters up to 255: a string or a long.
	latin1 struct{ text any }
)

// Set does nothing.
func (*Object) Set(key, value any) {}

// Append does nothing.
func (*Object) Append(item any) {}

// plain returns the class or function of a plain value of Python, or nil.
func plain(module, name string) any {
	switch module + "." + name {
	case "collections.OrderedDict":
		return function(newOrderedDict)
	case "_codecs.encode":
		return function(encode)
	case "builtins.bytes", "__builtin__.bytes":
		return function(emptyBytes)
	}
	return nil
}

// encode is the function by which Python 3 writes bytes in protocols without bytes.
func encode(args []any) any {
	if len(args) == 2 && (args[1] == "latin1" || args[1] == "latin-1") {
		switch args[0].(type) {
		case string, *long:
			return &latin1{args[0]}
		}
	}
	return &Object{"_codecs.encode"}
}

// emptyBytes is the function by which Python 3 writes empty bytes there.
func emptyBytes(args []any) any {
	if len(args) == 0 {
		return []byte(nil)
	}
	return &Object{"builtins.bytes"}
}

// Sequence returns the items of a Python list or tuple, not copied, and whether v
// is one.
func Sequence(v any) ([]any, bool) {
	switch v := v.(type) {
	case *types.List:
		return *v, true
	case *types.Tuple:
		return *v, true
	}
	return nil, false
}

// Describe returns a description of v that can follow "found". It does not walk v, which may contain itself.
func Describe(v any) string {
	switch v := v.(type) {
	case nil:
		return "None"
	case *types.Dict, *orderedDict:
		return "a dict"
	case *types.List:
		return "a list"
	case *types.Tuple:
		return "a tuple"
	case []byte, *latin1:
		return "bytes"
	case *long:
		return v.describe()
	case *Object:
		return "an object of class " + v.Class
	case *Global:
		return "the class or function " + v.Name
	case function:
		return "a class or function of Python"
	case string:
		return fmt.Sprintf("the text %q", Shorten(v))
	case bool:
		return fmt.Sprintf("the bool %t", v)
	case int:
		return fmt.Sprintf("the integer %d", v)
	case *big.Int:
		return "a long integer"
	case float64:
		return fmt.Sprintf("the float %g", v)
	}
	return fmt.Sprintf("a %T", v)
}

func (l *long) describe() string {
	if l.text {
		return fmt.Sprintf("the text %q", Shorten(string(l.data[:most+1])))
	}
	return "bytes"
}
