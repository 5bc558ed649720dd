package report

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"

	"github.com/ansatz-lab/ansatz/experiments/report/draw"
	"github.com/ansatz-lab/ansatz/experiments/report/explorer"
	"github.com/ansatz-lab/ansatz/experiments/report/theme"
)

var (
	//go:embed assets/page.html
	pageHTML string
	//go:embed assets/page.css
	pageCSS string
	//go:embed assets/page.js
	pageJS string

	// style and script are the style sheet and the script of every page.
	style  = theme.Style + pageCSS
	script = theme.Script + pageJS

	// pageTemplate raises powers and lowers indices in the texts of a page.
	pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
		"set": draw.HTML, "verbatim": draw.VerbatimHTML}).Parse(pageHTML))
)

// WriteHTML writes the report as one page that needs no other file and no
// network; its content security policy forbids both. It writes nothing and returns
// an error if a name is wrong or taken, a table is ragged, a link has no target, or
// a figure has no picture.
func (p *Page) WriteHTML(w io.Writer) error {
	html, err := p.html()
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	if _, err := w.Write(html); err != nil {
		return fmt.Errorf("report: writing the page: %w", err)
	}
	return nil
}

func (p *Page) html() ([]byte, error) {
	view, err := newPageView(p)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := pageTemplate.Execute(&b, view); err != nil {
		return nil, fmt.Errorf("making the page: %w", err)
	}
	return b.Bytes(), nil
}

// policy returns the content security policy of the page. It allows pictures from the
// page itself, its style sheets and its scripts, and nothing else. A string that
// slipped through the escaping could still not run.
func policy() string {
	return fmt.Sprintf("default-src 'none'; img-src data: blob:; style-src '%s' '%s'; script-src '%s' '%s'",
		digest(style), digest(explorer.Style), digest(script), digest(explorer.Script))
}

func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
