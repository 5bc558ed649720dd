package models

import (
	"errors"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/models/weights"
)

func TestOn(t *testing.T) {
	a, _ := Lookup("vgg11_bn")
	for in, want := range map[Shape]string{
		{3, 32, 32}: "CIFAR", {3, 63, 63}: "CIFAR", {3, 32, 200}: "CIFAR", {3, 64, 64}: "ImageNet",
		{3, 224, 224}: "ImageNet",
	} {
		on := a.On(in)
		if on.Name != "vgg11_bn" || !strings.HasPrefix(on.Form, want) {
			t.Errorf("on %v: %s, %s", in, on.Name, on.Form)
		}
		if again := on.On(Shape{3, 32, 32}).On(Shape{3, 224, 224}); again.Form != on.Form {
			t.Errorf("a form changed from %s to %s", on.Form, again.Form)
		}
	}
	if small := a.On(Shape{3, 32, 32}); small.Normalise != "dataset" {
		t.Errorf("on small images %s normalises %s", a.Name, small.Normalise)
	}
	other, _ := Lookup("resnet18")
	if other.On(Shape{3, 32, 32}) != other || other.Form != "" {
		t.Error("resnet18 has one form only")
	}
}

// TestLoadChoosesForm checks that Load chooses the form of the architecture by the names of the weights, and that the
// network keeps this form.
func TestLoadChoosesForm(t *testing.T) {
	in := Shape{3, 32, 32}
	a, _ := Lookup("vgg11")
	a.Width = .125
	for _, f := range a.forms(in) {
		n, err := f.InitNetwork(in, 7, 1)
		if err != nil {
			t.Fatal(err)
		}
		m, err := a.Load(n.StateDict(), in)
		if err != nil {
			t.Fatal(err)
		}
		if m.Arch.Form != f.Form || m.Classes != 7 || m.Size() != n.Size() {
			t.Errorf("%s: loaded as %s with %d classes", f.Form, m.Arch.Form, m.Classes)
		}
		again, err := m.Arch.InitNetwork(in, 7, 1)
		if err != nil {
			t.Fatal(err)
		}
		if again.StateDict().SHA256() != n.StateDict().SHA256() {
			t.Errorf("%s: a fresh network of the loaded one's form is another", f.Form)
		}
	}
	var mismatch *weights.MismatchError
	if _, err := a.Load(new(weights.StateDict), in); !errors.As(err, &mismatch) ||
		!strings.Contains(err.Error(), "no classifier.weight") {
		t.Errorf("no weights: %v", err)
	}
}
