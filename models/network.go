package models

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/graph/values"
	"github.com/ansatz-lab/ansatz/internal/words"
	"github.com/ansatz-lab/ansatz/models/weights"
	"gorgonia.org/tensor"
)

// Network is an architecture with weights, for images of one size and a number of classes. Its functions share the
// memory of the weights. Several goroutines may use it as long as none trains it.
type Network struct {
	Arch    *Architecture
	Input   Shape
	Classes int
	params  []Parameter
	values  map[string]*tensor.Dense // of float32
	// exact holds the values that were loaded as float64, in full precision. It is nil in a network
	// that is trained, since its values change.
	exact  map[string]*tensor.Dense
	layers []LayerInfo
}

// ErrClasses is wrapped by errors for weights that do not determine the number of classes.
var ErrClasses = errors.New("the number of classes cannot be told from the weights")

// Load returns the network with the weights d, for images of a size. If the name stands for several networks, Load chooses
// the one that fits d. The number of classes is that of the last layer in d. Load returns a [*weights.MismatchError] for
// weights of another network, a [*NotFiniteError] for weights that hold NaNs or infinities, and a [*VarianceError] for
// negative variances of a batch norm.
func (a *Architecture) Load(d *weights.StateDict, in Shape) (*Network, error) {
	return a.load(d, in, Parameter.fromFile)
}

// load is Load, with a function that converts the values of parameters in d.
func (a *Architecture) load(d *weights.StateDict, in Shape,
	value func(Parameter, *tensor.Dense) (*tensor.Dense, error)) (*Network, error) {
	if a.Prefix != "" {
		var err error
		if d, err = d.Under(a.Prefix); err != nil {
			return nil, err
		}
	}
	if a.Rename != nil {
		d = d.Renamed(a.Rename)
	}
	a = a.formOf(d, in)
	classes, err := a.classes(d, in)
	if err != nil {
		return nil, err
	}
	n, err := a.network(in, classes)
	if err != nil {
		return nil, err
	}
	if err := d.Check(n.specs()); err != nil {
		return nil, a.errorOn(in, err)
	}
	if bad := slices.DeleteFunc(d.NaNs(), n.mayBeInfinite(d)); len(bad) > 0 {
		return nil, &NotFiniteError{Tensors: bad}
	}
	if name := n.negativeVariance(d); name != "" {
		return nil, &VarianceError{name}
	}
	n.exact = map[string]*tensor.Dense{}
	for _, p := range n.params {
		v := p.valueIn(d)
		if p.role == Buffer {
			v = bounded(v)
		}
		t, err := value(p, v)
		if err != nil {
			return nil, a.errorOn(in, err)
		}
		if n.values[p.Name], err = toSingle(t, p.Shape); err != nil {
			return nil, fmt.Errorf("%s: %w", p.Name, err)
		}
		if t.Dtype() == tensor.Float64 {
			n.exact[p.Name] = t
		}
	}
	return n, nil
}

// valueIn returns the value of a parameter in the weights d. For a constant that d lacks, it returns the constant's own value.
func (p Parameter) valueIn(d *weights.StateDict) *tensor.Dense {
	if t, ok := d.Get(p.Name); ok {
		return reshaped(t, p.Shape)
	}
	v := make([]float32, tensor.Shape(p.Shape).TotalSize())
	p.start.Draw(nil, v, Place{})
	return tensor.New(tensor.WithShape(p.Shape...), tensor.WithBacking(v))
}

// mayBeInfinite returns a function that reports whether a tensor of d is a constant without NaNs.
func (n *Network) mayBeInfinite(d *weights.StateDict) func(name string) bool {
	return func(name string) bool {
		if !slices.ContainsFunc(n.params, func(p Parameter) bool { return p.Name == name && p.role == Buffer }) {
			return false
		}
		t, _ := d.Get(name)
		at := values.Reader(t)
		for i := range t.Shape().TotalSize() {
			if math.IsNaN(at(i)) {
				return false
			}
		}
		return true
	}
}

// unlimited stands for infinity in constants, which are attention masks. A softmax turns both −∞ and −unlimited into 0, but
// 0 times unlimited is 0, not NaN, and unlimited can be added to and saved.
const unlimited = 1e30

// bounded returns a copy in which infinities are ±unlimited.
func bounded(t *tensor.Dense) *tensor.Dense {
	t = t.Clone().(*tensor.Dense)
	switch v := t.Data().(type) {
	case []float32:
		bound(v)
	case []float64:
		bound(v)
	}
	return t
}

// bound replaces infinities by ±unlimited.
func bound[T float32 | float64](v []T) {
	for i, x := range v {
		if math.IsInf(float64(x), 0) {
			v[i] = T(math.Copysign(unlimited, float64(x)))
		}
	}
}

// storedShape returns the shape of the parameter in files of weights.
func (p Parameter) storedShape() []int {
	if p.stored != nil {
		return p.stored
	}
	return p.Shape
}

