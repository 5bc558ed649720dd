package draw

import "testing"

// Powers and indices are told from names and patterns that have the same signs.
func TestRuns(t *testing.T) {
	for text, want := range map[string]string{
		"AGOP^0.5 and nfa^fit": "AGOP[0.5] and nfa[fit]", "‖M^½h‖, M^½.": "‖M[½]h‖, M[½].", "O(k^−½)": "O(k[−½])",
		"(M*)^½ of AGOP^{1/L}": "(M*)[½] of AGOP[1/L]", "WᵀS_ℓW, J_cJ_cᵀ": "WᵀS<ℓ>W, J<c>J<c>ᵀ",
		"Wearing_Hat, A_bc, a_b": "Wearing_Hat, A_bc, a_b", "--layers '^conv'": "--layers '^conv'", "x^": "x^", "": "",
	} {
		got := ""
		for _, r := range Runs(text) {
			switch {
			case r.Above:
				got += "[" + r.Text + "]"
			case r.Beneath:
				got += "<" + r.Text + ">"
			default:
				got += r.Text
			}
		}
		if got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
	if got := HTML("<b>^2 WᵀS_ℓW"); got != "&lt;b&gt;^2 WᵀS<sub>ℓ</sub>W" {
		t.Errorf("as HTML %q", got)
	}
	if f := Regular(10); f.Width("nfa^0.5") >= f.Width("nfa0.5") {
		t.Error("a power is as wide as a text on the line")
	}
}
