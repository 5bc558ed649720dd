package weights

import "github.com/ansatz-lab/ansatz/internal/pickle"

// The objects in a pickle of parameters, besides plain values.
type (
	// A function takes part in rebuilding tensors.
	function func(args []any) any

	// A rebuilder is a function that returns a tensor and calls no other function.
	rebuilder func(args []any) any

	// A storageClass is the class of a storage. If it is opaque, only the
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
	// if the state dict needs it.
	unusable struct{ what, hint string }
)

// A machine is the [pickle.World] of pickles of parameters. It records
// the storages that they refer to.
type machine struct {
	storages map[string]*storage
}

func newMachine() *machine {
	return &machine{storages: make(map[string]*storage)}
}

// Global returns a class or function that takes part in rebuilding tensors, else nil.
func (m *machine) Global(module, name string) any {
	switch module + "." + name {
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
	if module != "torch" {
		return nil
	}
	if class := findStorage(name); class != nil {
		return class
	}
	if d, ok := dtypeNamed(name); ok {
		return &elementType{d}
	}
	return nil
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

// Call calls a function that takes part in rebuilding tensors.
func (m *machine) Call(f any, args []any) any {
	switch f := f.(type) {
	case function:
		return f(args)
	case rebuilder:
		return f(args)
	case *unusable:
		return f
	}
	return broken("what a call of %s gives", describe(f))
}

// Build does nothing: the objects from which tensors are rebuilt have no state.
func (m *machine) Build(object, state any) {}

// firstArgument is a function that returns its first argument: the tuple of a
// torch.Size, or the tensor of a Parameter.
func firstArgument(args []any) any {
	if len(args) == 0 {
		return broken("what a call without arguments gives")
	}
	return args[0]
}

// describe says what v is, in words that follow "found". It does not look into v,
// which may contain itself.
func describe(v any) string {
	switch v := v.(type) {
	case *tensorRef:
		return "a single tensor"
	case *storageRef:
		return "a storage"
	case *unusable:
		return v.what
	case function, rebuilder, *storageClass, *elementType:
		return "a class or function of PyTorch"
	}
	return pickle.Describe(v)
}
