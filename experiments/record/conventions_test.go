package record

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/report"
)

// TestProvenance checks that a page shows the values that a record has, and that the record's JSON leaves out what does
// not apply.
func TestProvenance(t *testing.T) {
	c := RunConventions{Precision: "float64", Seed: 3, DataSHA256: "d", Version: "v1"}
	want := []report.Fact{{Name: "ansatz", Value: "v1"}, {Name: "seed", Value: "3"},
		{Name: "data, SHA-256", Value: "d"}}
	if got := c.Provenance("", 0, report.Fact{Name: "test, SHA-256"}); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	text, err := json.Marshal(c)
	if want := `{"precision":"float64","seed":3,"data_sha256":"d","version":"v1"}`; err != nil || string(text) != want {
		t.Errorf("%s, %v, want %s", text, err, want)
	}
	c.Backend, c.Threads, c.Batch, c.WeightsSHA256 = "go", 2, 64, "w"
	want = []report.Fact{
		{Name: "ansatz", Value: "v1"}, {Name: "backend", Value: "go, float64, 2 threads, batches of 64"},
		{Name: "machine", Value: "m"}, {Name: "seed", Value: "3"}, {Name: "seconds", Value: "1.5"},
		{Name: "weights, SHA-256", Value: "w"}, {Name: "x", Value: "y"}, {Name: "data, SHA-256", Value: "d"},
	}
	if got := c.Provenance("m", 1.5, report.Fact{Name: "x", Value: "y"}); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
