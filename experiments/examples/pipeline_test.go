package examples

import (
	"os"
	"path/filepath"
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

// A saved pipeline makes the training rows of what it was fitted to, also on the unit sphere, and of rows of another
// file what a test on that file makes.
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

// The rows of a test table must have targets that the training table has.
func TestTestTable(t *testing.T) {
	for text, want := range map[string]string{
		"a,colour\n1,red\n":         "no column y",
		"a,colour,y\n1,red,w\n":     "the classes u, v",
		"a,colour,y\n1,red,?\n":     "1 rows have no y",
		"a,y\n1,u\n":                "no column colour",
		"a,colour,y\n1,red,u,\n":    "3 values",
		"a,colour,y\nlarge,red,u\n": `"large" in row 1`,
	} {
		s := Spec{Data: writeRows(t, "train.csv", trainRows), TestData: writeRows(t, "test.csv", text)}
		if _, err := Open(t.Context(), s); !input.IsError(err) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
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
