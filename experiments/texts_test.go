package experiments

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/ansatz-lab/ansatz/experiments/study"
)

// leaningWords are first words that make a sentence depend on the one before it. leaningPhrases and vagueWords are
// phrases that mean nothing in a table of all claims, which can be sorted by any column.
var (
	leaningWords = []string{"It", "Its", "They", "Their", "This", "That", "These", "Those", "So", "Likewise", "Also",
		"Too", "Both", "Same", "Such", "There", "Then", "And", "But", "Or", "Does", "Do", "Here", "Otherwise", "Again"}
	leaningPhrases = regexp.MustCompile(`^In (that|this)\b|^In the \w+( \w+)?( (it|they)\b|[,.])|` +
		`^The (same|former|latter|other|others|rest)\b| (than|as) (it|they) (do|does|is|are)\b`)
	ofPaper       = regexp.MustCompile(`\b(Figs?\.|Tables?|Theorem|Proposition|Appendix) [A-Z\d%]|panels`)
	inParentheses = regexp.MustCompile(`\([^)]*\)`)
	vagueWords    = regexp.MustCompile(`\balike\b|\basked for\b|\bso (do|does|is|are)\b|: by how much\.$|  `)
)

// Every claim is a sentence that can be understood alone, since it is read in a table of all claims that can be sorted
// by any column.
func TestClaimsStandAlone(t *testing.T) {
	seen := map[string]string{} // measures, by sentence
	for _, e := range All() {
		inExperiment := map[string]bool{}
		for _, c := range e.Claims {
			says, measure := c.Sentence, c.Measure.Name()
			for _, fault := range faultsOfClaim(says) {
				t.Errorf("%s, %s: %q %s", e.ID, measure, says, fault)
			}
			if inExperiment[says] {
				t.Errorf("%s, %s: %q is the sentence of another claim of the experiment", e.ID, measure, says)
			}
			inExperiment[says] = true
			// Two experiments may state the same sentence about the same measure.
			if other := seen[says]; other != "" && other != measure {
				t.Errorf("%s, %s: %q is the sentence of %s elsewhere", e.ID, measure, says, other)
			}
			seen[says] = measure
		}
	}
	if len(seen) < 450 {
		t.Errorf("%d sentences were checked", len(seen))
	}
}

// faultsOfClaim returns the reasons why a claim is not a sentence that can be understood alone.
func faultsOfClaim(says string) (faults []string) {
	words := strings.Fields(says)
	if r, _ := utf8.DecodeRuneInString(says); !unicode.IsUpper(r) {
		faults = append(faults, "does not begin with a capital letter")
	}
	if !strings.HasSuffix(says, ".") || strings.HasSuffix(says, "..") {
		faults = append(faults, "does not end with one full stop")
	}
	if len(words) < 8 || len(words) > 45 {
		faults = append(faults, "has not 8 to 45 words")
	}
	if before, _, ok := strings.Cut(says, ":"); ok && len(strings.Fields(before)) < 5 {
		faults = append(faults, "is no sentence before its colon")
	}
	if slices.Contains(leaningWords, strings.Trim(words[0], ",:;")) || leaningPhrases.MatchString(says) {
		faults = append(faults, "leans on another sentence")
	}
	if outside := inParentheses.ReplaceAllString(says, ""); ofPaper.MatchString(outside) &&
		!strings.Contains(strings.ToLower(outside), "paper ") {
		faults = append(faults, "does not say of which paper its figure, table or theorem is")
	}
	if found := vagueWords.FindString(says); found != "" {
		faults = append(faults, "is vague: "+found)
	}
	return faults
}

// faultsOfClaim finds a fault in sentences that cannot be understood alone.
func TestFaultsOfClaim(t *testing.T) {
	for _, says := range []string{
		"So does Laplace-ConvRFM.", "In the second.",
		"In the second layer it is higher than in the first layer of AlexNet.",
		"The metrics of Fig. 5c follow from Table 3 by the rules of Appendix E.",
		"They do more than the norm of the patches alone would make them.",
		"Digits, noise 1: the CNN outperforms the CNTK.",
		"machine and network respond to images in the same way here", "Machine and network see bars in noise alike.",
		"What share of a patch they let through is more alike than with M rotated at random.",
	} {
		if len(faultsOfClaim(says)) == 0 {
			t.Errorf("%q is accepted", says)
		}
	}
}

// The text on what was done takes at most four lines of a page. Deviations, controls and conventions are lists of
// sentences.
func TestAboutTextsHaveParts(t *testing.T) {
	const fourLines = 440 // characters
	for _, e := range All() {
		a := e.About.With(e.Source().About)
		if n := utf8.RuneCountInString(a.Done); n < 40 || n > fourLines {
			t.Errorf("%s: what was done has %d characters: want 40 to %d", e.ID, n, fourLines)
		}
		for _, item := range slices.Concat([]string{a.Done}, a.Deviations, a.Controls, a.Conventions) {
			first, _ := utf8.DecodeRuneInString(item)
			if !unicode.IsUpper(first) && !unicode.IsDigit(first) && first != '‖' || !strings.HasSuffix(item, ".") ||
				strings.Contains(item, "  ") || len(strings.Fields(item)) < 4 {
				t.Errorf("%s: %q is no sentence", e.ID, item)
			}
		}
		if e.Absent == "" && len(a.Folded()) == 0 && !e.Stated {
			t.Errorf("%s says neither deviations nor controls nor conventions", e.ID)
		}
	}
	if len(study.About{Done: "A."}.Folded()) != 0 {
		t.Error("empty lists are shown")
	}
}
