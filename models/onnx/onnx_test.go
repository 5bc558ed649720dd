package onnx

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

func TestParse(t *testing.T) {
	m, err := Parse(modelOf(17, small()))
	if err != nil {
		t.Fatal(err)
	}
	var order []string
	for _, n := range m.Graph.Nodes {
		order = append(order, n.Outputs[0])
		if n.Opset != 17 {
			t.Errorf("%s has opset %d", n.Op, n.Opset)
		}
	}
	if want := []string{"z", "h", "y"}; !reflect.DeepEqual(order, want) {
		t.Errorf("nodes %v, want %v, without those that nothing needs", order, want)
	}
	if got := m.Graph.Inputs[0].Shape; !reflect.DeepEqual(got, []int{-1, 2}) {
		t.Errorf("input of shape %v", got)
	}
	if v, err := m.Graph.Initializers["w1"].Floats(); err != nil || !reflect.DeepEqual(v, []float32{1, 2, 3, 4}) {
		t.Errorf("w1 is %v, %v", v, err)
	}
}

// TestNumbers reads numbers of most types, as raw bytes and from the field of their type, packed and one by one.
func TestNumbers(t *testing.T) {
	packed := func(kind protowire.Type, v ...uint64) (b []byte) {
		for _, x := range v {
			switch kind {
			case protowire.Fixed32Type:
				b = protowire.AppendFixed32(b, uint32(x))
			case protowire.Fixed64Type:
				b = protowire.AppendFixed64(b, x)
			default:
				b = protowire.AppendVarint(b, x)
			}
		}
		return b
	}
	minus := func(v int64) uint64 { return uint64(v) }
	base := func(k Type) message { return message{}.Number(1, 2).Number(2, int64(k)).Text(8, "t") }
	for name, c := range map[string]struct {
		tensor message
		want   []float64
	}{
		"float32 raw":         {base(Float32).In(9, floats32(1.5, -2)), []float64{1.5, -2}},
		"float32 packed":      {base(Float32).In(4, floats32(1.5, -2)), []float64{1.5, -2}},
		"float32 one by one":  {base(Float32).Float(4, 1.5).Float(4, -2), []float64{1.5, -2}},
		"float64 raw":         {base(Float64).In(9, packed(protowire.Fixed64Type, math.Float64bits(.1), math.Float64bits(-3))), []float64{.1, -3}},
		"float64 packed":      {base(Float64).In(10, packed(protowire.Fixed64Type, math.Float64bits(.1), math.Float64bits(-3))), []float64{.1, -3}},
		"float16 raw":         {base(Float16).In(9, []byte{0, 0x3c, 0, 0xc4}), []float64{1, -4}},
		"float16 in int32":    {base(Float16).In(5, packed(protowire.VarintType, 0x3c00, 0x0001)), []float64{1, math.Ldexp(1, -24)}},
		"bfloat16 raw":        {base(BFloat16).In(9, []byte{0x80, 0x3f, 0, 0xc0}), []float64{1, -2}},
		"int64 raw":           {base(Int64).In(9, ints64(7, -8)), []float64{7, -8}},
		"int64 packed":        {base(Int64).In(7, packed(protowire.VarintType, 7, minus(-8))), []float64{7, -8}},
		"int64 one by one":    {base(Int64).Number(7, 7).Number(7, -8), []float64{7, -8}},
		"int32 packed":        {base(Int32).In(5, packed(protowire.VarintType, 7, minus(-8))), []float64{7, -8}},
		"int8 raw":            {base(Int8).In(9, []byte{7, 0xf8}), []float64{7, -8}},
		"uint8 raw":           {base(Uint8).In(9, []byte{7, 0xf8}), []float64{7, 248}},
		"bool raw":            {base(Bool).In(9, []byte{1, 0}), []float64{1, 0}},
		"uint64 in its field": {base(Uint64).In(11, packed(protowire.VarintType, 7, 8)), []float64{7, 8}},
	} {
		g := small()
		g.nodes = append(g.nodes, nodeOf("Add", []string{"y", "t"}, []string{"z2"}))
		g.outputs = []message{valueOf("z2")}
		g.initializers = append(g.initializers, c.tensor)
		m, err := Parse(modelOf(17, g))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got, err := m.Graph.Initializers["t"].Doubles()
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %v, %v, want %v", name, got, err, c.want)
		}
		if whole := strings.Contains(name, "int") && !strings.Contains(name, "float"); whole {
			ints, err := m.Graph.Initializers["t"].Ints()
			if err != nil || float64(ints[1]) != c.want[1] {
				t.Errorf("%s: as whole numbers %v, %v", name, ints, err)
			}
		}
	}
}

