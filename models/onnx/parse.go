package onnx

import (
	"math"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// mostNodes is the largest number of nodes of a file, counting a function's nodes for every call of it.
const mostNodes = 1 << 20

// parsed is a file before its functions are inlined.
type parsed struct {
	model     *Model
	opsets    map[string]int
	functions map[string]*function
}

// function is a function that the file defines.
type function struct {
	name, domain    string
	inputs, outputs []string
	nodes           []*Node
	opsets          map[string]int
	defaults        map[string]*Attribute
}

func (f *file) model() (*parsed, error) {
	p := &parsed{model: &Model{Path: f.path}, opsets: map[string]int{}, functions: map[string]*function{}}
	var graph *span
	err := f.fields(span{0, f.size}, func(v field) (err error) {
		switch v.number {
		case 7:
			if graph != nil {
				return f.refuse("the file holds two graphs")
			}
			graph = &v.span
		case 8:
			err = f.opset(v.span, p.opsets)
		case 25:
			err = f.function(v.span, p.functions)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if graph == nil {
		return nil, f.refuse("the file holds no graph: is it an ONNX model, as torch.onnx.export writes it?")
	}
	p.model.Graph, err = f.graph(*graph, 0)
	return p, err
}

// opset reads which version of a domain's ops the file uses.
func (f *file) opset(s span, opsets map[string]int) error {
	domain, version := "", 0
	err := f.fields(s, func(v field) (err error) {
		switch v.number {
		case 1:
			domain, err = f.text(v.span)
		case 2:
			version = int(v.value)
		}
		return err
	})
	opsets[domain] = version
	return err
}

// entry reads a key and its value.
func (f *file) entry(s span) (key, value string, err error) {
	err = f.fields(s, func(v field) (err error) {
		switch v.number {
		case 1:
			key, err = f.text(v.span)
		case 2:
			value, err = f.text(v.span)
		}
		return err
	})
	return key, value, err
}

func (f *file) function(s span, all map[string]*function) error {
	fn := &function{opsets: map[string]int{}, defaults: map[string]*Attribute{}}
	err := f.fields(s, func(v field) (err error) {
		switch v.number {
		case 1:
			fn.name, err = f.text(v.span)
		case 4:
			err = f.appendText(&fn.inputs, v.span)
		case 5:
			err = f.appendText(&fn.outputs, v.span)
		case 7:
			var n *Node
			n, err = f.node(v.span, 1)
			fn.nodes = append(fn.nodes, n)
		case 9:
			err = f.opset(v.span, fn.opsets)
		case 10:
			fn.domain, err = f.text(v.span)
		case 11:
			err = f.attribute(v.span, fn.defaults, 1)
		}
		return err
	})
	all[fn.domain+":"+fn.name] = fn
	return err
}

func (f *file) appendText(to *[]string, s span) error {
	text, err := f.text(s)
	*to = append(*to, text)
	return err
}

func (f *file) graph(s span, depth int) (*Graph, error) {
	if depth > mostDepth {
		return nil, f.refuse("graphs within graphs, deeper than %d", mostDepth)
	}
	g := &Graph{Initializers: map[string]*Tensor{}}
	err := f.fields(s, func(v field) (err error) {
		switch v.number {
		case 1:
			var n *Node
			n, err = f.node(v.span, depth)
			g.Nodes = append(g.Nodes, n)
		case 5:
			var t *Tensor
			if t, err = f.tensor(v.span); err != nil {
				return err
			}
			if g.Initializers[t.Name] != nil {
				return f.refuse("two initializers are called %q", t.Name)
			}
			g.Initializers[t.Name] = t
		case 11:
			err = f.appendValue(&g.Inputs, v.span)
		case 12:
			err = f.appendValue(&g.Outputs, v.span)
		case 15:
			err = f.refuse("the file has sparse initializers, which are not supported: export dense weights")
		}
		return err
	})
	return g, err
}

func (f *file) appendValue(to *[]Value, s span) error {
	v, err := f.value(s)
	*to = append(*to, v)
	return err
}

func (f *file) value(s span) (Value, error) {
	var out Value
	err := f.fields(s, func(v field) (err error) {
		switch v.number {
		case 1:
			out.Name, err = f.text(v.span)
		case 2: // its type
			err = f.fields(v.span, func(v field) error {
				if v.number != 1 { // it is not a tensor's
					return nil
				}
				return f.tensorType(v.span, &out)
			})
		}
		return err
	})
	return out, err
}

func (f *file) tensorType(s span, out *Value) error {
	return f.fields(s, func(v field) error {
		switch v.number {
		case 1:
			out.Type = Type(v.value)
		case 2:
			out.Shape = []int{}
			return f.fields(v.span, func(v field) error {
				if v.number != 1 {
					return nil
				}
				size := -1
				err := f.fields(v.span, func(v field) error {
					if v.number == 1 && int64(v.value) > 0 && v.value <= math.MaxInt32 {
						size = int(v.value)
					}
					return nil
				})
				if out.Shape = append(out.Shape, size); len(out.Shape) > maxRank {
					return f.wrong(v.from, "at most %d axes", maxRank)
				}
				return err
			})
		}
		return nil
	})
}

func (f *file) node(s span, depth int) (*Node, error) {
	if f.nodes++; f.nodes > mostNodes {
		return nil, f.refuse("more than %d nodes", mostNodes)
	}
	n := &Node{Attributes: map[string]*Attribute{}}
	err := f.fields(s, func(v field) (err error) {
		switch v.number {
		case 1:
			err = f.appendText(&n.Inputs, v.span)
		case 2:
			err = f.appendText(&n.Outputs, v.span)
		case 3:
			n.Name, err = f.text(v.span)
		case 4:
			n.Op, err = f.text(v.span)
		case 5:
			err = f.attribute(v.span, n.Attributes, depth)
		case 7:
			n.Domain, err = f.text(v.span)
		}
		return err
	})
	if n.Domain == "ai.onnx" {
		n.Domain = ""
	}
	return n, err
}

func (f *file) attribute(s span, all map[string]*Attribute, depth int) error {
	a := &Attribute{}
	name, kind := "", 0
	err := f.fields(s, func(v field) (err error) {
		switch v.number {
		case 1:
			name, err = f.text(v.span)
		case 2:
			a.float, a.kind = float32Of(v.value), kindFloat
		case 3:
			a.number, a.kind = int64(v.value), kindInt
		case 4:
			a.text, err = f.text(v.span)
			a.kind = kindString
		case 5:
			a.tensor, err = f.tensor(v.span)
			a.kind = kindTensor
		case 6:
			a.graph, err = f.graph(v.span, depth+1)
			a.kind = kindGraph
		case 7:
			err = f.numbers(v, protowire.Fixed32Type, func(x uint64) { a.floats = append(a.floats, float32Of(x)) })
			a.kind = kindFloats
		case 8:
			err = f.numbers(v, protowire.VarintType, func(x uint64) { a.numbers = append(a.numbers, int64(x)) })
			a.kind = kindInts
		case 9:
			err = f.appendText(&a.texts, v.span)
			a.kind = kindStrings
		case 20:
			kind = int(v.value)
		case 21:
			a.refers, err = f.text(v.span)
		}
		return err
	})
	if kind != 0 { // empty lists and zeros are not written
		a.kind = kind
	}
	all[name] = a
	return err
}

func (f *file) tensor(s span) (*Tensor, error) {
	t := &Tensor{file: f}
	external := map[string]string{}
	outside := false
	err := f.fields(s, func(v field) (err error) {
		switch v.number {
		case 1:
			if v.len() > 10*maxRank { // bytes, of at most 10 a number
				return f.wrong(v.from, "at most %d axes", maxRank)
			}
			err = f.numbers(v, protowire.VarintType, func(x uint64) { t.Shape = append(t.Shape, int(int64(x))) })
			if len(t.Shape) > maxRank {
				return f.wrong(v.from, "at most %d axes", maxRank)
			}
		case 2:
			t.Type = Type(v.value)
		case 3:
			err = f.refuse("it has a tensor in segments, which are not supported: export it whole")
		case 4, 5, 7, 10, 11:
			if v.kind == protowire.BytesType {
				t.packed = append(t.packed, v.span)
			} else {
				t.loose = append(t.loose, v.value)
			}
			if t.field = v.number; len(t.packed)+len(t.loose) > mostLoose {
				return f.wrong(v.from, "at most %d numbers that are not packed", mostLoose)
			}
		case 8:
			t.Name, err = f.text(v.span)
		case 9:
			t.raw = v.span
		case 13:
			var key, value string
			key, value, err = f.entry(v.span)
			external[key] = value
		case 14:
			outside = v.value == 1
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := f.checkTensor(t); err != nil {
		return nil, err
	}
	if outside {
		return t, f.external(t, external)
	}
	return t, nil
}

// mostLoose bounds how many numbers of a tensor are not packed, and into how many fields the others are packed.
const mostLoose = 1 << 22

// maxRank is the largest number of axes of a tensor.
const maxRank = 32

// checkTensor returns an error for negative or too large shapes, and for types that are not supported.
func (f *file) checkTensor(t *Tensor) error {
	size := int64(1)
	for _, d := range t.Shape {
		if d < 0 || d > math.MaxInt32 || int64(d)*size > math.MaxInt32 {
			return f.refuse("the tensor %q has the shape %v: want sizes of at least 0 with a product below 2³¹", t.Name,
				t.Shape)
		}
		size *= int64(d)
	}
	if !slices.Contains(supported, t.Type) {
		return f.refuse("the tensor %q holds numbers of type %v, which is not supported: want float32, float16, bfloat16, "+
			"float64, whole numbers or bool", t.Name, t.Type)
	}
	return nil
}
