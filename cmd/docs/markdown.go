package main

import (
	"bytes"
	"fmt"
	"html"
	"regexp"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	tables "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// markdown parses GitHub's Markdown, and writes it as HTML.
var markdown = goldmark.New(
	goldmark.WithExtensions(
		extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)),
		extension.Linkify, extension.Strikethrough,
	),
	goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(elements{}, 100))),
)

// page is a page of Markdown.
type page struct {
	path, group string // path in the repository
	title       string
	text        []byte
	doc         ast.Node
	headings    []heading // the title, and sections down to the third level
	anchors     map[string]bool
}

// heading is a heading, and how the text below it begins.
type heading struct {
	Level     int
	ID, Text  string
	Beginning string
}

// parsePage reads a page, which has to begin with its title. Its headings get the IDs that GitHub gives them.
func parsePage(path, group string, source []byte) (*page, error) {
	p := &page{path: path, group: group, text: source, doc: markdown.Parser().Parse(text.NewReader(source)),
		anchors: map[string]bool{}}
	for n := range nodes(p.doc) {
		switch n := n.(type) {
		case *ast.Heading:
			words := plain(n, source)
			id := p.newID(words)
			n.SetAttributeString("id", id)
			if n.Level <= 3 {
				p.headings = append(p.headings, heading{n.Level, id, words, beginning(n, source)})
			}
		case *ast.HTMLBlock, *ast.RawHTML:
			for _, m := range anchor.FindAllSubmatch(raw(n, source), -1) {
				p.anchors[string(m[1])] = true
			}
		}
	}
	if len(p.headings) == 0 || p.headings[0].Level != 1 {
		return nil, fmt.Errorf("%s:1: a page begins with its title, # TITLE", path)
	}
	p.title = p.headings[0].Text
	return p, nil
}

// nodes yields a node and all below it, in the order of the text.
func nodes(n ast.Node) func(yield func(ast.Node) bool) {
	return func(yield func(ast.Node) bool) {
		ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
			if entering && !yield(n) {
				return ast.WalkStop, nil
			}
			return ast.WalkContinue, nil
		})
	}
}

// newID returns an ID for a heading that no other on the page has: its letters and digits, in lower case, with hyphens
// for spaces.
func (p *page) newID(words string) string {
	slug := strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r):
			return unicode.ToLower(r)
		}
		return -1
	}, words)
	id := slug
	for i := 1; p.anchors[id]; i++ {
		id = fmt.Sprintf("%s-%d", slug, i)
	}
	p.anchors[id] = true
	return id
}

// plain returns the text of a node without its markup.
func plain(n ast.Node, source []byte) string {
	var b strings.Builder
	for n := range nodes(n) {
		switch n := n.(type) {
		case *ast.Text:
			b.Write(n.Value(source))
			if n.SoftLineBreak() || n.HardLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.String:
			b.Write(n.Value)
		case *ast.AutoLink:
			b.Write(n.Label(source))
		}
	}
	return html.UnescapeString(b.String())
}

// beginning returns the first sentence of the paragraph that follows a heading, cut after 160 characters.
func beginning(n ast.Node, source []byte) string {
	for n = n.NextSibling(); n != nil && n.Kind() != ast.KindHeading; n = n.NextSibling() {
		words := strings.TrimSpace(plain(n, source))
		if n.Kind() != ast.KindParagraph || words == "" {
			continue
		}
		if first, _, more := strings.Cut(words, ". "); more {
			words = first + "."
		}
		if r := []rune(words); len(r) > 160 {
			words = string(r[:159]) + "…"
		}
		return words
	}
	return ""
}

// raw returns the HTML of a node.
func raw(n ast.Node, source []byte) []byte {
	switch n := n.(type) {
	case *ast.RawHTML:
		return n.Segments.Value(source)
	case *ast.HTMLBlock:
		all := n.Lines().Value(source)
		if n.HasClosure() {
			all = append(bytes.Clone(all), n.ClosureLine.Value(source)...)
		}
		return all
	}
	return nil
}

var (
	anchor  = regexp.MustCompile(`<a id="([\w.-]+)">`)
	allowed = regexp.MustCompile(`<!--(?s:.*?)-->|</?(?:details|summary)>|<br>|</a>|` + anchor.String())
)

// safe returns HTML of which only the tags of folds, line breaks and anchors are left. It drops comments, and escapes
// everything else.
func safe(source []byte) string {
	var b strings.Builder
	for len(source) > 0 {
		at := allowed.FindIndex(source)
		if at == nil {
			at = []int{len(source), len(source)}
		}
		b.WriteString(html.EscapeString(string(source[:at[0]])))
		if tag := source[at[0]:at[1]]; !bytes.HasPrefix(tag, []byte("<!--")) {
			b.Write(tag)
		}
		source = source[at[1]:]
	}
	return b.String()
}

// elements writes those elements that goldmark would write differently.
type elements struct{}

// RegisterFuncs implements renderer.NodeRenderer.
func (elements) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindHeading, writeHeading)
	r.Register(tables.KindTable, writeTable)
	r.Register(ast.KindHTMLBlock, writeHTML)
	r.Register(ast.KindRawHTML, writeHTML)
}

// writeHeading writes a heading with a link to itself.
func writeHeading(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	n := node.(*ast.Heading)
	id, _ := n.AttributeString("id")
	escaped := html.EscapeString(id.(string))
	if entering {
		fmt.Fprintf(w, `<h%d id="%s">`, n.Level, escaped)
	} else {
		fmt.Fprintf(w, ` <a class="anchor" href="#%s" aria-label="Link to this section">#</a></h%d>`+"\n", escaped, n.Level)
	}
	return ast.WalkContinue, nil
}

// writeTable writes a table that scrolls within itself.
func writeTable(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		w.WriteString(`<div class="scroll" role="region" tabindex="0" aria-label="Table"><table>` + "\n")
	} else {
		w.WriteString("</table></div>\n")
	}
	return ast.WalkContinue, nil
}

// writeHTML writes the HTML in a page, as far as it is [safe].
func writeHTML(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		w.WriteString(safe(raw(n, source)))
	}
	return ast.WalkSkipChildren, nil
}