// TestFunctions checks that calls of functions are replaced by the nodes of the functions, with the attributes of the
// call, and that functions may call others but not themselves.
func TestFunctions(t *testing.T) {
	refers := message{}.Text(1, "alpha").Number(20, kindFloat).Text(21, "slope")
	leaky := message{}.Text(1, "Leaky").Text(4, "a").Text(5, "b").In(7, nodeOf("Neg", []string{"a"}, []string{"t"})).
		In(7, nodeOf("LeakyRelu", []string{"t"}, []string{"b"}, refers)).Text(10, "own")
	twice := message{}.Text(1, "Twice").Text(4, "a").Text(5, "c").
		In(7, nodeOf("Leaky", []string{"a"}, []string{"t"}, floatAttribute("slope", .5)).Text(7, "own")).
		In(7, nodeOf("Leaky", []string{"t"}, []string{"c"}, floatAttribute("slope", .25)).Text(7, "own")).Text(10, "own")
	g := small()
	g.nodes = append(g.nodes, nodeOf("Twice", []string{"y"}, []string{"out"}).Text(7, "own"))
	g.outputs = []message{valueOf("out")}
	m, err := Parse(modelOf(17, g, message{}.In(25, leaky), message{}.In(25, twice)))
	if err != nil {
		t.Fatal(err)
	}
	var ops []string
	var slopes []float64
	for _, n := range m.Graph.Nodes[3:] {
		ops = append(ops, n.Op)
		if n.Op == "LeakyRelu" {
			slopes = append(slopes, n.Float("alpha", 0))
		}
	}
	if !reflect.DeepEqual(ops, []string{"Neg", "LeakyRelu", "Neg", "LeakyRelu"}) || !reflect.DeepEqual(slopes, []float64{.5, .25}) {
		t.Errorf("nodes %v, slopes %v", ops, slopes)
	}
	other := message{}.Text(1, "Twice").Text(4, "a").Text(5, "c").
		In(7, nodeOf("Twice", []string{"a"}, []string{"c"}).Text(7, "own")).Text(10, "other")
	g.nodes[len(g.nodes)-1] = nodeOf("Twice", []string{"y"}, []string{"out"}).Text(7, "other")
	if _, err := Parse(modelOf(17, g, message{}.In(25, leaky), message{}.In(25, twice), message{}.In(25, other))); err != nil {
		t.Errorf("a function that calls one of the same name in another domain: %v", err)
	}
	g.nodes[len(g.nodes)-1] = nodeOf("Twice", []string{"y"}, []string{"out"}).Text(7, "own")
	itself := message{}.Text(1, "Twice").Text(4, "a").Text(5, "c").
		In(7, nodeOf("Twice", []string{"a"}, []string{"c"}).Text(7, "own")).Text(10, "own")
	// Each of these functions calls the next one ten times.
	many := []message{}
	for k := range 20 {
		calls := message{}.Text(1, string(rune('a'+k))).Text(10, "own")
		for range 10 {
			calls = calls.In(7, nodeOf(string(rune('b'+k)), nil, nil).Text(7, "own"))
		}
		many = append(many, message{}.In(25, calls))
	}
	g.nodes = append(g.nodes, nodeOf("a", nil, nil).Text(7, "own"))
	if _, err := Parse(modelOf(17, g, many...)); err == nil || !strings.Contains(err.Error(), "more than 1048576 nodes") {
		t.Errorf("10²⁰ calls: %v", err)
	}
	g.nodes = g.nodes[:len(g.nodes)-1]
	if _, err := Parse(modelOf(17, g, message{}.In(25, itself))); err == nil || !strings.Contains(err.Error(), "calls itself") {
		t.Errorf("a function that calls itself: %v", err)
	}
}

