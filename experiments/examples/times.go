package examples

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/ansatz-lab/ansatz/data/table"
	"github.com/ansatz-lab/ansatz/experiments/input"
)

// layout is a way to write times.
type layout struct {
	name string // such as "day.month.year"
	days string // "day first" or "month first"; "" where there is no doubt
	read func(text string) (float64, error)
}

// layouts returns the ways to write times in a column of texts, numbers first.
func layouts() []layout {
	all := []layout{{"numbers", "", func(text string) (float64, error) { return strconv.ParseFloat(text, 64) }}}
	add := func(name, days, form string) {
		all = append(all, layout{name, days, func(text string) (float64, error) {
			t, err := time.Parse(form, text)
			return float64(t.Unix()) + float64(t.Nanosecond())/1e9, err
		}})
	}
	for _, mark := range []string{"-", "/", "."} {
		for _, date := range []struct{ name, days, form string }{
			{"year" + mark + "month" + mark + "day", "", "2006" + mark + "1" + mark + "2"},
			{"day" + mark + "month" + mark + "year", "day first", "2" + mark + "1" + mark + "2006"},
			{"month" + mark + "day" + mark + "year", "month first", "1" + mark + "2" + mark + "2006"},
		} {
			add(date.name, date.days, date.form)
			for _, clock := range []string{" 15:04", " 15:04:05", "T15:04", "T15:04:05", " 3:04 PM", " 3:04:05 PM"} {
				for _, zone := range []string{"", "Z07:00", "Z0700", " -0700"} {
					add(date.name+" and time", date.days, date.form+clock+zone)
				}
			}
		}
		add("year"+mark+"month", "", "2006"+mark+"1")
	}
	add("times of a day", "", "15:04")
	add("times of a day", "", "15:04:05")
	return all
}

// datesText returns a remark on a column whose texts are all dates or times, "" for other columns.
func datesText(c *table.Column) string {
	if len(c.Categories) == 0 {
		return ""
	}
	left := layouts()[1:]
	for _, text := range c.Categories {
		left = slices.DeleteFunc(left, func(l layout) bool { _, err := l.read(text); return err != nil })
		if len(left) == 0 {
			return ""
		}
	}
	return "dates or times, whose order is not used; write numbers, such as days since the first, to use it"
}

// fitsAll reports whether all texts are dates from 1900 to 2099 in the given form.
func fitsAll(texts []string, form string) bool {
	return !slices.ContainsFunc(texts, func(text string) bool {
		day, err := time.Parse(form, text)
		return err != nil || day.Year() < 1900 || day.Year() > 2099
	})
}

// checkDigits returns an input error if the values of a column are digits whose order as numbers may not be that of time:
// dates such as 31012021, or any numbers with leading zeros, unless all are dates such as 20210131.
func (s Spec) checkDigits(t *table.Table, c *table.Column) error {
	texts, zeros := make([]string, t.Rows), -1
	for i := range texts {
		if c.Kind == table.Numeric {
			if c.Values[i] != math.Trunc(c.Values[i]) {
				return nil
			}
			texts[i] = fmt.Sprintf("%08.0f", c.Values[i]) // a spreadsheet leaves out the zero of 01012021
			continue
		}
		texts[i] = c.Categories[c.Codes[i]]
		if _, err := strconv.ParseUint(texts[i], 10, 64); err != nil {
			return nil
		}
		if zeros < 0 && len(texts[i]) > 1 && texts[i][0] == '0' {
			zeros = i
		}
	}
	const ask = "write dates as 2021-01-26"
	switch {
	case fitsAll(texts, "20060102"):
	case fitsAll(texts, "02012006") || fitsAll(texts, "01022006"):
		return input.Errorf("--split-time %s: the numbers of %s, as in %s, seem to be a day, a month and a year without marks, "+
			"which cannot be put in order: %s", s.SplitTime, s.Data, place(t, 0), ask)
	case zeros >= 0:
		return input.Errorf("--split-time %s: %q in %s of %s begins with 0 and may be a number or a date: %s, and numbers without "+
			"leading zeros", s.SplitTime, texts[zeros], place(t, zeros), s.Data, ask)
	}
	return nil
}

// times returns the time of each row of a table, as a number that increases with it, and how the texts of the column were
// read, "" for a column of numbers. It returns an input error unless one layout alone fits all texts.
func (s Spec) times(t *table.Table) (times []float64, how string, err error) {
	c := &t.Columns[t.Find(s.SplitTime)]
	for i := range t.Rows {
		if c.IsMissing(i) {
			return nil, "", input.Errorf("--split-time %s: %s of %s has no value", s.SplitTime, place(t, i), s.Data)
		}
	}
	if err := s.checkDigits(t, c); err != nil {
		return nil, "", err
	}
	if c.Kind == table.Numeric {
		return c.Values, "", nil
	}
	left, first := layouts(), ""
	for i, code := range c.Codes {
		text := c.Categories[code]
		left = slices.DeleteFunc(left, func(l layout) bool { _, err := l.read(text); return err != nil })
		if i == 0 {
			first = text
		}
		if len(left) > 0 {
			continue
		}
		as := ""
		if i > 0 {
			as = fmt.Sprintf(", or not written as %q is", first)
		}
		return nil, "", input.Errorf("--split-time %s: %q in %s of %s is neither a number nor a date such as 2021-01-26, "+
			"26.01.2021 or 2021-01-26 14:30%s: write all of them in one way", s.SplitTime, text, place(t, i), s.Data, as)
	}
	if days := left[0].days; slices.ContainsFunc(left, func(l layout) bool { return l.days != days }) {
		return nil, "", input.Errorf("--split-time %s: the dates of %s, such as %q, may begin with the day or with the month: "+
			"write them as 2021-01-26", s.SplitTime, s.Data, first)
	}
	times = make([]float64, t.Rows)
	for i, code := range c.Codes {
		if times[i], err = left[0].read(c.Categories[code]); err != nil {
			return nil, "", err
		}
	}
	return times, ", read as " + left[0].name, nil
}
