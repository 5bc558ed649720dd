package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// flats returns a table of n rows with the columns a, kind and y. y is 1.5 a where the kind is näu, and 0.5 a where it
// is alt. names is the header line, "" for a table without one.
func flats(names, separator string, n int, number func(v float64) string) string {
	text := names
	for i := range n {
		kind, factor := []string{"alt", "n\u00e4u"}[i%2], []float64{.5, 1.5}[i%2]
		a := float64(i*i%29) + .25
		text += strings.Join([]string{number(a), kind, number(factor * a)}, separator) + "\n"
	}
	return text
}

func withPoint(v float64) string { return fmt.Sprintf("%.4f", v) }
func withComma(v float64) string { return strings.ReplaceAll(withPoint(v), ".", ",") }

// writeAs writes a file with the given name, and returns its path.
func writeAs(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestPredictOtherDialects checks that a model of a CSV file in one dialect predicts the same for the same rows in
// other dialects, also from stdin.
func TestPredictOtherDialects(t *testing.T) {
	latin := strings.ReplaceAll(flats("a;kind;y\n", ";", 60, withComma), "\u00e4", "\xe4")
	model := filepath.Join(t.TempDir(), "model")
	code, _, errs := ansatz(t, "rfm", "--data", writeAs(t, "flats.csv", latin), "--iters", "1", "--model-out", model)
	if code != exitDone || !strings.Contains(errs, "60 rows, 3 columns (semicolons, header, decimal comma, windows-1252)\n"+
		"Target: y, numeric") || !strings.Contains(errs, "Fit on: 48 of 60 rows") {
		t.Fatalf("exit %d: %s", code, errs)
	}
	want, record := predictCSV(t, model, writeAs(t, "point.csv", flats("a,kind,y\n", ",", 20, withPoint)))
	if len(want) != 21 || record["test_r2"].(float64) < .9 {
		t.Fatalf("%d lines, %v", len(want), record)
	}
	latin = strings.ReplaceAll(flats("a:kind:y\n", ":", 20, withComma), "\u00e4", "\xe4")
	for _, c := range []struct {
		text  string
		flags []string
		as    string
	}{
		{flats("a|kind|y\n", "|", 20, withComma), nil, "20 rows (pipes, header, decimal comma, UTF-8)"},
		{latin, []string{"--separator", ":", "--encoding", "latin1", "--decimal", "comma", "--header", "yes"},
			"20 rows (separated by ':', header, decimal comma, Latin-1)"},
		{"\ufeff" + flats("a\tkind\ty\n", "\t", 20, withPoint), []string{"--separator", "tab"}, "20 rows (tabs, header, UTF-8)"},
	} {
		path := writeAs(t, "other.csv", c.text)
		got, _ := predictCSV(t, model, path, c.flags...)
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: other predictions", c.as)
		}
		was := os.Stdin
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		os.Stdin = f
		code, out, errs := ansatz(t, append([]string{"predict", "--model", model, "--data", "-", "--predictions", "-"}, c.flags...)...)
		os.Stdin = was
		f.Close()
		if code != exitDone || strings.Count(out, "\n") != 21 || out[:30] != csvText(want)[:30] || !strings.Contains(errs, "stdin: "+c.as) {
			t.Errorf("stdin, %s: exit %d: %s%s", c.as, code, out, errs)
		}
	}
	code, _, errs = ansatz(t, "predict", "--model", model, "--data", writeAs(t, "wrong.csv",
		"a;kind\n1;alt\n\n2;\"n\u00e4u\n\"\nviel;alt\n"))
	if code != exitUsage || !strings.Contains(errs, `line 6: expected numbers in column "a", found "viel" in row 3`) {
		t.Errorf("exit %d: %s", code, errs)
	}
}

// csvText joins rows to the text of a CSV file.
func csvText(rows [][]string) string {
	text := ""
	for _, row := range rows {
		text += strings.Join(row, ",") + "\n"
	}
	return text
}

// TestCSVFlags checks what the flags for CSV files do, and that they are refused if they have wrong values or the data
// is no CSV file.
func TestCSVFlags(t *testing.T) {
	bare := writeAs(t, "bare.csv", flats("", ";", 40, withComma))
	for _, c := range []struct {
		flags []string
		code  int
		want  string
	}{
		{nil, exitDone, "40 rows, 3 columns (semicolons, no header, decimal comma, UTF-8)\nTarget: column 3, numeric"},
		{[]string{"--header", "no", "--target", "column 1"}, exitDone, "Target: column 1, numeric"},
		{[]string{"--header", "yes"}, exitDone, "39 rows, 3 columns (semicolons, header, decimal comma, UTF-8)"},
		{[]string{"--header", "auto", "--separator", "auto", "--decimal", "auto", "--encoding", "auto"}, exitDone, "no header"},
		{[]string{"--header", "no", "--encoding", "windows-1252"}, exitDone, "n\u00c3\u00a4u"},
		{[]string{"--decimal", "point"}, exitUsage, "different texts in 39 rows"},
		{[]string{"--separator", "pipe"}, exitUsage, "has one column"},
		{[]string{"--encoding", "utf-16"}, exitUsage, "expected text in UTF-16"},
		{[]string{"--separator", "abc"}, exitUsage, "want comma, semicolon"},
		{[]string{"--header", "maybe"}, exitUsage, "want yes, no or auto"},
		{[]string{"--decimal", ""}, exitUsage, "want point, comma or auto"},
		{[]string{"--encoding", "latin2"}, exitUsage, "want utf-8, utf-16, latin1, windows-1252 or auto"},
	} {
		args := []string{"rfm", "--data", bare, "--iters", "0", "--target", "column 2"}
		if !strings.Contains(c.want, "\u00c3") {
			args = args[:len(args)-2]
		}
		if code, _, errs := ansatz(t, append(args, c.flags...)...); code != c.code || !strings.Contains(errs, c.want) {
			t.Errorf("%v: exit %d: %s", c.flags, code, errs)
		}
	}
	for _, flag := range []string{"--separator=comma", "--header=no", "--decimal=point", "--encoding=utf-8"} {
		for _, data := range []string{"glyphs", "polynomial:hermite", writeAs(t, "t.arff", "@relation r\n")} {
			if code, _, errs := ansatz(t, "rfm", "--data", data, flag); code != exitUsage || !strings.Contains(errs, "is for CSV files") {
				t.Errorf("%s of %s: exit %d: %s", flag, data, code, errs)
			}
		}
	}
	if code, out, errs := ansatz(t, "rfm", "--data", bare, "--iters", "0", "--quiet"); code != exitDone || errs != "" ||
		!strings.Contains(out, "Iteration") && !strings.Contains(out, "iteration") {
		t.Errorf("--quiet: exit %d: %s%s", code, out, errs)
	}
}
