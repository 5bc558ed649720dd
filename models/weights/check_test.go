package weights

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gorgonia.org/tensor"
)

func TestCheck(t *testing.T) {
	var d StateDict
	d.Set("conv.weight", tensor.New(tensor.WithShape(4, 3), tensor.Of(tensor.Float32)))
	d.Set("count", tensor.New(tensor.FromScalar(int64(1))))
	d.Set("extra", vector[float32](1))

	good := []Spec{
		{Name: "count"},
		{Name: "conv.weight", Shape: []int{4, 3}},
		{Name: "extra", Shape: []int{1}, Optional: true},
		{Name: "absent", Shape: []int{9}, Optional: true},
	}
	if err := d.Check(good); err != nil {
		t.Errorf("Check gives %v", err)
	}
	if err := d.Check(good[1:]); err != nil {
		t.Errorf("with a whole number that the network does not have Check gives %v", err)
	}

	err := d.Check([]Spec{
		{Name: "conv.weight", Shape: []int{4, 4}},
		{Name: "count", Shape: []int{1}, Optional: true},
		{Name: "conv.bias", Shape: []int{4}},
		{Name: "scale"},
	})
	want := &MismatchError{
		Missing:    []Spec{{Name: "conv.bias", Shape: []int{4}}, {Name: "scale"}},
		Unexpected: []string{"extra"},
		Misshaped: []Misshape{
			{Name: "conv.weight", Want: []int{4, 4}, Got: []int{4, 3}},
			{Name: "count", Want: []int{1}, Got: []int{}},
		},
	}
	var got *MismatchError
	if !errors.As(err, &got) {
		t.Fatalf("error is %v, want a *MismatchError", err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	const message = "weights: the tensors do not fit this network; missing: conv.bias [4], scale []; unexpected: extra; " +
		"wrong shape: conv.weight [4, 3] instead of [4, 4], count [] instead of [1] " +
		"(the file is of a network of the same kind with other sizes: compare the width, the number of classes, and the " +
		"size and channels of the images)"
	if err.Error() != message {
		t.Errorf("message is\n%s\nwant\n%s", err, message)
	}
}

func TestCheckMany(t *testing.T) {
	var d StateDict
	var want []Spec
	for i := range 10 {
		d.Set(fmt.Sprintf("backbone.layer%d", i), vector[float32](1))
		want = append(want, Spec{Name: fmt.Sprintf("layer%d", i), Shape: []int{1}})
	}
	err := d.Check(want[:9])
	for _, part := range []string{"layer7 [1] and 1 more", "backbone.layer7 and 2 more", `prefix "backbone."`} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("error is %v, want it to say %q", err, part)
		}
	}
	d.Set("\x1b[31m", vector[float32](1))
	if err := d.Check(want); err == nil || strings.Contains(err.Error(), "\x1b") {
		t.Errorf("error is %q, want no escape for a terminal", err)
	}
	err = d.Check(append(want, Spec{Name: "head"}))
	if err == nil || strings.Contains(err.Error(), "prefix") || !strings.Contains(err.Error(), "another network") {
		t.Errorf("error is %v, want no prefix", err)
	}
}
