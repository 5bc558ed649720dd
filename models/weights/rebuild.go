package weights

import (
	"fmt"

	"github.com/ansatz-lab/ansatz/internal/pickle"
)

const (
	hintForged = "torch.save writes no such thing: the file is damaged or forged"
	hintAttack = "no network needs this, and loading the file in Python would run it: do not, and distrust where it " +
		"came from"
	hintDense = "in Python, make it a plain dense tensor before saving it, such as with t.to_dense() or t.dequantize()"
	hintDtype = "in Python, convert it before saving it: t.float()"
	hintBits  = "in Python, resolve them before saving it: t.resolve_conj().resolve_neg()"
)

// A storage is a range of a file's bytes; tensors are views of it.
type storage struct {
	key   string
	item  int64 // bytes of an element, as the file counts them
	bytes int64
}

// A storageRef refers to a storage, or a part of one, as elements of one type.
type storageRef struct {
	*storage
	dtype         dtype
	start, length int64 // of the part, in bytes
}

// A tensorRef describes a tensor that has not been read yet. Its description has
// been checked against the size that its storage is said to have.
type tensorRef struct {
	storage        *storage
	dtype          dtype
	start, end     int64   // range of the storage's bytes that it touches
	shape, strides []int64 // in elements
	n              int64   // number of elements
}

// broken returns the error for data that PyTorch never writes.
func broken(format string, args ...any) *unusable {
	return &unusable{what: shorten(fmt.Sprintf(format, args...)), hint: hintForged}
}

// Persistent resolves a persistent id. An id of kind "storage" has the storage's
// class, its key, the device that it was on, its number of elements and, in older
// files, a view of it. Older files also have the kind "module", with
// a class and its source.
func (m *machine) Persistent(id any) any {
	args, _ := pickle.Sequence(id)
	if len(args) == 0 {
		return broken("what a persistent id of no items stands for")
	}
	kind, args := args[0], args[1:]
	if kind == "module" && len(args) > 0 {
		return args[0]
	}
	if kind != "storage" || len(args) < 4 {
		return broken("a persistent id that is not a storage's")
	}
	class, ok := args[0].(*storageClass)
	if !ok {
		return &unusable{"a storage of " + describe(args[0]), hintDtype}
	}
	key, okKey := args[1].(string)
	n, okN := count(args[3])
	if !okKey || !okN {
		return broken("a storage without a key or a size")
	}
	s := m.storage(key, n, class.size)
	if s == nil {
		return broken("the storage %q with a second size, or one beyond all bounds", shorten(key))
	}
	if class.opaque {
		return &unusable{"a storage of class torch." + class.name, hintDtype}
	}
	ref := &storageRef{storage: s, dtype: class.dtype, length: s.bytes}
	if len(args) > 4 && args[4] != nil {
		return ref.view(args[4])
	}
	return ref
}

// storage returns the storage of a key, with n elements of item bytes each. It
// returns nil if the key already has another size, or if the size overflows.
func (m *machine) storage(key string, n, item int64) *storage {
	bytes, fits := mul(n, item)
	if !fits {
		return nil
	}
	s, ok := m.storages[key]
	if !ok {
		s = &storage{key: key, item: item, bytes: bytes}
		m.storages[key] = s
	}
	if s.bytes != bytes || s.item != item {
		return nil
	}
	return s
}

// view returns the part of r that the metadata of a view describes: a tuple of its
// key, its offset and its number of elements.
func (r *storageRef) view(metadata any) any {
	args, _ := pickle.Sequence(metadata)
	if len(args) != 3 {
		return broken("a view of a storage without a size")
	}
	offset, okOffset := count(args[1])
	n, okN := count(args[2])
	all := r.length / r.dtype.size()
	if !okOffset || !okN || offset > all || n > all-offset {
		return broken("a view beyond the %d elements of a storage", all)
	}
	part := *r
	part.start = offset * r.dtype.size()
	part.length = n * r.dtype.size()
	return &part
}