// reshaped returns t, or its elements in another shape, which may have no axes.
func reshaped(t *tensor.Dense, shape []int) *tensor.Dense {
	if slices.Equal(t.Shape(), shape) {
		return t
	}
	var v any = t.Data()
	switch one := v.(type) {
	case float32:
		v = []float32{one}
	case float64:
		v = []float64{one}
	}
	if len(shape) > 0 {
		return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(v))
	}
	switch v := v.(type) {
	case []float32:
		return tensor.New(tensor.FromScalar(v[0]))
	case []float64:
		return tensor.New(tensor.FromScalar(v[0]))
	}
	return t
}

// NotFiniteError names tensors of weights that hold a NaN or an infinity.
type NotFiniteError struct{ Tensors []string }

// Error names the first of the tensors.
func (e *NotFiniteError) Error() string {
	return fmt.Sprintf("weights hold NaN or infinite values, in %s: the training that made them diverged; take an earlier "+
		"checkpoint", words.Some(e.Tensors, 8))
}

// InputError returns true: the fault is in the weights that the user gave.
func (e *NotFiniteError) InputError() bool { return true }

// VarianceError says that running variances of a batch norm are below zero.
type VarianceError struct{ Tensor string }

// Error names the tensor.
func (e *VarianceError) Error() string {
	return fmt.Sprintf("%s has variances below 0, which no training leaves: save the weights anew from the network",
		e.Tensor)
}

// InputError returns true: the fault is in the weights that the user gave.
func (e *VarianceError) InputError() bool { return true }

// negativeVariance returns the name of a tensor of running variances that has one below 0, or "" if there is none.
func (n *Network) negativeVariance(d *weights.StateDict) string {
	for _, p := range n.params {
		if t, ok := d.Get(p.Name); ok && p.role == NormVar && hasNegative(t) {
			return p.Name
		}
	}
	return ""
}

// hasNegative reports whether a number of a tensor is below 0.
func hasNegative(t *tensor.Dense) bool {
	switch v := t.Data().(type) {
	case []float32:
		return slices.ContainsFunc(v, func(x float32) bool { return x < 0 })
	case []float64:
		return slices.ContainsFunc(v, func(x float64) bool { return x < 0 })
	case float32:
		return v < 0
	case float64:
		return v < 0
	}
	return false
}

// RangeError says that a tensor of weights in float64 has numbers beyond the range of float32, the precision in which
// the network should compute.
type RangeError struct{ Tensor string }

// Error names the tensor.
func (e *RangeError) Error() string {
	return fmt.Sprintf("%s has weights beyond the range of float32: compute in float64 (--precision 64)", e.Tensor)
}

// InputError returns true: the fault is in the weights that the user gave.
func (e *RangeError) InputError() bool { return true }

// checkRange returns a [*RangeError] for values that became infinite in float32.
func (n *Network) checkRange() error {
	for _, p := range n.params {
		if n.exact[p.Name] == nil {
			continue
		}
		for _, v := range n.values[p.Name].Float32s() {
			if math.IsInf(float64(v), 0) {
				return &RangeError{p.Name}
			}
		}
	}
	return nil
}

// classes returns the number of outputs of the last layer, which it reads from the weights.
func (a *Architecture) classes(d *weights.StateDict, in Shape) (int, error) {
	s, err := a.Describe(in, 1)
	if err != nil {
		return 0, err
	}
	if s.head == "" {
		return s.Outputs, nil // fixed by the architecture
	}
	w, ok := d.Get(join(s.head, "weight"))
	if !ok {
		// The list of missing tensors says more.
		n, err := a.network(in, 1)
		if err != nil {
			return 0, err
		}
		return 0, errors.Join(fmt.Errorf("%s: %w: there is no %s.weight", a.Name, ErrClasses, s.head),
			d.Check(n.specs()))
	}
	if n := len(w.Shape()); n != 2 && n != 4 {
		return 0, fmt.Errorf("%s: %w: %s.weight has shape %v, not (classes, features) or that of filters",
			a.Name, ErrClasses, s.head, w.Shape())
	}
	return w.Shape()[0], nil
}

// network returns the network without weights.
func (a *Architecture) network(in Shape, classes int) (*Network, error) {
	s, err := a.Describe(in, classes)
	if err != nil {
		return nil, err
	}
	n := &Network{Arch: a, Input: in, Classes: s.Outputs, params: s.Parameters, values: map[string]*tensor.Dense{}}
	for _, l := range s.Layers {
		if l.weight != "" && !n.hasParameter(l.weight) {
			return nil, fmt.Errorf("%s: the weights of the layer %s are no parameter of the network: declare them with "+
				"Builder.Param", a.Name, l.Name)
		}
	}
	n.layers = s.Layers
	return n, nil
}

// hasParameter reports whether the network has a parameter of that name.
func (n *Network) hasParameter(name string) bool {
	return slices.ContainsFunc(n.params, func(p Parameter) bool { return p.Name == name })
}