// TestExternal reads weights from a file beside the model, and checks that other places are refused, as are offsets and
// lengths that do not fit.
func TestExternal(t *testing.T) {
	dir := t.TempDir()
	entry := func(key, value string) message { return message{}.Text(1, key).Text(2, value) }
	write := func(location, offset, length string) string {
		g := small()
		g.initializers[0] = message{}.Number(1, 2).Number(1, 2).Number(2, int64(Float32)).Text(8, "w1").Number(14, 1).
			In(13, entry("location", location)).In(13, entry("offset", offset)).In(13, entry("length", length))
		path := filepath.Join(dir, "model.onnx")
		if err := os.WriteFile(path, modelOf(17, g), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	if err := os.WriteFile(filepath.Join(dir, "weights.bin"), append([]byte("1234"), floats32(5, 6, 7, 8)...), 0o666); err != nil {
		t.Fatal(err)
	}
	m, err := Open(write("weights.bin", "4", "16"))
	if err != nil {
		t.Fatal(err)
	}
	if v, err := m.Graph.Initializers["w1"].Floats(); err != nil || !reflect.DeepEqual(v, []float32{5, 6, 7, 8}) {
		t.Errorf("%v, %v", v, err)
	}
	model := filepath.Join(dir, "model.onnx")
	if files, err := Files(model); err != nil || !slices.Equal(files, []string{model, filepath.Join(dir, "weights.bin")}) {
		t.Errorf("the files of the model: %v, %v", files, err)
	}
	outside := filepath.Join(t.TempDir(), "outside.bin")
	if err := os.WriteFile(outside, floats32(1, 2, 3, 4), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, "link.bin")); err != nil {
		t.Fatal(err)
	}
	for _, c := range [][3]string{{"missing.bin", "0", "16"}, {"../outside.bin", "0", "16"}, {outside, "0", "16"},
		{"link.bin", "0", "16"}, {"weights.bin", "8", "16"}, {"weights.bin", "-4", "16"}, {"weights.bin", "4", "x"}, {"", "0", "16"},
		{".", "0", "16"}} {
		if _, err := Open(write(c[0], c[1], c[2])); !isInput(err) {
			t.Errorf("weights at %v: %v", c, err)
		}
	}
	if m, err = Open(write("weights.bin", "4", "12")); err == nil {
		_, err = m.Graph.Initializers["w1"].Floats()
	}
	if !isInput(err) {
		t.Errorf("12 of 16 bytes: %v", err)
	}
}

func isInput(err error) bool {
	var e interface{ InputError() bool }
	return errors.As(err, &e) && e.InputError()
}

// TestRefused checks that files that are no networks are refused with an input error, whose message contains the given
// words. A file that is cut short may give no other kind of error.
func TestRefused(t *testing.T) {
	with := func(change func(g *graphParts)) message {
		g := small()
		change(&g)
		return modelOf(17, g)
	}
	deep := message{}
	for range 40 {
		deep = message{}.In(1, nodeOf("If", []string{"x"}, []string{"a"}, message{}.Text(1, "then_branch").In(6, deep).Number(20, kindGraph)))
	}
	for name, c := range map[string]struct {
		file message
		want string
	}{
		"empty":            {nil, "no graph"},
		"text":             {message("hello, this is no protobuf"), "protobuf"},
		"opset 6":          {modelOf(6, small()), "opset 6: want 7 to 23"},
		"opset 24":         {modelOf(24, small()), "opset 24"},
		"cycle":            {with(func(g *graphParts) { g.nodes[2] = nodeOf("MatMul", []string{"y", "w1"}, []string{"z"}) }), "cycle"},
		"missing tensor":   {with(func(g *graphParts) { g.initializers = g.initializers[:1] }), "w2"},
		"two initializers": {with(func(g *graphParts) { g.initializers = append(g.initializers, g.initializers[0]) }), "two initializers"},
		"two makers":       {with(func(g *graphParts) { g.nodes = append(g.nodes, g.nodes[0]) }), "two nodes"},
		"negative size":    {with(func(g *graphParts) { g.initializers[0] = tensorOf("w1", Float32, nil, -2, 2) }), "shape"},
		"huge size":        {with(func(g *graphParts) { g.initializers[0] = tensorOf("w1", Float32, nil, 1<<30, 1<<30) }), "shape"},
		"strings":          {with(func(g *graphParts) { g.initializers[0] = tensorOf("w1", 8, nil, 2, 2) }), "string"},
		"quantised":        {with(func(g *graphParts) { g.nodes[1] = nodeOf("QLinearConv", []string{"z"}, []string{"h"}) }), "quantised"},
		"sparse":           {modelOf(17, graphParts{}, message{}.In(7, message{}.In(15, message{}))), "two graphs"},
		"graphs in graphs": {modelOf(17, graphParts{nodes: []message{deep}}), ""},
		"upsampled nothing": {modelOf(9, graphParts{nodes: []message{nodeOf("Upsample", nil, nil, message{}.Text(1, "scales").Number(20, 6))}}),
			"want the scales"},
		"length beyond end": {message{}.In(7, message(protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.BytesType), 1<<40))), "cut short"},
	} {
		_, err := Parse(c.file)
		if name == "graphs in graphs" && err == nil {
			continue
		}
		if !isInput(err) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want words %q", name, err, c.want)
		}
	}
	pointer := filepath.Join(t.TempDir(), "pointer.onnx")
	if err := os.WriteFile(pointer, []byte("version https://git-lfs.github.com/spec/v1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(pointer); !isInput(err) || !strings.Contains(err.Error(), "git lfs pull") {
		t.Errorf("a pointer of Git LFS: %v", err)
	}
	whole := modelOf(17, small())
	for n := range whole {
		if m, err := Parse(whole[:n]); err == nil {
			for _, v := range m.Graph.Initializers {
				if _, err := v.Floats(); err != nil && !isInput(err) {
					t.Errorf("cut to %d bytes: %v", n, err)
				}
			}
		} else if !isInput(err) {
			t.Errorf("cut to %d bytes: %v", n, err)
		}
	}
}

