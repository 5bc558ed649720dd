package gpu_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/graph/backend/gpu/gputest"
)

// device opens the backend gpu, or skips the test if there is no device.
func device(t *testing.T) *backend.Device {
	t.Helper()
	if !gputest.Available(t) {
		t.Skip("no device")
	}
	d, err := backend.Open(backend.Options{Backend: "gpu"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return d
}

// Every operation gives the result of the backend go but for rounding. It gives the same bytes wherever its operands
// are: in the memory of the program, lent to the device, or attached to it.
func TestOperations(t *testing.T) {
	d := device(t)
	t.Run("float32", func(t *testing.T) { testOperations[float32](t, d, 3e-6) })
	if d.Float64() == nil {
		t.Skip("a device without numbers of 64 bits")
	}
	t.Run("float64", func(t *testing.T) { testOperations[float64](t, d, 1e-14) })
}

func testOperations[T backend.Float](t *testing.T, d *backend.Device, tolerance float64) {
	pure, err := backend.Open(backend.Options{Backend: "go"})
	if err != nil {
		t.Fatal(err)
	}
	defer pure.Close()
	for _, o := range operations[T](t) {
		t.Run(o.name, func(t *testing.T) {
			in := o.operands()
			want := o.on(t, pure, in, "program")
			var before [][]T
			for _, place := range []string{"program", "lent", "device"} {
				got := o.on(t, d, in, place)
				for i := range want {
					near(t, fmt.Sprintf("%s: result %d", place, i), got[i], want[i], tolerance)
					if before != nil && fmt.Sprint(got[i]) != fmt.Sprint(before[i]) {
						t.Errorf("%s: result %d is another", place, i)
					}
				}
				before = got
			}
		})
	}
}

func (o operation[T]) operands() [][]T {
	rng := rand.New(rand.NewPCG(1, uint64(len(o.name))))
	in := make([][]T, len(o.in))
	for i, n := range o.in {
		in[i] = make([]T, n)
		for k := range in[i] {
			in[i][k] = T(rng.NormFloat64())
		}
	}
	return in
}

// on runs the operation on a device, with its operands in the given place.
func (o operation[T]) on(t *testing.T, d *backend.Device, in [][]T, place string) [][]T {
	t.Helper()
	out := make([][]T, len(o.out))
	var lent []any
	for i, n := range o.out {
		out[i] = make([]T, n)
	}
	e := backend.EngineOf[T](d)
	err := d.Do(func() error {
		operands := in
		switch place {
		case "lent":
			for _, x := range append(append([][]T(nil), in...), out...) {
				lent = append(lent, x)
			}
		case "device":
			operands = nil
			for _, x := range in {
				there := make([]T, len(x))
				attach(t, d, there)
				e.Elementwise(&backend.Chain{Instrs: []backend.Instr{{Code: backend.Scale, K: 1}}}, [][]T{x}, 1, there)
				operands = append(operands, there)
			}
			for i := range out {
				attach(t, d, out[i])
			}
		}
		return d.Lend(backend.Loan{Changed: lent}, func() error { o.run(e, operands, out); return nil })
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range out {
		d.Download(out[i])
	}
	return out
}

func attach(t *testing.T, d *backend.Device, slice any) {
	t.Helper()
	release, err := d.Memory().Attach(slice)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(release)
}

// near compares two slices, with a tolerance relative to the largest element.
func near[T backend.Float](t *testing.T, what string, got, want []T, tolerance float64) {
	t.Helper()
	top := 1.
	for _, v := range want {
		top = max(top, math.Abs(float64(v)))
	}
	for i, v := range want {
		if diff := math.Abs(float64(got[i] - v)); !(diff <= tolerance*top) {
			t.Fatalf("%s[%d] is %v, want %v", what, i, got[i], v)
		}
	}
}
