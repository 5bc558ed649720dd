package weights

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/internal/words"
	"gorgonia.org/tensor"
)

// A Spec is a tensor that a network needs.
type Spec struct {
	Name     string
	Shape    []int // empty for a tensor of no dimension
	Optional bool  // the network can do without the tensor
}

// A Misshape is a tensor whose shape is not the one that the network needs.
type Misshape struct {
	Name      string
	Want, Got []int
}

// A MismatchError lists how a state dict differs from that of a network. At least one of its lists is not empty.
type MismatchError struct {
	Missing    []Spec     // in the order of the specs
	Unexpected []string   // in the order of the state dict
	Misshaped  []Misshape // in the order of the specs
}

// Check returns nil if d has exactly the tensors of want, with their shapes. Optional tensors may be missing, and d may have
// other tensors of integers, such as tables of indices, which are not weights. Otherwise Check returns a [*MismatchError].
func (d *StateDict) Check(want []Spec) error {
	e := new(MismatchError)
	wanted := make(map[string]bool, len(want))
	for _, spec := range want {
		wanted[spec.Name] = true
		t, ok := d.Get(spec.Name)
		switch {
		case ok && !slices.Equal(t.Shape(), spec.Shape):
			e.Misshaped = append(e.Misshaped, Misshape{spec.Name, spec.Shape, slices.Clone(t.Shape())})
		case !ok && !spec.Optional:
			e.Missing = append(e.Missing, spec)
		}
	}
	for _, name := range d.names {
		if t, _ := d.Get(name); !wanted[name] && (t.Dtype() == tensor.Float32 || t.Dtype() == tensor.Float64) {
			e.Unexpected = append(e.Unexpected, name)
		}
	}
	if len(e.Missing)+len(e.Unexpected)+len(e.Misshaped) == 0 {
		return nil
	}
	return e
}

// Error lists the tensors at fault: those that are missing, unexpected, or of another
// shape.
func (e *MismatchError) Error() string {
	var b strings.Builder
	b.WriteString("weights: the tensors do not fit this network")
	writeList(&b, "missing", e.Missing, func(s Spec) string {
		return printable(s.Name) + " " + shapeString(s.Shape)
	})
	writeList(&b, "unexpected", e.Unexpected, printable)
	writeList(&b, "wrong shape", e.Misshaped, func(m Misshape) string {
		return fmt.Sprintf("%s %s instead of %s", printable(m.Name), shapeString(m.Got), shapeString(m.Want))
	})
	fmt.Fprintf(&b, " (%s)", e.hint())
	return b.String()
}

// InputError returns true: the user gave weights of another network.
func (e *MismatchError) InputError() bool { return true }

// writeList writes a title and the first items, if there are any.
func writeList[T any](b *strings.Builder, title string, items []T, text func(T) string) {
	if len(items) == 0 {
		return
	}
	var texts []string
	for _, item := range items {
		texts = append(texts, text(item))
	}
	fmt.Fprintf(b, "; %s: %s", title, words.Some(texts, 8))
}

// shapeString returns a shape as PyTorch writes it, such as [64, 3, 7, 7].
func shapeString(shape []int) string {
	return strings.ReplaceAll(fmt.Sprint(shape), " ", ", ")
}

// hint returns what to do about e.
func (e *MismatchError) hint() string {
	switch prefix := e.prefix(); {
	case prefix != "":
		return fmt.Sprintf(
			"the missing tensors are there with the prefix %q: give --prefix %s", shorten(prefix), shorten(prefix))
	case len(e.Misshaped) > 0:
		return "the file is of a network of the same kind with other sizes: compare the width, the number of classes, " +
			"and the size and channels of the images"
	}
	return "the file is of another network: compare the architecture and the depth"
}

// prefix returns the prefix that turns the missing names into unexpected ones, or ""
// if there is none.
func (e *MismatchError) prefix() string {
	if len(e.Missing) == 0 {
		return ""
	}
	unexpected := make(map[string]bool, len(e.Unexpected))
	for _, name := range e.Unexpected {
		unexpected[name] = true
	}
	for _, name := range e.Unexpected {
		prefix, ok := strings.CutSuffix(name, e.Missing[0].Name)
		if ok && !slices.ContainsFunc(e.Missing, func(s Spec) bool { return !unexpected[prefix+s.Name] }) {
			return prefix
		}
	}
	return ""
}
