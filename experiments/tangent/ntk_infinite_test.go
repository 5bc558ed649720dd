package tangent

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/models/kernels"
	"gonum.org/v1/gonum/floats"
)

// The kernel of infinite width does not depend on the width of the network, and the network's kernel is closer to it at
// a larger width. The full, trace and diagonal kernels are compared with the same limit.
func TestInfiniteWidth(t *testing.T) {
	s := smallKernel()
	s.Arch, s.Parameterisation, s.Infinite, s.Kernel = "mlp:32,32", "ntk:1.5:0.2", true, kernels.Trace.String()
	s.Width = 1
	narrow := runKernel(t, s)
	s.Width = 64
	m := newKernel(t, s)
	wide, err := m.Run(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	a, b := narrow.Infinite, wide.Infinite
	if !floats.Equal(a.Singular, b.Singular) || a.Rows != 4 || a.Parameters != 0 {
		t.Errorf("the limit depends on the width: %v and %v", a.Singular, b.Singular)
	}
	if !(b.Distance.Relative < a.Distance.Relative/2) || !(b.Distance.Cosine > .99) {
		t.Errorf("the wide network is %v away, the narrow one %v", b.Distance.Relative, a.Distance.Relative)
	}
	path := filepath.Join(t.TempDir(), "limit.npy")
	if err := m.SaveInfiniteGram(path); err != nil {
		t.Fatal(err)
	}
	trace := 0.
	for i, v := range readNPY(t, path) {
		if i%5 == 0 {
			trace += v / 4
		}
	}
	if math.Abs(trace-b.Diagonal.Mean) > 1e-12*trace || len(readNPY(t, path)) != 16 {
		t.Errorf("the file's diagonal has the mean %v, the record %v", trace, b.Diagonal.Mean)
	}
	if !strings.Contains(wide.Summary(), "from that of infinite width") || !strings.Contains(wide.Conventions.Kernel, "the NTK") ||
		wide.Parameterisation != "ntk:1.5:0.2" {
		t.Errorf("%s\n%s\n%s", wide.Summary(), wide.Conventions.Kernel, wide.Parameterisation)
	}
	s.Kernel, s.Width = kernels.Full.String(), 1
	whole := runKernel(t, s)
	s.Kernel = kernels.Diagonal.String()
	if d := runKernel(t, s).Infinite; d.Rows != whole.Rows || !floats.EqualApprox(d.Singular, whole.Infinite.Singular, 1e-12) ||
		!(d.Distance.Relative < whole.Infinite.Distance.Relative) {
		t.Errorf("for each output: %+v, for all %+v", d, whole.Infinite)
	}
	if c := whole.Infinite; c.Rows != whole.Rows || math.Abs(c.Diagonal.Mean-a.Diagonal.Mean) > 1e-12*a.Diagonal.Mean {
		t.Errorf("for all outputs: %d rows, mean diagonal %v, want %d and %v", c.Rows, c.Diagonal.Mean, whole.Rows,
			a.Diagonal.Mean)
	}
}

// Networks that have no kernel of infinite width are refused before anything is computed.
func TestInfiniteWidthRefuses(t *testing.T) {
	s := smallKernel()
	s.Infinite = true
	for want, set := range map[string]func(*NTKSpec){
		"--parameterisation ntk": func(s *NTKSpec) { s.Arch = "mlp:8" },
		"writes many such networks as layers": func(s *NTKSpec) {
			s.Arch, s.Data, s.Parameterisation = "../../models/totoml/testdata/mlp-17.onnx", "deadleaves", "ntk"
			s.Size, s.Width = 20, 1
		},
		"MaxPool":            func(s *NTKSpec) { s.Parameterisation = "ntk" },
		"leave out --init":   func(s *NTKSpec) { s.Parameterisation, s.Init = "ntk", "kaiming" },
		"want standard, ntk": func(s *NTKSpec) { s.Parameterisation = "mup" },
	} {
		c := s
		set(&c)
		if _, err := NewNTK(c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
