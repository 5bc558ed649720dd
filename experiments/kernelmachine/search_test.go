package kernelmachine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/checkpoint"
	"github.com/ansatz-lab/ansatz/experiments/examples"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/search"
)

// A search is stopped during its trials or while its result is fitted. The error says that the search can be resumed,
// but only if the trials are kept in a folder.
func TestSearchInterrupted(t *testing.T) {
	for _, stage := range []string{"trials", "trial 0 on all rows, iteration 1, solve"} {
		for _, out := range []string{"", filepath.Join(t.TempDir(), "out")} {
			f, err := NewFitter(context.Background(), RFMSpec{Iterations: 1, Kernel: "laplace", Ridge: 1e-3, Search: SearchSpec{Trials: 2, Out: out},
				Spec: examples.Spec{Data: "polynomial:product", Train: 40, Test: 10}})
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(context.Background())
			stages := map[string]bool{}
			_, err = f.Run(ctx, func(now string, done, _ int) {
				if stages[now] = true; now == stage || stage != "trials" && len(now) > 12 && now[len(now)-5:] == "solve" {
					cancel()
				}
			})
			cancel()
			if out == "" && (!errors.Is(err, context.Canceled) || checkpoint.Interrupted(err)) {
				t.Errorf("%s: without a folder: %v", stage, err)
			}
			if out != "" && !checkpoint.Interrupted(err) {
				t.Errorf("%s: %v; stages %v", stage, err, stages)
			}
		}
	}
}

// The record of a search can be read again, and has the same summary and a page.
func TestSearchRecordIsRead(t *testing.T) {
	f, err := NewFitter(context.Background(), RFMSpec{Iterations: 1, Kernel: "laplace", Ridge: 1e-3, Search: SearchSpec{Trials: 3},
		Spec: examples.Spec{Data: "polynomial:product", Train: 40, Test: 10}})
	if err != nil {
		t.Fatal(err)
	}
	fitted, err := f.Run(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if _, err := fitted.Save(dir); err != nil {
		t.Fatal(err)
	}
	read, err := record.ReadRecord(dir, []record.Record{&SearchRecord{}})
	if err != nil {
		t.Fatal(err)
	}
	got, ok := read.(*SearchRecord)
	if !ok || got.Summary() != fitted.Summary() || len(search.Rank(got.Trials)) != 3 {
		t.Errorf("%v, want %s", read, fitted.Summary())
	}
	sections := 2 // the search and the measures
	if got.trial(got.Chosen[0]).Iteration > 0 {
		sections = 3
	}
	if page, err := got.Page(); err != nil || len(page.Sections) != sections || len(got.Importances) > 0 != (sections == 3) {
		t.Errorf("the page: %v, %d features", err, len(got.Importances))
	}
}

// The plan that is shown before a search describes the table, as before a fit.
func TestSearchPlanShowsTable(t *testing.T) {
	text := "a,b,y\n"
	for i := range 30 {
		text += fmt.Sprintf("%d,0%d,%d.5\n", i%7, i%4, i%5)
	}
	path := filepath.Join(t.TempDir(), "t.csv")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := NewFitter(t.Context(), RFMSpec{Iterations: 1, Kernel: "laplace", Ridge: 1e-3, Search: SearchSpec{Trials: 2},
		Spec: examples.Spec{Data: path}})
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"t.csv: 30 rows, 3 columns", "Target: y, numeric", "Note: b: read as categories", "A search of 2 trials"} {
		if !strings.Contains(f.Plan(), part) {
			t.Errorf("%q lacks %q", f.Plan(), part)
		}
	}
}

// The summary of one row says "row", not "rows".
func TestSummaryOfOneRow(t *testing.T) {
	none := 0
	for want, r := range map[string]PredictRecord{"1 test example of x": {Test: 1, Data: "x"},
		"1 row of x, without targets": {Test: 1, Data: "x", Scored: &none}, "2 rows of x, without": {Test: 2, Data: "x", Scored: &none}} {
		if got := r.Summary(); !strings.HasPrefix(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
