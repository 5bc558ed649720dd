package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/report/draw"
)

// order lists the pages in their order, by group. Pages that only a pattern with * finds are in alphabetical order.
var order = []struct {
	name     string
	patterns []string
}{
	{"", []string{"README.md"}},
	{"Guides", []string{
		"docs/networks.md", "docs/alignment.md", "docs/training.md", "docs/data.md", "docs/tables.md", "docs/kernel-machines.md",
		"docs/tangent-kernels.md", "docs/energy.md", "docs/experiments.md", "docs/clusters.md", "docs/library.md",
		"docs/course.md", "docs/json.md", "docs/performance.md", "docs/citing.md", "docs/*.md",
	}},
	{"Results", []string{"results/README.md", "results/NOTES.md", "results/finding-*.md", "results/*.md"}},
	{"Project", []string{"ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"}},
}

// site holds the pages, and the files that they link to.
type site struct {
	root   fs.FS
	pages  []*page          // in the order in which they are read
	byPath map[string]*page // by their paths in the repository
	copied map[string]bool  // paths of pictures and tables, which are copied
	source map[string]bool  // paths of source files, which become pages
}

// readSite reads all pages of a repository, and replaces their links by those in the site. The error names every link
// that leads nowhere.
func readSite(root fs.FS) (*site, error) {
	s := &site{root: root, byPath: map[string]*page{}, copied: map[string]bool{}, source: map[string]bool{}}
	for _, group := range order {
		for _, pattern := range group.patterns {
			found, err := fs.Glob(root, pattern)
			if err != nil {
				return nil, err
			}
			for _, p := range found {
				if err := s.add(p, group.name); err != nil {
					return nil, err
				}
			}
		}
	}
	if s.byPath["README.md"] == nil {
		return nil, errors.New("there is no README.md: give the folder of the repository by -root")
	}
	var faults []error
	for _, p := range s.pages {
		faults = append(faults, s.relink(p)...)
	}
	return s, errors.Join(faults...)
}

// add reads a page, unless it is there.
func (s *site) add(name, group string) error {
	if s.byPath[name] != nil {
		return nil
	}
	text, err := fs.ReadFile(s.root, name)
	if err != nil {
		return err
	}
	p, err := parsePage(name, group, text)
	if err != nil {
		return err
	}
	s.byPath[name] = p
	s.pages = append(s.pages, p)
	return nil
}

// sitePath returns the path in the site of a page of the repository.
func sitePath(name string) string {
	dir, file := path.Split(name)
	if file == "README.md" {
		return dir + "index.html"
	}
	return strings.TrimSuffix(name, ".md") + ".html"
}

// relative returns the address of a file of the site, seen from another one.
func relative(from, to string) string {
	up := strings.Count(from, "/")
	if dir := path.Dir(from); dir != "." && strings.HasPrefix(to, dir+"/") {
		return strings.TrimPrefix(to, dir+"/")
	}
	return strings.Repeat("../", up) + to
}

// files returns the contents of all files of the site, by path.
func (s *site) files() (map[string][]byte, error) {
	files := map[string][]byte{"site.css": []byte(styleSheet), "site.js": s.script()}
	for i, p := range s.pages {
		var body bytes.Buffer
		if err := markdown.Renderer().Render(&body, p.text, p.doc); err != nil {
			return nil, fmt.Errorf("%s: %w", p.path, err)
		}
		v := s.view(p.path, sitePath(p.path), p.title, body.String())
		v.Headings = p.headings[1:]
		if i > 0 {
			v.Previous = s.entry(s.pages[i-1], v.at)
		}
		if i+1 < len(s.pages) {
			v.Next = s.entry(s.pages[i+1], v.at)
		}
		if err := v.write(files); err != nil {
			return nil, err
		}
	}
	for _, name := range sorted(s.source) {
		text, err := fs.ReadFile(s.root, name)
		if err != nil {
			return nil, err
		}
		if err := s.view(name, name+".html", name, showSource(name, text)).write(files); err != nil {
			return nil, err
		}
	}
	for _, name := range sorted(s.copied) {
		data, err := fs.ReadFile(s.root, name)
		if err != nil {
			return nil, err
		}
		files[name] = draw.ByNight(data) // an SVG of ours; all else stays as it is
	}
	return files, nil
}

func sorted(set map[string]bool) []string {
	var names []string
	for name := range set {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
