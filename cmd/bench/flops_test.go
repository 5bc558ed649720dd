package main

import (
	"math"
	"testing"
)

// TestFlops compares counts with those that were worked out by hand for LeNet on 28×28 digits. Its layers have 784,
// 100, 1, 1 and 1 positions, patches of 25, 150, 400, 120 and 84, and 6, 16, 120, 84 and 10 filters.
func TestFlops(t *testing.T) {
	n, err := newNetwork("lenet", 1)
	if err != nil {
		t.Fatal(err)
	}
	first := 2. * 784 * 25 * 6
	rest := 2. * (100*150*16 + 400*120 + 120*84 + 84*10)
	moments := 784*6*6 + 100*16*16 + 120*120 + 84*84 + 10*10.
	for name, c := range map[string]struct{ got, want float64 }{
		"step": {stepFlops(n, 32), 32 * (2*first + 3*rest)},
		"AGOP": {agopFlops(n, 3), 3 * (first + rest + 10*(rest+moments))},
	} {
		if math.Abs(c.got-c.want) > 1e-9*c.want {
			t.Errorf("%s: %g operations, want %g", name, c.got, c.want)
		}
	}
	// The Jacobian J is kept as factors for the last three layers, and as rows for the convolutions.
	rows := 20.
	want := 2*(first+rest) + rows*rest + rows*(first+2*100*150*16) + rows*rows*(26*6+151*16) +
		rows*rows*(121+85+11) + 4*(400+120+84)
	if got := ntkFlops(n, 2); math.Abs(got-want) > 1e-9*want {
		t.Errorf("Θ: %g operations, want %g", got, want)
	}
}
