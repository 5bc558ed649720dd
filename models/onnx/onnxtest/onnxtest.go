// Package onnxtest writes ONNX files for tests.
package onnxtest

import (
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/internal/peer"
	"google.golang.org/protobuf/encoding/protowire"
)

// Message is a protobuf message. Its methods append a field, whose number is in onnx.proto.
type Message []byte

// Number appends a whole number.
func (m Message) Number(field protowire.Number, v int64) Message {
	return protowire.AppendVarint(protowire.AppendTag(m, field, protowire.VarintType), uint64(v))
}

// Float appends a float32.
func (m Message) Float(field protowire.Number, v float32) Message {
	return protowire.AppendFixed32(protowire.AppendTag(m, field, protowire.Fixed32Type), math.Float32bits(v))
}

// Text appends a text.
func (m Message) Text(field protowire.Number, s string) Message {
	return protowire.AppendString(protowire.AppendTag(m, field, protowire.BytesType), s)
}

// In appends a message.
func (m Message) In(field protowire.Number, sub Message) Message { return m.Text(field, string(sub)) }

// Graph describes a network in an ONNX file.
type Graph struct {
	Opset   int
	Images  []int  // the shape of the input x: (image, channel, row, column)
	Outputs string // names with blanks between them
	// "NAME 4 3 3 3" is weights of that shape, from [peer.Ramp]; "NAME: 0 1" is a list of whole numbers, "NAME: 0. 1." of floats.
	Tensors []string
	// Nodes are texts such as "y = Transpose a perm=0,2,1" or, with several results, "a b = Split x axis=1". A comma at the
	// end makes a list of one number: "axes=1,". Lists of "1.,2." are floats, and _ is an input that is left out.
	Nodes     []string
	Constants bool    // whether Constant nodes hold the tensors
	More      Message // further fields of the graph
}

// File writes the graph to an ONNX file in a temporary folder of the test, and returns its path.
func (c Graph) File(t testing.TB) string {
	t.Helper()
	var g Message
	for _, n := range c.Nodes {
		var node Message
		out, call, _ := strings.Cut(n, " = ")
		parts := strings.Fields(call)
		for _, p := range parts[1:] {
			name, values, attribute := strings.Cut(p, "=")
			if !attribute {
				node = node.Text(1, strings.TrimPrefix(p, "_"))
				continue
			}
			values, one := strings.CutSuffix(values, ",")
			a, list, kind := Message{}.Text(1, name), strings.Split(values, ","), int64(0)
			for _, v := range list {
				single := len(list) == 1 && !one
				i, err := strconv.ParseInt(v, 10, 64)
				f, noFloat := strconv.ParseFloat(v, 32)
				switch {
				case err == nil && single:
					a, kind = a.Number(3, i), 2
				case err == nil:
					a, kind = a.Number(8, i), 7
				case noFloat == nil:
					a, kind = a.Float(7, float32(f)), 6
				default:
					a, kind = a.Text(4, v), 3
				}
			}
			node = node.In(5, a.Number(20, kind))
		}
		for _, o := range strings.Fields(out) {
			node = node.Text(2, o)
		}
		g = g.In(1, node.Text(3, out).Text(4, parts[0]))
	}
	for _, text := range c.Tensors {
		name, rest, whole := strings.Cut(text, ":")
		var m Message
		if whole {
			numbers := strings.Fields(rest)
			m = m.Number(1, int64(len(numbers)))
			for _, v := range numbers {
				i, err := strconv.Atoi(v)
				f, noFloat := strconv.ParseFloat(v, 32)
				switch {
				case err == nil:
					m = m.Number(7, int64(i)).Number(2, 7)
				case noFloat == nil:
					m = m.Float(4, float32(f)).Number(2, 1)
				default:
					t.Fatal(err)
				}
			}
		} else {
			fields := strings.Fields(text)
			size := 1
			for _, v := range fields[1:] {
				n, err := strconv.Atoi(v)
				if err != nil {
					t.Fatal(err)
				}
				m, size = m.Number(1, int64(n)), size*n
			}
			name, m = fields[0], m.Number(2, 1)
			for _, v := range peer.Ramp(name, size) {
				m = m.Float(4, v)
			}
		}
		if m = m.Text(8, name); c.Constants {
			value := Message{}.Text(1, "value").In(5, m).Number(20, 4)
			g = g.In(1, Message{}.Text(2, name).Text(4, "Constant").In(5, value))
		} else {
			g = g.In(5, m)
		}
	}
	g = append(g, c.More...)
	var shape Message
	for _, n := range c.Images {
		shape = shape.In(1, Message{}.Number(1, int64(n)))
	}
	kind := Message{}.In(1, Message{}.Number(1, 1).In(2, shape))
	g = g.In(11, Message{}.Text(1, "x").In(2, kind))
	for _, o := range strings.Fields(c.Outputs) {
		g = g.In(12, Message{}.Text(1, o))
	}
	file := Message{}.Number(1, 8).In(7, g).In(8, Message{}.Number(2, int64(c.Opset)))
	path := filepath.Join(t.TempDir(), "x.onnx")
	if err := os.WriteFile(path, file, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}
