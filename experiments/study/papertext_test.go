package study

import "testing"

func TestPaperText(t *testing.T) {
	for paper, want := range map[string]string{"picture": "shown in the figure", "bars": "shown in the figure", "> .9": "> .9", "": ""} {
		if got := (Judgement{Paper: paper}).PaperText(); got != want {
			t.Errorf("%q: %q, want %q", paper, got, want)
		}
	}
}
