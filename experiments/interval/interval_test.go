package interval

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The quantiles are the critical values of the printed tables of the two-sided test at 5 %, plus one. Fewer than 6
// differences have no critical value.
func TestSignedRankQuantile(t *testing.T) {
	for n, want := range map[int]int{5: 0, 6: 1, 8: 4, 10: 9, 20: 53, 50: 435} {
		if got := signedRankQuantile(n, .025); got != want {
			t.Errorf("n = %d: %d, want %d", n, got, want)
		}
	}
}

// Intervals contain the true centre about as often as their confidence says.
func TestCoverage(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const draws = 4000
	for _, confidence := range []float64{.95, .99} {
		var mean, median int
		for range draws {
			x := make([]float64, 9)
			for i := range x {
				x[i] = 3 + 2*rng.NormFloat64()
			}
			m, half := Mean(x, confidence)
			if math.Abs(m-3) <= half {
				mean++
			}
			if _, low, high := Pseudomedian(x, confidence); low <= 3 && 3 <= high {
				median++
			}
		}
		slack := 3 * math.Sqrt(confidence*(1-confidence)/draws)
		if share := float64(mean) / draws; math.Abs(share-confidence) > slack {
			t.Errorf("intervals of the mean at %v contain it in %.4f of cases", confidence, share)
		}
		if share := float64(median) / draws; share < confidence-slack || share > confidence+slack+.02 {
			t.Errorf("intervals of the pseudomedian at %v contain it in %.4f of cases", confidence, share)
		}
	}
	if _, half := Mean([]float64{1}, .95); !math.IsNaN(half) {
		t.Errorf("one number has the interval ±%v", half)
	}
}