// specs lists the tensors that a state dict must hold. PyTorch's state dicts also have the number of batches that a batch norm
// has seen, which is optional here.
func (n *Network) specs() []weights.Spec {
	var specs []weights.Spec
	for _, p := range n.params {
		specs = append(specs, weights.Spec{Name: p.Name, Shape: p.storedShape(), Optional: p.role == Buffer})
		if p.role == NormVar {
			specs = append(specs, weights.Spec{Name: strings.TrimSuffix(p.Name, "running_var") + "num_batches_tracked",
				Optional: true})
		}
	}
	return specs
}

// toSingle returns t converted to float32, with the given shape, or t itself if it is of float32.
func toSingle(t *tensor.Dense, shape []int) (*tensor.Dense, error) {
	switch v := t.Data().(type) {
	case []float32:
		return t, nil
	case []float64:
		out := make([]float32, len(v))
		values.Convert(out, v)
		return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(out)), nil
	}
	return nil, fmt.Errorf("holds %v, want floating point numbers", t.Dtype())
}

// Parameters lists the network's tensors, in the order of the state dict.
func (n *Network) Parameters() []Parameter { return n.params }

// Size returns the number of trained weights.
func (n *Network) Size() int {
	s := 0
	for _, p := range n.params {
		if p.Trained {
			s += tensor.Shape(p.Shape).TotalSize()
		}
	}
	return s
}

// Dropouts returns the number of dropouts with a probability above 0.
func (n *Network) Dropouts() int {
	_, b, err := n.build(nil, 2, graph.Single, train, n.values)
	if err != nil {
		return 0
	}
	return len(b.masks)
}

// Layers lists the convolution and linear layers in the order of the forward pass. Of a layer that is divided into parts
// ([graph.Graph.Parts]) it lists the parts.
func (n *Network) Layers() []LayerInfo { return n.layers }

// Value returns the value of a parameter in the network's parameterisation, of float32 and not a copy. It is nil if there is
// no such parameter.
func (n *Network) Value(name string) *tensor.Dense { return n.values[name] }

// StateDict returns a copy of the weights under PyTorch's names, in the standard parameterisation.
func (n *Network) StateDict() *weights.StateDict { return n.stateDict(Parameter.toFile) }

// stateDict is StateDict, with a function that converts the values of parameters.
func (n *Network) stateDict(value func(Parameter, *tensor.Dense) *tensor.Dense) *weights.StateDict {
	d := new(weights.StateDict)
	for _, p := range n.params {
		d.Set(p.Name, reshaped(value(p, n.values[p.Name]), p.storedShape()))
		if p.role == NormVar {
			d.Set(strings.TrimSuffix(p.Name, "running_var")+"num_batches_tracked",
				tensor.New(tensor.FromScalar(int64(0))))
		}
	}
	return d
}

// Clone returns a copy of the network with separate weights.
func (n *Network) Clone() *Network {
	c := *n
	c.values = make(map[string]*tensor.Dense, len(n.values))
	for name, v := range n.values {
		c.values[name] = v.Clone().(*tensor.Dense)
	}
	return &c
}

// Function returns the network in evaluation mode as a function on a device. Its input [InputName] is a batch of
// images, (batch, row, column, channel), and its output the logits, (batch, class). In single precision its parameters
// are the network's own values, in double precision copies of them, or
// the float64 values that were loaded.
func (n *Network) Function(d *backend.Device, batch int, p graph.Precision) (*graph.Function, error) {
	if err := n.checkRange(); p == graph.Single && err != nil {
		return nil, err
	}
	f, _, err := n.build(d, batch, p, eval, n.valuesIn(p))
	return f, err
}

// valuesIn returns the values in a precision: the network's own in single, copies in double.
func (n *Network) valuesIn(p graph.Precision) map[string]*tensor.Dense {
	if p == graph.Single {
		return n.values
	}
	values := make(map[string]*tensor.Dense, len(n.values))
	for name, v := range n.values {
		if exact := n.exact[name]; exact != nil {
			values[name] = exact.Clone().(*tensor.Dense)
			continue
		}
		values[name] = toDouble(v)
	}
	return values
}

// build returns the function of the network for a batch of images, with the given values.
func (n *Network) build(d *backend.Device, batch int, p graph.Precision, m mode,
	values map[string]*tensor.Dense) (*graph.Function, *Builder, error) {
	b := n.Arch.builder(graph.New(d, p), m, n.Classes)
	f, err := b.function(n.Arch, batch, n.Input)
	if err != nil {
		return nil, nil, err
	}
	for _, q := range b.params {
		if err := f.Let(q.node, values[q.Name]); err != nil {
			return nil, nil, err
		}
	}
	return f, b, nil
}

func toDouble(v *tensor.Dense) *tensor.Dense {
	out := make([]float64, v.Size())
	values.CopyTo(out, v)
	return tensor.New(tensor.WithShape(v.Shape()...), tensor.WithBacking(out))
}
