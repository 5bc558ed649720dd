package graph

import (
	"context"
	"errors"
	"testing"

	"github.com/ansatz-lab/ansatz/graph/backend"
)

// Programs that share an arena take the memory of the largest. Each computes what it computes alone, in whatever order
// the programs are compiled and run.
func TestArena(t *testing.T) {
	for _, d := range devices(t) {
		for _, sizes := range [][2]int{{5, 2}, {2, 5}} {
			arena := new(Arena)
			var alone, shared [2]*Program
			for i, n := range sizes {
				alone[i], shared[i] = compiled(t, d, n, nil), compiled(t, d, n, arena)
			}
			for _, i := range []int{0, 1, 0} {
				want, got := outputOf(t, alone[i]), outputOf(t, shared[i])
				near(t, "output", got, want, 0)
			}
			if want := max(alone[0].Bytes(), alone[1].Bytes()); arena.Bytes() != want {
				t.Errorf("%s: the arena holds %d bytes, the larger program alone %d", d.Name(), arena.Bytes(), want)
			}
		}
	}
}

// compiled returns a compiled network for n images that keeps only its output.
func compiled(t *testing.T, d *backend.Device, n int, a *Arena) *Program {
	t.Helper()
	f, _ := testNet(t, d, Single, n, false)
	p, err := f.Compile(Plan{Outputs: []*Node{f.Output}, Arena: a})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func outputOf(t *testing.T, p *Program) []float64 {
	t.Helper()
	if err := p.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	out := p.steps[len(p.steps)-1].out
	p.g.device.Download(out.Data())
	return get(out)
}

// A program that needs more memory than its limit is not compiled.
func TestMemoryLimit(t *testing.T) {
	f, _ := testNet(t, devices(t)[0], Single, 3, false)
	p, err := f.Compile(Plan{Outputs: []*Node{f.Output}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Compile(Plan{Outputs: []*Node{f.Output}, Limit: p.Bytes()}); err != nil {
		t.Errorf("just enough: %v", err)
	}
	var e *MemoryError
	if _, err := f.Compile(Plan{Outputs: []*Node{f.Output}, Limit: p.Bytes() - 1}); !errors.As(err, &e) ||
		e.Need != p.Bytes() {
		t.Errorf("a byte too little: %v", err)
	}
}
