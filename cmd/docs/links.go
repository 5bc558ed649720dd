package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// relink replaces the addresses of a page's links and pictures by those in the site. It returns an error, with file and
// line, for each that leads nowhere.
func (s *site) relink(p *page) []error {
	var faults []error
	for n := range nodes(p.doc) {
		var to string
		var err error
		switch n := n.(type) {
		case *ast.Link:
			to, err = s.resolve(p, string(n.Destination))
			n.Destination = []byte(to)
		case *ast.Image:
			to, err = s.picture(p, string(n.Destination))
			n.Destination = []byte(to)
		case *ast.AutoLink:
			if n.AutoLinkType == ast.AutoLinkURL {
				_, err = s.resolve(p, string(n.URL(p.text)))
			}
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("%s:%d: %w", p.path, p.line(n), err))
		}
	}
	return faults
}

// line returns the line of a node, from 1.
func (p *page) line(n ast.Node) int {
	for n.Pos() < 0 && n.Parent() != nil {
		n = n.Parent()
	}
	return 1 + bytes.Count(p.text[:max(0, n.Pos())], []byte("\n"))
}

// picture returns the address of a picture of a page, which has to be in the repository.
func (s *site) picture(p *page, to string) (string, error) {
	if strings.Contains(to, ":") {
		return "", fmt.Errorf("the picture %s is not in the repository: the site needs no network", to)
	}
	return s.resolve(p, to)
}

// resolve returns the address in the site of what a page links to.
func (s *site) resolve(p *page, to string) (string, error) {
	u, err := url.Parse(to)
	if err != nil {
		return "", fmt.Errorf("the link %s: %w", to, err)
	}
	if slices.Contains([]string{"http", "https", "mailto"}, u.Scheme) {
		return to, nil
	}
	if u.Scheme != "" || u.Host != "" || u.RawQuery != "" || path.IsAbs(u.Path) {
		return "", fmt.Errorf("the link %s is neither relative nor of http, https or mailto", to)
	}
	name := p.path
	if u.Path != "" {
		name = path.Join(path.Dir(p.path), u.Path)
	}
	if name == ".." || strings.HasPrefix(name, "../") {
		return "", fmt.Errorf("the link %s leads out of the repository", to)
	}
	info, err := fs.Stat(s.root, name)
	if err != nil {
		return "", fmt.Errorf("the link %s leads to no file", to)
	}
	if info.IsDir() {
		name = path.Join(name, "README.md")
	}
	target := s.byPath[name]
	switch {
	case target == nil && info.IsDir():
		return "", fmt.Errorf("the link %s leads to a folder without a page: link to a file", to)
	case target == nil && u.Fragment != "":
		return "", fmt.Errorf("the link %s leads into a file that is no page of the site", to)
	case target == nil:
		return escape(relative(sitePath(p.path), s.include(name))), nil
	case u.Fragment != "" && !target.anchors[u.Fragment]:
		return "", fmt.Errorf("the link %s: %s has no heading or anchor %q", to, target.path, u.Fragment)
	}
	address := (&url.URL{Fragment: u.Fragment}).String()
	if target != p {
		address = escape(relative(sitePath(p.path), sitePath(target.path))) + address
	}
	return address, nil
}

// include adds a file to the site, and returns its path there.
func (s *site) include(name string) string {
	switch path.Ext(name) {
	case ".go", ".mod", ".toml", ".yml", ".cff", "":
		s.source[name] = true
		return name + ".html"
	}
	s.copied[name] = true
	return name
}

// escape returns a path as an address.
func escape(name string) string { return (&url.URL{Path: name}).String() }
