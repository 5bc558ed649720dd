package examples

import (
	"fmt"
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
	left := layouts()[1:]
	for _, text := range c.Categories {
		left = slices.DeleteFunc(left, func(l layout) bool { _, err := l.read(text); return err != nil })
		if len(left) == 0 {
			return ""
		}
	}
	if len(c.Categories) == 0 {
		return ""
	}
	return "dates or times, whose order is not used; write numbers, such as days since the first, to use it"
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
