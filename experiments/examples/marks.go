package examples

import (
	"strconv"
	"strings"

	"github.com/ansatz-lab/ansatz/data/table/dialect"
)

// unitSigns are signs of units that numbers are written with, and blanks.
const unitSigns = "$€£¥% "

// Marks besides signs of units that keep a text from being a number.
const (
	decimalComma = "a decimal comma"
	decimalPoint = "a decimal point"
	parentheses  = "parentheses"
)

// marks finds what keeps the values of a column from being numbers.
type marks struct {
	own, other, otherName string // the decimal mark of the file, and the other one
	decimal               bool   // whether the other mark cannot separate thousands in all values
}

// newMarks returns the marks of a file, given how it was read; see [table.Table.ReadAs].
func newMarks(readAs string) marks {
	if strings.Contains(readAs, "decimal comma") {
		return marks{own: ",", other: ".", otherName: decimalPoint}
	}
	return marks{own: ".", other: ",", otherName: decimalComma}
}

// spellings replaces other blanks and minuses, and parentheses for a minus.
var spellings = strings.NewReplacer("\u00a0", " ", "\u202f", " ", "−", "-", "(", "-", ")", "")

// split removes sign and unit from a text, and returns what is before and after the file's decimal mark, and the unit's sign.
func (m *marks) split(text string) (whole, fraction, unit string) {
	text = spellings.Replace(text)
	bare := strings.Trim(strings.TrimLeft(text, "-+"), unitSigns)
	for _, sign := range strings.TrimSpace(unitSigns) {
		if strings.ContainsRune(text, sign) {
			unit = string(sign)
		}
	}
	whole, fraction, _ = strings.Cut(strings.TrimLeft(bare, "-+"), m.own)
	return whole, fraction, unit
}

// observe takes a value of the column. It must get all values before markOf is called.
func (m *marks) observe(text string) {
	whole, _, _ := m.split(text)
	m.decimal = m.decimal || strings.Contains(whole, m.other) && !dialect.IsGrouped(whole)
}

// markOf reports whether a text is a number, either as it stands or without a mark, which it then returns: the sign of a
// unit, a decimal mark other than the file's, or parentheses for a minus.
func (m *marks) markOf(text string) (mark string, isNumber bool) {
	parse := func(text string) bool {
		_, err := strconv.ParseFloat(text, 64)
		return err == nil && !strings.Contains(text, "_")
	}
	if !strings.Contains(text, m.other) && parse(strings.Replace(text, m.own, ".", 1)) {
		return "", true
	}
	whole, fraction, unit := m.split(text)
	switch {
	case dialect.IsGrouped(whole) && (!m.decimal || !strings.Contains(whole, m.other)) && parse("0."+fraction+"0"):
		isNumber = true
	case parse(whole + "." + fraction):
		isNumber = true
	case fraction == "" && parse(strings.Replace(whole, m.other, ".", 1)):
		mark, isNumber = m.otherName, true
	}
	switch {
	case strings.Contains(text, "("):
		mark = parentheses
	case unit != "":
		mark = unit
	}
	return mark, isNumber
}
