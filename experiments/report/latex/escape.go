// Package latex writes texts and column specifications of tables in LaTeX.
package latex

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rivo/uniseg"
)

// Escape returns LaTeX that prints s. A character that plain LaTeX lacks is printed as its code point, such as U+4E2D.
func Escape(s string) string {
	var b strings.Builder
	before := rune(0)
	for g := uniseg.NewGraphemes(s); g.Next(); {
		runes := g.Runes()
		if len(runes) == 2 && accents[runes[1]] != "" {
			fmt.Fprintf(&b, "$%s{%s}$", accents[runes[1]], strings.Trim(escapeRune(runes[0]), "$"))
			before = 0
			continue
		}
		for _, r := range runes {
			if r == '-' && before == '-' {
				b.WriteString("{}") // two hyphens would be a dash
			}
			b.WriteString(escapeRune(r))
			before = r
		}
	}
	return b.String()
}

// Special returns, in the order of their code points, the characters that LaTeX writes in another way.
func Special() []rune { return slices.Sorted(maps.Keys(special)) }

// escapeRune returns LaTeX that prints a character.
func escapeRune(r rune) string {
	if text, ok := special[r]; ok {
		return text
	}
	switch {
	case r < 0x80, 'À' <= r && r <= 'ÿ' && !strings.ContainsRune("ÐÞðþ", r):
		return string(r)
	case '₀' <= r && r <= '₉':
		return fmt.Sprintf("$_{%d}$", r-'₀')
	case '⁴' <= r && r <= '⁹':
		return fmt.Sprintf("$^{%d}$", r-'⁴'+4)
	}
	return fmt.Sprintf("U+%04X", r)
}

// accents has the LaTeX commands of combining accents, which follow a letter.
var accents = map[rune]string{'\u0302': `\hat`, '\u0303': `\tilde`, '\u0304': `\bar`}

// special has LaTeX for characters that have a meaning in LaTeX, or that it lacks. At
// the start of a row, LaTeX would take brackets and stars for options of the \\ before.
var special = map[rune]string{
	'\\': `\textbackslash{}`, '{': `\{`, '}': `\}`, '$': `\$`, '&': `\&`, '#': `\#`, '_': `\_`, '%': `\%`,
	'~': `\textasciitilde{}`, '^': `\textasciicircum{}`,
	'<': `\textless{}`, '>': `\textgreater{}`, '|': `\textbar{}`, '"': `''`, '`': `\textasciigrave{}`, '[': `{[}`,
	']': `{]}`, '*': `{*}`,
	'≥': `$\ge$`, '≤': `$\le$`, '±': `$\pm$`, '×': `$\times$`, '÷': `$\div$`, '·': `$\cdot$`, '−': `$-$`, '–': `--`,
	'—': `---`, '…': `\ldots{}`, '≈': `$\approx$`, '≠': `$\ne$`,
	'√': `$\surd$`, '¼': `$\frac14$`, '½': `$\frac12$`, '′': `$'$`, 'ℓ': `$\ell$`, 'ℝ': `$\mathrm{R}$`, '⁽': `$^($`,
	'⁾': `$^)$`,
	'ʲ': `$^j$`, 'ᴸ': `$^L$`, 'ᵈ': `$^d$`, 'ᵖ': `$^p$`, 'ᵗ': `$^t$`, '¹': `$^1$`, '²': `$^2$`, '³': `$^3$`, '⁰': `$^0$`,
	'⁺': `$^+$`, '⁻': `$^-$`, 'ᵀ': `$^{\mathsf T}$`, 'ᵢ': `$_i$`, 'ⱼ': `$_j$`, 'ᵏ': `$^k$`, 'ⁿ': `$^n$`,
	'→': `$\to$`, '←': `$\leftarrow$`, '∇': `$\nabla$`, '∂': `$\partial$`, '∞': `$\infty$`, '∈': `$\in$`,
	'∝': `$\propto$`, '‖': `$\|$`, '⟨': `$\langle$`, '⟩': `$\rangle$`, '∗': `$\ast$`,
	'∘': `$\circ$`, '°': `$^\circ$`, '⊙': `$\odot$`, '⊗': `$\otimes$`, '∼': `$\sim$`, '∏': `$\prod$`, '∑': `$\sum$`,
	'∫': `$\int$`, '⌊': `$\lfloor$`, '⌋': `$\rfloor$`, '†': `$\dagger$`,
	'‘': `'`, '’': `'`, '“': "``", '”': `''`, 'µ': `$\mu$`, '✓': `$\surd$`, '✗': `$\times$`, '\u00a0': `~`,
	'\u202f': `\,`,
	'α':      `$\alpha$`, 'β': `$\beta$`, 'γ': `$\gamma$`, 'δ': `$\delta$`, 'ε': `$\varepsilon$`, 'ζ': `$\zeta$`,
	'η': `$\eta$`, 'θ': `$\theta$`, 'κ': `$\kappa$`, 'λ': `$\lambda$`, 'μ': `$\mu$`,
	'ν': `$\nu$`, 'ξ': `$\xi$`, 'π': `$\pi$`, 'ρ': `$\rho$`, 'σ': `$\sigma$`, 'τ': `$\tau$`, 'φ': `$\varphi$`,
	'χ': `$\chi$`, 'ψ': `$\psi$`, 'ω': `$\omega$`,
	'Γ': `$\Gamma$`, 'Δ': `$\Delta$`, 'Θ': `$\Theta$`, 'Λ': `$\Lambda$`, 'Π': `$\Pi$`, 'Σ': `$\Sigma$`, 'Φ': `$\Phi$`,
	'Ψ': `$\Psi$`, 'Ω': `$\Omega$`,
}
