package dialect

import "strings"

// IsMissing reports whether a value of a CSV file means a missing value in every column: "", "?", "NA", "N/A", "#N/A",
// "<NA>", "NaN" or "null", in any case of letters.
func IsMissing(value string) bool {
	if len(value) > len("null") { // fast path: most values are longer
		return false
	}
	switch strings.ToLower(value) {
	case "", "?", "na", "n/a", "#n/a", "<na>", "nan", "null":
		return true
	}
	return false
}

// MayBeMissing reports whether a value means a missing value in a column of numbers, but may be a category elsewhere: "-",
// "--", ".", "n.a." or "None".
func MayBeMissing(value string) bool {
	switch value {
	case "-", "--", ".", "n.a.", "N.A.", "None", "none", "NONE":
		return true
	}
	return false
}

// Digits records how a column's numbers are written, to find ambiguous ones. Its zero value has recorded none.
type Digits struct {
	zeros   string // the first whole number with leading zeros, such as 007
	grouped string // the first number that may have thousands separators, such as 1,250 or -12.345.678
	short   bool   // whether there are whole numbers of up to three digits without a mark
	long    bool   // whether there are longer whole numbers without a mark
	other   bool   // whether there are numbers of any other form
}

// Add records a number as the file writes it.
func (d *Digits) Add(number string) {
	if d.other {
		return
	}
	text := strings.TrimPrefix(number, "-")
	whole, groups := true, strings.IndexAny(text, ".,")
	for i := range len(text) {
		whole = whole && '0' <= text[i] && text[i] <= '9'
	}
	switch {
	case whole && len(text) > 1 && text[0] == '0' && strings.Trim(text, "0") != "":
		d.zeros = first(d.zeros, number)
	case whole && len(text) <= 3:
		d.short = true
	case whole:
		d.long = true
	case groups > 0 && IsGrouped(text):
		d.grouped = first(d.grouped, number)
	default:
		d.other = true
	}
}

// first returns kept unless it is empty, else a copy of text.
func first(kept, text string) string {
	if kept == "" {
		return strings.Clone(text)
	}
	return kept
}

// LeadingZeros returns a whole number with leading zeros if all numbers are whole and at least one has them: then they are
// probably codes, not numbers. Otherwise it returns "".
func (d *Digits) LeadingZeros() string {
	if d.other || d.grouped != "" {
		return ""
	}
	return d.zeros
}

// Grouped returns a number whose mark may separate thousands, if that holds for all numbers with a mark, and there are
// others, all whole and below 1000. Otherwise it returns "".
func (d *Digits) Grouped() string {
	if d.other || d.long || !d.short || d.zeros != "" {
		return ""
	}
	return d.grouped
}

// spellings replaces other blanks and minuses.
var spellings = strings.NewReplacer("\u00a0", " ", "\u202f", " ", "−", "-")

// Plain rewrites a number with the decimal mark d to one with a decimal point, without thousands separators and unit, and
// returns the sign of the unit: -1234.50 and € for −1.234,50 €. It does not check that the result is a number.
func (d Decimal) Plain(text string) (number, unit string) {
	own, other := ".", ","
	if d == DecimalComma {
		own, other = other, own
	}
	text = spellings.Replace(text)
	for _, sign := range []string{"$", "€", "£", "¥", "%"} {
		if bare, found := strings.CutSuffix(text, sign); found {
			text, unit = strings.TrimSpace(bare), sign
		} else if bare, found := strings.CutPrefix(strings.TrimPrefix(text, "-"), sign); found && unit == "" {
			text, unit = strings.TrimSuffix(text, sign+bare)+strings.TrimSpace(bare), sign
		}
	}
	whole, fraction, hasFraction := strings.Cut(text, own)
	switch {
	case IsGrouped(strings.TrimLeft(whole, "+-")):
		whole = strings.Map(func(c rune) rune {
			if strings.ContainsRune(other+"' ", c) {
				return -1
			}
			return c
		}, whole)
	case strings.Contains(text, other):
		return "", ""
	}
	if hasFraction {
		whole += "." + fraction
	}
	return whole, unit
}

// IsGrouped reports whether a text is a whole number with thousands separators, such as 1,250 or 12.345.678: one to three
// digits, the first not 0, and then one or more groups of the same mark and three digits.
func IsGrouped(text string) bool {
	at := strings.IndexAny(text, ".,' ")
	if at < 1 || at > 3 || text[0] == '0' || len(text[at:])%4 != 0 {
		return false
	}
	for i := range len(text) {
		isMark := i >= at && (i-at)%4 == 0
		if isMark && text[i] != text[at] || !isMark && (text[i] < '0' || text[i] > '9') {
			return false
		}
	}
	return true
}

// SeparatorLine returns the separator that the first line of a text states for Excel, as in sep=; and the offset of that
// line's end; 0 and 0 if there is no such line.
func SeparatorLine(text string) (s Separator, end int) {
	end = strings.IndexByte(text, '\n')
	if end < 0 {
		return 0, 0
	}
	line := strings.Trim(strings.TrimSuffix(text[:end], "\r"), `"`)
	if len(line) < len("sep=,") || !strings.EqualFold(line[:len("sep=")], "sep=") {
		return 0, 0
	}
	if s.Set(line[len("sep="):]) != nil {
		return 0, 0
	}
	return s, end
}
