package study

import (
	"slices"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/report"
)

// A page shows what was done and folds the lists. An experiment that shows a part of another's run lists its own
// entries first, and entries that both have only once.
func TestAboutParts(t *testing.T) {
	whole := &Experiment{ID: "toys/all", Paper: "toys", Title: "All", About: About{
		Done: "Networks learn toys.", Deviations: []string{"There are few toys."}, Conventions: []string{"A toy is red."},
	}}
	part := &Experiment{ID: "toys/part", Paper: "toys", Title: "Part", Of: whole, About: About{
		Done: "Red toys are shown.", Controls: []string{"Blue toys are shown too."},
		Conventions: []string{"Red is red.", "A toy is red."},
	}}
	r := part.Judge(Small, outcomesOf(NewMeasure("m"), 1))
	page, err := r.Page()
	if err != nil {
		t.Fatal(err)
	}
	found := page.Sections[1]
	if len(found.Text) == 0 || found.Text[0] != "Red toys are shown. Networks learn toys." {
		t.Errorf("%q", found.Text)
	}
	want := []report.Detail{
		{Summary: "Deviations from the paper (1)", List: []string{"There are few toys."}},
		{Summary: "Controls (1)", List: []string{"Blue toys are shown too."}},
		{Summary: "Conventions (2)", List: []string{"Red is red.", "A toy is red."}},
	}
	same := func(a, b report.Detail) bool { return a.Summary == b.Summary && slices.Equal(a.List, b.List) }
	if !slices.EqualFunc(found.Folded, want, same) {
		t.Errorf("%+v", found.Folded)
	}
	if text := whole.About.String(); text != "Networks learn toys. There are few toys. A toy is red." {
		t.Errorf("%q", text)
	}
}
