package tabular

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/input"
)

// FuzzTabularNote goes on with a benchmark from a record that may be anything.
func FuzzTabularNote(f *testing.F) {
	dir := &folder{dir: f.TempDir()}
	planned := &plannedTable{Member: Member{Name: "t"}, digest: "d"}
	if err := dir.create(Spec{}); err != nil {
		f.Fatal(err)
	}
	score := .5
	whole, err := json.Marshal(storedResult{Dataset: "t", SHA256: "d", Result: Result{
		Method: "rfm", Score: &score, Folds: []float64{.5}, ByFold: []Fold{{Train: 3, Test: 2, Score: .5}},
		Chosen: &Config{},
	}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	for old, new := range map[string]string{`"score":0.5`: `"score":1e999`, `"folds":[`: `"folds":[null,`,
		`"by_fold":[`: `"by_fold":[{},`, `"chosen":{`: `"chosen":null,"x":{`} {
		f.Add(bytes.Replace(whole, []byte(old), []byte(new), 1))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(dir.resultPath("t", "rfm"), text, 0o666); err != nil {
			t.Fatal(err)
		}
		r, err := dir.loadResult(planned, "rfm")
		if err != nil && !input.IsError(err) {
			t.Fatalf("%v (%T)", err, err)
		}
		if r == nil {
			return
		}
		all := &Record{Spec: Spec{Methods: []string{"rfm"}}, Datasets: []Dataset{{Name: "t", Methods: []Result{*r}}}}
		all.Leaderboard = all.Results().Leaderboard(DropMissing)
		if _, err := all.Page(); err != nil {
			t.Fatalf("taken, and then: %v", err)
		}
	})
}
