package kernelmachine

import (
	"strings"
	"testing"
)

// The summary says that no later iteration did better only if there are validation examples.
func TestSummaryWithoutValidation(t *testing.T) {
	const says = "No later iteration did better"
	score := .5
	for _, held := range []*float64{nil, &score} {
		r := &RFMRecord{Iterations: []IterationRecord{{ValidationAccuracy: held}, {ValidationAccuracy: held}}}
		if got := r.Summary(); strings.Contains(got, says) != (held != nil) {
			t.Errorf("validation accuracy %v: %s", held, got)
		}
	}
}
