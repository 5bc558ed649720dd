package models

import (
	"errors"
	"strings"
	"testing"
)

func TestLookup(t *testing.T) {
	for _, name := range append(Names(), "mlp:30,20", "cnn-vec:1", "cnn-max:5", "cnn-avg:7", "cnn3:4", "linear-cnn:5") {
		if a, err := Lookup(name); err != nil || a.Name != name {
			t.Errorf("%s: %v, %v", name, a, err)
		}
	}
}

func TestLookupMistakes(t *testing.T) {
	var unknown *UnknownError
	for _, name := range []string{"resnet21", "", ":", "nonet", "cnn-min:3"} {
		_, err := Lookup(name)
		if !errors.As(err, &unknown) {
			t.Errorf("%q, which there is not: %v", name, err)
			continue
		}
		if name == "resnet21" {
			if !strings.Contains(err.Error(), "(did you mean resnet20?): ansatz verify --help lists all") {
				t.Error(err)
			}
			continue
		}
		for _, known := range append(Names(), "mlp:W1,W2", "TOML") {
			if !strings.Contains(err.Error(), known) {
				t.Errorf("%q: the message does not offer %s: %v", name, known, err)
			}
		}
	}
	for name, want := range map[string]string{
		"mlp:":            "is called linear",
		"mlp:0":           "at least 1",
		"mlp:10,x":        `"x" is not a hidden width`,
		"mlp:-1":          "at least 1",
		"cnn-max:":        "want an odd number",
		"cnn-max:4":       "want an odd number from 1",
		"cnn-avg:5,5":     "is not a patch size",
		"cnn3:0":          "want a whole number from 1",
		"linear-cnn:-3":   "is not a patch size",
		"linear-cnn:9e9":  "is not a patch size",
		"cnn1:9999999999": "is not a patch size",
		"vgg11:3":         `vgg11 has no settings: leave out ":3"`,
		"linear:10":       "linear has no settings",
	} {
		if _, err := Lookup(name); err == nil || !strings.Contains(err.Error(), want) ||
			!strings.Contains(err.Error(), name) {
			t.Errorf("%s: want an error with %q, got %v", name, want, err)
		}
	}
}

// TestParameters checks the numbers of parameters that the papers and their code state or imply, for 10 classes.
func TestParameters(t *testing.T) {
	cifar, digits := Shape{3, 32, 32}, Shape{1, 28, 28}
	for _, c := range []struct {
		name string
		in   Shape
		want int
	}{
		{"simplenet", cifar, 5498378},
		{"vgg11", cifar, 9225610},
		{"vgg11", Shape{3, 224, 224}, 128807306},
		{"cnn-max", cifar, 64*9*(3+3*64) + 640},
		{"cnn-avg:5", cifar, 64*25*(3+3*64) + 640},
		{"cnn-vec", cifar, 64*9*(3+3*64) + 640*32*32},
		{"cnn1", cifar, 64*9*3 + 640*30*30},
		{"cnn5", cifar, 64*9*(3+4*64) + 640*22*22},
		{"cnn3:5", cifar, 64*25*(3+2*64) + 640*20*20},
		{"linear-cnn", cifar, 64 * 27},
		{"linear", digits, 7850},
		{"lenet", digits, 61706},
	} {
		a, err := Lookup(c.name)
		if err != nil {
			t.Fatal(err)
		}
		n, err := a.On(c.in).network(c.in, 10)
		if err != nil {
			t.Fatal(err)
		}
		if n.Size() != c.want {
			t.Errorf("%s on %v has %d parameters, want %d", c.name, c.in, n.Size(), c.want)
		}
	}
}

// The linear CNN has one output, whatever the number of classes.
func TestLinearCNNHasOneOutput(t *testing.T) {
	a, _ := Lookup("linear-cnn")
	n, err := a.InitNetwork(a.Input, 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	m, err := a.Load(n.StateDict(), a.Input)
	if err != nil {
		t.Fatal(err)
	}
	if n.Classes != 1 || m.Classes != 1 {
		t.Errorf("%d outputs, %d when loaded, want 1", n.Classes, m.Classes)
	}
}
