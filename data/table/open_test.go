package table

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	numbers, err := os.ReadFile("testdata/numbers.parquet")
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"a.arff":       smallARFF,
		"a.ARFF":       smallARFF,
		"download":     "\n% from OpenML\n" + smallARFF,
		"a.csv":        gapsCSV,
		"a.tsv":        separated(gapsCSV, "\t"),
		"a.txt":        separated(gapsCSV, ";"),
		"a.parquet":    string(numbers),
		"a.pq":         string(numbers),
		"download.dat": string(numbers),
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		table, err := Open(path)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		checkTable(t, table)
	}
	if table, err := Open("testdata/uci/tiny"); err != nil || table.Rows != 12 {
		t.Error(err)
	}
}

func TestOpenErrors(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{"a.npz": "PK\x03\x04", "a.xls": "x y\n1 2\n", "a.arff": "x,y\n1,2\n",
		"empty": "", "comments": "%\n%"} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := Open(path)
		if f := wantFormatError(t, err); !strings.HasPrefix(f.Error(), path) {
			t.Errorf("%v does not name the file", f)
		}
	}
	_, err := Open(dir)
	wantFormatError(t, err)
	if _, err := Open(filepath.Join(dir, "none.csv")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

func TestFormatError(t *testing.T) {
	cause := errors.New("the cause")
	err := &FormatError{Path: "a.csv", Line: 3, Offset: 17, Want: "a", Got: "b", Err: cause, Hint: "do c"}
	if got := err.Error(); got != "a.csv: line 3: at byte 17: expected a, found b: the cause; do c" ||
		!errors.Is(err, cause) {
		t.Error(got)
	}
	if got := show(strings.Repeat("x", 50)); len(got) != 42+len("…") {
		t.Error(got)
	}
}