// rebuildTensor is torch._utils._rebuild_tensor, whose arguments are a storage, an
// offset into it, a shape and strides, and _rebuild_tensor_v2, which also has whether
// the tensor requires a gradient, its hooks and, in newer files, its metadata.
func rebuildTensor(args []any) any {
	if len(args) < 4 || len(args) > 7 {
		return broken("a tensor of %d arguments", len(args))
	}
	ref, ok := args[0].(*storageRef)
	if !ok {
		return badStorage(args[0])
	}
	return newTensorRef(ref, ref.dtype, args[1:4], args[min(6, len(args)):])
}

// rebuildTensorV3 is torch._utils._rebuild_tensor_v3: v2 for an untyped storage,
// with a dtype before the metadata.
func rebuildTensorV3(args []any) any {
	if len(args) < 7 || len(args) > 8 {
		return broken("a tensor of %d arguments", len(args))
	}
	ref, ok := args[0].(*storageRef)
	if !ok {
		return badStorage(args[0])
	}
	d, ok := args[6].(*elementType)
	if !ok {
		return &unusable{"a tensor of " + describe(args[6]), hintDtype}
	}
	return newTensorRef(ref, d.dtype, args[1:4], args[7:])
}

// badStorage returns the unusable for a tensor whose storage is v.
func badStorage(v any) any {
	if bad, ok := v.(*unusable); ok {
		return bad
	}
	return broken("a tensor whose storage is %s", describe(v))
}

// newTensorRef returns the tensor with an offset, a shape and strides in ref, or an
// unusable if it does not lie within ref. The metadata is empty or one dict of the
// tensor's bits, such as its conjugate bit.
func newTensorRef(ref *storageRef, d dtype, geometry, metadata []any) any {
	for _, m := range metadata {
		if !pickle.IsEmptyDict(m) {
			return &unusable{"a tensor with a conjugate or negative bit", hintBits}
		}
	}
	offset, okOffset := count(geometry[0])
	shape, okShape := counts(geometry[1])
	strides, okStrides := counts(geometry[2])
	if !okOffset || !okShape || !okStrides || len(shape) != len(strides) {
		return broken("a tensor without an offset, a shape and as many strides")
	}
	n, okN := product(shape)
	if !okN {
		return broken("a tensor of shape %v, more than can be counted", shape)
	}
	t := &tensorRef{storage: ref.storage, dtype: d, shape: shape, strides: strides, n: n}
	if n == 0 {
		return t
	}
	last, okLast := reach(offset, shape, strides)
	end, okEnd := mul(last, d.size())
	if !okLast || !okEnd || end > ref.length {
		return broken("a tensor of shape %v, strides %v and offset %d beyond the %d bytes of its storage",
			shape, strides, offset, ref.length)
	}
	t.start = ref.start + offset*d.size()
	t.end = ref.start + end
	return t
}

// rebuildFromType is torch._tensor._rebuild_from_type_v2, whose arguments are a
// rebuilder, the class of the tensor, the rebuilder's arguments and the tensor's
// attributes, which are dropped. Subclasses are unusable: their elements may mean anything.
func rebuildFromType(args []any) any {
	if len(args) < 3 {
		return broken("a tensor of %d arguments", len(args))
	}
	rebuild, ok := args[0].(rebuilder)
	inner, okArgs := pickle.Sequence(args[2])
	if !ok || !okArgs {
		return &unusable{"a tensor made by " + describe(args[0]), hintDense}
	}
	switch class, _ := args[1].(*pickle.Global); {
	case class == nil:
		return broken("a tensor without a class")
	case class.Name == "torch.Tensor", class.Name == "torch.nn.parameter.Parameter",
		class.Name == "torch.nn.parameter.Buffer":
		return rebuild(inner)
	default:
		return &unusable{"a tensor of class " + class.Name, hintDense}
	}
}

// count returns v as a number ≥ 0.
func count(v any) (int64, bool) {
	n, ok := v.(int)
	return int64(n), ok && n >= 0
}

// counts returns v as the numbers of a shape or of strides.
func counts(v any) ([]int64, bool) {
	items, ok := pickle.Sequence(v)
	if !ok || len(items) > maxRank {
		return nil, false
	}
	out := make([]int64, len(items))
	for i, item := range items {
		if out[i], ok = count(item); !ok {
			return nil, false
		}
	}
	return out, true
}
