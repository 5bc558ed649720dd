package axes

import (
	"math"
	"regexp"
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

// Exact returns v as JavaScript's Number reads it, with digits enough to sort by.
func Exact(v float64) string {
	switch {
	case math.IsInf(v, 1):
		return "Infinity"
	case math.IsInf(v, -1):
		return "-Infinity"
	}
	return strconv.FormatFloat(v, 'g', 9, 64)
}

// Rounded reports whether the text of a number has four digits, as one has that was rounded to so many.
func Rounded(text string) bool {
	digits, _, _ := strings.Cut(strings.TrimLeft(text, "-0."), "e")
	return strings.Contains(text, ".") && len(strings.Replace(digits, ".", "", 1)) == 4
}

// leading is a number with which a text begins.
var leading = regexp.MustCompile(`^[-+]?(\d+(?:\.(\d+))?)`)

// Begins reports whether a text begins with the value v, rounded, so that it sorts by the text.
func Begins(text string, v float64) bool {
	m := leading.FindStringSubmatch(strings.Replace(text, "−", "-", 1))
	return m != nil && m[1] == strconv.FormatFloat(math.Abs(v), 'f', len(m[2]), 64)
}
