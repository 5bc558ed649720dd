package setups

import (
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/models"
)

// First sets the number of filters of the first layer, whatever the width is.
func TestFirstLayer(t *testing.T) {
	for _, n := range []EnergyNetwork{
		{Name: "a", Arch: "vgg11_bn", Width: .125, First: 24, Data: "cifar10"}, {Name: "b", Arch: "vgg16", First: 7},
		{Name: "c", Arch: "cnn2", Width: .5, First: 9},
	} {
		a, err := n.Architecture()
		if err != nil {
			t.Fatal(err)
		}
		a.Width = n.Width
		net, err := a.InitNetwork(models.Shape{Channels: 3, Height: 32, Width: 32}, 10, 1)
		if err != nil {
			t.Fatal(err)
		}
		if l := net.Layers(); l[0].Filters != n.First || l[1].Filters == n.First {
			t.Errorf("%s: %d and %d filters", n.Arch, l[0].Filters, l[1].Filters)
		}
	}
	if _, err := (EnergyNetwork{Name: "m", Arch: "mlp", First: 3}).Architecture(); !input.IsError(err) {
		t.Errorf("a perceptron: %v", err)
	}
}

// Kernel sets the filter size of the first layer only.
func TestFirstKernel(t *testing.T) {
	for _, n := range []EnergyNetwork{{Name: "a", Arch: "vgg11_bn", Width: .125, First: 24, Kernel: 7},
		{Name: "b", Arch: "resnet20", Kernel: 5}} {
		a, err := n.Architecture()
		if err != nil {
			t.Fatal(err)
		}
		a.Width = n.Width
		net, err := a.InitNetwork(models.Shape{Channels: 3, Height: 32, Width: 32}, 10, 1)
		if err != nil {
			t.Fatalf("%s: %v", n.Arch, err)
		}
		if l := net.Layers(); l[0].Patch[1] != n.Kernel || l[0].Patch[2] != n.Kernel || l[1].Patch[1] != 3 {
			t.Errorf("%s: patches of %v and %v", n.Arch, l[0].Patch, l[1].Patch)
		}
	}
}
