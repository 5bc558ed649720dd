// Package latex writes texts and the columns of tables for LaTeX.
package latex

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rivo/uniseg"
)

// Escape returns a text so that every character of it is itself.
func Escape(s string) string {
	var b strings.Builder
	for g := uniseg.NewGraphemes(s); g.Next(); {
		runes := g.Runes()
		if len(runes) == 2 && accents[runes[1]] != "" {
			fmt.Fprintf(&b, "$%s{%s}$", accents[runes[1]], strings.Trim(escapeRune(runes[0]), "$"))
			continue
		}
		for _, r := range runes {
			b.WriteString(escapeRune(r))
		}
	}
	return b.String()
}

// Special returns the characters that are written under another name, in their order.
func Special() []rune { return slices.Sorted(maps.Keys(special)) }

// escapeRune is a character in LaTeX.
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

// accents has the accents of mathematics, which follow a letter.
var accents = map[rune]string{'\u0302': `\hat`, '\u0303': `\tilde`, '\u0304': `\bar`}

// special has what means something in LaTeX, and what it has under another
// name. Brackets and stars would be taken for options of the end of a row.
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
