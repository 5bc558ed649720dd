package models

import (
	"slices"
	"strings"
	"testing"
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
