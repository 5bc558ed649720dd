// Package suggest finds the name that a misspelt name was probably meant to be.
package suggest

import "strings"

// Nearest returns the name with the smallest edit distance to word, ignoring case. If that distance is more than one and more
// than a third of the word's length, or if all letters differ, it returns the only name that begins with the word, without
// the s of a plural, and "" if there is none or are several.
func Nearest(word string, names []string) string {
	n := len([]rune(word))
	best, least := "", min(n, max(1, n/3)+1)
	for _, name := range names {
		if d := distance(strings.ToLower(word), strings.ToLower(name)); d < least {
			best, least = name, d
		}
	}
	if best == "" && n >= shortestStem {
		return onlyExtension(strings.TrimSuffix(strings.ToLower(word), "s"), names)
	}
	return best
}

// shortestStem is the least number of letters of a word that stands for the only name that begins with it.
const shortestStem = 3

// onlyExtension returns the only name that begins with stem; "" if there is none or are several.
func onlyExtension(stem string, names []string) (only string) {
	for _, name := range names {
		if strings.HasPrefix(strings.ToLower(name), stem) {
			if only != "" {
				return ""
			}
			only = name
		}
	}
	return only
}

// Hint returns " (did you mean NAME?)" with the [Nearest] name, and "" if there is none.
func Hint(word string, names []string) string {
	if name := Nearest(word, names); name != "" {
		return " (did you mean " + name + "?)"
	}
	return ""
}

// distance is the least number of insertions, deletions, substitutions and swaps of neighbours that make b of a.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	before, last, row := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i := range x {
		before, last, row = last, row, before
		row[0] = i + 1
		for j := range y {
			row[j+1] = min(last[j+1]+1, row[j]+1)
			if x[i] == y[j] {
				row[j+1] = min(row[j+1], last[j])
			} else {
				row[j+1] = min(row[j+1], last[j]+1)
			}
			if i > 0 && j > 0 && x[i] == y[j-1] && x[i-1] == y[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(y)]
}
