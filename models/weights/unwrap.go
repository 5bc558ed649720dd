package weights

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ansatz-lab/ansatz/internal/pickle"
)

// wrappers are the keys under which checkpoints hold a state dict, in the order
// in which they are tried.
var wrappers = []string{"state_dict", "model_state_dict", "model", "net", "params"}

// A named is a tensor of a state dict and its name.
type named struct {
	name string
	*tensorRef
}

// A complaint says what is wrong with the object in a pickle: the parts of a
// [FormatError].
type complaint struct{ want, got, hint string }

// unwrap finds the state dict in the object that a file holds: the object itself,
// or the value under one of the wrappers' keys in a checkpoint, up to a depth of
// eight.
func unwrap(v any) ([]named, *complaint) {
	const deepest = 8
	where := "a state dict"
	for range deepest {
		dict, ok := pickle.Entries(v)
		if !ok {
			return nil, misfit(where, v)
		}
		key, inner := wrapped(dict)
		if inner == nil {
			return stateDict(dict)
		}
		where, v = fmt.Sprintf("a state dict under %q", key), inner
	}
	return nil, &complaint{where, "checkpoints in checkpoints", hintStateDict}
}

// misfit returns the complaint about v, found in place of what was wanted.
func misfit(want string, v any) *complaint {
	c := &complaint{want, describe(v), hintStateDict}
	switch v := v.(type) {
	case *unusable:
		c.hint = v.hint
	case *pickle.Object:
		c.hint = hintOfClass(v.Class)
	}
	return c
}

// hintOfClass returns what to do about an object of a class in place of a tensor.
func hintOfClass(class string) string {
	module, _, _ := strings.Cut(class, ".")
	switch {
	case slices.Contains(attacks, module), slices.Contains(attacks, class):
		return hintAttack
	case strings.HasPrefix(class, "torch._utils._rebuild"):
		return hintDense
	}
	return hintStateDict
}

// attacks are the modules and functions that malicious pickles call to run code.
var attacks = []string{
	"ctypes", "importlib", "marshal", "nt", "os", "pickle", "posix", "pty", "runpy", "shutil", "socket",
	"subprocess", "sys",
	"builtins.__import__", "builtins.compile", "builtins.eval", "builtins.exec", "builtins.getattr", "builtins.open",
	"__builtin__.__import__", "__builtin__.compile", "__builtin__.eval", "__builtin__.execfile", "__builtin__.getattr",
	"__builtin__.open",
}

// wrapped returns the first of the wrappers' keys under which a checkpoint holds a
// dict, and the dict. Where there is none, in a checkpoint without tensors, any other value counts.
func wrapped(dict []pickle.Entry) (key string, inner any) {
	values := make(map[string]any, len(wrappers))
	tensors := false
	for _, e := range dict {
		if name, ok := e.Key.(string); ok && slices.Contains(wrappers, name) {
			values[name] = e.Value
		}
		_, isTensor := e.Value.(*tensorRef)
		tensors = tensors || isTensor
	}
	for _, key := range wrappers {
		if pickle.IsDict(values[key]) {
			return key, values[key]
		}
	}
	for _, key := range wrappers {
		if values[key] != nil && !tensors {
			return key, values[key]
		}
	}
	return "", nil
}

// stateDict returns the tensors of a state dict. It leaves out entries whose name
// ends in "_extra_state", in which modules keep other state than tensors.
func stateDict(dict []pickle.Entry) ([]named, *complaint) {
	tensors := make([]named, 0, len(dict))
	for _, e := range dict {
		name, ok := e.Key.(string)
		if !ok || !utf8.ValidString(name) {
			return nil, &complaint{"the name of a tensor", describe(e.Key), hintStateDict}
		}
		t, ok := e.Value.(*tensorRef)
		switch {
		case ok:
			tensors = append(tensors, named{name, t})
		case strings.HasSuffix(name, "_extra_state"):
		default:
			return nil, misfit(fmt.Sprintf("a tensor under %q", shorten(name)), e.Value)
		}
	}
	return tensors, nil
}
