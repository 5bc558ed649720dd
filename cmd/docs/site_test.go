package main

import (
	"bytes"
	"maps"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

const clone = "../.."

// pagesOf returns a repository with the given files and a README.md.
func pagesOf(pages map[string]string) fstest.MapFS {
	root := fstest.MapFS{"README.md": {Data: []byte("# R\n")}}
	for name, text := range pages {
		root[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return root
}

// siteOf returns the files of the site of the given pages, which have no broken links.
func siteOf(t *testing.T, pages map[string]string) map[string][]byte {
	t.Helper()
	s, err := readSite(pagesOf(pages))
	if err != nil {
		t.Fatal(err)
	}
	files, err := s.files()
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// article returns the content of a page without the navigation.
func article(t *testing.T, page []byte) string {
	t.Helper()
	_, rest, found := strings.Cut(string(page), "<article>\n")
	text, _, closed := strings.Cut(rest, "</article>")
	if !found || !closed {
		t.Fatalf("no article in %s", page)
	}
	return text
}

var (
	attribute = regexp.MustCompile(`(?:href|src)="([^"]*)"`)
	idOf      = regexp.MustCompile(` id="([^"]*)"`)
)

// TestThisRepository checks that every link of the site of this repository leads to a file of the site, and every
// anchor to an element. It reads the pages as a browser would, not as the program reads them.
func TestThisRepository(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "site")
	n, err := run(clone, dir)
	if err != nil {
		t.Fatal(err)
	}
	if n < 20 {
		t.Errorf("%d pages", n)
	}
	ids := map[string]map[string]bool{}
	links := 0
	read := func(name string) map[string]bool {
		if ids[name] == nil {
			ids[name] = map[string]bool{}
			text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
			if err != nil {
				t.Error(err)
			}
			for _, m := range idOf.FindAllSubmatch(text, -1) {
				ids[name][string(m[1])] = true
			}
		}
		return ids[name]
	}
	var files []string
	err = filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err == nil && filepath.Ext(p) == ".html" {
			files = append(files, p)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		relative, _ := filepath.Rel(dir, file)
		name := filepath.ToSlash(relative)
		for _, m := range attribute.FindAllSubmatch(text, -1) {
			to, fragment, _ := strings.Cut(string(m[1]), "#")
			if strings.HasPrefix(to, "https://") {
				continue
			}
			target := name
			if to != "" {
				target = path.Join(path.Dir(name), to)
			}
			if links++; fragment == "" && target != name {
				if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(target))); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			} else if id, err := url.PathUnescape(fragment); fragment != "" && (err != nil || !read(target)[id]) {
				t.Errorf("%s: %s has no element %q", name, target, fragment)
			}
		}
	}
	if links < 2000 {
		t.Errorf("%d links", links)
	}
}

// TestBrokenLinks checks that a link that leads nowhere or is not safe is reported with file and line, and so is a
// picture from the network.
func TestBrokenLinks(t *testing.T) {
	for link, want := range map[string]string{
		"[x](b.md)":                    "",
		"[x](b.md#part-two)":           "",
		"[x](#here)":                   "",
		"[x](b.md#marked)":             "",
		"[x](../code.go)":              "",
		"[x](https://go.dev)":          "",
		"<https://go.dev>":             "",
		"![x](p.png)":                  "",
		"[x](c.md)":                    "docs/a.md:5: the link c.md leads to no file",
		"[x](b.md#part-three)":         `docs/a.md:5: the link b.md#part-three: docs/b.md has no heading or anchor "part-`,
		"[x](#there)":                  `docs/a.md:5: the link #there: docs/a.md has no heading or anchor "there"`,
		"[x](../../b.md)":              "docs/a.md:5: the link ../../b.md leads out of the repository",
		"[x](/etc/passwd)":             "docs/a.md:5: the link /etc/passwd is neither relative nor of http, https or mailto",
		"[x](javascript:alert())":      "docs/a.md:5: the link javascript:alert() is neither relative",
		"<javascript:alert()>":         "docs/a.md:5: the link javascript:alert() is neither relative",
		"![x](https://go.dev/x.png)":   "docs/a.md:5: the picture https://go.dev/x.png is not in the repository",
		"![x](q.png)":                  "docs/a.md:5: the link q.png leads to no file",
		"[x](../docs)":                 "docs/a.md:5: the link ../docs leads to a folder without a page",
		"[x](../code.go#L3)":           "docs/a.md:5: the link ../code.go#L3 leads into a file that is no page",
		"| a |\n|---|\n| [x](c.md) |":  "docs/a.md:7: the link c.md leads to no file",
		"a\n**b [x][1]**\n\n[1]: c.md": "docs/a.md:6: the link c.md leads to no file",
	} {
		_, err := readSite(pagesOf(map[string]string{
			"docs/a.md":  "# A\n\n## Here\n\n" + link + "\n",
			"docs/b.md":  "# B\n\n## Part two\n\n<a id=\"marked\"></a>\n",
			"docs/p.png": "",
			"code.go":    "package p\n",
		}))
		if got := ""; err != nil {
			got = err.Error()
			if want == "" || !strings.HasPrefix(got, want) {
				t.Errorf("%s: %q, want %q", link, got, want)
			}
		} else if want != "" {
			t.Errorf("%s is no fault, want %q", link, want)
		}
	}
}

// TestAddresses checks that links between pages become links between the pages of the site, wherever a page lies.
func TestAddresses(t *testing.T) {
	files := siteOf(t, map[string]string{
		"docs/a.md":         "# A\n\n[x](../README.md) [x](b.md#two) [x](../results/README.md) [x](../g/a%20b.go) ![x](p.png)",
		"docs/b.md":         "# B\n\n## Two\n\n[x](#two)\n",
		"docs/p.png":        "picture",
		"results/README.md": "# Results\n\n[x](../docs/a.md) [x](../docs/)\n",
		"docs/README.md":    "# Docs\n",
		"g/a b.go":          "package p // <script>\n",
	})
	for name, wants := range map[string][]string{
		"docs/a.html": {`href="../index.html"`, `href="b.html#two"`, `href="../results/index.html"`,
			`href="../g/a%20b.go.html"`, `src="p.png"`},
		"docs/b.html":        {`href="#two"`, `<h2 id="two">`},
		"results/index.html": {`href="../docs/a.html"`, `href="../docs/index.html"`},
		"g/a b.go.html":      {"package p // &lt;script&gt;"},
	} {
		for _, want := range wants {
			if got := article(t, files[name]); !strings.Contains(got, want) {
				t.Errorf("%s lacks %s:\n%s", name, want, got)
			}
		}
	}
	if string(files["docs/p.png"]) != "picture" {
		t.Error("the picture is not copied")
	}
}

// TestHTMLIsSafe checks what becomes of HTML in a page: folds and anchors stay, comments are removed, and everything
// else becomes text.
func TestHTMLIsSafe(t *testing.T) {
	hostile := strings.Join([]string{
		"<script>alert(1)</script>", "a <img src=x onerror=alert(1)> b", `<a id="x" onclick="alert(1)">y</a>`,
		"<iframe src=https://example.org></iframe>", "<details open ontoggle=alert(1)>", "<!-- a --><b>c</b>",
		"<style>*{display:none}</style>", "<svg/onload=alert(1)>", "`<script>`",
		"<a id=\"good\"></a>", "<details><summary>More</summary>", "</details>",
	}, "\n\n")
	got := article(t, siteOf(t, map[string]string{"docs/a.md": "# A <script>\n\n" + hostile + "\n"})["docs/a.html"])
	for _, tag := range regexp.MustCompile(`<[^>]*>`).FindAllString(got, -1) {
		if !regexp.MustCompile(`^</?(h1|p|code|details|summary)>$|^<h1 id="[a-z-]+">$|^<a id="good">$|^</a>$|` +
			`^<a class="anchor" href="#[a-z-]+" aria-label="Link to this section">$`).MatchString(tag) {
			t.Errorf("the page has %s:\n%s", tag, got)
		}
	}
	for _, want := range []string{`<a id="good"></a>`, "<details><summary>More</summary>", "&lt;script&gt;alert(1)"} {
		if !strings.Contains(got, want) {
			t.Errorf("the page lacks %s:\n%s", want, got)
		}
	}
	if strings.Contains(got, "<!--") || strings.Contains(got, "omitted") {
		t.Errorf("the page has a comment:\n%s", got)
	}
}

// TestHeadingIDs checks that headings have the IDs that GitHub gives them, because the same links must work there.
func TestHeadingIDs(t *testing.T) {
	p, err := parsePage("a.md", "", []byte("# `verify`, and *why*\n\n## How fast?\n\n## How fast\n\n## WᵀW_1 – x/y\n"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, h := range p.headings {
		got = append(got, h.ID)
	}
	if want := "verify-and-why how-fast how-fast-1 wᵀw_1--xy"; strings.Join(got, " ") != want {
		t.Errorf("%q, want %s", got, want)
	}
	if _, err := parsePage("a.md", "", []byte("Text.\n")); err == nil {
		t.Error("a page without a title is one")
	}
}

// TestSameBytes checks that the same pages give the same bytes.
func TestSameBytes(t *testing.T) {
	var sites [2]map[string][]byte
	for i := range sites {
		s, err := readSite(os.DirFS(clone))
		if err != nil {
			t.Fatal(err)
		}
		if sites[i], err = s.files(); err != nil {
			t.Fatal(err)
		}
	}
	if !maps.EqualFunc(sites[0], sites[1], bytes.Equal) {
		t.Error("two runs give different files")
	}
}

// TestReplaceable checks that a folder that holds something else is not replaced. An earlier site is replaced, and its
// old pages are removed, but not if a link is broken.
func TestReplaceable(t *testing.T) {
	root, dir := t.TempDir(), filepath.Join(t.TempDir(), "site")
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write(root+"/README.md", "# R\n")
	if _, err := run(root, root); err == nil {
		t.Fatal("the repository itself was replaced")
	}
	if _, err := run(root, dir); err != nil {
		t.Fatal(err)
	}
	write(dir+"/old.html", "")
	if _, err := run(root, dir); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir + "/old.html"); err == nil {
		t.Error("an old page is still there")
	}
	write(root+"/README.md", "# R\n\n[x](y.md)\n")
	if _, err := run(root, dir); err == nil || !strings.Contains(err.Error(), "README.md:3: ") {
		t.Errorf("a broken link: %v", err)
	}
	if _, err := os.Stat(dir + "/index.html"); err != nil {
		t.Error("a broken link took the site away")
	}
}

// TestNamedFiles checks that the source files that pages name exist.
func TestNamedFiles(t *testing.T) {
	var files []string
	err := filepath.WalkDir(clone, func(p string, d os.DirEntry, err error) error {
		files = append(files, "/"+filepath.ToSlash(p))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	s, err := readSite(os.DirFS(clone))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range s.pages {
		if p.path == "CHANGELOG.md" { // it names files that were removed
			continue
		}
		for _, m := range regexp.MustCompile("`([a-z][\\w/]*\\.(?:go|c|h|py))`").FindAllSubmatch(p.text, -1) {
			name := "/" + string(m[1])
			if !slices.ContainsFunc(files, func(f string) bool { return strings.HasSuffix(f, name) }) {
				t.Errorf("%s names %s, which is nowhere", p.path, name[1:])
			}
		}
	}
}
