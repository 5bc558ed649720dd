package dialect

import (
	"encoding/csv"
	"errors"
	"io"
	"strconv"
	"strings"
)

// A separator is detected in the first lines of a text.
const (
	sampledBytes = 1 << 16
	sampledLines = 200
)

// detected are the separators that are detected; of two that fit as well, the first is taken.
var detected = []Separator{Comma, Semicolon, Tab, Pipe}

// DetectSeparator returns the separator of a text: the one with which the first lines all have the same number of
// values, two at least. Of several such it is that with the largest share of numbers, less the share of texts with
// another separator in them, and then that with the most values. If there is none, it is the one that the first line has
// most of, so that errors are about the first line that differs.
func DetectSeparator(text string) Separator {
	sample, whole := text, true
	if len(sample) > sampledBytes {
		sample, whole = sample[:sampledBytes], false
	}
	best, bestScore, bestFields := Separator(0), 0., 0
	for _, s := range detected {
		fields, score := s.fit(sample, whole)
		if fields > 1 && (best == 0 || score > bestScore || score == bestScore && fields > bestFields) {
			best, bestScore, bestFields = s, score, fields
		}
	}
	if best == 0 {
		return mostOf(sample)
	}
	return best
}

// fit returns the number of values that all lines of a text have, 0 if they differ, and the share of numbers among
// the values less that of texts with another separator. The last line of a text that is not whole does not count.
func (s Separator) fit(text string, whole bool) (fields int, score float64) {
	r := csv.NewReader(strings.NewReader(text))
	r.Comma, r.ReuseRecord = rune(s), true
	good, cells := 0, 0
	others := strings.ReplaceAll(",;\t|", string(rune(s)), "")
	for range sampledLines {
		values, err := r.Read()
		if !whole && r.InputOffset() >= int64(len(text)) && cells > 0 {
			break
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return 0, 0
		}
		fields = len(values)
		cells += len(values)
		for _, v := range values {
			switch {
			case isNumber(strings.TrimSpace(v), s != Comma):
				good++
			case strings.ContainsAny(v, others):
				good--
			}
		}
	}
	return fields, float64(good) / float64(max(cells, 1))
}

// isNumber reports whether a value is a number, perhaps with a decimal comma.
func isNumber(v string, comma bool) bool {
	if comma {
		v = strings.Replace(v, ",", ".", 1)
	}
	_, err := strconv.ParseFloat(v, 64)
	return err == nil
}

// mostOf returns the separator that the first line of a text has most of outside quotes: a comma where there is none.
func mostOf(text string) Separator {
	line, _, _ := strings.Cut(text, "\n")
	count := map[Separator]int{}
	quoted := false
	for _, c := range line {
		if c == '"' {
			quoted = !quoted
		}
		if !quoted {
			count[Separator(c)]++
		}
	}
	best := Comma
	for _, s := range detected {
		if count[s] > count[best] {
			best = s
		}
	}
	return best
}
