package onnx

import (
	"bytes"
	"math"

	"github.com/ansatz-lab/ansatz/models/onnx/onnxtest"
	"google.golang.org/protobuf/encoding/protowire"
)

type message = onnxtest.Message

// tensorOf returns a tensor with its numbers as raw bytes.
func tensorOf(name string, t Type, raw []byte, shape ...int64) message {
	var m message
	for _, d := range shape {
		m = m.Number(1, d)
	}
	return m.Number(2, int64(t)).Text(8, name).In(9, raw)
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

// nodeOf returns a node with attributes.
func nodeOf(op string, in, out []string, attributes ...message) message {
	var m message
	for _, name := range in {
		m = m.Text(1, name)
	}
	for _, name := range out {
		m = m.Text(2, name)
	}
	m = m.Text(3, "the "+op).Text(4, op)
	for _, a := range attributes {
		m = m.In(5, a)
	}
	return m
}

func intAttribute(name string, v int64) message {
	return message{}.Text(1, name).Number(3, v).Number(20, kindInt)
}

func textAttribute(name, v string) message {
	return message{}.Text(1, name).Text(4, v).Number(20, kindString)
}

func intsAttribute(name string, v ...int64) message {
	m := message{}.Text(1, name)
	for _, x := range v {
		m = m.Number(8, x)
	}
	return m.Number(20, kindInts)
}

func floatAttribute(name string, v float32) message {
	return message{}.Text(1, name).Float(2, v).Number(20, kindFloat)
}

func tensorAttribute(name string, t message) message {
	return message{}.Text(1, name).In(5, t).Number(20, kindTensor)
}

// valueOf returns an input or output of a graph. An axis of size 0 is left open.
func valueOf(name string, shape ...int64) message {
	var dims message
	for _, d := range shape {
		if d > 0 {
			dims = dims.In(1, message{}.Number(1, d))
		} else {
			dims = dims.In(1, message{}.Text(2, "n"))
		}
	}
	tensor := message{}.Number(1, int64(Float32)).In(2, dims)
	return message{}.Text(1, name).In(2, message{}.In(1, tensor))
}

// graphParts are the parts of a graph.
type graphParts struct{ nodes, initializers, inputs, outputs []message }

func (g graphParts) message() message {
	var m message
	for _, n := range g.nodes {
		m = m.In(1, n)
	}
	for _, t := range g.initializers {
		m = m.In(5, t)
	}
	for _, v := range g.inputs {
		m = m.In(11, v)
	}
	for _, v := range g.outputs {
		m = m.In(12, v)
	}
	return m
}

// modelOf returns a model with an opset and further fields.
func modelOf(opset int64, g graphParts, more ...message) message {
	m := message{}.Number(1, 8).Text(2, "a test").In(7, g.message()).In(8, message{}.Text(1, "").Number(2, opset))
	for _, f := range more {
		m = append(m, f...)
	}
	return m
}

// small returns the graph of a network of two matrix products. Its nodes are not in order, and nothing reads one of
// them.
func small() graphParts {
	return graphParts{
		nodes: []message{nodeOf("MatMul", []string{"h", "w2"}, []string{"y"}), // before the node that writes h
			nodeOf("Relu", []string{"z"}, []string{"h"}), nodeOf("MatMul", []string{"x", "w1"}, []string{"z"}),
			nodeOf("Relu", []string{"h"}, []string{"unused"})},
		initializers: []message{tensorOf("w1", Float32, floats32(1, 2, 3, 4), 2, 2),
			tensorOf("w2", Float32, floats32(1, -1), 2, 1)},
		inputs: []message{valueOf("x", 0, 2)}, outputs: []message{valueOf("y", 0, 1)},
	}
}

// fileOf returns a file with the content of a message.
func fileOf(m message) *file { return &file{r: bytes.NewReader(m), size: int64(len(m))} }
