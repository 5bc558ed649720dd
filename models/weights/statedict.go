package weights

import (
	"iter"
	"maps"
	"slices"

	"gorgonia.org/tensor"
)

// A StateDict holds a network's named tensors, in the order of the file. The zero
// value is empty and ready to use.
//
// Several goroutines may read a StateDict at once, but not while one calls Set. It
// must not be copied after its first use.
type StateDict struct {
	names    []string
	tensors  map[string]*tensor.Dense
	metadata map[string]string
}

// Names returns the names of the tensors, in order.
func (d *StateDict) Names() []string { return slices.Clone(d.names) }

// Len returns the number of tensors.
func (d *StateDict) Len() int { return len(d.names) }

// All iterates over the names and tensors, in order.
func (d *StateDict) All() iter.Seq2[string, *tensor.Dense] {
	return func(yield func(string, *tensor.Dense) bool) {
		for _, name := range d.names {
			if !yield(name, d.tensors[name]) {
				return
			}
		}
	}
}

// Get returns the tensor with a name, and whether there is one. Its elements are
// contiguous and in row-major order; its shape is PyTorch's, and empty for a
// tensor of no dimension. The tensor is not a copy.
func (d *StateDict) Get(name string) (*tensor.Dense, bool) {
	t, ok := d.tensors[name]
	return t, ok
}

// Set stores a tensor under a name: after all others if the name is new, otherwise in
// the place of the old tensor. The tensor is not copied unless it is a view of
// another or its elements are not in row-major order. A nil tensor removes the name.
func (d *StateDict) Set(name string, t *tensor.Dense) {
	_, known := d.tensors[name]
	switch {
	case t == nil && known:
		delete(d.tensors, name)
		d.names = slices.DeleteFunc(d.names, func(n string) bool { return n == name })
		return
	case t == nil:
		return
	case !known:
		d.names = append(d.names, name)
	}
	if d.tensors == nil {
		d.tensors = make(map[string]*tensor.Dense)
	}
	d.tensors[name] = rowMajor(t)
}

// Metadata returns a copy of the free-form texts that a safetensors file holds
// besides its tensors. It is empty for PyTorch's files.
func (d *StateDict) Metadata() map[string]string { return maps.Clone(d.metadata) }

// Renamed returns a state dict with the same tensors under the names that rename returns, without those for which it
// returns false.
func (d *StateDict) Renamed(rename func(name string) (now string, used bool)) *StateDict {
	out := &StateDict{metadata: d.metadata}
	for name, t := range d.All() {
		if now, used := rename(name); used {
			out.Set(now, t)
		}
	}
	return out
}
