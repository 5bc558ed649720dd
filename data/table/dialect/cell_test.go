package dialect

import "testing"

// TestMissing checks which cells are missing values in any column, and which are so only in a column of numbers.
func TestMissing(t *testing.T) {
	for _, v := range []string{"", "?", "NA", "na", "N/A", "n/a", "#N/A", "NaN", "nan", "NULL", "null", "<NA>"} {
		if !IsMissing(v) {
			t.Errorf("%q is a value", v)
		}
	}
	for _, v := range []string{"-", "--", ".", "n.a.", "None", "none"} {
		if IsMissing(v) || !MayBeMissing(v) {
			t.Errorf("%q is a value among numbers, or none among texts", v)
		}
	}
	for _, v := range []string{"0", "+", "---", "no", "nano", "nothing", "#NAME?"} {
		if IsMissing(v) || MayBeMissing(v) {
			t.Errorf("%q is no value", v)
		}
	}
}

// TestDigits checks which columns of numbers have leading zeros or may have thousands separators.
func TestDigits(t *testing.T) {
	for _, c := range []struct {
		numbers        []string
		zeros, grouped string
	}{
		{[]string{"12345", "00123", "007"}, "00123", ""},
		{[]string{"7", "-07"}, "-07", ""},
		{[]string{"007", "0.5"}, "", ""},
		{[]string{"0", "10", "100"}, "", ""},
		{[]string{"00", "0", "000", "15"}, "", ""},
		{[]string{"0", "0.5", "-0", "1e5", "+7"}, "", ""},
		{[]string{"40", "1,250", "12,345"}, "", "1,250"},
		{[]string{"345", "-12.345.678"}, "", "-12.345.678"},
		{[]string{"1.250", "3.875"}, "", ""},       // fractions of three digits
		{[]string{"40", "1.250", "1.5"}, "", ""},   // fractions of three digits and of one
		{[]string{"40", "1.250", "1250"}, "", ""},  // thousands without a mark
		{[]string{"40", "0.250"}, "", ""},          // less than one
		{[]string{"40", "007", "1,250"}, "", ""},   // leading zeros and a separator, so neither
		{[]string{"40", "1,250.000"}, "", ""},      // other marks
		{[]string{"40", "12,34,567"}, "", ""},      // other groups
		{[]string{"40", "1234,567"}, "", ""},       // too many digits before the first mark
		{[]string{"40", "1,25", "1,250"}, "", ""},  // too few digits after it
		{[]string{"40", "1,250", "1e3"}, "", ""},   // an exponent
		{[]string{"40", ",250", ".", "-"}, "", ""}, // nothing before the mark
	} {
		var d Digits
		for _, n := range c.numbers {
			d.Add(n)
		}
		if zeros, grouped := d.LeadingZeros(), d.Grouped(); zeros != c.zeros || grouped != c.grouped {
			t.Errorf("%q: leading zeros %q, separators of thousands %q", c.numbers, zeros, grouped)
		}
	}
}

// TestSeparatorLine checks that the line in which Excel looks for the separator is found.
func TestSeparatorLine(t *testing.T) {
	for text, want := range map[string]struct {
		s   Separator
		end int
	}{
		"sep=;\na;b\n": {Semicolon, 5}, "SEP=,\r\na,b": {Comma, 6}, "\"sep=|\"\nx": {Pipe, 7}, "sep=\t\nx": {Tab, 5}, "sep=;": {}, "": {},
		"sep=\nx": {}, "sep=x\ny": {}, "sepal,petal\n1,2\n": {}, "\nsep=;\n": {},
	} {
		if s, end := SeparatorLine(text); s != want.s || end != want.end {
			t.Errorf("%q: %q, %d", text, rune(s), end)
		}
	}
}