// TestShortWeights checks that a tensor with fewer bytes than its shape needs is refused, at the latest when its
// numbers are read.
func TestShortWeights(t *testing.T) {
	g := small()
	g.initializers[0] = tensorOf("w1", Float32, floats32(1, 2, 3), 2, 2)
	m, err := Parse(modelOf(17, g))
	if err == nil {
		_, err = m.Graph.Initializers["w1"].Floats()
	}
	if !isInput(err) || !strings.Contains(err.Error(), "16 bytes") {
		t.Errorf("%v", err)
	}
}

// TestMemory checks that Parse leaves the weights in the file and allocates no memory for them.
func TestMemory(t *testing.T) {
	g := small()
	g.initializers[0] = tensorOf("w1", Float32, make([]byte, 1<<27), 1<<24, 2)
	file := modelOf(17, g)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := Parse(file); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 1<<20 {
		t.Errorf("a file with 128 MiB of weights takes %d bytes before they are read", took)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(modelOf(17, small())))
	g := small()
	g.nodes = append(g.nodes, nodeOf("Constant", nil, []string{"c"}, tensorAttribute("value", tensorOf("", Int64, ints64(1, 2), 2))),
		nodeOf("Reshape", []string{"y", "c"}, []string{"r"}, intAttribute("allowzero", 1)),
		nodeOf("Transpose", []string{"r"}, []string{"s"}, intsAttribute("perm", 1, 0)))
	g.outputs = []message{valueOf("s", 1, 2)}
	f.Add([]byte(modelOf(13, g)))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := Parse(text)
		if err != nil {
			if !isInput(err) {
				t.Fatal(err)
			}
			return
		}
		constants := map[string]*Tensor{}
		for name, v := range m.Graph.Initializers {
			if v.Size() < 1<<16 {
				if _, err := v.Doubles(); err == nil {
					constants[name] = v
				}
			}
		}
		for _, n := range m.Graph.Nodes {
			if !CanEvaluate(n.Op) {
				continue
			}
			in := make([]*Tensor, len(n.Inputs))
			for i, name := range n.Inputs {
				in[i] = constants[name]
			}
			out, err := Evaluate(n, in)
			if err != nil {
				continue
			}
			for i, v := range out {
				if i < len(n.Outputs) && v.Size() < 1<<16 {
					constants[n.Outputs[i]] = v
				}
			}
		}
	})
}

// TestFirstOutput checks that the first of several outputs is taken, and that nodes that only the others need are left
// out.
func TestFirstOutput(t *testing.T) {
	g := small()
	g.outputs = append(g.outputs, valueOf("unused"))
	m, err := Parse(modelOf(17, g))
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range m.Graph.Nodes {
		if n.Outputs[0] == "unused" {
			t.Error("a node that only the second output needs is there")
		}
	}
}
