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

// TestFindingsExist: every finding is a claim of a paper that is counted, its figure is one of the experiment's, and every
// paper has at least one. The figures are those of the project's own results.
func TestFindingsExist(t *testing.T) {
	if len(findings) > 15 {
		t.Errorf("%d findings", len(findings))
	}
	papers := map[string]bool{}
	for _, f := range findings {
		e, err := experiments.All().Find(f.experiment)
		if err != nil {
			t.Fatal(err)
		}
		papers[e.Paper] = true
		claims := comparedClaims([]*study.Record{e.Judge(study.Smoke, nil)})
		i := slices.IndexFunc(claims, func(c ComparedClaim) bool { return c.Value == f.value })
		if i < 0 || claims[i].Kind != study.OfPaper || claims[i].Repeats != "" {
			t.Errorf("%s: %s is no claim of the paper", f.experiment, f.value)
		}
		pictures, err := filepath.Glob(filepath.Join("..", "..", "results", filepath.FromSlash(f.experiment), "*", "figures",
			f.figure+".[ps][nv]g"))
		if err != nil || len(pictures) == 0 {
			t.Errorf("%s has no figure %s", f.experiment, f.figure)
		}
	}
	if len(papers) != 5 {
		t.Errorf("findings of the papers %v", papers)
	}
}

// TestFindings: the index begins with the findings of the experiments that were run, each with its verdict, its numbers, a
// picture and a link that lead somewhere; so does the page.
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
	_, picture, _ := strings.Cut(before, `<img src="`)
	picture, _, _ = strings.Cut(picture, `"`)
	if info, err := os.Stat(filepath.Join(dir, picture)); err != nil || info.Size() == 0 {
		t.Errorf("the picture %q: %v", picture, err)
	}
	for _, part := range []string{"**Inconclusive.**", "Measured: ", "threshold", "(rfm.md#rfm-fig7)"} {
		if !strings.Contains(before, part) {
			t.Errorf("no %q in %s", part, before)
		}
	}
	p, err := all.Page()
	if err != nil {
		t.Fatal(err)
	}
	s := p.Sections[0]
	if s.ID != "findings" || len(s.Lead[0].Rows) != 1 || len(s.Figures) != 1 || s.Figures[0].Name != "finding-rfm-fig7" {
		t.Errorf("the page begins with %q, %d findings and %d figures", s.ID, len(s.Lead[0].Rows), len(s.Figures))
	}
}
