package kernelmachine

import (
	"strings"
	"testing"
)

// The summary says that no iteration did better on the validation examples where there are any.
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
