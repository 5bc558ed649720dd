package examples

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"gonum.org/v1/gonum/mat"
)

// writeRows writes a CSV file.
func writeRows(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

const trainRows = "a,colour,y\n1,red,u\n2,blue,v\n3,?,u\n4,red,v\n?,red,u\n"

// A pipeline is saved and read again. Applied to the training file it makes the training inputs, and applied to another
// file the inputs that a test on that file has. Both are on the unit sphere.
func TestPipeline(t *testing.T) {
	other := writeRows(t, "other.csv", "y,colour,extra,A\nv,blue,1,7\nu,pink,2,?\n")
	for _, transform := range []string{"none", "standard", "quantile"} {
		s := Spec{Data: writeRows(t, "train.csv", trainRows), TestData: other, Transform: transform, Sphere: true}
		e, err := Open(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		text, err := e.Pipeline.Text()
		if err != nil {
			t.Fatal(err)
		}
		p, err := ParsePipeline(text)
		if err != nil {
			t.Fatal(err)
		}
		for path, want := range map[string]*mat.Dense{s.Data: e.Train.X, other: e.Test.X} {
			complete, err := p.Complete(Spec{Data: path})
			if err != nil {
				t.Fatal(err)
			}
			rows, err := p.OpenRows(complete, "")
			if err != nil || !mat.Equal(rows.X, want) || rows.Y == nil {
				t.Errorf("%s of %s: %v", transform, path, err)
			}
		}
		if !strings.Contains(e.Conventions.Test, "colour 1 (pink)") || e.Conventions.TestSHA == "" {
			t.Errorf("the test is recorded as %q", e.Conventions.Test)
		}
	}
}

// A test table must have the columns and classes of the training table, and a target in every row.
func TestTestTable(t *testing.T) {
	for text, want := range map[string]string{
		"a,colour\n1,red\n":         "no column y",
		"a,colour,y\n1,red,w\n":     "the classes u, v",
		"a,colour,y\n1,red,?\n":     "1 rows have no y",
		"a,y\n1,u\n":                "no column colour",
		"a,colour,y\n1,red,u,2\n":   "3 values",
		"a,colour,y\nlarge,red,u\n": `"large" in row 1`,
	} {
		s := Spec{Data: writeRows(t, "train.csv", trainRows), TestData: writeRows(t, "test.csv", text)}
		if _, err := Open(t.Context(), s); !input.IsError(err) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// Test rows of another file that are those of the table of the fit, or of groups of which rows are fitted, are noted.
func TestTestRowsOfTheFit(t *testing.T) {
	rows := func(first int) string {
		text := "group,x,y\n"
		for i := range 40 {
			text += fmt.Sprintf("g%d,%d,%d\n", first+i/4, (first+i)*i%7, i*i%5)
		}
		return text
	}
	path, same := writeRows(t, "t.csv", rows(0)), "from the table of the fit"
	for _, c := range []struct {
		test, group string
		rows        int
		notes       string
	}{
		{path, "", 0, same}, {path, "", 5, same}, {path, "group", 0, same}, {writeRows(t, "new.csv", rows(8)), "", 0, ""}, {writeRows(t, "new.csv", rows(50)), "group", 0, ""},
		{writeRows(t, "new.csv", rows(8)), "group", 0, "2 values of group, such as g8, in "},
	} {
		e, err := Open(t.Context(), Spec{Data: path, TestData: c.test, Test: c.rows, Ignore: []string{"group"}[min(len(c.group), 1):], SplitGroup: c.group})
		if err != nil {
			t.Fatal(err)
		}
		if notes := strings.Join(e.Conventions.Table.Notes, "; "); !strings.Contains(notes, c.notes) || c.notes == "" && notes != "" {
			t.Errorf("%s by %q: %q, want %q", c.test, c.group, notes, c.notes)
		}
	}
}

// Numbers that all lie far from those of the fit are noted: they may have another decimal mark.
func TestFarColumns(t *testing.T) {
	text := "x,z,y\n"
	for i := range 40 {
		text += fmt.Sprintf("%d.%d,%d,%d\n", i%7, i%10, i%9, i*i%5)
	}
	e, err := Open(t.Context(), Spec{Data: writeRows(t, "t.csv", text)})
	if err != nil {
		t.Fatal(err)
	}
	for rows, want := range map[string]bool{"z,x\n3,1250\n4,4300\n": true, "z,x\n3,1250\n4,4.3\n": false} {
		n, err := e.Pipeline.OpenRows(Spec{Data: writeRows(t, "new.csv", rows)}, "")
		if err != nil {
			t.Fatal(err)
		}
		if notes := strings.Join(n.Notes, "; "); strings.HasSuffix(notes, "another decimal mark (--decimal): x") != want {
			t.Errorf("%q: %q", rows, notes)
		}
	}
	_, err = e.Pipeline.OpenRows(Spec{Data: writeRows(t, "new.csv", "z,x\n3,\"1,25\"\n4,\"4,3\"\n")}, "")
	if !input.IsError(err) || !strings.Contains(err.Error(), "--decimal comma") {
		t.Errorf("%v", err)
	}
}

func TestParsePipelineRefuses(t *testing.T) {
	for _, text := range []string{"", "[]", "{} {}", `{"later":true}`, `{"table":{}}`, `{"images":{"constants":"x"}}`,
		`{"images":{"constants":"none"},"table":{"columns":[]}}`} {
		if _, err := ParsePipeline(text); err == nil {
			t.Errorf("%q is a pipeline", text)
		}
	}
}

// Ids are copied from the file character by character, also where the model reads the column as numbers.
func TestIDsAsWritten(t *testing.T) {
	text := "id,x,y\n"
	for i := range 20 {
		text += fmt.Sprintf("%d,%d,%d\n", i*i, i%7, i%5)
	}
	e, err := Open(t.Context(), Spec{Data: writeRows(t, "t.csv", text)})
	if err != nil {
		t.Fatal(err)
	}
	rows, err := e.Pipeline.OpenRows(Spec{Data: writeRows(t, "new.csv", "id,x\n007,1\n12,-\n123456789012345678,3\nNA,n/a\n")}, "id")
	if err != nil || !slices.Equal(rows.IDs, []string{"007", "12", "123456789012345678", "NA"}) {
		t.Fatalf("%v: %v", rows, err)
	}
	if notes := strings.Join(rows.Notes, ";"); !strings.Contains(notes, "id 1, x 2") {
		t.Errorf("%q", notes)
	}
	const doubt = "x: 1,250 is read as 1.25, with a decimal comma; if that separates thousands, take it out of the file"
	if rows, err = e.Pipeline.OpenRows(Spec{Data: writeRows(t, "new.tsv", "id\tx\n3\t1,250\n4\t40\n")}, "id"); err != nil ||
		!slices.Contains(rows.Notes, doubt) {
		t.Errorf("%q: %v", rows.Notes, err)
	}
	if rows, err = e.Pipeline.OpenRows(Spec{Data: writeRows(t, "new.csv", "id,x\n1.50,1\n")}, "id"); err != nil || rows.IDs[0] != "1.50" {
		t.Errorf("%v: %v", rows, err)
	}
}
