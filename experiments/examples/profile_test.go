package examples

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/data/table/dialect"
	"github.com/ansatz-lab/ansatz/experiments/input"
)

// houses is a table as a German Excel has it, of 40 rows: a number, areas, two of which are missing, regions, ratings of
// which one is a text, remarks of their own, and prices, three of which are missing.
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

// What is printed before a fit is what the table has and what became of it.
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
Note: note is categorical: numbers but for 1, as "k.A." in line 62; leave such cells empty`
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
	// A row has the same inputs from the file that was fitted, and from one of another dialect.
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
	if len(all.Labelled) != 37 || !strings.Contains(strings.Join(all.Notes, ";"), "those of the fit") {
		t.Errorf("%d rows have a target, notes %q", len(all.Labelled), all.Notes)
	}
}

// What a profile says of targets.
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
		"the target name has 40 different texts in 40 rows: that cannot be learned": {Data: names, Target: "name"},
		"no column is left to learn x from: name (40 different texts in 40 rows)":   {Data: names},
		"no column is left to learn y from: a (no values)":                          {Data: empty},
		"the name of a column": {Data: names, Target: "z"},
		"a target in each row": {Data: "a,y\n1,\n2,\n"},
		"the target preis has 37 different texts in 37 rows": {Data: houses(), CSV: dialect.Dialect{
			Decimal: dialect.DecimalPoint}},
		"line 2: at byte": {Data: "a,y\n1,2,3\n"},
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

// Few rows, or few texts, are no reason to drop a column, and constants of numbers are one.
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

// A table comes from stdin in any format.
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
		e, err := Open(t.Context(), Spec{Data: input.Stdin})
		if err != nil || e.Name != "stdin" || e.ProfileLines()[0] != want {
			t.Errorf("%q: %v", text, err)
		}
		f.Close()
	}
	if _, err := Open(t.Context(), Spec{Data: input.Stdin}); !input.IsError(err) { // which is closed
		t.Error(err)
	}
	if _, err := Open(t.Context(), Spec{Data: input.Stdin, TestData: input.Stdin}); !input.IsError(err) {
		t.Error(err)
	}
}

// A target that does not vary, and a column with very many categories, are refused with what to do.
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
