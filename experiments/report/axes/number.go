package axes

import (
	"math"
	"regexp"
	"strconv"
	"strings"
)

// Decimals returns the number of decimals with which multiples of step have distinct texts.
func Decimals(step float64) int {
	return max(0, int(-math.Floor(math.Log10(step*(1+1e-9)))))
}

// Fixed returns the text of v with the given number of decimals. It groups five or
// more digits before the point by three.
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

// Number returns the text of v with the given number of significant digits, with an exponent if v is very large or small.
func Number(v float64, digits int) string {
	s := strconv.FormatFloat(v, 'g', digits, 64)
	s = strings.Replace(s, "e-0", "e-", 1)
	s = strings.Replace(s, "e+0", "e", 1)
	s = strings.Replace(s, "e+", "e", 1)
	return Minus(s)
}

// Minus replaces each hyphen by a minus sign, which is as wide as a digit.
func Minus(s string) string { return strings.ReplaceAll(s, "-", "−") }

// Exact returns v as JavaScript's Number reads it, with nine digits, enough for sorting.
func Exact(v float64) string {
	switch {
	case math.IsInf(v, 1):
		return "Infinity"
	case math.IsInf(v, -1):
		return "-Infinity"
	}
	return strconv.FormatFloat(v, 'g', 9, 64)
}

// Rounded reports whether the text of a number has a point and four significant digits, as if it was rounded to four.
func Rounded(text string) bool {
	digits, _, _ := strings.Cut(strings.TrimLeft(text, "-0."), "e")
	return strings.Contains(text, ".") && len(strings.Replace(digits, ".", "", 1)) == 4
}

// leading matches a number at the start of a text.
var leading = regexp.MustCompile(`^[-+]?(\d+(?:\.(\d+))?)`)

// Begins reports whether a text begins with the absolute value of v, rounded, so that a page can sort by the text.
func Begins(text string, v float64) bool {
	m := leading.FindStringSubmatch(strings.Replace(text, "−", "-", 1))
	return m != nil && m[1] == strconv.FormatFloat(math.Abs(v), 'f', len(m[2]), 64)
}
