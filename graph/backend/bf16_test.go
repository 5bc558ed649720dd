package backend

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

// openBF16 returns a device that multiplies in bfloat16, and one that does not. It skips the test if there is no
// bfloat16.
func openBF16(t *testing.T) (half, full *Device) {
	t.Helper()
	half, err := Open(Options{BF16: true, Threads: 2})
	if errors.Is(err, ErrNoBF16) {
		t.Skip("no bfloat16 in this build or processor")
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(half.Close)
	if full, err = Open(Options{Threads: 2}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(full.Close)
	return half, full
}

// rounded returns x in bfloat16: the nearer of its two neighbours or, in a tie, the one whose last bit is 0.
func rounded(x float32) float32 {
	bits := math.Float32bits(x)
	below := math.Float32frombits(bits &^ 0xffff) // towards zero
	above := math.Float32frombits(bits&^0xffff + 0x10000)
	switch down, up := math.Abs(float64(x)-float64(below)), math.Abs(float64(above)-float64(x)); {
	case x != x || down < up:
		return below
	case down > up || bits&0x10000 != 0:
		return above
	}
	return below
}

func normals(rng *rand.Rand, n int, round bool) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(rng.NormFloat64())
		if round {
			x[i] = rounded(x[i])
		}
	}
	return x
}

func roundedAll(x []float32) []float32 {
	y := make([]float32, len(x))
	for i, v := range x {
		y[i] = rounded(v)
	}
	return y
}

// Packing rounds to the nearest, ties to even, and keeps infinities and NaNs.
func TestPack(t *testing.T) {
	half, full := openBF16(t)
	if full.Packer() != nil {
		t.Fatal("a device of float32 packs")
	}
	p, rng := half.Packer(), rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 2, 7, 1000, 40001} {
		x := normals(rng, n, false)
		for i := range x {
			if i%3 == 0 { // random bits, but no NaN, because rounding may change its payload
				x[i] = math.Float32frombits(rng.Uint32() & 0xbf7fffff)
			}
			if i%5 == 0 { // a tie
				x[i] = math.Float32frombits(math.Float32bits(x[i])&^0xffff | 0x8000)
			}
		}
		x[n-1] = float32(math.Inf(-1))
		packed, back := make([]float32, PackedLen(n)), make([]float32, n)
		if err := half.Do(func() error { p.Pack(x, packed); p.Unpack(packed, back); return nil }); err != nil {
			t.Fatal(err)
		}
		for i := range x {
			if want := rounded(x[i]); i < n-1 && back[i] != want {
				t.Fatalf("%d of %d: %g is %g in bfloat16, want %g", i, n, x[i], back[i], want)
			}
		}
		if !math.IsInf(float64(back[n-1]), -1) {
			t.Errorf("−Inf is %g", back[n-1])
		}
	}
	x, packed, back := []float32{float32(math.NaN()), math.Float32frombits(0x7f800001)}, make([]float32, 1), make([]float32, 2)
	if err := half.Do(func() error { p.Pack(x, packed); p.Unpack(packed, back); return nil }); err != nil {
		t.Fatal(err)
	}
	if back[0] == back[0] || back[1] == back[1] {
		t.Errorf("NaNs are %v", back)
	}
}

// A chain that reads some of its operands packed gives the same result as with these operands unpacked.
func TestElementwisePacked(t *testing.T) {
	half, _ := openBF16(t)
	p, e, rng := half.Packer(), half.Float32(), rand.New(rand.NewPCG(3, 4))
	const n, cols = 70001, 1
	c := &Chain{Instrs: []Instr{{Code: ReLU, A: 2}, {Code: Mask, A: 0, B: 1}, {Code: Add, A: ^int32(0), B: ^int32(1)}}}
	xs := [][]float32{normals(rng, n, false), normals(rng, n, true), normals(rng, n, true)}
	want, got := make([]float32, n), make([]float32, n)
	packed := [][]float32{xs[0], make([]float32, PackedLen(n)), make([]float32, PackedLen(n))}
	if err := half.Do(func() error {
		e.Elementwise(c, xs, cols, want)
		p.Pack(xs[1], packed[1])
		p.Pack(xs[2], packed[2])
		p.ElementwisePacked(c, 0b110, packed, cols, got)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("%d: %g, want %g", i, got[i], want[i])
		}
	}
}

