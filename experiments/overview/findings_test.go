package overview

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// TestFindingsExist checks that the claims and figures of the findings exist, and that every paper has at least one
// finding. The figures are looked up in the project's own results.
func TestFindingsExist(t *testing.T) {
	if len(findings) > 15 {
		t.Errorf("%d findings", len(findings))
	}
	papers := map[string]bool{}
	for _, f := range findings {
		for _, name := range f.claims {
			id, value, _ := strings.Cut(name, " ")
			e, err := experiments.All().Find(id)
			if err != nil {
				t.Fatal(err)
			}
			papers[e.Paper] = true
			if !slices.ContainsFunc(e.Claims, func(c study.Claim) bool { return c.Measure.Name() == value }) {
				t.Errorf("%s: there is no claim %s", f.name, name)
			}
		}
		for _, name := range f.pictures {
			id, figure, _ := strings.Cut(name, " ")
			drawn, err := filepath.Glob(filepath.Join("..", "..", "results", filepath.FromSlash(id), "*", "figures", figure+".[ps][nv]g"))
			if err != nil || len(drawn) == 0 {
				t.Errorf("%s: there is no figure %s", f.name, name)
			}
		}
		if f.name == "" || f.title == "" || f.text == "" || len(f.pictures) == 0 || f.statements == (len(f.claims) > 0) {
			t.Errorf("%q lacks a part", f.name)
		}
	}
	if len(papers) != 6 {
		t.Errorf("findings of the papers %v", papers)
	}
}

// TestFindings checks that the index begins with the findings of the experiments that were run. Each finding has its
// verdict, its numbers, a picture and a link, whose targets exist. The page begins with the same findings.
func TestFindings(t *testing.T) {
	dir := smokeRuns(t, 2, "rfm/fig7", "rfm/fig9")
	all, err := ReadOverview(experiments.All(), dir)
	if err != nil {
		t.Fatal(err)
	}
	index := filepath.Join(dir, "README.md")
	if err := all.SaveIndex(index); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(index)
	if err != nil {
		t.Fatal(err)
	}
	text := string(raw)
	_, after, found := strings.Cut(text, "## Findings")
	before, _, _ := strings.Cut(after, "## Verdicts by paper")
	if !found || strings.Count(before, "\n1. ") != 1 || strings.Contains(before, "\n2. ") {
		t.Fatalf("the findings of two experiments, of which one has any:\n%s", before)
	}
	_, picture, _ := strings.Cut(before, "\n   ![")
	_, picture, _ = strings.Cut(picture, "](")
	picture, _, _ = strings.Cut(picture, ")")
	if info, err := os.Stat(filepath.Join(dir, picture)); err != nil || info.Size() == 0 {
		t.Errorf("the picture %q: %v", picture, err)
	}
	for _, part := range []string{"test accuracy at the last iteration is", " Claim: ", "**Inconclusive.** Measured: ", "threshold", "(finding-star.md)"} {
		if !strings.Contains(before, part) {
			t.Errorf("no %q in %s", part, before)
		}
	}
	own, err := os.ReadFile(filepath.Join(dir, "finding-star.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"# Does an RFM find", "**Inconclusive.**", "| control |", "](rfm.md#rfm-fig7)", "](rfm/fig7/",
		"    ansatz run rfm/fig7 --scale smoke --seed 4 --seeds 2"} {
		if !strings.Contains(string(own), part) {
			t.Errorf("no %q in %s", part, own)
		}
	}
	p, err := all.Page()
	if err != nil {
		t.Fatal(err)
	}
	s := p.Sections[0]
	if s.ID != "findings" || len(s.Lead[0].Rows) != 1 || len(s.Figures) != 1 || s.Figures[0].Name != "finding-star" {
		t.Errorf("the page begins with %q, %d findings and %d figures", s.ID, len(s.Lead[0].Rows), len(s.Figures))
	}
}
