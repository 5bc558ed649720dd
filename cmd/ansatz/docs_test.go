package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/graph/backend"
)

// clone is the path of the root of the repository from this package.
const clone = "../.."

// docPages returns the paths of all pages of documentation, relative to the root.
func docPages(t *testing.T) []string {
	t.Helper()
	pages, err := filepath.Glob(clone + "/docs/*.md")
	if err != nil || len(pages) < 10 {
		t.Fatalf("%d pages in docs, %v", len(pages), err)
	}
	pages = append(pages, clone+"/README.md", clone+"/CONTRIBUTING.md")
	for i, p := range pages {
		pages[i] = strings.TrimPrefix(p, clone+"/")
	}
	return pages
}

func readPage(t *testing.T, page string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(clone, page))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// docBlock is a fenced block of a page, with the instructions in the test comment before it.
type docBlock struct {
	line           int // of the fence
	section        string
	language, text string
	skip           string      // the reason why the block is not run
	file           string      // the file that the block is written to
	replace        [][2]string // pairs of a text in the block and its replacement in the test
}

var (
	docFence  = regexp.MustCompile("^```([a-z]*)$")
	docMarker = regexp.MustCompile(`^<!-- test: (skip,|file|replace) (.+) -->$`)
)

// docBlocks returns the fenced blocks of a page. CONTRIBUTING.md explains the test comments before them.
func docBlocks(page, text string) ([]docBlock, error) {
	var blocks []docBlock
	var next docBlock
	open, pending := false, false
	for i, line := range strings.Split(text, "\n") {
		at := func(what string) error { return fmt.Errorf("%s:%d: %s", page, i+1, what) }
		fence := docFence.FindStringSubmatch(line)
		marker := docMarker.FindStringSubmatch(line)
		switch {
		case open && fence != nil:
			blocks = append(blocks, next)
			next, open = docBlock{section: next.section}, false
		case open:
			next.text += line + "\n"
		case fence != nil:
			next.line, next.language, open, pending = i+1, fence[1], true, false
		case pending:
			return nil, at("a test comment stands right before the block that it is for")
		case marker != nil:
			pending = true
			if err := next.mark(marker[1], marker[2]); err != nil {
				return nil, at(err.Error())
			}
		case strings.HasPrefix(line, "<!-- test"):
			return nil, at("want <!-- test: skip, REASON -->, <!-- test: file NAME --> or <!-- test: replace A with " +
				"B; C with D -->")
		case strings.HasPrefix(line, "## "):
			next.section = strings.TrimPrefix(line, "## ")
		}
	}
	return blocks, nil
}

// mark adds the instruction in a test comment to the block.
func (b *docBlock) mark(verb, rest string) error {
	switch verb {
	case "skip,":
		b.skip = rest
	case "file":
		b.file = rest
	default:
		for _, pair := range strings.Split(rest, "; ") {
			from, to, found := strings.Cut(pair, " with ")
			if !found {
				return fmt.Errorf("%q is no replacement A with B", pair)
			}
			b.replace = append(b.replace, [2]string{from, to})
		}
	}
	return nil
}

// script returns the text of the block with the replacements that make it small enough for a test.
func (b *docBlock) script() (string, error) {
	text := b.text
	for _, r := range b.replace {
		if !strings.Contains(text, r[0]) {
			return "", fmt.Errorf("the block has no %q to replace", r[0])
		}
		text = strings.ReplaceAll(text, r[0], r[1])
	}
	return text, nil
}

// publishedData maps the words by which commands name data that is not in the repository to the path of that data in
// the data folder.
var publishedData = map[string]string{"mnist": "mnist", "cifar10": "cifar-10-batches-bin", "resnet20.th": "resnet20.th"}

// missingData returns the words for data that a script names and the data folder lacks.
func missingData(script string) []string {
	var missing []string
	for name, path := range publishedData {
		if !regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `\b`).MatchString(script) {
			continue
		}
		dir := os.Getenv("ANSATZ_DATA")
		if _, err := os.Stat(filepath.Join(dir, path)); dir == "" || err != nil {
			missing = append(missing, name)
		}
	}
	slices.Sort(missing)
	return missing
}

// docPrelude is run before each block. With it, make only prints what it would do.
const docPrelude = `set -euo pipefail
make() { command make --no-print-directory -n -C "$CLONE" "$@"; }
`

// docShell runs the blocks of a page in a temporary folder. The command ansatz is this test program there.
type docShell struct {
	dir    string
	env    []string
	absent []string // folders that blocks would have written that were skipped because their data is missing
}

// writtenFolder matches the flags that name the folders that a block writes.
var writtenFolder = regexp.MustCompile(`--(?:out|model-out)[ =](\S+)`)

