package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/rivo/uniseg"
)

// WriteLaTeX writes the table as a longtable with the rules of booktabs, for a
// document with
//
//	\usepackage{array,booktabs,longtable}
//
// Long texts are set in paragraphs. Nothing in a text is a command; characters
// that LaTeX does not know by itself are written as their code points, U+4E2D.
func (t *Table) WriteLaTeX(w io.Writer) error {
	if err := t.Check(); err != nil {
		return fmt.Errorf("report: writing LaTeX: %w", err)
	}
	b := bufio.NewWriter(w)
	if len(t.Columns) > 0 {
		t.latex(b)
	}
	if err := b.Flush(); err != nil {
		return fmt.Errorf("report: writing table %q as LaTeX: %w", t.Name, err)
	}
	return nil
}

func (t *Table) latex(b *bufio.Writer) {
	fmt.Fprintf(b, "\\begingroup\\footnotesize\n\\begin{longtable}{@{}%s@{}}\n", t.latexColumns())
	if caption := plain(t.Caption); caption != "" {
		fmt.Fprintf(b, "\\caption{%s}\\\\\n", escapeLaTeX(caption))
	}
	head := make([]string, len(t.Columns))
	for j, c := range t.Columns {
		head[j] = escapeLaTeX(plain(c.Name))
	}
	fmt.Fprintf(b, "\\toprule\n%s \\\\\n\\midrule\n\\endhead\n\\bottomrule\n\\endfoot\n", strings.Join(head, " & "))
	for _, row := range t.Rows {
		cells := make([]string, len(row))
		for j, c := range row {
			text := strings.TrimSpace(t.Columns[j].shown(c) + " " + c.Mark.sign())
			if rest, negative := strings.CutPrefix(text, "-"); negative && t.Columns[j].Numeric {
				text = "−" + rest
			}
			cells[j] = escapeLaTeX(text)
		}
		fmt.Fprintf(b, "%s \\\\\n", strings.Join(cells, " & "))
	}
	b.WriteString("\\end{longtable}\n\\endgroup\n")
}

// latexColumns says how the columns are set: numbers to the right, long texts in
// paragraphs, which share a part of the line by their lengths.
func (t *Table) latexColumns() string {
	const (
		short   = 14    // characters that stay on a line
		longest = 60    // that count
		narrow  = .0085 // of the line, a character
	)
	_, widths := t.grid(func(s string) string { return s })
	room, all := .95, 0.
	paragraph := make([]bool, len(widths))
	for j, w := range widths {
		if paragraph[j] = !t.Columns[j].Numeric && w > short; paragraph[j] {
			all += float64(min(w, longest))
		} else {
			room -= narrow * float64(w+2)
		}
	}
	var columns strings.Builder
	for j, w := range widths {
		switch {
		case paragraph[j]:
			fmt.Fprintf(&columns, ">{\\raggedright\\arraybackslash}p{%.3f\\linewidth}",
				max(room, .4)*float64(min(w, longest))/all)
		case t.Columns[j].Numeric:
			columns.WriteByte('r')
		default:
			columns.WriteByte('l')
		}
	}
	return columns.String()
}

// escapeLaTeX writes a text so that every character of it is itself.
func escapeLaTeX(s string) string {
	var b strings.Builder
	for g := uniseg.NewGraphemes(s); g.Next(); {
		runes := g.Runes()
		if len(runes) == 2 && latexAccent[runes[1]] != "" {
			fmt.Fprintf(&b, "$%s{%s}$", latexAccent[runes[1]], strings.Trim(latexRune(runes[0]), "$"))
			continue
		}
		for _, r := range runes {
			b.WriteString(latexRune(r))
		}
	}
	return b.String()
}

// latexRune is a character in LaTeX.
func latexRune(r rune) string {
	if text, special := latexSpecial[r]; special {
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

// latexAccent has the accents of mathematics, which follow a letter.
var latexAccent = map[rune]string{'\u0302': `\hat`, '\u0303': `\tilde`, '\u0304': `\bar`}

// latexSpecial has what means something in LaTeX, and what it has under another
// name. Brackets and stars would be taken for options of the end of a row.
var latexSpecial = map[rune]string{
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
