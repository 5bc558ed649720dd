package onnx

import (
	"bytes"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// message is a protobuf message as a test writes it.
type message []byte

func (m message) number(field protowire.Number, v int64) message {
	return protowire.AppendVarint(protowire.AppendTag(m, field, protowire.VarintType), uint64(v))
}

func (m message) float(field protowire.Number, v float32) message {
	return protowire.AppendFixed32(protowire.AppendTag(m, field, protowire.Fixed32Type), math.Float32bits(v))
}

func (m message) text(field protowire.Number, s string) message {
	return protowire.AppendString(protowire.AppendTag(m, field, protowire.BytesType), s)
}

func (m message) in(field protowire.Number, sub message) message {
	return protowire.AppendBytes(protowire.AppendTag(m, field, protowire.BytesType), sub)
}

// tensorOf is a tensor with its numbers as raw bytes.
func tensorOf(name string, t Type, raw []byte, shape ...int64) message {
	var m message
	for _, d := range shape {
		m = m.number(1, d)
	}
	return m.number(2, int64(t)).text(8, name).in(9, raw)
}

func floats32(v ...float32) []byte {
	var b []byte
	for _, x := range v {
		b = protowire.AppendFixed32(b, math.Float32bits(x))
	}
	return b
}

func ints64(v ...int64) []byte {
	var b []byte
	for _, x := range v {
		b = protowire.AppendFixed64(b, uint64(x))
	}
	return b
}

// nodeOf is a node with attributes.
func nodeOf(op string, in, out []string, attributes ...message) message {
	var m message
	for _, name := range in {
		m = m.text(1, name)
	}
	for _, name := range out {
		m = m.text(2, name)
	}
	m = m.text(3, "the "+op).text(4, op)
	for _, a := range attributes {
		m = m.in(5, a)
	}
	return m
}

func intAttribute(name string, v int64) message {
	return message{}.text(1, name).number(3, v).number(20, kindInt)
}

func intsAttribute(name string, v ...int64) message {
	m := message{}.text(1, name)
	for _, x := range v {
		m = m.number(8, x)
	}
	return m.number(20, kindInts)
}

func floatAttribute(name string, v float32) message {
	return message{}.text(1, name).float(2, v).number(20, kindFloat)
}

func tensorAttribute(name string, t message) message {
	return message{}.text(1, name).in(5, t).number(20, kindTensor)
}

// valueOf is an input or output; a size of 0 is left open.
func valueOf(name string, shape ...int64) message {
	var dims message
	for _, d := range shape {
		if d > 0 {
			dims = dims.in(1, message{}.number(1, d))
		} else {
			dims = dims.in(1, message{}.text(2, "n"))
		}
	}
	tensor := message{}.number(1, int64(Float32)).in(2, dims)
	return message{}.text(1, name).in(2, message{}.in(1, tensor))
}

// graphParts are the parts of a graph.
type graphParts struct{ nodes, initializers, inputs, outputs []message }

func (g graphParts) message() message {
	var m message
	for _, n := range g.nodes {
		m = m.in(1, n)
	}
	for _, t := range g.initializers {
		m = m.in(5, t)
	}
	for _, v := range g.inputs {
		m = m.in(11, v)
	}
	for _, v := range g.outputs {
		m = m.in(12, v)
	}
	return m
}

// modelOf is a model of an opset, with further fields.
func modelOf(opset int64, g graphParts, more ...message) message {
	m := message{}.number(1, 8).text(2, "a test").in(7, g.message()).in(8, message{}.text(1, "").number(2, opset))
	for _, f := range more {
		m = append(m, f...)
	}
	return m
}

// small is a network of two products.
func small() graphParts {
	return graphParts{
		nodes: []message{nodeOf("MatMul", []string{"h", "w2"}, []string{"y"}), // before the node that it reads
			nodeOf("Relu", []string{"z"}, []string{"h"}), nodeOf("MatMul", []string{"x", "w1"}, []string{"z"}),
			nodeOf("Relu", []string{"h"}, []string{"unused"})},
		initializers: []message{tensorOf("w1", Float32, floats32(1, 2, 3, 4), 2, 2),
			tensorOf("w2", Float32, floats32(1, -1), 2, 1)},
		inputs: []message{valueOf("x", 0, 2)}, outputs: []message{valueOf("y", 0, 1)},
	}
}

// fileOf is a file with the content of a message.
func fileOf(m message) *file { return &file{r: bytes.NewReader(m), size: int64(len(m))} }
