package overview

import (
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/study"
)

// A list without experiments says why there are none.
func TestEmptyLists(t *testing.T) {
	unknown := []*study.Experiment{{ID: "toys/one", Paper: "toys"}}
	for _, c := range []struct {
		name, want string
		list       *List
		under      float64
	}{
		{"an experiment", "1 experiment with 0 claims and controls", NewList(unknown, study.Small), 0},
		{"of unknown time", "none of these experiments is known at scale small", NewList(unknown, study.Small), 60},
		{"none selected", "fits all that was asked for", NewList(nil, study.Small), 0},
		{"none selected, with a time", "fits all that was asked for", NewList(nil, study.Small), 60},
	} {
		if c.under > 0 {
			c.list.Under(c.under)
		}
		if text := c.list.Summary(); !strings.Contains(text, c.want) {
			t.Errorf("%s: %q, want %q", c.name, text, c.want)
		}
	}
}
