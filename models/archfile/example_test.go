package archfile_test

import (
	"fmt"
	"log"

	"github.com/ansatz-lab/ansatz/models/archfile"
)

// A few lines of TOML describe a network.
func ExampleParse() {
	a, err := archfile.Parse([]byte(`
input = [1, 28, 28]

[[layer]]
type = "conv"
name = "conv1"
filters = 8
kernel = 5

[[layer]]
type = "relu"

[[layer]]
type = "maxpool"
size = 2

[[layer]]
type = "linear"
name = "fc"
`))
	if err != nil {
		log.Fatal(err)
	}
	net, err := a.InitNetwork(a.Input, 10, 1)
	if err != nil {
		log.Fatal(err)
	}
	for _, l := range net.Layers() {
		fmt.Println(l.Name, l.Kind, l.Filters, l.Patch, l.Positions)
	}
	fmt.Println(net.Size(), "weights")
	// Output:
	// conv1 conv 8 [1 5 5] 576
	// fc linear 10 [1152] 1
	// 11738 weights
}
