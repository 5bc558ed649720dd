package report

import (
	"fmt"
	"strconv"

	"github.com/ansatz-lab/ansatz/experiments/report/draw"
)

// or returns s, or other if there is nothing to see in s.
func or(s, other string) string {
	if plain(s) == "" {
		return other
	}
	return s
}

// plural returns "1 layer" or "3 layers".
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return strconv.Itoa(n) + " " + thing + "s"
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
