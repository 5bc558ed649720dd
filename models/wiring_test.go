package models

import (
	"slices"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/graph"
)

// TestWiring checks the joints of a chain of layers and of residual blocks, whose input goes both into the block and
// around it, and that every layer stands at a joint.
func TestWiring(t *testing.T) {
	for name, want := range map[string]string{
		"lenet": "input; conv1<0; conv2<1; fc1<2; fc2<3; fc3<4; output<5",
		"resnet20": "input; conv1<0; layer1.0.conv1<1; layer1.0.conv2<2; add<1,3; layer1.1.conv1<4; layer1.1.conv2<5; " +
			"add<4,6",
	} {
		a, err := Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		n, err := a.InitNetwork(a.Input, 10, 1)
		if err != nil {
			t.Fatal(err)
		}
		joints, err := n.Wiring()
		if err != nil {
			t.Fatal(err)
		}
		var words, layers []string
		for _, j := range joints {
			layers = append(layers, j.Layers...)
			word := strings.Join(j.Layers, "+")
			if word == "" {
				word = j.Op
			}
			for i, from := range j.From {
				word += string("<,"[min(i, 1)]) + string(rune('0'+from))
			}
			words = append(words, word)
		}
		if got := strings.Join(words, "; "); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
		var all []string
		for _, l := range n.Layers() {
			all = append(all, l.Name)
		}
		slices.Sort(all)
		if slices.Sort(layers); !slices.Equal(layers, all) {
			t.Errorf("%s: the joints have the layers %v, want %v", name, layers, all)
		}
	}
}

// tokenQuery is a linear layer that reads a learned vector, repeated for every image, whose output is added to the input.
type tokenQuery struct{}

func (tokenQuery) Build(b *Builder, name string, x *graph.Node) *graph.Node {
	n, d := x.Shape()[0], x.Shape()[1]
	token := b.Expand(b.Param(name, "token", Constant(1), 1, d), n, d)
	return b.Add(x, b.LinearLayer(name, token, b.Declare(name+".weight", LinearWeight, nil, d, d), nil))
}

// TestWiringWithoutInput checks that a layer whose input does not depend on the images is a joint that reads no other.
func TestWiringWithoutInput(t *testing.T) {
	a := &Architecture{Name: "query", Input: Shape{1, 2, 2},
		Root: Sequential{{"", Flatten{}}, {"query", tokenQuery{}}, {"fc", Linear{}}}}
	n, err := a.InitNetwork(a.Input, 3, 1)
	if err != nil {
		t.Fatal(err)
	}
	joints, err := n.Wiring()
	if err != nil {
		t.Fatal(err)
	}
	for i, j := range joints {
		if len(j.Layers) > 0 && j.Layers[0] == "query" && len(j.From) > 0 {
			t.Errorf("the layer of the token reads %v", j.From)
		}
		for _, from := range j.From {
			if from < 0 || from >= i {
				t.Errorf("joint %d, %+v, reads %d", i, j, from)
			}
		}
	}
}
