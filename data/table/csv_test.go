package table

import (
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCSV(t *testing.T) {
	want := &Table{Name: "text", Rows: 4, Columns: []Column{
		{Name: "a b", Values: []float64{1, -2.5e-3, 0, 255}, Missing: []bool{false, false, true, false}},
		{Name: "name", Kind: Nominal, Codes: []int32{1, 0, -1, 1}, Categories: []string{"1", "x, \"y\""},
			Missing: []bool{false, false, true, false}},
		{Name: "column 3", Values: []float64{0, 0, 0, 0}, Missing: []bool{true, true, true, true}},
	}}
	const text = "a b,\"name\",\n1,\"x, \"\"y\"\"\",?\n\n-2.5e-3, 1 ,NA\nnan,NULL,\n0xFFp0,\"x, \"\"y\"\"\",null\n"
	for name, text := range map[string]string{
		"comma":           text,
		"CRLF":            strings.ReplaceAll(text, "\n", "\r\n"),
		"byte order mark": byteOrderMark + text,
		"tab":             separated(text, "\t"),
		"semicolon":       separated(text, ";"),
	} {
		if d := cmp.Diff(want, mustCSV(t, text), content); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// separated returns a CSV text with the commas between values replaced by another separator.
func separated(text, by string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, ",", by), `"x`+by+` `, `"x, `)
}

func TestCSVErrors(t *testing.T) {
	for _, c := range []struct {
		text   string
		line   int
		offset int64
	}{
		{"", 0, 0},
		{"a,b\n", 0, 4},
		{"a,b\n1,2\n3\n", 3, 8},
		{"a,b\n1,2,3\n", 2, 4},
		{"a,b\n1,\"2\n", 2, 4},
		{"a,b\n1,2\"\n", 2, 4},
		{"a,a\n1,2\n", 1, 0},
		{"column 2,\n1,2\n", 1, 0},
		{"a,b\n1,2\n3,-1e999\n", 3, 8},
		{"a,b\nInf,2\n", 2, 4},
	} {
		_, err := ReadCSV("text.csv", strings.NewReader(c.text))
		wantErrorAt(t, err, c.line, c.offset)
	}
	names := mustCSV(t, "a,b\ninf,2\nsup,3\n") // a category, since the column is not numeric
	if got := names.Columns[0].Categories; !cmp.Equal(got, []string{"inf", "sup"}) {
		t.Error(got)
	}
}

func TestCSVCutAnywhere(t *testing.T) {
	const text = "a,b,c\n1.5,x,2\n\"2\",\"y\nz\",3\n"
	for cut := range text {
		got, err := ReadCSV("cut.csv", strings.NewReader(text[:cut]))
		if err != nil {
			if f := wantFormatError(t, err); f.Offset < 0 || f.Offset > int64(cut) {
				t.Errorf("cut at %d: error at byte %d", cut, f.Offset)
			}
			continue
		}
		if checkTable(t, got); got.Rows > 2 || got.Columns[0].Values[0] != 1.5 {
			t.Errorf("cut at %d: %+v", cut, got)
		}
	}
}

func TestParseNumber(t *testing.T) {
	for text, want := range map[string]float64{
		"1": 1, "-.5": -0.5, "+3.": 3, "1E3": 1000, "0x1p-2": 0.25, "1e-400": 0, "007": 7,
		"": math.NaN(), "1,5": math.NaN(), "inf": math.NaN(), "NaN": math.NaN(), "1e400": math.NaN(), "1_0": math.NaN(),
		"1 ": math.NaN(),
	} {
		if v, ok := parseNumber(text); ok != !math.IsNaN(want) || ok && v != want {
			t.Errorf("%q: %v, %v", text, v, ok)
		}
	}
}

// TestCSVOfOneLongRow checks that a row of millions of values, whose line breaks are in quotes or come after many short rows, is
// refused before its values take memory.
func TestCSVOfOneLongRow(t *testing.T) {
	for _, text := range []string{strings.Repeat(",", 2*maxColumns), strings.Repeat("\"\n\",", 2*maxColumns),
		strings.Repeat("a,b\n", 99) + strings.Repeat("1,", 2*maxColumns)} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := ReadCSV("long.csv", strings.NewReader(text))
		runtime.ReadMemStats(&after)
		if f := wantFormatError(t, err); !strings.Contains(f.Want, "columns") {
			t.Error(f)
		}
		if taken := (after.TotalAlloc - before.TotalAlloc) >> 20; taken > 100 {
			t.Errorf("%d MiB for a text of %d", taken, len(text)>>20)
		}
	}
}
