package weights

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// interesting returns a number ≥ 0, often near 0, a power of 2 or the largest int64.
func interesting(rng *rand.Rand) int64 {
	switch rng.IntN(4) {
	case 0:
		return rng.Int64N(4)
	case 1:
		return math.MaxInt64 - rng.Int64N(4)
	case 2:
		return 1<<rng.IntN(63) - rng.Int64N(2)
	}
	return rng.Int64()
}

func fits(n *big.Int) bool { return n.IsInt64() }

// TestArithmetic compares mul and add with big.Int.
func TestArithmetic(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 100_000 {
		a, b := interesting(rng), interesting(rng)
		x, y := big.NewInt(a), big.NewInt(b)
		if got, ok := mul(a, b); ok != fits(new(big.Int).Mul(x, y)) || ok && got != a*b {
			t.Fatalf("mul(%d, %d) = %d, %t", a, b, got, ok)
		}
		if got, ok := add(a, b); ok != fits(new(big.Int).Add(x, y)) || ok && got != a+b {
			t.Fatalf("add(%d, %d) = %d, %t", a, b, got, ok)
		}
	}
}

func TestProductAndReach(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for range 100_000 {
		rank := rng.IntN(4)
		shape, strides := make([]int64, rank), make([]int64, rank)
		offset := interesting(rng)
		n, end := big.NewInt(1), big.NewInt(offset)
		for i := range shape {
			shape[i], strides[i] = 1+interesting(rng)/2, interesting(rng)
			d := big.NewInt(shape[i])
			n.Mul(n, d)
			step := new(big.Int).Mul(d.Sub(d, big.NewInt(1)), big.NewInt(strides[i]))
			end.Add(end, step)
		}
		end.Add(end, big.NewInt(1))
		if got, ok := product(shape); ok != fits(n) || ok && got != n.Int64() {
			t.Fatalf("product(%d) = %d, %t, want %d", shape, got, ok, n)
		}
		if got, ok := reach(offset, shape, strides); ok != fits(end) || ok && got != end.Int64() {
			t.Fatalf("reach(%d, %d, %d) = %d, %t, want %d", offset, shape, strides, got, ok, end)
		}
	}
	if n, ok := product([]int64{math.MaxInt64, math.MaxInt64, 0}); n != 0 || !ok {
		t.Errorf("product of a shape with zero = %d, %t", n, ok)
	}
}

func TestBudget(t *testing.T) {
	for _, test := range []struct {
		size int64
		want budget
	}{
		{0, 16 << 20}, {1 << 20, 16 << 20}, {1<<20 + 1, 16<<20 + 16},
		{math.MaxInt64 / 16, math.MaxInt64 / 16 * 16}, {math.MaxInt64, math.MaxInt64},
	} {
		if got := budgetFor(test.size); got != test.want {
			t.Errorf("budgetFor(%d) = %d, want %d", test.size, got, test.want)
		}
	}
	b := budget(10)
	if b.spend(11) || b.spend(-1) || !b.spend(4) || b.spend(7) || !b.spend(6) || b != 0 {
		t.Errorf("%d is left", b)
	}
}
