package parallel

import "testing"

// Shares are as many as they have to be, none larger than may be, and but for the last
// all are alike.
func TestEvenly(t *testing.T) {
	for n := 1; n < 200; n++ {
		for most := 1; most < 70; most++ {
			size := Evenly(n, most)
			if shares := (n + size - 1) / size; size < 1 || size > most || shares != (n+most-1)/most || (shares-1)*size >= n {
				t.Fatalf("%d in shares of at most %d: %d shares of %d", n, most, shares, size)
			}
		}
	}
	if got := Evenly(40, 32); got != 20 {
		t.Errorf("40 in shares of at most 32: of %d, want 20", got)
	}
}
