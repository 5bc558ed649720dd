package report

import (
	"fmt"

	"github.com/ansatz-lab/ansatz/experiments/report/draw"
)

// or returns s, or other if there is nothing to see in s.
func or(s, other string) string {
	if plain(s) == "" {
		return other
	}
	return s
}

// atMost returns an error if there are more than limit things: the charts keep
// their figures to sizes that can be read and held in memory.
func atMost(limit, n int, things string) error {
	if n > limit {
		return fmt.Errorf("%d %s, at most %d are shown", n, things, limit)
	}
	return nil
}

// plain returns s as one line of text that is safe anywhere; see [draw.Plain].
func plain(s string) string { return draw.Plain(s) }