func newDocShell(t *testing.T) *docShell {
	t.Helper()
	root, err := filepath.Abs(clone)
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin, dir := t.TempDir(), t.TempDir()
	if err := os.Symlink(self, filepath.Join(bin, "ansatz")); err != nil {
		t.Fatal(err)
	}
	weights := filepath.Join(os.Getenv("ANSATZ_DATA"), "resnet20.th")
	if _, err := os.Stat(weights); err == nil {
		if err := os.Symlink(weights, filepath.Join(dir, "resnet20.th")); err != nil {
			t.Fatal(err)
		}
	}
	return &docShell{dir: dir, env: append(os.Environ(), asCommand+"=1", "CLONE="+root, "ANSATZ_NATIVE=0",
		"PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))}
}

// run runs a script in bash and returns what it printed on stdout.
func (s *docShell) run(t *testing.T, script string) []byte {
	t.Helper()
	c := exec.Command("bash", "-c", docPrelude+script)
	return s.output(t, c, script)
}

// runGo compiles and runs a Go program and returns what it printed on stdout.
func (s *docShell) runGo(t *testing.T, program string) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(path, []byte(program), 0o666); err != nil {
		t.Fatal(err)
	}
	tags := ""
	if backend.Native() {
		tags = "native"
	}
	binary := filepath.Join(filepath.Dir(path), "program")
	s.output(t, exec.Command("go", "-C", clone, "build", "-tags", tags, "-o", binary, path), program)
	return s.output(t, exec.Command(binary), program)
}

func (s *docShell) output(t *testing.T, c *exec.Cmd, what string) []byte {
	t.Helper()
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr, c.Env = &stdout, &stderr, s.env
	if c.Args[0] != "go" {
		c.Dir = s.dir
	}
	if err := c.Run(); err != nil {
		t.Fatalf("%v\n%s\n%s%s", err, what, stdout.Bytes(), stderr.Bytes())
	}
	return stdout.Bytes()
}

// TestDocs runs every command that the documentation shows, at a small size.
func TestDocs(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("no bash")
	}
	for _, page := range docPages(t) {
		t.Run(page, func(t *testing.T) {
			t.Parallel()
			blocks, err := docBlocks(page, readPage(t, page))
			if err != nil {
				t.Fatal(err)
			}
			shell, printed := newDocShell(t), map[string][]byte{}
			for _, b := range blocks {
				t.Run(fmt.Sprintf("line %d", b.line), func(t *testing.T) {
					printed[b.section] = append(printed[b.section], b.run(t, shell)...)
				})
			}
			if page == "docs/json.md" && !t.Failed() {
				checkJSONPage(t, readPage(t, page), printed)
			}
		})
	}
}

// run runs a block and returns what it printed. If its test comment says so, the block is skipped, or written to a file
// first. A block whose data is missing is skipped too.
func (b *docBlock) run(t *testing.T, shell *docShell) []byte {
	t.Helper()
	script, err := b.script()
	if err != nil {
		t.Fatal(err)
	}
	if b.skip != "" {
		t.Skip(b.skip)
	}
	if b.file != "" {
		if err := os.WriteFile(filepath.Join(shell.dir, b.file), []byte(script), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if missing := missingData(script); b.language == "sh" && missing != nil {
		for _, folder := range writtenFolder.FindAllStringSubmatch(script, -1) {
			shell.absent = append(shell.absent, folder[1])
		}
		t.Skipf("$ANSATZ_DATA has no %s", strings.Join(missing, ", "))
	}
	for _, folder := range shell.absent {
		if b.language == "sh" && strings.Contains(script, folder) {
			t.Skipf("%s was not written, for want of data", folder)
		}
	}
	switch {
	case b.language == "sh":
		return shell.run(t, script)
	case b.language == "go" && strings.HasPrefix(script, "package main\n"):
		return shell.runGo(t, script)
	}
	return nil
}

// TestDocBlocks checks that a test comment that cannot be followed is an error, and so is a replacement of a text that
// the block no longer has. Otherwise a command would run at full size, or not at all. It also checks that a comment
// holds for one block only.
func TestDocBlocks(t *testing.T) {
	const fence = "```sh\nansatz doctor\n```\n"
	for _, text := range []string{
		"<!-- test: skip, slow -->\n\n" + fence,
		"<!-- test: skip -->\n" + fence,
		"<!-- test: replace doctor by demo -->\n" + fence,
		"<!-- test: small -->\n" + fence,
	} {
		if blocks, err := docBlocks("page.md", text); err == nil {
			t.Errorf("%q was read: %+v", text, blocks)
		}
	}
	blocks, err := docBlocks("page.md", "## Data\n<!-- test: replace doctor with demo; x y with z -->\n"+fence+fence)
	if err != nil || len(blocks) != 2 {
		t.Fatalf("%+v, %v", blocks, err)
	}
	if _, err := blocks[0].script(); err == nil {
		t.Error("what is not in the block was replaced")
	}
	blocks[0].replace = blocks[0].replace[:1]
	if script, err := blocks[0].script(); err != nil || script != "ansatz demo\n" || blocks[0].section != "Data" {
		t.Errorf("%q of %q, %v", script, blocks[0].section, err)
	}
	if script, err := blocks[1].script(); err != nil || script != "ansatz doctor\n" {
		t.Errorf("a comment counts for two blocks: %q, %v", script, err)
	}
}

// TestReadmeLength checks that README.md has at most 150 lines.
func TestReadmeLength(t *testing.T) {
	if n := strings.Count(readPage(t, "README.md"), "\n"); n > 150 {
		t.Errorf("README.md has %d lines: want 150 at most", n)
	}
}
