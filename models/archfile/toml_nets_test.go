package archfile

import (
	"testing"

	"github.com/ansatz-lab/ansatz/internal/peer"
	"github.com/ansatz-lab/ansatz/models"
)

// Networks of the papers can be written in TOML: a linear CNN with global pooling and a mean over the filters, and a
// CNN without biases.
func TestTOMLOfPapersNetworks(t *testing.T) {
	for name, text := range map[string]string{
		"linear-cnn": `
input = [3, 32, 32]
[[layer]]
type = "conv"
name = "conv"
filters = 64
kernel = 3
bias = false
[[layer]]
type = "globalavgpool"
[[layer]]
type = "channelmean"
`,
		"cnn1": `
input = [3, 32, 32]
[[layer]]
type = "conv"
name = "layers.0"
filters = 64
kernel = 3
bias = false
[[layer]]
type = "relu"
[[layer]]
type = "linear"
name = "layers.3"
bias = false
`,
	} {
		mine, err := Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		a, _ := models.Lookup(name)
		n, err := a.InitNetwork(a.Input, 10, 1)
		if err != nil {
			t.Fatal(err)
		}
		m, err := mine.Load(n.StateDict(), a.Input)
		if err != nil {
			t.Fatal(err)
		}
		want := outputs(t, n)
		for i, v := range outputs(t, m) {
			if v != want[i] {
				t.Errorf("%s: output %d is %v built in, %v from TOML", name, i, want[i], v)
			}
		}
	}
}

// TestTOMLCeilingAndGlobalMax checks a pooling whose last windows overhang the image, followed by the maximum of every
// channel. SimpleNet has both.
func TestTOMLCeilingAndGlobalMax(t *testing.T) {
	a, err := Parse([]byte(`
input = [1, 3, 3]
[[layer]]
type = "avgpool"
size = 2
ceil = true
[[layer]]
type = "globalmaxpool"
`))
	if err != nil {
		t.Fatal(err)
	}
	n, err := a.InitNetwork(a.Input, 10, 1)
	if err != nil {
		t.Fatal(err)
	}
	x := peer.Ramp("x", 2*9)
	for i, v := range outputs(t, n) {
		p := x[9*i:]
		want := max((p[0]+p[1]+p[3]+p[4])/4, (p[2]+p[5])/2, (p[6]+p[7])/2, p[8])
		if d := v - want; d > 1e-6 || d < -1e-6 {
			t.Errorf("image %d: %v, want %v", i, v, want)
		}
	}
}
