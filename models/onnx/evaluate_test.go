package onnx

import (
	"reflect"
	"runtime"
	"strings"
	"testing"
)

// TestEvaluate compares ops of constants with results that were worked out by hand.
func TestEvaluate(t *testing.T) {
	node := func(op string, attributes ...message) message {
		return nodeOf(op, []string{"a"}, []string{"y", "z"}, attributes...)
	}
	i := func(v ...int64) *Tensor { return Ints([]int{len(v)}, v...) }
	x := Ints([]int{2, 3}, 1, 2, 3, 4, 5, 6)
	for _, c := range []struct {
		node  message
		in    []*Tensor
		shape []int
		want  []float64
	}{
		{node("Add"), []*Tensor{x, i(10, 20, 30)}, []int{2, 3}, []float64{11, 22, 33, 14, 25, 36}},
		{node("Div"), []*Tensor{i(7, -7), i(2)}, []int{2}, []float64{3, -3}},
		{node("Mod"), []*Tensor{i(7, -7), i(3)}, []int{2}, []float64{1, 2}},
		{node("Mod", intAttribute("fmod", 1)), []*Tensor{i(7, -7), i(3)}, []int{2}, []float64{1, -1}},
		{node("Max"), []*Tensor{i(1, 9), i(5), i(3, 4)}, []int{2}, []float64{5, 9}},
		{node("Equal"), []*Tensor{i(1, 2), i(1)}, []int{2}, []float64{1, 0}},
		{node("Where"), []*Tensor{i(1, 0), i(5), i(7, 8)}, []int{2}, []float64{5, 8}},
		{node("Not"), []*Tensor{i(1, 0)}, []int{2}, []float64{0, 1}},
		{node("Cast", intAttribute("to", int64(Int64))), []*Tensor{Numbers([]int{2}, 1.7, -1.7)}, []int{2}, []float64{1, -1}},
		// 30 times the float32 .7, which is a little less than .7, is 21 in float32.
		{node("Floor"), []*Tensor{Numbers([]int{1}, 30*float64(float32(.7)))}, []int{1}, []float64{21}},
		{node("Cast", intAttribute("to", int64(Int64))), []*Tensor{Numbers([]int{1}, 30*float64(float32(.7)))}, []int{1}, []float64{21}},
		{node("Cast", intAttribute("to", int64(Int64))), []*Tensor{i(1<<24 + 1)}, []int{1}, []float64{1<<24 + 1}},
		{node("Range"), []*Tensor{Ints(nil, 2), Ints(nil, 9), Ints(nil, 3)}, []int{3}, []float64{2, 5, 8}},
		{node("Shape", intAttribute("start", -1)), []*Tensor{x}, []int{1}, []float64{3}},
		{node("Size"), []*Tensor{x}, nil, []float64{6}},
		{node("Reshape"), []*Tensor{x, i(0, -1, 1)}, []int{2, 3, 1}, []float64{1, 2, 3, 4, 5, 6}},
		{node("Flatten"), []*Tensor{Ints([]int{2, 1, 2}, 1, 2, 3, 4)}, []int{2, 2}, []float64{1, 2, 3, 4}},
		{node("Unsqueeze"), []*Tensor{i(1, 2), i(0, 2)}, []int{1, 2, 1}, []float64{1, 2}},
		{node("Unsqueeze", intsAttribute("axes", -1)), []*Tensor{i(1, 2)}, []int{2, 1}, []float64{1, 2}},
		{node("Squeeze"), []*Tensor{Ints([]int{1, 2, 1}, 1, 2), i(0)}, []int{2, 1}, []float64{1, 2}},
		{node("Transpose"), []*Tensor{x}, []int{3, 2}, []float64{1, 4, 2, 5, 3, 6}},
		{node("Concat", intAttribute("axis", 1)), []*Tensor{x, Ints([]int{2, 1}, 7, 8)}, []int{2, 4}, []float64{1, 2, 3, 7, 4, 5, 6, 8}},
		{node("Slice"), []*Tensor{x, i(-1), i(-100), i(1), i(-2)}, []int{2, 2}, []float64{3, 1, 6, 4}},
		{node("Slice"), []*Tensor{x, i(1), i(1 << 62)}, []int{1, 3}, []float64{4, 5, 6}},
		{node("Slice", intsAttribute("starts", 1), intsAttribute("ends", 3), intsAttribute("axes", 1)), []*Tensor{x}, []int{2, 2},
			[]float64{2, 3, 5, 6}},
		{node("Gather", intAttribute("axis", 1)), []*Tensor{x, Ints(nil, -1)}, []int{2}, []float64{3, 6}},
		{node("Gather"), []*Tensor{x, Ints([]int{1, 2}, 1, 0)}, []int{1, 2, 3}, []float64{4, 5, 6, 1, 2, 3}},
		{node("Expand"), []*Tensor{Ints([]int{2, 1}, 1, 2), i(3, 1, 2)}, []int{3, 2, 2}, []float64{1, 1, 2, 2, 1, 1, 2, 2, 1, 1, 2, 2}},
		{node("Tile"), []*Tensor{i(1, 2), i(2)}, []int{4}, []float64{1, 2, 1, 2}},
		{node("ConstantOfShape", tensorAttribute("value", tensorOf("", Int64, ints64(4), 1))), []*Tensor{i(2, 1)}, []int{2, 1}, []float64{4, 4}},
		{node("ReduceProd", intAttribute("keepdims", 0)), []*Tensor{x}, []int{}, []float64{720}},
		{node("ReduceSum"), []*Tensor{x, i(0)}, []int{1, 3}, []float64{5, 7, 9}},
		{node("NonZero"), []*Tensor{Ints([]int{2, 2}, 0, 1, 2, 0)}, []int{2, 2}, []float64{0, 1, 1, 0}},
		{node("ScatterND"), []*Tensor{i(1, 2, 3), Ints([]int{2, 1}, 2, 0), i(9, 8)}, []int{3}, []float64{8, 2, 9}},
		{node("Trilu", intAttribute("upper", 0)), []*Tensor{Ints([]int{2, 2}, 1, 2, 3, 4)}, []int{2, 2}, []float64{1, 0, 3, 4}},
		{node("CumSum"), []*Tensor{x, Ints(nil, 1)}, []int{2, 3}, []float64{1, 3, 6, 4, 9, 15}},
		{node("Split", intAttribute("axis", 1)), []*Tensor{x, i(2, 1)}, []int{2, 2}, []float64{1, 2, 4, 5}},
		{node("Range"), []*Tensor{Numbers(nil, 0), Numbers(nil, 1), Numbers(nil, .25)}, []int{4}, []float64{0, .25, .5, .75}},
		{node("Range"), []*Tensor{Ints(nil, 3), Ints(nil, 5), Ints(nil, -1)}, []int{0}, []float64{}},
		{node("ReduceSum", intAttribute("noop_with_empty_axes", 1)), []*Tensor{i(1, 2)}, []int{2}, []float64{1, 2}},
		{node("Concat", intAttribute("axis", 0)), []*Tensor{Numbers([]int{0}), Numbers([]int{1}, 2)}, []int{1}, []float64{2}},
		{node("Constant", intsAttribute("value_ints", 3, 4)), nil, []int{2}, []float64{3, 4}},
	} {
		n := parseNode(t, c.node)
		out, err := Evaluate(n, c.in)
		if err != nil {
			t.Errorf("%s: %v", n.Op, err)
			continue
		}
		got, err := out[0].Doubles()
		if err != nil || !reflect.DeepEqual(got, c.want) || len(out[0].Shape) != len(c.shape) ||
			len(c.shape) > 0 && !reflect.DeepEqual(out[0].Shape, c.shape) {
			t.Errorf("%s of %v: %v of shape %v, %v; want %v of shape %v", n.Op, c.in, got, out[0].Shape, err, c.want, c.shape)
		}
	}
}

