package fromonnx

import (
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

// message is a protobuf message of ONNX's.
type message []byte

func (m message) text(field protowire.Number, s string) message {
	return protowire.AppendString(protowire.AppendTag(m, field, protowire.BytesType), s)
}

func (m message) number(field protowire.Number, v int) message {
	return protowire.AppendVarint(protowire.AppendTag(m, field, protowire.VarintType), uint64(v))
}

// fileOf writes an ONNX file that reads images x of 3×8×8 and makes y. A node is as "y = Transpose a perm=0,2,1", and
// as "a b = Split x axis=1" with several results; "axes=1," is a list of one. Weights are "NAME 4 3 3 3", of numbers that depend on their place, and
// whole numbers "NAME: 0 1".
func fileOf(t testing.TB, tensors []string, outputs string, nodes ...string) string {
	t.Helper()
	var g message
	for _, n := range nodes {
		var node message
		out, call, _ := strings.Cut(n, " = ")
		parts := strings.Fields(call)
		for _, p := range parts[1:] {
			name, values, attribute := strings.Cut(p, "=")
			if !attribute {
				node = node.text(1, p)
				continue
			}
			values, one := strings.CutSuffix(values, ",")
			a, list := message{}.text(1, name), strings.Split(values, ",")
			for _, v := range list {
				i, err := strconv.Atoi(v)
				switch {
				case err != nil:
					t.Fatal(err)
				case len(list) == 1 && !one:
					a = a.number(3, i).number(20, 2)
				default:
					a = a.number(8, i)
				}
			}
			if len(list) > 1 || one {
				a = a.number(20, 7)
			}
			node = node.text(5, string(a))
		}
		for _, o := range strings.Fields(out) {
			node = node.text(2, o)
		}
		g = g.text(1, string(node.text(3, out).text(4, parts[0])))
	}
	for k, text := range tensors {
		name, rest, whole := strings.Cut(text, ":")
		var m message
		if whole {
			numbers := strings.Fields(rest)
			m = m.number(1, len(numbers)).number(2, 7)
			for _, v := range numbers {
				i, err := strconv.Atoi(v)
				if err != nil {
					t.Fatal(err)
				}
				m = m.number(7, i)
			}
		} else {
			fields := strings.Fields(text)
			size := 1
			for _, v := range fields[1:] {
				n, err := strconv.Atoi(v)
				if err != nil {
					t.Fatal(err)
				}
				m, size = m.number(1, n), size*n
			}
			name, m = fields[0], m.number(2, 1)
			for _, v := range ramp(size, uint32(k)) {
				m = protowire.AppendFixed32(protowire.AppendTag(m, 4, protowire.Fixed32Type), math.Float32bits(v))
			}
		}
		g = g.text(5, string(m.text(8, name)))
	}
	var shape message
	for _, n := range []int{1, 3, 8, 8} {
		shape = shape.text(1, string(message{}.number(1, n)))
	}
	kind := message{}.text(1, string(message{}.number(1, 1).text(2, string(shape))))
	g = g.text(11, string(message{}.text(1, "x").text(2, string(kind))))
	for _, o := range strings.Fields(outputs) {
		g = g.text(12, string(message{}.text(1, o)))
	}
	file := message{}.number(1, 8).text(7, string(g)).text(8, string(message{}.number(2, 13)))
	path := filepath.Join(t.TempDir(), "x.onnx")
	if err := os.WriteFile(path, file, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}
