package record

import (
	"fmt"
	"math"
	"strings"

	"github.com/ansatz-lab/ansatz/internal/words"
)

// FormatDuration returns a time in words, to about two digits.
func FormatDuration(seconds float64) string {
	switch m := int(math.Round(seconds / 60)); {
	case seconds < 1:
		return "1 s"
	case seconds < 99.5:
		return fmt.Sprintf("%.0f s", seconds)
	case m < 60:
		return fmt.Sprintf("%d min", m)
	case m < 10*60 && m%60 != 0:
		return fmt.Sprintf("%d h %d min", m/60, m%60)
	case m < 48*60:
		return fmt.Sprintf("%d h", (m+30)/60)
	default:
		return fmt.Sprintf("%.0f days", seconds/86400)
	}
}

// Decimals returns the number of digits after the decimal point.
func Decimals(text string) int {
	_, after, _ := strings.Cut(text, ".")
	return len(after) - len(strings.TrimLeft(after, "0123456789"))
}

// MemoryText returns the peak memory of a run.
func MemoryText(bytes int64) string {
	if bytes == 0 {
		return "not recorded"
	}
	return words.Bytes(bytes)
}

// Names names a few of many things.
func Names(all []string) string {
	const most = 3
	switch n := len(all); {
	case n == 1:
		return all[0]
	case n > most:
		return fmt.Sprintf("each of %d of them", n)
	}
	return "each of " + words.List(all)
}

// PatchText returns the shape of a patch as text: "3×5×5".
func PatchText(patch []int) string {
	var s []string
	for _, d := range patch {
		s = append(s, fmt.Sprint(d))
	}
	return strings.Join(s, "×")
}

// SeedsText names seeds: "seed 2", "seeds 0 1".
func SeedsText(seeds []uint64) string {
	word := "seeds"
	if len(seeds) == 1 {
		word = "seed"
	}
	return fmt.Sprintf("%s %s", word, strings.Trim(fmt.Sprint(seeds), "[]"))
}
