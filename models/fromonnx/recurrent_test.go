package fromonnx

import (
	"maps"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/graph"
)

// TestRecurrentLayers checks that every direction of a recurrent network has two layers, of which one reads all states, and that
// the names of their weights tell their own.
func TestRecurrentLayers(t *testing.T) {
	want := map[string]int{}
	for _, name := range []string{"lstm", "lstm/LSTM_1", "gru"} {
		for _, direction := range []string{"", "/reverse"} {
			want[name+"/input"+direction], want[name+"/hidden"+direction] = 1, 8
		}
	}
	for _, name := range []string{"rnn", "tanh"} {
		want[name+"/input"], want[name+"/hidden"] = 1, 8
	}
	for _, file := range []string{"recurrent-17-any", "folded-14-any"} {
		if got := usesOf(t, file); !maps.Equal(got, want) {
			t.Errorf("%s has the layers %v: want %v", file, got, want)
		}
	}
}

// TestRecurrentOfWeights checks that a recurrent network that reads learned tokens alone is computed and not measured.
func TestRecurrentOfWeights(t *testing.T) {
	tensors := []string{"v 1 1 24", "w 1 20 24", "u 1 20 5", "b 1 40", "zeros: 0. 0. 0. 0. 0.", "head.weight 192 5"}
	own := fileOf(t, tensors, "y", "f = Flatten x", "q h = LSTM v w u b", "r = Flatten h", "m = MatMul f head.weight", "y = Mul m r")
	if f := functionOf(t, own, 1, graph.Double); len(f.Layers) != 1 || f.Layers[0].Name != "head" {
		t.Errorf("layers %v: want head", f.Layers)
	}
	all := fileOf(t, tensors, "y", "f = Flatten x", "p = MatMul f head.weight", "z = Mul p zeros", "c = ReduceSum z keepdims=0",
		"s = Add v c", "q h = LSTM s w u b", "r = Flatten h", "m = MatMul f head.weight", "y = Mul m r")
	sameNetworks(t, own, all)
}

// TestRecurrentForms checks that recurrent nodes with other axes, a direction or lengths are the same as nodes without them.
func TestRecurrentForms(t *testing.T) {
	tensors := []string{"s: 1 8 24", "w 1 20 24", "u 1 20 5", "b 1 40", "first: -1", "last: -100", "time: 0", "back: -1", "eight: 8",
		"zero: 1 1 5", "fill: 0."}
	rows := []string{"images = Reshape x s", "t = Transpose images perm=1,0,2"}
	for _, c := range []struct{ nodes, same string }{
		{"y = LSTM images w u b layout=1", "q = LSTM t w u b; y = Transpose q perm=2,0,1,3"},
		{"q y = LSTM images w u b layout=1", "q h = LSTM t w u b; y = Transpose h perm=1,0,2"},
		{"y = LSTM t w u b direction=reverse",
			"v = Slice t first last time back; q = LSTM v w u b; y = Slice q first last time back"},
		{"q h y = LSTM t w u b direction=reverse", "v = Slice t first last time back; q h y = LSTM v w u b"},
		{"z = Expand fill zero; y = LSTM t w u b eight z z", "y = LSTM t w u b"},
	} {
		both := func(nodes string) string {
			return fileOf(t, tensors, "out", append(append(rows[:2:2], strings.Split(nodes, "; ")...), "f = Flatten y axis=0",
				"out = Tanh f")...)
		}
		sameNetworks(t, both(c.nodes), both(c.same))
	}
}

// TestRecurrentRefused checks the messages for recurrent nodes that compute something else than PyTorch's.
func TestRecurrentRefused(t *testing.T) {
	tensors := []string{"s: 8 1 24", "w 1 20 24", "u 1 20 5", "b 1 40", "p 1 15", "short: 7", "w3 1 15 24", "u3 1 15 5"}
	for node, want := range map[string]string{
		"LSTM t w u b short":                   "sequence_lens are not all 8",
		"LSTM t w u _ _ _ _ p":                 "peepholes",
		"LSTM t w u b direction=both":          `direction is "both"`,
		"LSTM t w u b direction=bidirectional": "(direction, 4·unit, feature)",
		"LSTM t w u b input_forget=1":          "input_forget",
		"LSTM t g u b":                         `"g" depend on the images`,
		"GRU t w3 u3":                          "linear_before_reset is 0",
		"GRU t w u linear_before_reset=1":      "(direction, 3·unit, feature) for 24 features",
	} {
		a, err := Open(fileOf(t, tensors, "out", "t = Reshape x s", "k = ReduceSum x keepdims=0", "g = Mul w k", "y = "+node, "out = Flatten y axis=0"))
		if err == nil {
			_, err = a.Load(a.Weights, a.Input)
		}
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "runtime error") {
			t.Errorf("%s: %v", node, err)
		}
	}
}
