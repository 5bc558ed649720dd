package examples

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/data/table/dialect"
	"github.com/ansatz-lab/ansatz/experiments/input"
)

// houses returns a table of 40 rows as a German Excel writes it. Its columns are a row number, areas (two missing),
// regions, ratings (one of them a text), remarks that all differ, an empty column, a column with a single place, and
// prices (three missing).
func houses() string {
	text := "nr;fl\xe4che;region;note;bemerkung;leer;ort;preis\r\n"
	for i := range 40 {
		area, price, rating := fmt.Sprintf("%d,5", 40+i*i%37), fmt.Sprintf("%d,25", 100+3*i), fmt.Sprint(i%4)
		if i%20 == 7 {
			area = ""
		}
		if i%15 == 2 {
			price = "NA"
		}
		if i == 30 {
			rating = "k.A."
		}
		text += fmt.Sprintf("%d;%s;%s;%s;\"Haus %d\r\nmit; Garten\";;Ulm;%s\r\n", i+1, area, []string{"Nord", "S\xfcd"}[i%2], rating,
			i, price)
	}
	return text
}

// The profile that is printed before a fit describes the table and how its rows and columns are used.
func TestProfile(t *testing.T) {
	path := writeRows(t, "houses.csv", houses())
	e, err := Open(t.Context(), Spec{Data: path})
	if err != nil {
		t.Fatal(err)
	}
	got := strings.ReplaceAll(strings.Join(e.ProfileLines(), "\n"), path, "houses.csv")
	want := `houses.csv: 40 rows, 8 columns (semicolons, header, decimal comma, windows-1252)
Target: preis, numeric (100.2 to 217.2, mean 159.4), the last column; --target names another
Features: 2 numeric, 2 categorical (categories of region: 2, note: 5), 9 after one-hot encoding
Dropped: bemerkung (37 different texts in 37 rows), leer (no values), ort (one value); 3 rows without a target
Missing: 2 values (fläche 2), filled in with the mean or the most frequent category of the training rows
Fit on: 30 of 37 rows, drawn by seed 0
Test on: 7 of the others
Note: nr rises by 1 from row to row, as numbers of rows do: if it measures nothing, leave it out (--ignore nr)
Note: note is categorical: numbers but for 1, as "k.A." in line 62; if those stand for no value, leave such cells empty`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if n := len(e.Features); n != 9 || e.Features[1] != "fläche" {
		t.Errorf("%d features: %q", n, e.Features)
	}
	facts := fmt.Sprint(e.Conventions.Facts())
	for _, part := range []string{"40 rows, 8 columns (semicolons", "ort (one value)", "preis, numeric"} {
		if !strings.Contains(facts, part) {
			t.Errorf("the page lacks %q: %s", part, facts)
		}
	}
	// A row has the same inputs whether it is read from the fitted file or from a file of another dialect.
	lines := strings.Split(strings.ReplaceAll(houses(), "\xfc", "ü"), "\r\n")
	other := strings.Join([]string{lines[len(lines)-3], lines[len(lines)-2]}, "\r\n")
	other = strings.ReplaceAll(strings.ReplaceAll("nr;fläche;region;note;bemerkung;leer;ort;preis\n"+other, ",", "."), ";", "\t")
	rows, err := e.Pipeline.OpenRows(Spec{Data: writeRows(t, "new.tsv", other)}, "")
	if err != nil {
		t.Fatal(err)
	}
	all, err := e.Pipeline.OpenRows(Spec{Data: path}, "")
	if err != nil {
		t.Fatal(err)
	}
	if a, b := fmt.Sprint(all.X.RawRowView(39)), fmt.Sprint(rows.X.RawRowView(0)); a != b ||
		rows.ReadAs != "tabs, header, UTF-8" || len(rows.Labelled) != 1 {
		t.Errorf("%s is read as %s, %q, notes %q", a, b, rows.ReadAs, rows.Notes)
	}
	if len(all.Labelled) != 37 || !strings.Contains(strings.Join(all.Notes, ";"), "those of the table of the fit") {
		t.Errorf("%d rows have a target, notes %q", len(all.Labelled), all.Notes)
	}
}

