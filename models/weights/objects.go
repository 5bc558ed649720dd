package weights

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/nlpodyssey/gopickle/types"
)

// maxName is the most bytes of a tensor's name and of a storage's key.
const maxName = 1 << 12

// What a pickle of parameters is made of, besides the library's numbers, texts,
// lists, tuples and dicts.
type (
	// A global is a class or function that has no part in rebuilding tensors.
	// Calling it gives an object and does nothing else.
	global struct{ name string }

	// An object is what calling a global gave. It takes whatever is put into it
	// and keeps none of it.
	object struct{ class string }

	// A function is one that has a part in rebuilding tensors.
	function func(args []any) any

	// A rebuilder is a function that gives a tensor and calls no other.
	rebuilder func(args []any) any

	// A storageClass is the class of a storage. Of one that is opaque only the
	// bytes of an element are known.
	storageClass struct {
		name   string
		dtype  dtype
		size   int64
		opaque bool
	}

	// An elementType is PyTorch's dtype object.
	elementType struct{ dtype dtype }

	// An unusable is a tensor or storage that cannot be read. It is an error only
	// where the state dict needs it.
	unusable struct{ what, hint string }

	// An orderedDict is a dict that may begin with pairs that it was made of.
	orderedDict struct {
		pairs any
		items types.Dict
	}
)

func (*object) Set(key, value any) {}
func (*object) Append(item any)    {}

func (d *orderedDict) Set(key, value any) { d.items.Set(key, value) }

// findClass resolves a class or function by its module and name. It never fails:
// what is not on its list is a [global].
func findClass(module, name string) any {
	if len(module)+len(name) > 2*maxLine {
		return &global{"of an endless name"}
	}
	full := module + "." + name
	switch full {
	case "collections.OrderedDict":
		return function(newOrderedDict)
	case "torch.Size":
		return function(firstArgument)
	case "torch._utils._rebuild_tensor", "torch._utils._rebuild_tensor_v2":
		return rebuilder(rebuildTensor)
	case "torch._utils._rebuild_tensor_v3":
		return rebuilder(rebuildTensorV3)
	case "torch._utils._rebuild_parameter", "torch._utils._rebuild_parameter_with_state":
		return rebuilder(firstArgument)
	case "torch._tensor._rebuild_from_type_v2":
		return function(rebuildFromType)
	case "torch.storage.UntypedStorage", "torch.UntypedStorage":
		return &storageClass{name: name, dtype: u8, size: u8.size()}
	}
	if module == "torch" {
		if class := findStorage(name); class != nil {
			return class
		}
		if d, ok := dtypeNamed(name); ok {
			return &elementType{d}
		}
	}
	return &global{printable(full)}
}

// findStorage returns the storage class of a name, or nil if there is none.
func findStorage(name string) *storageClass {
	if d, ok := dtypeOfStorage(name); ok {
		return &storageClass{name: name, dtype: d, size: d.size()}
	}
	if size, ok := opaqueStorages[name]; ok {
		return &storageClass{name: name, size: size, opaque: true}
	}
	return nil
}

// call returns what calling f gives, of arguments that end with a tuple of the
// positional ones.
func call(f any, args []any) any {
	switch f := f.(type) {
	case function:
		return f(positional(args))
	case rebuilder:
		return f(positional(args))
	case *global:
		return &object{f.name}
	case *object, *unusable:
		return f
	}
	return broken("what a call of %s gives", describe(f))
}

func positional(args []any) []any {
	if len(args) == 0 {
		return nil
	}
	items, _ := sequence(args[0])
	return items
}

// firstArgument is a function that gives back its first argument: the tuple of a
// torch.Size, the tensor of a Parameter.
func firstArgument(args []any) any {
	if len(args) == 0 {
		return broken("what a call without arguments gives")
	}
	return args[0]
}

// newOrderedDict makes an OrderedDict: an empty one, or one of the list of pairs
// that Python 2 gives. The pairs are not copied, for a hostile pickle could have
// it done without end.
func newOrderedDict(args []any) any {
	d := new(orderedDict)
	if len(args) > 0 {
		d.pairs = args[0]
	}
	return d
}

// sequence returns the items of a Python list or tuple.
func sequence(v any) ([]any, bool) {
	switch v := v.(type) {
	case *types.List:
		return *v, true
	case *types.Tuple:
		return *v, true
	}
	return nil, false
}

// isDict reports whether v is a Python dict.
func isDict(v any) bool {
	switch v.(type) {
	case *types.Dict, *orderedDict:
		return true
	}
	return false
}

// isEmptyDict reports whether v is a Python dict without an entry.
func isEmptyDict(v any) bool {
	switch d := v.(type) {
	case *types.Dict:
		return len(*d) == 0
	case *orderedDict:
		return len(d.items) == 0 && d.pairs == nil
	}
	return false
}

// entries returns the entries of a Python dict in its order, each name once with
// its last value, and whether v is a dict at all.
func entries(v any) (all []types.DictEntry, ok bool) {
	switch d := v.(type) {
	case *types.Dict:
		return unique(slices.Clone(*d)), true
	case *orderedDict:
		return unique(slices.Concat(pairs(d.pairs), d.items)), true
	}
	return nil, false
}

// pairs returns the entries in a list of lists or tuples of two. Anything else in
// it is left out, as Python would have refused it.
func pairs(v any) (all []types.DictEntry) {
	items, _ := sequence(v)
	for _, item := range items {
		if pair, ok := sequence(item); ok && len(pair) == 2 {
			all = append(all, types.DictEntry{Key: pair[0], Value: pair[1]})
		}
	}
	return all
}

// unique keeps every name once, at its first place with its last value. It leaves
// alone a text that is too long for a name: hashing it takes time, and a hostile
// dict has the same one a million times.
func unique(all []types.DictEntry) []types.DictEntry {
	at := make(map[string]int, len(all))
	kept := all[:0]
	for _, e := range all {
		if name, ok := e.Key.(string); ok && len(name) <= maxName {
			if i, again := at[name]; again {
				kept[i].Value = e.Value
				continue
			}
			at[name] = len(kept)
		}
		kept = append(kept, e)
	}
	return kept
}

// describe says what v is, to follow "found". It does not look into v, which may
// contain itself.
func describe(v any) string {
	switch v := v.(type) {
	case nil:
		return "None"
	case *types.Dict, *orderedDict:
		return "a dict"
	case *types.List:
		return "a list"
	case *types.Tuple:
		return "a tuple"
	case *types.ByteArray, []byte:
		return "bytes"
	case *tensorRef:
		return "a single tensor"
	case *storageRef:
		return "a storage"
	case *unusable:
		return v.what
	case *object:
		return "an object of class " + v.class
	case *global:
		return "the class or function " + v.name
	case function, rebuilder, *storageClass, *elementType:
		return "a class or function of PyTorch"
	case string:
		return fmt.Sprintf("the text %q", shorten(v))
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
