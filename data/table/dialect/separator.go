package dialect

import (
	"encoding/csv"
	"errors"
	"io"
	"strconv"
	"strings"
)

// DetectSeparator looks at the first lines of a text, up to both limits.
const (
	sampledBytes = 1 << 16
	sampledLines = 200
)

// detected lists the separators that can be detected; of two that fit equally well, the first wins.
var detected = []Separator{Comma, Semicolon, Tab, Pipe}

// DetectSeparator returns the separator of a text: the one that gives the first lines the same number of values, at least
// two. Among several, the best has the largest share of numbers, minus the share of texts that contain another separator,
// and then the most values. If there is none, it is the one most frequent in the first line, so that errors are about the
// first line that differs.
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

// fit returns the number of values per line, 0 if lines are malformed or differ, and a score: the share of numbers among
// the values, minus the share of texts that contain another separator. It ignores the last line if the text is cut.
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

// mostOf returns the separator that is most frequent in the first line of a text, outside quotes; the comma if none is there.
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
