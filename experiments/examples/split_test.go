package examples

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/input"
)

// writeVisits writes a table of 60 visits of 12 patients, in no order of time. The target y is x plus the patient's
// number over 100.
func writeVisits(t *testing.T) string {
	t.Helper()
	text := "patient,day,part,x,y\n"
	for i := range 60 {
		patient, day := (i*7)%12, (i*17)%60
		part := []string{"Train", "train", "val", "test", ""}[i%5]
		text += fmt.Sprintf("p%d,2024-%02d-%02d,%s,%d,%d.%02d\n", patient, 1+day/28, 1+day%28, part, i%9, i%9, patient)
	}
	path := filepath.Join(t.TempDir(), "visits.csv")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// partsOf opens a table and returns, for each row, the name of the part that it belongs to and its value in a column.
func partsOf(t *testing.T, s Spec, column string) (e *Set, part, values []string) {
	t.Helper()
	e, err := Open(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := e.WriteParts(&out, e.Held()); err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(strings.TrimSpace(out.String()), "\n")[1:] {
		row, name, _ := strings.Cut(line, ",")
		if row != strconv.Itoa(i+1) {
			t.Fatalf("line %d is of row %s", i+1, row)
		}
		part = append(part, name)
	}
	text, err := os.ReadFile(s.Data)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	at := slices.Index(strings.Split(lines[0], ","), column)
	for _, line := range lines[1:] {
		values = append(values, strings.Split(line, ",")[at])
	}
	return e, part, values
}

func count(part []string, name string) (n int) {
	for _, p := range part {
		if p == name {
			n++
		}
	}
	return n
}

// All rows of a patient are in one part, the parts have about their shares of the rows, and the patient is no feature.
func TestGroupsStayTogether(t *testing.T) {
	s := Spec{Data: writeVisits(t), Ignore: []string{"day", "part"}, SplitGroup: "patient", Holdout: .25, Seed: 4}
	e, part, patients := partsOf(t, s, "patient")
	of := map[string]string{}
	for i, p := range patients {
		if of[p] != "" && of[p] != part[i] {
			t.Errorf("%s is in %s and %s", p, of[p], part[i])
		}
		of[p] = part[i]
	}
	train, validation, test := count(part, "train"), count(part, "validation"), count(part, "test")
	if test < 10 || test > 15 || validation < 12 || validation > 15 || train+validation+test != 60 {
		t.Errorf("%d, %d and %d rows", train, validation, test)
	}
	if !slices.Equal(e.Features, []string{"x"}) || len(e.Held()) != validation {
		t.Errorf("features %v, %d held", e.Features, len(e.Held()))
	}
	if n, _ := e.Train.X.Dims(); n != train+validation {
		t.Errorf("%d training examples of %d rows", n, train+validation)
	}
	other := s
	other.Seed = 5
	if _, again, _ := partsOf(t, other, "patient"); slices.Equal(again, part) {
		t.Error("another seed draws the same groups")
	}
	s.Holdout = 0
	if _, part, _ := partsOf(t, s, "patient"); count(part, "validation") != 0 {
		t.Error("rows to choose on, though none are asked for")
	}
	s.Holdout, s.Train = .2, 5 // a patient has as many rows
	if _, part, _ := partsOf(t, s, "patient"); count(part, "train") != 5 || count(part, "validation") != 5 {
		t.Errorf("%d training and %d validation rows, want a patient for each", count(part, "train"), count(part, "validation"))
	}
}

// Every training row is earlier than every validation row, and every validation row is earlier than every test row.
func TestTimeOrder(t *testing.T) {
	s := Spec{Data: writeVisits(t), Ignore: []string{"patient", "part"}, SplitTime: "day", Holdout: .25, Train: 40, Test: 12}
	_, part, days := partsOf(t, s, "day")
	if got := [4]int{count(part, "train"), count(part, "validation"), count(part, "test"), count(part, "none")}; got !=
		[4]int{30, 10, 12, 8} {
		t.Fatalf("%v rows", got)
	}
	last := map[string]string{}
	first := map[string]string{}
	for i, p := range part {
		last[p] = max(last[p], days[i])
		if first[p] == "" || days[i] < first[p] {
			first[p] = days[i]
		}
	}
	for _, next := range [][2]string{{"train", "validation"}, {"validation", "test"}, {"test", "none"}} {
		if last[next[0]] >= first[next[1]] {
			t.Errorf("%s ends on %s, %s begins on %s", next[0], last[next[0]], next[1], first[next[1]])
		}
	}
}

// Rows of the same time stay in one part. A part that would be empty takes the rows of the time before the cut.
func TestTimesOfManyRows(t *testing.T) {
	text := "month,x,y\n"
	for i := range 240 {
		text += fmt.Sprintf("2021-%02d,%d,%d\n", 1+i/50, i%7, i%5)
	}
	path := writeRows(t, "t.csv", text)
	for _, c := range []struct {
		s    Spec
		last [3]string // the last month of the training, validation and test rows
		rows [3]int
	}{
		{Spec{Holdout: .2}, [3]string{"2021-03", "2021-04", "2021-05"}, [3]int{150, 50, 40}},
		{Spec{Holdout: .2, Train: 110, Test: 50}, [3]string{"2021-02", "2021-03", "2021-04"}, [3]int{100, 50, 50}},
		{Spec{Train: 230}, [3]string{"2021-04", "", "2021-05"}, [3]int{200, 0, 40}},
	} {
		c.s.Data, c.s.SplitTime = path, "month"
		_, part, months := partsOf(t, c.s, "month")
		last := [3]string{}
		for k, p := range []string{"train", "validation", "test"} {
			for i := range part {
				if part[i] == p {
					last[k] = max(last[k], months[i])
				}
			}
			if n := count(part, p); n != c.rows[k] {
				t.Errorf("%+v: %d rows of the %s part, want %d", c.s, n, p, c.rows[k])
			}
		}
		if last != c.last {
			t.Errorf("%+v: parts end in %v, want %v", c.s, last, c.last)
		}
	}
}

// A column names the part of each row. Rows for which it is empty are left out.
func TestPartsByColumn(t *testing.T) {
	s := Spec{Data: writeVisits(t), Ignore: []string{"patient", "day"}, SplitColumn: "part"}
	e, part, said := partsOf(t, s, "part")
	for i, p := range part {
		if want := map[string]string{"Train": "train", "train": "train", "val": "validation", "test": "test",
			"": "none"}[said[i]]; p != want {
			t.Fatalf("row %d is for %s, the column says %q", i+1, p, said[i])
		}
	}
	if len(e.Held()) != 12 || e.Conventions.Validation != "12 of them" {
		t.Errorf("%d held, %q", len(e.Held()), e.Conventions.Validation)
	}
}

func TestSplitsThatAreRefused(t *testing.T) {
	path := writeVisits(t)
	for want, s := range map[string]Spec{
		"no column \"patients\" (did you mean patient?): it has patient, day": {SplitGroup: "patients"},
		"\"y\" is the target":     {SplitTime: "y"},
		"give one of them":        {SplitTime: "day", SplitGroup: "patient"},
		"says \"p0\": want train": {SplitColumn: "patient"},
		"leave out --train":       {SplitColumn: "part", Train: 10},
		"line 6 of":               {SplitGroup: "part"},
		"the same time":           {SplitTime: "x", Train: 3, Test: 1, Holdout: .3},
	} {
		s.Data = path
		if _, err := Open(t.Context(), s); !input.IsError(err) || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", s, err, want)
		}
	}
	if _, err := Open(t.Context(), Spec{Data: "glyphs", SplitTime: "day"}); !input.IsError(err) {
		t.Errorf("%v", err)
	}
}

// A split that asks for more rows than there are is refused, and the error gives the number of rows.
func TestTooManyRows(t *testing.T) {
	data := writeVisits(t)
	few := strings.Replace(strings.Replace(textOf(t, data), ",0.00\n", ",\n", 3), ",1.01\n", ",\n", 2)
	half := filepath.Join(t.TempDir(), "half.csv")
	if err := os.WriteFile(half, []byte(few), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, s := range []Spec{{}, {SplitGroup: "patient"}, {SplitTime: "day"}} {
		for want, n := range map[string][2]int{
			"--train 61: DATA has 60 rows with a target: give at most 59":                      {61, 0},
			"--test 60: DATA has 60 rows with a target: give at most 59":                       {0, 60},
			"--train 50 and --test 11: DATA has 60 rows with a target: give at most 60 in all": {50, 11},
		} {
			s.Data, s.Train, s.Test, s.Holdout = data, n[0], n[1], .2
			_, err := Open(t.Context(), s)
			if want = strings.ReplaceAll(want, "DATA", data); !input.IsError(err) || err.Error() != want {
				t.Errorf("%+v: %v", s, err)
			}
		}
		s.Data, s.Train, s.Test = half, 60, 0
		if _, err := Open(t.Context(), s); !input.IsError(err) || !strings.Contains(err.Error(), " rows with a target: give at most ") {
			t.Errorf("%+v: %v", s, err)
		}
		s.Data, s.TestData, s.Train, s.Test = data, data, 61, 0
		if _, err := Open(t.Context(), s); !input.IsError(err) || !strings.HasSuffix(err.Error(), "give at most 60") {
			t.Errorf("%+v: %v", s, err)
		}
	}
}

// textOf returns the text of a file.
func textOf(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Groups are compared as the texts of the file: 7.0 and 7 are two groups, and so are two numbers that are equal as
// float64.
func TestGroupsAsWritten(t *testing.T) {
	text := "g,x,y\n"
	for i := range 40 {
		text += fmt.Sprintf("%s,%d,%d\n", []string{"7.0", "7", "123456789012345678", "123456789012345679"}[i%4], i%7, i%5)
	}
	e, err := Open(t.Context(), Spec{Data: writeRows(t, "t.csv", text), SplitGroup: "g", Holdout: .25})
	if err != nil {
		t.Fatal(err)
	}
	if how := e.Conventions.Train; !strings.Contains(how, " of 4 groups of equal g") {
		t.Error(how)
	}
}
