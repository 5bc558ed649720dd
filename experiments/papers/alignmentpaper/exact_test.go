package alignmentpaper

import (
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// Balanced linear networks have α = 1/L throughout their training, and the FACT holds at a stationary point with weight
// decay.
func TestExact(t *testing.T) {
	s := &ExactSpec{Depths: []int{2, 3}, Features: 6, Width: 3, Examples: 24, Steps: 20000, Settle: 20000, Rate: .03, Decay: .05}
	o, err := s.Run(t.Context(), study.Setting{Seed: 3, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][2]float64{
		balancedPearson.Of("2").Name(): {.9999, 1}, balancedPearson.Of("3").Name(): {.9999, 1},
		balancedAlpha.Of("2").Name(): {0, .01}, balancedAlpha.Of("3").Name(): {0, .01},
		decayedPearson.Of("2").Name(): {.999, 1}, stationaryFACT.Name(): {.999, 1}, stationaryBack.Name(): {.999, 1},
		gradientShare.Name(): {0, 1e-2},
	} {
		if got, ok := o.Values[name]; !ok || !(got >= want[0] && got <= want[1]+1e-9) {
			t.Errorf("%s is %v, want %v to %v", name, got, want[0], want[1])
		}
	}
	for _, s := range []*ExactSpec{{}, {
		Depths: []int{0}, Features: 6, Width: 3, Examples: 24, Steps: 1, Settle: 1, Rate: .03, Decay: .05,
	}} {
		if _, err := s.Run(t.Context(), study.Setting{}); !input.IsError(err) {
			t.Errorf("%+v: %v", s, err)
		}
	}
}
