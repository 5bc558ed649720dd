package report

import (
	"fmt"

	"github.com/ansatz-lab/ansatz/experiments/report/draw"
)

// or returns s, or other if s has no visible characters.
func or(s, other string) string {
	if plain(s) == "" {
		return other
	}
	return s
}

// atMost returns an error if there are more than limit things: figures must stay
// readable and fit into memory.
func atMost(limit, n int, things string) error {
	if n > limit {
		return fmt.Errorf("%d %s: want at most %d", n, things, limit)
	}
	return nil
}

// plain returns s as one line of text that is safe anywhere; see [draw.Plain].
func plain(s string) string { return draw.Plain(s) }