// apart returns ‖x − y‖/‖y‖.
func apart(x, y []float32) float64 {
	var d, of float64
	for i := range x {
		d += (float64(x[i]) - float64(y[i])) * (float64(x[i]) - float64(y[i]))
		of += float64(y[i]) * float64(y[i])
	}
	return math.Sqrt(d / of)
}

// Convolutions and products in bfloat16 round their operands to bfloat16 and sum in float32.
func TestBF16Products(t *testing.T) {
	half, full := openBF16(t)
	rng := rand.New(rand.NewPCG(5, 6))
	of := func(round bool, x []float32) []float32 {
		if round {
			return roundedAll(x)
		}
		return x
	}
	check := func(what string, run func(e Engine[float32], round bool) ([]float32, error)) {
		t.Helper()
		var got, want []float32
		err := half.Do(func() (err error) { got, err = run(half.Float32(), false); return err })
		if err == nil {
			err = full.Do(func() (err error) { want, err = run(full.Float32(), true); return err })
		}
		if err != nil {
			t.Fatal(err)
		}
		if d := apart(got, want); !(d < 1e-5) {
			t.Errorf("%s: %.2g from the product of rounded numbers", what, d)
		}
		exact := want
		if err := full.Do(func() (err error) { exact, err = run(full.Float32(), false); return err }); err != nil {
			t.Fatal(err)
		}
		if d := apart(got, exact); !(d > 1e-4 && d < 1e-2) {
			t.Errorf("%s: %.2g from the product in float32: is it in bfloat16?", what, d)
		}
	}
	for _, s := range []ConvShape{
		{N: 2, H: 9, W: 8, C: 3, Filters: 20, KH: 3, KW: 3, PadH: 1, PadW: 1},
		{N: 3, H: 8, W: 8, C: 64, Filters: 32, KH: 3, KW: 3, StrideH: 2, StrideW: 2, PadH: 1, PadW: 1},
		{N: 2, H: 7, W: 7, C: 32, Filters: 64, KH: 1, KW: 1},
		{N: 2, H: 8, W: 8, C: 32, Filters: 32, KH: 3, KW: 3, PadH: 2, PadW: 2, DilateH: 2, DilateW: 2, Groups: 2},
	} {
		s = s.Normal()
		x, w := normals(rng, s.N*s.H*s.W*s.C, false), normals(rng, s.Filters*s.C/s.Groups*s.KH*s.KW, false)
		dy, bias := normals(rng, s.N*s.OutH()*s.OutW()*s.Filters, false), normals(rng, s.Filters, false)
		check("convolution", func(e Engine[float32], round bool) ([]float32, error) {
			y := make([]float32, len(dy))
			return y, e.Convolve(s, of(round, x), of(round, w), bias, true, y)
		})
		check("data gradient", func(e Engine[float32], round bool) ([]float32, error) {
			dx := make([]float32, len(x))
			return dx, e.ConvolveData(s, of(round, w), of(round, dy), dx)
		})
		check("weight gradient", func(e Engine[float32], round bool) ([]float32, error) {
			dw := make([]float32, len(w))
			return dw, e.ConvolveWeights(s, of(round, x), of(round, dy), dw)
		})
	}
	for _, beta := range []float32{0, 1, .5} {
		for _, trans := range [][2]bool{{}, {true, false}, {false, true}, {true, true}} {
			const m, n, k = 70, 45, 133
			a, b, c := normals(rng, m*k, false), normals(rng, k*n, false), normals(rng, m*n, false)
			check("matrix product", func(e Engine[float32], round bool) ([]float32, error) {
				out := append([]float32(nil), c...)
				e.Gemm(trans[0], trans[1], m, n, k, of(round, a), of(round, b), beta, out)
				return out, nil
			})
		}
	}
}

// The backend go has no bfloat16.
func TestBF16NeedsNative(t *testing.T) {
	if _, err := Open(Options{Backend: "go", BF16: true}); !errors.Is(err, ErrNoBF16) {
		t.Errorf("bfloat16 in Go: %v", err)
	}
}
