package table

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/internal/realdata"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"gonum.org/v1/gonum/mat"
)

// content makes cmp compare the contents of tables, not how they are written in their files.
var content = cmp.Options{cmpopts.IgnoreUnexported(Table{}), cmpopts.IgnoreFields(Table{}, "ReadAs")}

// realFile returns the path of a real ARFF file, or skips the test.
func realFile(t testing.TB, name string) string {
	t.Helper()
	return realdata.File(t, "uci/"+name)
}

// readJSON reads a JSON file that testdata/make_tables.py wrote.
func readJSON(t testing.TB, path string, dst any) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, dst); err != nil {
		t.Fatal(err)
	}
}

// mustARFF returns the table in an ARFF text, and fails the test if there is an error.
func mustARFF(t testing.TB, text string) *Table {
	t.Helper()
	table, err := ReadARFF("text.arff", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// mustCSV returns the table in a CSV text, and fails the test if there is an error.
func mustCSV(t testing.TB, text string) *Table {
	t.Helper()
	table, err := ReadCSV("text.csv", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// mustEncode encodes a table, and fails the test if there is an error.
func mustEncode(t testing.TB, table *Table, o EncodeOptions) (*Set, Conventions) {
	t.Helper()
	s, c, err := table.Encode(o)
	if err != nil {
		t.Fatal(err)
	}
	return s, c
}

// wantFormatError fails the test unless err is a FormatError that says where it is, what was expected and what was
// found.
func wantFormatError(t testing.TB, err error) *FormatError {
	t.Helper()
	var f *FormatError
	if !errors.As(err, &f) {
		t.Fatalf("error is %v (%T), want a *FormatError", err, err)
	}
	if f.Path == "" || f.Want == "" || f.Got == "" {
		t.Errorf("error lacks where, expected or found: %#v", f)
	}
	return f
}

// wantErrorAt fails the test unless err is a FormatError at that line and
// byte.
func wantErrorAt(t testing.TB, err error, line int, offset int64) {
	t.Helper()
	if f := wantFormatError(t, err); f.Line != line || f.Offset != offset {
		t.Errorf("error is at line %d, byte %d, want %d, %d: %v", f.Line, f.Offset, line, offset, err)
	}
}

// checkTable fails the test unless the table's columns are as the documentation of Column says.
func checkTable(t testing.TB, table *Table) {
	t.Helper()
	if _, _, same := sameName(table.Columns); same || table.Rows < 1 || len(table.Columns) < 1 {
		t.Fatalf("%d rows, %d columns, two of one name: %v", table.Rows, len(table.Columns), same)
	}
	for _, c := range table.Columns {
		if c.Len() != table.Rows || c.Missing != nil && len(c.Missing) != table.Rows {
			t.Fatalf("column %q has %d values for %d rows", c.Name, c.Len(), table.Rows)
		}
		for i, v := range c.Values {
			if !isFinite(v) || c.IsMissing(i) && v != 0 {
				t.Fatalf("column %q, row %d: %v", c.Name, i, v)
			}
		}
		for i, code := range c.Codes {
			if int(code) >= len(c.Categories) || (code == noCode) != c.IsMissing(i) || code < noCode {
				t.Fatalf("column %q, row %d: code %d of %d", c.Name, i, code, len(c.Categories))
			}
		}
	}
}

// checkSet fails the test unless the parts of a set have matching sizes, its numbers are finite and its classes are
// valid.
func checkSet(t testing.TB, s *Set) {
	t.Helper()
	rows, columns := s.X.Dims()
	if len(s.Features) != columns || len(s.Y) != rows {
		t.Fatalf("%d×%d, %d features, %d targets", rows, columns, len(s.Features), len(s.Y))
	}
	for _, v := range append(s.X.RawMatrix().Data, s.Y...) {
		if !isFinite(v) {
			t.Fatalf("%v in the set", v)
		}
	}
	for _, y := range s.Y {
		if len(s.Classes) > 0 && (y < 0 || int(y) >= len(s.Classes) || y != math.Trunc(y)) {
			t.Fatalf("class %v of %d", y, len(s.Classes))
		}
	}
}

// matrixOf returns a matrix of rows.
func matrixOf(rows [][]float64) *mat.Dense {
	m := mat.NewDense(len(rows), len(rows[0]), nil)
	for i, row := range rows {
		m.SetRow(i, row)
	}
	return m
}

// near reports whether two numbers differ by at most 1e-9·max(1, |a|, |b|).
func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(a), math.Abs(b)) }

// wantNear fails the test unless the elements of a matrix are near those of want.
func wantNear(t *testing.T, what string, got mat.Matrix, want [][]float64) {
	t.Helper()
	if r, c := got.Dims(); r != len(want) || c != len(want[0]) {
		t.Fatalf("%s: %d×%d, want %d×%d", what, r, c, len(want), len(want[0]))
	}
	for i, row := range want {
		for j, v := range row {
			if !near(got.At(i, j), v) {
				t.Errorf("%s: %v at %d, %d, want %v", what, got.At(i, j), i, j, v)
			}
		}
	}
}
