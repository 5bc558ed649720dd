package overview

import (
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// From an index a reader can reach everything in the folder: links lead to each experiment in the document of its
// paper, from there to its pictures, and back to the index. Two indexes in one folder have separate documents of the
// papers.
func TestOverviewIndex(t *testing.T) {
	dir := smokeRuns(t, 1, "rfm/fig9", "rfm/fig3", "cnfa/fig3")
	all, err := ReadOverview(experiments.All(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "about"), 0o777); err != nil {
		t.Fatal(err)
	}
	indexes := []string{filepath.Join(dir, "README.md"), filepath.Join(dir, "about", "all.md"),
		filepath.Join(dir, "about", "what there is (so far).md")}
	for _, path := range indexes {
		if err := all.SaveIndex(path); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range indexes {
		read := followLinks(t, path)
		for _, e := range all.Records {
			if file := paperFile(path, e.Paper); !slices.Contains(read[path], file+"#"+anchorOf(e.ID)) ||
				!slices.Contains(read[file], path) {
				t.Errorf("%s is not in reach of %s, or there is no way back", e.ID, path)
			}
		}
		if len(read) != 4 || pictures(read[path]) != 0 || pictures(read[paperFile(path, "rfm")]) < 2 ||
			pictures(read[paperFile(path, "cnfa")]) == 0 {
			t.Errorf("%s leads to the documents %q, and the pictures are not in those of the papers", path,
				slices.Sorted(maps.Keys(read)))
		}
	}
	before := documents(t, dir)
	if len(before) != 4*len(indexes) {
		t.Errorf("%d documents of %d indexes", len(before), len(indexes))
	}
	again, err := ReadOverview(experiments.All(), dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range indexes {
		if err := again.SaveIndex(path); err != nil {
			t.Fatal(err)
		}
	}
	if !maps.Equal(before, documents(t, dir)) {
		t.Error("the documents differ from one time to the next")
	}
}

// If there are notes in a file beside an index, the index links to them.
func TestOverviewIndexNotes(t *testing.T) {
	dir := smokeRuns(t, 1, "rfm/fig9")
	all, err := ReadOverview(experiments.All(), dir)
	if err != nil {
		t.Fatal(err)
	}
	index, notes := filepath.Join(dir, "README.md"), filepath.Join(dir, "NOTES.md")
	for _, there := range []bool{false, true} {
		if err := all.SaveIndex(index); err != nil {
			t.Fatal(err)
		}
		if slices.Contains(followLinks(t, index)[index], notes) != there {
			t.Errorf("the notes are there: %v, and the index says otherwise", there)
		}
		if err := os.WriteFile(notes, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// An experiment that cannot be run, and a second run with other settings, also have a place in the document of their
// paper. An experiment that is missing has no link.
func TestOverviewIndexAnchors(t *testing.T) {
	dir := t.TempDir()
	run := func(id, hash string, scale study.Scale) *study.Record {
		return &study.Record{ID: id, Paper: "ntk", Hash: hash, Scale: scale, Seeds: []uint64{0},
			Claims: []study.Judgement{{Sentence: "It is so.", Verdict: study.Holds}}}
	}
	absent := &study.Record{ID: "rfm/none", Paper: "rfm", Absent: "there is no data", Claims: []study.Judgement{
		{Verdict: study.NotAttempted},
	}}
	r := &Overview{
		Dir: dir, Papers: experiments.All().Papers(), Records: []*study.Record{run("ntk/one", "a", study.Smoke),
			run("ntk/one", "b", study.Small), absent}, Missing: []*study.Experiment{{ID: "cnfa/fig3", Paper: "cnfa"}},
	}
	index := filepath.Join(dir, "README.md")
	if err := r.SaveIndex(index); err != nil {
		t.Fatal(err)
	}
	read := followLinks(t, index)
	ntk, rfm, claims := filepath.Join(dir, "ntk.md"), filepath.Join(dir, "rfm.md"), filepath.Join(dir, "claims.md")
	for file, want := range map[string][]string{index: {ntk, rfm, claims, ntk + "#ntk-one", rfm + "#rfm-none"},
		claims: {ntk + "#ntk-one", rfm + "#rfm-none"},
		ntk:    {index, ntk + "#ntk-one", ntk + "#ntk-one-a"}, rfm: {index, rfm + "#rfm-none"}} {
		if got := slices.Compact(slices.Sorted(slices.Values(read[file]))); !slices.Equal(got,
			slices.Sorted(slices.Values(want))) {
			t.Errorf("%s leads to %q, want %q", file, got, want)
		}
	}
}

func TestPaperFile(t *testing.T) {
	for index, want := range map[string]string{
		"README.md": "rfm.md", "a/b/README.md": "a/b/rfm.md", "README.markdown": "rfm.markdown", "README": "rfm",
		"all.md": "all-rfm.md", "../x.y/all": "../x.y/all-rfm", "rfm.md": "rfm-rfm.md", "v1.2.md": "v1.2-rfm.md",
		".md": "-rfm.md",
	} {
		if got := paperFile(filepath.FromSlash(index), "rfm"); got != filepath.FromSlash(want) {
			t.Errorf("%s: %s, want %s", index, got, want)
		}
	}
}

// followLinks reads a Markdown document and all documents that can be reached from it. It returns the targets of the
// links of each, and checks that these files and anchors exist.
func followLinks(t *testing.T, path string) map[string][]string {
	t.Helper()
	links, texts := map[string][]string{}, map[string]string{}
	for open := []string{path}; len(open) > 0; open = open[1:] {
		if _, seen := texts[open[0]]; seen {
			continue
		}
		text, err := os.ReadFile(open[0])
		if err != nil {
			t.Fatal(err)
		}
		texts[open[0]], links[open[0]] = string(text), targets(t, open[0], string(text))
		for _, to := range links[open[0]] {
			if file, _, _ := strings.Cut(to, "#"); filepath.Ext(file) == ".md" {
				open = append(open, file)
			}
		}
	}
	for from, all := range links {
		for _, to := range all {
			file, anchor, anchored := strings.Cut(to, "#")
			if _, err := os.Stat(file); err != nil {
				t.Errorf("%s: %v", from, err)
			}
			if anchored && strings.Count(texts[file], fmt.Sprintf("<a id=%q></a>", anchor)) != 1 {
				t.Errorf("%s: not one anchor %s", from, to)
			}
		}
	}
	return links
}

// targets returns the files to which the links of a Markdown document lead, with their anchors.
func targets(t *testing.T, path, text string) (all []string) {
	t.Helper()
	parts := strings.Split(strings.ReplaceAll(text, `\]`, ""), "](")
	for _, part := range parts[1:] {
		to, _, closed := strings.Cut(part, ")")
		u, err := url.Parse(to)
		if err != nil || !closed || strings.ContainsAny(to, " \n") {
			t.Fatalf("%s: a link to %q: %v", path, to, err)
		}
		file := path
		if u.Path != "" {
			file = filepath.Join(filepath.Dir(path), filepath.FromSlash(u.Path))
		}
		if u.Fragment != "" {
			file += "#" + u.Fragment
		}
		all = append(all, file)
	}
	return all
}

func pictures(links []string) (n int) {
	for _, to := range links {
		if ext := filepath.Ext(to); ext == ".png" || ext == ".svg" {
			n++
		}
	}
	return n
}

// documents returns the texts of the Markdown documents in a folder and its subfolders, by path.
func documents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, pattern := range []string{"*.md", "*/*.md"} {
		paths, err := filepath.Glob(filepath.Join(dir, filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			all[path] = string(text)
		}
	}
	return all
}
