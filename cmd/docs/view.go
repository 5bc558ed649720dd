package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"html"
	"html/template"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/report/theme"
)

var (
	//go:embed assets/page.html
	pageHTML string
	//go:embed assets/site.css
	siteCSS string
	//go:embed assets/site.js
	siteJS string

	pageTemplate = template.Must(template.New("page").Parse(pageHTML))
	styleSheet   = theme.Style + siteCSS
)

// view is the data of the template of a page.
type view struct {
	at             string // path in the site
	Root           string // address of the root, seen from there: "", "../" and so on
	Title, Path    string
	Mark           template.HTML
	Groups         []group
	Headings       []heading
	Body           template.HTML
	Previous, Next *entry
}

// group is a group of pages in the navigation.
type group struct {
	Name    string
	Entries []entry
}

// entry is a link to a page.
type entry struct {
	Text, Link string
	Current    bool
}

// view returns the page that shows a file of the repository at a path in the site.
func (s *site) view(path, at, title, body string) *view {
	v := &view{at: at, Root: strings.Repeat("../", strings.Count(at, "/")), Title: title, Path: path,
		Mark: mark, Body: template.HTML(body)}
	for _, p := range s.pages {
		if len(v.Groups) == 0 || v.Groups[len(v.Groups)-1].Name != p.group {
			v.Groups = append(v.Groups, group{Name: p.group})
		}
		g := &v.Groups[len(v.Groups)-1]
		g.Entries = append(g.Entries, *s.entry(p, at))
	}
	return v
}

// entry returns the link to a page, seen from a path in the site. Its text is the title, up to a colon as in
// "cnfa: Mechanism …".
func (s *site) entry(p *page, at string) *entry {
	text, _, _ := strings.Cut(p.title, ": ")
	if p.path == "README.md" {
		text = "Overview"
	}
	return &entry{Text: text, Link: relative(at, sitePath(p.path)), Current: sitePath(p.path) == at}
}

// write adds the page to the files of the site.
func (v *view) write(files map[string][]byte) error {
	var b bytes.Buffer
	if err := pageTemplate.Execute(&b, v); err != nil {
		return err
	}
	files[v.at] = b.Bytes()
	return nil
}

// showSource returns the body of a page that shows a file of code.
func showSource(name string, text []byte) string {
	return "<h1>" + html.EscapeString(name) + "</h1>\n<pre><code>" + html.EscapeString(string(text)) + "</code></pre>\n"
}

// script returns the JavaScript of every page: theme, and search with its list of sections.
func (s *site) script() []byte {
	var sections [][4]string // address, page, heading, beginning
	for _, p := range s.pages {
		for _, h := range p.headings {
			sections = append(sections, [4]string{sitePath(p.path) + "#" + h.ID, p.title, h.Text, h.Beginning})
		}
	}
	list, _ := json.Marshal(sections) // strings can always be encoded
	return []byte("'use strict';\nconst sections = " + string(list) + ";\n" + siteJS + theme.Script)
}
