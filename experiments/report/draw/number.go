package draw

import (
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"
)

// short returns v with at most two decimals, without needless zeros: no printer shows a difference of 0.01
// points.
func short(v float64) string { return decimals(v, 2) }

func decimals(v float64, n int) string {
	power := math.Pow10(n)
	s := strconv.FormatFloat(math.Round(v*power)/power+0, 'f', -1, 64) // + 0 turns −0 into 0
	if strings.HasPrefix(s, "0.") {
		return s[1:]
	}
	if rest, is := strings.CutPrefix(s, "-0."); is {
		return "-." + rest
	}
	return s
}

// list returns lengths separated by spaces.
func list(lengths []vg.Length) string {
	texts := make([]string, len(lengths))
	for i, l := range lengths {
		texts[i] = short(float64(l))
	}
	return strings.Join(texts, " ")
}
