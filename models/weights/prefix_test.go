package weights

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"gorgonia.org/tensor"
)

func dictOf(names ...string) *StateDict {
	d := new(StateDict)
	for i, name := range names {
		d.Set(name, tensor.New(tensor.WithShape(1), tensor.WithBacking([]float32{float32(i)})))
	}
	return d
}

func TestUnder(t *testing.T) {
	d := dictOf("model.a", "ema.a", "model.", "model.b.c", "step")
	part, err := d.Under("model.")
	if err != nil || !slices.Equal(part.Names(), []string{"a", "b.c"}) {
		t.Errorf("%v, %v", part.Names(), err)
	}
	var none *PrefixError
	if _, err := d.Under("modle."); !errors.As(err, &none) || !strings.Contains(err.Error(), "model.a, ema.a") {
		t.Errorf("a prefix that no name has: %v", err)
	}
}

// TestWrappingInSafetensors checks that the prefixes that DataParallel and torch.compile put before every name are
// removed from safetensors files, as they are from PyTorch's. A prefix that only some names have stays.
func TestWrappingInSafetensors(t *testing.T) {
	for _, c := range []struct{ names, want []string }{
		{[]string{"module.a", "module.b"}, []string{"a", "b"}},
		{[]string{"module._orig_mod.a"}, []string{"a"}},
		{[]string{"_orig_mod.module.a"}, []string{"a"}},
		{[]string{"module.a", "b"}, []string{"module.a", "b"}},
		{[]string{"module."}, []string{"module."}},
		{nil, nil},
	} {
		var file bytes.Buffer
		if err := WriteSafetensors(&file, dictOf(c.names...), map[string]string{"key": "kept"}); err != nil {
			t.Fatal(err)
		}
		d, err := ReadSafetensors(bytes.NewReader(file.Bytes()), int64(file.Len()))
		if err != nil {
			t.Fatal(err)
		}
		if got := d.Names(); !slices.Equal(got, c.want) || d.Metadata()["key"] != "kept" {
			t.Errorf("%v: %v, want %v; metadata %v", c.names, got, c.want, d.Metadata())
		}
	}
}
