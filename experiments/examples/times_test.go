package examples

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/input"
)

// writeTimes writes a table with a row for each time, in the order given, and returns its path.
func writeTimes(t *testing.T, times ...string) string {
	t.Helper()
	text := "when;x;y\n"
	for i, when := range times {
		text += fmt.Sprintf("%s;%d;%d\n", when, i*i%7, i*i*i%5)
	}
	path := filepath.Join(t.TempDir(), "t.csv")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// Dates and times are compared by their time, however they are written, so that no test row is earlier than a row of
// the fit.
func TestTimesInOrder(t *testing.T) {
	for read, times := range map[string][]string{ // from the earliest to the latest
		"read as day.month.year":          {"26.01.2021", "2.2.2021", "18.09.2021", "01.10.2023", "05.01.2024"},
		"read as month/day/year":          {"01/31/2021", "2/1/2021", "12/05/2021", "01/02/2022", "03/01/2023"},
		"read as day-month-year":          {"26-01-2021", "02-02-2021", "18-09-2021", "01-10-2023", "05-01-2024"},
		"read as year-month-day":          {"2021-01-31", "2021-2-1", "2021-12-05", "2022-01-02", "2023-03-01"},
		"read as year-month":              {"2021-01", "2021-02", "2021-12", "2022-01", "2023-03"},
		"read as year-month-day and time": {"2021-01-31T23:30:00Z", "2021-02-01T00:30:00+02:00", "2021-02-01T00:00:00Z", "2021-02-01T00:00:00.5Z", "2021-02-02T00:00:00Z"},
		"read as month/day/year and time": {"1/31/2021 9:30 PM", "1/31/2021 10:00 PM", "2/1/2021 1:00 AM", "2/1/2021 11:00 AM", "2/1/2021 12:00 PM"},
		"read as times of a day":          {"9:15", "10:00", "11:30", "12:00", "20:01"},
		"in the order of when":            {"9", "10.5", "200", "1000", "20000"},
		"order of when":                   {"20210131", "20210201", "20211205", "20220102", "20230301"},
	} {
		if read == "read as year-month-day and time" {
			times[0], times[1] = times[1], times[0] // 00:30 at UTC+2 is 22:30 of the day before in UTC
		}
		mixed := []string{times[3], times[0], times[4], times[2], times[1]}
		e, err := Open(t.Context(), Spec{Data: writeTimes(t, mixed...), Target: "y", SplitTime: "when", Train: 3, Test: 2})
		if err != nil {
			t.Errorf("%s: %v", read, err)
			continue
		}
		if !slices.Equal(e.Parts.Train, []int{1, 3, 4}) || !slices.Equal(e.Parts.Test, []int{0, 2}) {
			t.Errorf("%s: the rows %v for the fit, %v for the test", read, e.Parts.Train, e.Parts.Test)
		}
		if !strings.HasSuffix(e.Conventions.Train, read) {
			t.Errorf("%q does not say %q", e.Conventions.Train, read)
		}
	}
}

// Times whose order is not known are refused: texts that are no dates, dates written in several ways, dates in which
// the day and the month may be swapped, and empty cells.
func TestTimesThatAreRefused(t *testing.T) {
	for want, times := range map[string][]string{
		`"31 Jan 2021" in line 2 of `:                    {"31 Jan 2021", "1 Feb 2021", "2 Feb 2021", "3 Feb 2021"},
		`is neither a number nor a date such as 2021-01`: {"first", "second", "third", "fourth"},
		`"unknown" in line 4 of `:                        {"1", "2", "unknown", "4"},
		`written as "26.01.2021" is`:                     {"26.01.2021", "27.01.2021", "2021-01-28", "29.01.2021"},
		"may begin with the day or with the month":       {"01/02/2021", "02/02/2021", "03/02/2021", "04/05/2021"},
		"line 5 of ":                                  {"1", "2", "3", "", "5"},
		`as in line 2, seem to be a day`:              {"01012021", "02012021", "13012021", "01022021"},
		"a year without marks, which":                 {"1012021", "2012021", "13012021", "1022021"},
		"write dates as 2021-01-26":                   {"11302021", "01132021", "12312021", "02012022"},
		"begins with 0 and may be a number or a date": {"0930", "0010", "0200", "1000"},
	} {
		_, err := Open(t.Context(), Spec{Data: writeTimes(t, times...), Target: "y", SplitTime: "when"})
		if !input.IsError(err) || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "--split-time when") {
			t.Errorf("%q: %v, want %q", times, err, want)
		}
	}
}
