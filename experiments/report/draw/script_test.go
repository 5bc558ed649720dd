package draw

import "testing"

// Runs finds powers and indices, but not names and patterns that contain the same characters.
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

// In HTML, numbers have minus signs and powers of ten. Hyphens, ranges, digests, values of options and text to be
// copied stay as they are.
func TestHTMLNumbers(t *testing.T) {
	for text, want := range map[string]string{
		"is -9.00 ± 4.16 (inconclusive, -0.02)": "is −9.00 ± 4.16 (inconclusive, −0.02)",
		"4.041e+07 and -1.5e-07":                "4.041×10<sup>7</sup> and −1.5×10<sup>−7</sup>",
		"weights of 5e-3 and 1e-2, 1e3":         "weights of 5×10<sup>−3</sup> and 10<sup>−2</sup>, 10<sup>3</sup>",
		"VGG-11, 2-3, 2026-11-28, seed-0":       "VGG-11, 2-3, 2026-11-28, seed-0",
		"03b5c120 and 1e234567":                 "03b5c120 and 1e234567",
		"with --ridge 1e-3 --shift=-2, R² 1":    `with <span class="option">--ridge</span> 1e-3 <span class="option">--shift</span>=-2, R² 1`,
		`"a" & 'b'`:                             `"a" &amp; 'b'`,
	} {
		if got := string(HTML(text)); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
	if got := VerbatimHTML("ansatz rfm -1e-3 <f"); got != "ansatz rfm -1e-3 &lt;f" {
		t.Errorf("verbatim it is %q", got)
	}
}
