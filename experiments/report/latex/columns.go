package latex

import (
	"fmt"
	"strings"
)

// Columns returns the column specification of a longtable whose widest cells have so many characters: numbers to the right,
// long texts in paragraphs, which share a part of the line by their lengths. Paragraphs need the package array.
func Columns(widths []int, isNumeric func(column int) bool) string {
	const (
		short   = 14    // characters that stay on a line
		longest = 60    // that count
		narrow  = .0085 // of the line, a character
	)
	room, all := .95, 0.
	paragraph := make([]bool, len(widths))
	for j, w := range widths {
		if paragraph[j] = !isNumeric(j) && w > short; paragraph[j] {
			all += float64(min(w, longest))
		} else {
			room -= narrow * float64(w+2)
		}
	}
	var columns strings.Builder
	for j, w := range widths {
		switch {
		case paragraph[j]:
			fmt.Fprintf(&columns, ">{\\raggedright\\arraybackslash}p{%.3f\\linewidth}",
				max(room, .4)*float64(min(w, longest))/all)
		case isNumeric(j):
			columns.WriteByte('r')
		default:
			columns.WriteByte('l')
		}
	}
	return columns.String()
}
