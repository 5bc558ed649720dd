package zoo

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/models/archfile"
)

// TestWrite checks that every network that is known by name, written as an architecture file, is read as the same
// network, and that writing that one gives the same text.
func TestWrite(t *testing.T) {
	for _, name := range append(Names(), append(models.Names(), "mlp:30,20", "cnn-max:5")...) {
		a, err := Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		want, err := a.Describe(a.Input, 7)
		if err != nil {
			t.Fatal(err)
		}
		var first, second bytes.Buffer
		if err := archfile.Write(&first, a, a.Input, 7); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		again, err := archfile.Parse(first.Bytes())
		if err != nil {
			t.Errorf("%s: %v\n%s", name, err, first.Bytes())
			continue
		}
		got, err := again.Describe(a.Input, 7)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(shapes(got), shapes(want)) {
			t.Errorf("%s: the file is of another network: %v, want %v", name, shapes(got), shapes(want))
		}
		again.Init = a.Init
		if err := archfile.Write(&second, again, a.Input, 7); err != nil || second.String() != first.String() {
			t.Errorf("%s: written twice, %v:\n%s\n%s", name, err, first.Bytes(), second.Bytes())
		}
	}
}

// shapes lists the parameters of a network by name and shape, and its layers.
func shapes(d *models.Description) (all []any) {
	for _, p := range d.Parameters {
		all = append(all, p.Name, p.Shape, p.Trained)
	}
	for _, l := range d.Layers {
		all = append(all, l.Name, l.Kind, l.Positions, l.Groups, l.Heads)
	}
	return all
}
