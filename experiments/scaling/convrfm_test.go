package scaling

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/record"
)

func TestConvCost(t *testing.T) {
	spec := ConvCostSpec{Examples: []int{2, 5}, Depths: []int{1, 2, 3}, Sizes: []int{7, 9}, Pooled: []int{8},
		PooledExamples: 2, Channels: 1, Outputs: 2, Repeats: 2}
	c, err := NewConvCost(spec)
	if err != nil {
		t.Fatal(err)
	}
	told := 0
	r, err := c.Run(t.Context(), func(done, total int) {
		if told++; done != told || total != 7 {
			t.Errorf("%d of %d after %d", done, total, told)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	// The middle is n = 5, depth 2 and size 9. The examples give two points, the depths two more, and the sizes one
	// more.
	if len(r.Points) != 5 || len(r.Pooled) != 2 || len(r.Exponents) != 4 {
		t.Fatalf("%d and %d points, %d exponents", len(r.Points), len(r.Pooled), len(r.Exponents))
	}
	for i, want := range []int{2, 3, 2} {
		if got := len(r.sweeps()[i].points); got != want {
			t.Errorf("sweep %d has %d points, want %d", i, got, want)
		}
	}
	for _, p := range append(r.Points, r.Pooled...) {
		for _, part := range parts {
			if !(part.seconds(p.PartSeconds) > 0) {
				t.Errorf("%+v: no time for the %s", p, part.name)
			}
		}
		n := float64(p.Examples)
		if math.Abs(p.MatrixPair*n*(n+1)/2-p.Matrix) > 1e-9 || math.Abs(p.AGOPPair*n*n-p.AGOP) > 1e-9 {
			t.Errorf("%+v: seconds of pairs do not add up", p)
		}
	}
	dir := t.TempDir()
	if _, err := r.Save(dir); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "record.json"))
	if err != nil || json.Unmarshal(text, &ConvCostRecord{}) != nil {
		t.Error(err)
	}
	for _, name := range []string{"report.html", "tables/cost.csv", "tables/pooled.csv", "figures/seconds-depth.svg",
		"figures/bytes-examples.svg", "figures/pooled.svg"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
}

func TestConvCostExponents(t *testing.T) {
	r := &ConvCostRecord{
		Spec: ConvCostSpec{Kernel: "cntk", Examples: []int{2, 4}, Depths: []int{1, 3, 6}, Sizes: []int{8, 16, 32}},
	}
	for _, s := range []convSize{{"cntk", 2, 3, 16}, {"cntk", 4, 3, 16}, {"cntk", 4, 1, 16}, {"cntk", 4, 6, 16},
		{"cntk", 4, 3, 32}} {
		n, depth, size := float64(s.n), float64(s.depth), float64(s.size)
		r.Points = append(r.Points, ConvCostPoint{Examples: s.n, Depth: s.depth, Size: s.size,
			PartSeconds: PartSeconds{n * n * depth * size * size, n * n * n, n * size, depth}})
	}
	r.fitExponents()
	if s := r.Summary(); !strings.Contains(s, "kernel n^2.0 L^1.0 s^2.0, ") {
		t.Error(s)
	}
	few := &ConvCostRecord{Spec: ConvCostSpec{Examples: []int{2, 4}, Depths: []int{3}, Sizes: []int{16}}, Points: r.Points[:2]}
	few.fitExponents()
	if s := few.Summary(); !strings.Contains(s, "kernel n^2.0, ") {
		t.Error(s)
	}
	for i, want := range [][3]float64{{2, 1, 2}, {3, 0, 0}, {1, 0, 1}, {0, 1, 0}} {
		e := r.Exponents[i]
		if d := max(math.Abs(e.Examples-want[0]), math.Abs(e.Depth-want[1]), math.Abs(e.Size-want[2])); d > 1e-9 {
			t.Errorf("%+v, want %v", e, want)
		}
	}
}

func TestConvCostRefuses(t *testing.T) {
	for _, s := range []ConvCostSpec{
		{Examples: []int{0}}, {Examples: []int{}}, {Depths: []int{3, 1}}, {Sizes: []int{4}}, {Depths: []int{30}},
		{Kernel: "gaussian"},
		{Kernel: "laplace", Depths: []int{1, 2}}, {Outputs: -1}, {Repeats: -1}, {Channels: -1}, {Pooled: []int{3}},
		{Backend: "abacus"},
	} {
		if _, err := NewConvCost(s); !input.IsError(err) {
			t.Errorf("%+v: %v", s, err)
		}
	}
	c, err := NewConvCost(ConvCostSpec{Kernel: "laplace", Examples: []int{3}, Sizes: []int{8}, Pooled: []int{}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Run(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// PeakMemory includes memory that is allocated and written to, and returns the error of the function.
func TestPeakMemory(t *testing.T) {
	const taken = 64 << 20
	got, err := record.PeakMemory(func() error {
		b := make([]byte, taken)
		for i := 0; i < len(b); i += 512 {
			b[i] = 1
		}
		runtime.KeepAlive(b)
		return nil
	})
	reports := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) == nil // as PeakMemory does
	if err != nil || got < taken*9/10 && (got != 0 || reports) {
		t.Errorf("%d bytes, %v", got, err)
	}
	if _, err := record.PeakMemory(func() error { return errors.ErrUnsupported }); !errors.Is(err,
		errors.ErrUnsupported) {
		t.Errorf("got %v", err)
	}
}
