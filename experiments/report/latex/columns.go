package latex

import (
	"fmt"
	"strings"
)

// Columns returns the column specification of a longtable whose widest cells have the given numbers of characters. Numbers are
// right-aligned. Long texts are paragraphs, which need the package array and divide the rest of the line by their lengths.
func Columns(widths []int, isNumeric func(column int) bool) string {
	const (
		short   = 14    // the most characters of a text that stays on one line
		longest = 60    // the most characters of a text that count
		narrow  = .0085 // the width of a character, as a share of the line
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