// TestTargetsOfDeviationOne checks that targets of deviation 1 are said to be centred: their unit is 1, and their mean may be
// anything.
func TestTargetsOfDeviationOne(t *testing.T) {
	path := writeRows(t, "x.csv", "x,part,y\n1,train,4\n2,train,6\n3,test,6\n4,train,4\n5,train,6\n")
	e, err := Open(t.Context(), Spec{Data: path, SplitColumn: "part"})
	if err != nil {
		t.Fatal(err)
	}
	if text := e.Conventions.Targets; e.Unit != 1 || !strings.HasPrefix(text, "centred and divided") || e.Train.Y.At(0, 0) != -1 {
		t.Errorf("unit %v, first target %v: %s", e.Unit, e.Train.Y.At(0, 0), text)
	}
}

// TestAllRows checks that rows are said to be drawn only if some are left out.
func TestAllRows(t *testing.T) {
	path := writeRows(t, "x.csv", "x,y\n1,4\n2,6\n3,6\n4,4\n5,6\n")
	for train, want := range map[int]string{5: "5 of 5 rows", 4: "4 of 5 rows, drawn by seed 0"} {
		e, err := Open(t.Context(), Spec{Data: path, Train: train})
		if err != nil {
			t.Fatal(err)
		}
		if got := e.Conventions.Train; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestProfileTargets checks what a profile says about the target and the test rows.
func TestProfileTargets(t *testing.T) {
	text := "class,a,grade\n"
	for i := range 30 {
		text += fmt.Sprintf("%c,%d,%d\n", 'u'+rune(i%3/2), i*i%13, i%3)
	}
	for want, s := range map[string]Spec{
		"Target: class, 2 classes (u 20, v 10), by its name; --target names another":                {},
		"Target: grade, numeric (0 to 2, mean 1); --classify takes its 3 whole numbers for classes": {Target: "grade"},
		"Target: grade, 3 classes (0 10, 1 10, 2 10)":                                               {Target: "grade", Classify: true},
		"Test on: the first 5 of 30 rows of ":                                                       {TestData: "same", Test: 5},
	} {
		s.Data = writeRows(t, "t.csv", text)
		if s.TestData != "" {
			s.TestData = s.Data
		}
		e, err := Open(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		if lines := strings.Join(e.ProfileLines(), "\n") + "\n"; !strings.Contains(lines, want) {
			t.Errorf("%q is not in\n%s", want, lines)
		}
	}
	if e, err := Open(t.Context(), Spec{Data: "polynomial:hermite", Train: 20, Test: 20}); err != nil || e.ProfileLines() != nil {
		t.Errorf("a polynomial has the profile %q: %v", e.ProfileLines(), err)
	}
}

// Tables from which nothing can be learned are refused with the reason.
func TestProfileRefuses(t *testing.T) {
	names, empty := "name,x\n", "a,y\n"
	for i := range 40 {
		names += fmt.Sprintf("n%d,%d\n", i, i%3)
		empty += fmt.Sprintf(",%d\n", i)
	}
	for want, s := range map[string]Spec{
		"the target name has 40 different texts in 40 rows: that cannot be learned":         {Data: names, Target: "name"},
		"no column is left to learn x from; left out: name (40 different texts in 40 rows)": {Data: names},
		"no column is left to learn y from; left out: a (no values)":                        {Data: empty},
		"has no column \"nam\" (did you mean name?): it has name, x":                        {Data: names, Target: "nam"},
		"no row has a value of y; --target names another column":                            {Data: "a,y\n1,\n2,\n"},
		"x has numbers up to 1e+300, of which there is no variance":                         {Data: "a,x,y\n1,1e300,1\n2,-1e300,2\n3,1,3\n4,5,1\n5,2,2\n"},
		"the target y has numbers up to 5e-200, whose squares are 0":                        {Data: "a,y\n1,1e-200\n2,-5e-200\n3,2e-200\n4,5e-200\n"},
		"the target preis has 37 different texts in 37 rows": {Data: houses(), CSV: dialect.Dialect{
			Decimal: dialect.DecimalPoint}},
		"line 2: at byte": {Data: "a,y\n1,2,3\n"},
		"has one column, \"a y\", with commas, header, UTF-8: there is nothing to learn from; --separator": {Data: "a y\n1 2\n3 4\n"},
		"--header is for": {Data: ""},
	} {
		if s.Data == "" {
			s = Spec{Data: "polynomial:hermite", CSV: dialect.Dialect{Header: dialect.Names}}
		} else {
			s.Data = writeRows(t, "t.csv", s.Data)
		}
		if _, err := Open(t.Context(), s); !input.IsError(err) || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q: %v", want, err)
		}
	}
}

// A column with one value is dropped, whether of numbers or of texts. A column of texts is kept if at most half of them
// differ, or if the table has few rows.
func TestReasonsToDrop(t *testing.T) {
	text := "few,half,count,constant,text,big,y\n"
	for i := range 24 {
		text += fmt.Sprintf("%c,%c,%d,7,%s,%d00,%d\n", 'a'+rune(i%9), 'a'+rune(i/2), i, []string{"x", ""}[i%2], i/7, i%5)
	}
	e, err := Open(t.Context(), Spec{Data: writeRows(t, "t.csv", text)})
	if err != nil {
		t.Fatal(err)
	}
	if got := e.Conventions.Table.droppedText(); got != "constant (one value), text (one value, and none in 12 rows)" {
		t.Errorf("dropped: %s", got)
	}
	small := "name,x,y\n"
	for i := range 9 {
		small += fmt.Sprintf("n%d,%d,%d\n", i, i*i, i)
	}
	if e, err = Open(t.Context(), Spec{Data: writeRows(t, "small.csv", small)}); err != nil || len(e.Features) != 10 {
		t.Errorf("%q: %v", e.Features, err)
	}
}

// A table of any format can be read from stdin, more than once. A closed stdin is refused, and so is stdin for both
// training and test data.
func TestStdin(t *testing.T) {
	was := os.Stdin
	defer func() { os.Stdin = was }()
	arff := "@relation houses\n@attribute a real\n@attribute y {u,v}\n@data\n1,u\n2,v\n3,u\n4,v\n5,u\n6,v\n"
	for text, want := range map[string]string{
		"a;y\n1,5;u\n2,5;v\n3;u\n4;v\n5;u\n": "stdin: 5 rows, 2 columns (semicolons, header, decimal comma, UTF-8)",
		arff:                                 "stdin: 6 rows, 2 columns",
	} {
		f, err := os.Open(writeRows(t, "in", text))
		if err != nil {
			t.Fatal(err)
		}
		os.Stdin = f
		for range 2 { // a search and an average of machines open stdin repeatedly
			e, err := Open(t.Context(), Spec{Data: input.Stdin})
			if err != nil || e.Name != "stdin" || e.ProfileLines()[0] != want {
				t.Errorf("%q: %v", text, err)
			}
		}
		f.Close()
	}
	closed, err := os.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	os.Stdin = closed
	if _, err := Open(t.Context(), Spec{Data: input.Stdin}); !input.IsError(err) {
		t.Error(err)
	}
	if _, err := Open(t.Context(), Spec{Data: input.Stdin, TestData: input.Stdin}); !input.IsError(err) {
		t.Error(err)
	}
}

// A target that does not vary is refused, and so is a column with very many categories, with the flag that leaves it
// out.
func TestTablesThatAreRefused(t *testing.T) {
	wide := "a,c,y\n"
	for i := range 24000 {
		wide += fmt.Sprintf("%d,k%d,%d\n", i%7, i%8000, i%5)
	}
	for want, text := range map[string]string{
		"the target y is 5 in all rows": "a,y\n1,5\n2,5\n3,5\n4,5\n5,5\n",
		"--ignore c leaves it out":      wide,
	} {
		path := filepath.Join(t.TempDir(), "t.csv")
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(t.Context(), Spec{Data: path}); !input.IsError(err) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// Numbers written with units, parentheses or another decimal mark are read as categories, and a note says what to do.
func TestStrayText(t *testing.T) {
	rows := func(value func(i int) string) string {
		text := "v;x;y\n"
		for i := range 40 {
			text += fmt.Sprintf("%s;%d;%d.5\n", value(i), i%7, i%5)
		}
		return text
	}
	for want, value := range map[string]func(i int) string{
		`numbers with $, as "$10" in line 2; write numbers without`:                                   func(i int) string { return []string{"$10", "12"}[i%2] },
		`numbers with € and %, as "-10 €" in line 2; write numbers without`:                           func(i int) string { return []string{"-10 €", "12%"}[i%2] },
		`numbers with a decimal comma, as "0,5" in line 2; --decimal comma reads them`:                func(i int) string { return fmt.Sprintf("%d,5", i%9) },
		`numbers but for 1, as "ask" in line 2; if those stand for no value, leave such cells empty`:  func(i int) string { return []string{"ask", "1,200", "7"}[min(i, 1+i%2)] },
		`numbers with $, as "$1" in line 3; write numbers without; and 2 other texts, as "ask"`:       func(i int) string { return []string{"ask", "$1", "$2"}[min(i%25, 2-i%2)] },
		`numbers with parentheses, as "(1,200.5)" in line 3; write negative numbers as -1.5`:          func(i int) string { return []string{"1.5", "(1,200.5)", "2"}[i%3] },
		`numbers but for 1, as "1_0" in line 22; if those stand for no value, leave such cells empty`: func(i int) string { return map[bool]string{true: "1_0", false: fmt.Sprint(i % 9)}[i == 20] },
		`numbers but for 2, as "ask" in line 23; if those stand for no value, leave such cells empty`: func(i int) string {
			if text, is := map[int]string{19: "-", 20: "None", 21: "ask", 22: "ask"}[i]; is {
				return text
			}
			return fmt.Sprint(i % 9)
		},
		`numbers but for 1, as "ask" in line 22; if those stand for no value, leave such cells empty`: func(i int) string { return map[bool]string{true: "ask", false: fmt.Sprint(i % 9)}[i == 20] },
	} {
		e, err := Open(t.Context(), Spec{Data: writeRows(t, "t.csv", rows(value))})
		if err != nil {
			t.Fatal(err)
		}
		if text := strings.Join(e.ProfileLines(), "\n"); !strings.Contains(text, "v is categorical: "+want) {
			t.Errorf("want %q:\n%s", want, text)
		}
	}
	// A column in which most texts differ is dropped, and the reason given has the same advice. Here points separate
	// the thousands, as a German file may have it.
	text := "v;x;y\n"
	for i := range 40 {
		text += fmt.Sprintf("%s%d.%03d,5;%d,5;%d\n", []string{"", "€ "}[i%2], i+1, i, i%7, i%5)
	}
	e, err := Open(t.Context(), Spec{Data: writeRows(t, "t.csv", text)})
	if err != nil {
		t.Fatal(err)
	}
	const want = `Dropped: v (40 different texts in 40 rows, numbers with €, as "€ 2.001,5" in line 3; write numbers without)`
	if lines := e.ProfileLines(); !slices.Contains(lines, want) {
		t.Errorf("%q", lines)
	}
	// Dates are read as categories, which have no order.
	for want, days := range map[string]int{"Note: v is categorical: ": 8, "Dropped: v (40 different texts in 40 rows, ": 40} {
		e, err := Open(t.Context(), Spec{Data: writeRows(t, "t.csv", rows(func(i int) string { return fmt.Sprintf("20%02d-01-26", i%days) }))})
		if err != nil {
			t.Fatal(err)
		}
		want += "dates or times, whose order is not used; write numbers, such as days since the first, to use it"
		if text := strings.Join(e.ProfileLines(), "\n"); !strings.Contains(text, want) {
			t.Errorf("want %q:\n%s", want, text)
		}
	}
	// A row of totals has no target and is left out, but its word makes the whole column one of texts.
	text = "v;x;y\n"
	for i := range 40 {
		text += fmt.Sprintf("%d.5;%d;%d\n", i, i%7, i%5)
	}
	if e, err = Open(t.Context(), Spec{Data: writeRows(t, "t.csv", text+"Total;;\n")}); err != nil {
		t.Fatal(err)
	}
	const total = `Dropped: v (40 different texts in 40 rows, numbers but for 1, as "Total" in line 42; if those stand for no value, leave such cells empty); ` +
		"1 row without a target"
	if lines := e.ProfileLines(); !slices.Contains(lines, total) {
		t.Errorf("%q", lines)
	}
	for _, codes := range []string{"a1", "1-2", "12 345", "x", "1_0"} {
		e, err := Open(t.Context(), Spec{Data: writeRows(t, "t.csv", rows(func(i int) string { return fmt.Sprintf("%s%d", codes, i%3) }))})
		if err != nil || len(e.Conventions.Table.Notes) > 0 {
			t.Errorf("%s: %v %q", codes, err, e.Conventions.Table.Notes)
		}
	}
}

// Notes of the same kind are joined into one, and column names in them are quoted for a shell. There are notes on codes
// with leading zeros, on row numbers and on spellings that differ in case.
func TestNotes(t *testing.T) {
	text := "row 1,b,zip,plz,ok,ok2,y\n"
	for i := range 20 {
		text += fmt.Sprintf("%d,%d,0%d,00%d,%s,%s,%d\n", i, i+5, i%4, i%3, []string{"TRUE", "True", "no"}[i%3], []string{"a", "A"}[i%2], i%5)
	}
	e, err := Open(t.Context(), Spec{Data: writeRows(t, "t.csv", text)})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"zip: read as categories, since 01 has leading zeros (likewise plz)",
		"row 1 rises by 1 from row to row, as numbers of rows do: if it measures nothing, leave it out (--ignore 'row 1') (likewise b)",
		"ok: TRUE and True differ only in letter case, and count as different (likewise ok2)",
	}
	if got := e.Conventions.Table.Notes; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if e, err = Open(t.Context(), Spec{Data: e.Name, Ignore: []string{"zip", "plz"}, Target: "ok"}); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(e.Conventions.Table.Notes, "\n"); strings.Contains(got, "zip") || !strings.Contains(got, "ok: TRUE and True") {
		t.Errorf("%q", got)
	}
	for name, want := range map[string]string{"a": "a", "fläche_2": "fläche_2", "a b": "'a b'", "a,b": `'"a,b"'`, "it's": `'it'\''s'`, "$x": "'$x'"} {
		if got := quoteName(name); got != want {
			t.Errorf("%s is quoted as %s", name, got)
		}
	}
}

// In a column of + and - the dash is a category, without a note. The text None is a category too, with a note.
func TestNoteOfDashes(t *testing.T) {
	text := "sign,kind,y\n"
	for i := range 20 {
		text += fmt.Sprintf("%s,%s,%d\n", []string{"+", "-"}[i%2], []string{"a", "None", "b"}[i%3], i%5)
	}
	e, err := Open(t.Context(), Spec{Data: writeRows(t, "t.csv", text)})
	if err != nil {
		t.Fatal(err)
	}
	if got := e.Conventions.Table.Notes; len(got) != 1 ||
		got[0] != "kind: None counts as a category; if it stands for no value, leave such cells empty" || len(e.Features) != 5 {
		t.Errorf("%q, features %q", got, e.Features)
	}
}

// The rows to fit must have two different classes or numbers. A note names the classes that only other rows have.
func TestRowsToFit(t *testing.T) {
	classes, numbers := "day,x,y\n", "day,x,y\n"
	for i := range 40 {
		class := []string{"early", "early", "early", "early", "late", "last"}[min(i/9, 5)]
		classes += fmt.Sprintf("%d,%d,%s\n", i, i%7, class)
		numbers += fmt.Sprintf("%d,%d,%d\n", i, i%7, max(i-35, 0))
	}
	for want, s := range map[string]Spec{
		"the 32 rows to fit have one class, early: there is nothing to learn; choose another split": {Data: classes},
		"the 32 rows to fit have the same y, 0: there is nothing to learn; choose another split":    {Data: numbers},
	} {
		s.Data, s.SplitTime = writeRows(t, "t.csv", s.Data), "day"
		if _, err := Open(t.Context(), s); !input.IsError(err) || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q: %v", want, err)
		}
	}
	text := "day,x,y\n"
	for i := range 40 {
		text += fmt.Sprintf("%d,%d,%s\n", i, i%7, []string{"a", "b", "c"}[max(i%2, i/36*2)])
	}
	e, err := Open(t.Context(), Spec{Data: writeRows(t, "t.csv", text), SplitTime: "day"})
	if err != nil {
		t.Fatal(err)
	}
	if got := e.Conventions.Table.Notes; len(got) != 1 || got[0] != "no row to fit has the class c, which the fit cannot learn" {
		t.Errorf("%q", got)
	}
	const declared = "@relation r\n@attribute a real\n@attribute class {u,v,w}\n@data\n1,u\n2,v\n3,u\n4,v\n5,u\n6,v\n"
	if e, err = Open(t.Context(), Spec{Data: writeRows(t, "t.arff", declared)}); err != nil || e.Conventions.Table.Notes != nil {
		t.Errorf("a class of no row at all: %v, %q", err, e.Conventions.Table.Notes)
	}
}
