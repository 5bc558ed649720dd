package latex

import "testing"

func TestEscape(t *testing.T) {
	for in, want := range map[string]string{
		`50 % of $x_1 & #2 {a}\b^c~d`: `50 \% of \$x\_1 ` +
			`\& \#2 \{a\}\textbackslash{}b\textasciicircum{}c\textasciitilde{}d`,
		"W ≥ ½, −10⁻¹, M½x₁₂": `W $\ge$ $\frac12$, $-$10$^-$$^1$, M$\frac12$x$_{1}$$_{2}$`,
		"μ\u0302 and x\u0304": `$\hat{\mu}$ and $\bar{x}$`,
		"é ß 中 [a] *":         `é ß U+4E2D {[}a{]} {*}`,
	} {
		if got := Escape(in); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}
