package axes

import (
	"math"
	"strconv"
	"strings"
)

// Decimals returns how many decimals tell multiples of step apart.
func Decimals(step float64) int {
	return max(0, int(-math.Floor(math.Log10(step*(1+1e-9)))))
}

// Fixed returns v with that many decimals. Five or more digits before the point
// are set in groups of three.
func Fixed(v float64, decimals int) string {
	s := strconv.FormatFloat(math.Abs(v), 'f', decimals, 64)
	whole, rest, _ := strings.Cut(s, ".")
	if len(whole) > 4 {
		for i := len(whole) - 3; i > 0; i -= 3 {
			whole = whole[:i] + " " + whole[i:]
		}
	}
	if rest != "" {
		whole += "." + rest
	}
	if v < 0 {
		return Minus("-" + whole)
	}
	return whole
}

// Number returns v with that many significant digits, in exponents if that is shorter.
func Number(v float64, digits int) string {
	s := strconv.FormatFloat(v, 'g', digits, 64)
	s = strings.Replace(s, "e-0", "e-", 1)
	s = strings.Replace(s, "e+0", "e", 1)
	s = strings.Replace(s, "e+", "e", 1)
	return Minus(s)
}

// Minus sets a proper minus sign, which is as wide as a digit.
func Minus(s string) string { return strings.ReplaceAll(s, "-", "−") }