// TestEvaluateMistakes checks that ops whose result is not defined or too large are refused with an error, before
// memory is allocated for it.
func TestEvaluateMistakes(t *testing.T) {
	i := func(v ...int64) *Tensor { return Ints([]int{len(v)}, v...) }
	for _, c := range []struct {
		node message
		in   []*Tensor
		want string // in the error
	}{
		{nodeOf("ConstantOfShape", nil, nil), []*Tensor{i(1<<40, 1<<40)}, "want at most"},
		{nodeOf("Expand", nil, nil), []*Tensor{i(1), i(1<<20, 1<<20)}, "want at most"},
		{nodeOf("Range", nil, nil), []*Tensor{Ints(nil, 0), Ints(nil, 1<<60), Ints(nil, 1)}, "want at most"},
		{nodeOf("Range", nil, nil), []*Tensor{Ints(nil, 0), Ints(nil, 1), Ints(nil, 0)}, "want at most"},
		{nodeOf("Tile", nil, nil), []*Tensor{i(1, 2), i(1 << 50)}, "an axis of 2 elements repeated"},
		{nodeOf("Tile", nil, nil), []*Tensor{Ints([]int{1 << 8}, make([]int64, 1<<8)...), i(1 << 56)}, "an axis of 256 elements repeated"},
		{nodeOf("Tile", nil, nil), []*Tensor{Ints([]int{1, 1, 1}, 1), i(1<<22, 1<<22, 1<<22)}, "want at most"},
		{nodeOf("Slice", nil, nil), []*Tensor{Ints([]int{0, 1 << 22, 1 << 22}), i(0), i(9)}, "want at most"},
		{nodeOf("Mod", nil, nil), []*Tensor{i(1), i(0)}, "divided by 0"},
		{nodeOf("Reshape", nil, nil), []*Tensor{i(1, 2, 3), i(2, -1)}, "a reshape of [3] to [2 -1]: want as many elements, 3"},
		{nodeOf("Reshape", nil, nil, intAttribute("allowzero", 1)), []*Tensor{i(), i(0, -1)}, "no size of -1 follows"},
		{nodeOf("ScatterND", nil, nil, textAttribute("reduction", "add")), []*Tensor{i(1), Ints([]int{1, 1}, 0), i(1)}, "want none"},
		{nodeOf("Gather", nil, nil), []*Tensor{i(1, 2), i(2)}, "index 2 of an axis of 2: want one from -2 to 1"},
		{nodeOf("Div", nil, nil), []*Tensor{i(1), i(0)}, ""},
		{nodeOf("Add", nil, nil), []*Tensor{i(1, 2), i(1, 2, 3)}, "do not broadcast"},
		{nodeOf("Add", nil, nil), []*Tensor{i(1), nil}, "input 2 is missing"},
		{nodeOf("Transpose", nil, nil, intsAttribute("perm", 0, 0)), []*Tensor{Ints([]int{1, 1}, 1)}, "want each from 0 to 1 once"},
		{nodeOf("Unsqueeze", nil, nil, intsAttribute("axes", 0, 0)), []*Tensor{i(1)}, "axes [0 0]: want each once"},
		{nodeOf("Reshape", nil, nil), []*Tensor{i(1, 2, 3), i(-1, -1)}, "a reshape to [-1 -1]: want sizes from 0 to"},
		{nodeOf("Reshape", nil, nil), []*Tensor{i(1, 2, 3), i(1<<20, 1<<20)}, "want at most"},
		{nodeOf("Split", nil, []string{"a", "b"}), []*Tensor{i(1, 2, 3, 4, 5, 6), i(3, 4)}, "parts of [3 4] of an axis of 6: want sizes that add up to 6"},
		{nodeOf("Split", nil, []string{"a", "b"}), []*Tensor{i(1, 2, 3), i(3)}, "parts of [3]: want 2"},
		{nodeOf("Conv", nil, nil), []*Tensor{i(1)}, "not an op of constants"},
	} {
		n := parseNode(t, c.node)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if out, err := Evaluate(n, c.in); !isInput(err) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s of %v: %v, %v; want %q", n.Op, c.in, out, err, c.want)
		}
		if runtime.ReadMemStats(&after); after.TotalAlloc-before.TotalAlloc > 1<<20 {
			t.Errorf("%s of %v takes %d bytes before it is refused", n.Op, c.in, after.TotalAlloc-before.TotalAlloc)
		}
	}
}

// parseNode parses a node of a file.
func parseNode(t *testing.T, m message) *Node {
	t.Helper()
	f := fileOf(m)
	n, err := f.node(span{0, f.size}, 0)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
