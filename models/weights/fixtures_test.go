package weights

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gorgonia.org/tensor"
)

// An expectation is the content of a fixture according to testdata/make.py.
type expectation struct {
	Tensors []struct {
		Name   string
		Dtype  string
		Shape  []int
		Values []any // numbers, or the texts nan, inf and -inf
	}
	Metadata map[string]string
}

// expectations returns the expectations of the fixtures that can be read.
func expectations(t testing.TB) map[string]expectation {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(fixture(t, "expected.json")))
	dec.UseNumber()
	var all map[string]expectation
	if err := dec.Decode(&all); err != nil {
		t.Fatal(err)
	}
	return all
}

// fixture returns the content of a file in testdata.
func fixture(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// fixtures returns the names of all files of weights in testdata.
func fixtures(t testing.TB) []string {
	t.Helper()
	entries, err := os.ReadDir("testdata")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		if slices.Contains([]string{".pth", ".pt", ".safetensors"}, filepath.Ext(e.Name())) {
			names = append(names, e.Name())
		}
	}
	return names
}

// readBytes reads the content of a file as Open does.
func readBytes(data []byte) (*StateDict, error) {
	return read(bytes.NewReader(data), int64(len(data)))
}

// exact returns an element as a text. Different values have different texts, except that all NaNs have the same.
func exact(v any) string {
	switch v := v.(type) {
	case float32:
		return exact(float64(v))
	case float64:
		if math.IsNaN(v) {
			return "nan"
		}
		return strconv.FormatFloat(v, 'x', -1, 64)
	}
	return fmt.Sprint(v)
}

// elements returns the elements of a tensor as texts.
func elements(t *tensor.Dense) []string {
	texts := []string{}
	collect(t, func(v any) { texts = append(texts, exact(v)) })
	return texts
}

// collect calls f with every element of a row-major tensor.
func collect(t *tensor.Dense, f func(any)) {
	switch t.Dtype() {
	case tensor.Float32:
		each(t.Float32s(), f)
	case tensor.Float64:
		each(t.Float64s(), f)
	case tensor.Int8:
		each(t.Int8s(), f)
	case tensor.Int16:
		each(t.Int16s(), f)
	case tensor.Int32:
		each(t.Int32s(), f)
	case tensor.Int64:
		each(t.Int64s(), f)
	case tensor.Uint8:
		each(t.Uint8s(), f)
	case tensor.Uint16:
		each(t.Uint16s(), f)
	case tensor.Uint32:
		each(t.Uint32s(), f)
	case tensor.Uint64:
		each(t.Uint64s(), f)
	}
}

func each[T any](values []T, f func(any)) {
	for _, v := range values {
		f(v)
	}
}

// A view is a tensor in a form that can be compared and printed.
type view struct {
	Name   string
	Dtype  string
	Shape  []int
	Values []string
}

func views(d *StateDict) []view {
	all := []view{}
	for name, t := range d.All() {
		all = append(all, view{name, t.Dtype().String(), slices.Clone([]int(t.Shape())), elements(t)})
	}
	return all
}

// want returns the expectation as views.
func (e expectation) want(t testing.TB) []view {
	t.Helper()
	all := []view{}
	for _, x := range e.Tensors {
		v := view{x.Name, x.Dtype, x.Shape, []string{}}
		for _, value := range x.Values {
			text := fmt.Sprint(value)
			if x.Dtype == "float32" || x.Dtype == "float64" {
				f, err := strconv.ParseFloat(text, 64)
				if err != nil {
					t.Fatal(err)
				}
				text = exact(f)
			}
			v.Values = append(v.Values, text)
		}
		all = append(all, v)
	}
	return all
}

func TestFixtures(t *testing.T) {
	all := expectations(t)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		t.Run(name, func(t *testing.T) {
			d, err := Open(filepath.Join("testdata", name))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(all[name].want(t), views(d)); diff != "" {
				t.Errorf("tensors (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(all[name].Metadata, d.Metadata()); diff != "" {
				t.Errorf("metadata (-want +got):\n%s", diff)
			}
			for name, tensor := range d.All() {
				if !isRowMajor(int64s(tensor.Shape()), int64s(tensor.Strides())) {
					t.Errorf("%s has shape %v and strides %v", name, tensor.Shape(), tensor.Strides())
				}
			}
		})
	}
}
