package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// goTool runs the go tool in the folder of an example, which has a go.mod of its own, and returns
// what it wrote to stdout. Modules that are not in the cache are downloaded.
func goTool(t *testing.T, example string, args ...string) string {
	t.Helper()
	path, err := exec.LookPath("go")
	if err != nil {
		t.Skip("the go tool is not installed: an example is built by it")
	}
	c := exec.CommandContext(t.Context(), path, args...)
	c.Dir = filepath.Join(clone, "examples", example)
	c.Env = append(os.Environ(), "GOFLAGS=-mod=readonly", "GOWORK=off")
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%s: go %q: %v\n%s%s", example, args, err, out, stderr.Bytes())
	}
	return string(out)
}

// TestExamples vets and runs the examples, and checks what they print and write. They are modules of their own, as a
// user of the library would write them.
func TestExamples(t *testing.T) {
	for example, wants := range map[string]struct {
		args []string
		text string // on stdout
	}{
		"experiment": {
			[]string{"--scale", "smoke"},
			`(?s)inconclusive +claim +\S+ ± .*improves.*2 claims: 2 are inconclusive; 1 control: 1 is inconclusive\.\nScale smoke is never judged`,
		},
		"layer": {
			[]string{"-steps", "12"},
			`(?s)\d+ weights, .*step 0: loss .*step 11: loss .*` +
				`\nconv +conv .*\ngate +linear +32 +\d\.\d+ .*±.*\nfc +linear`,
		},
	} {
		t.Run(example, func(t *testing.T) {
			t.Parallel()
			out := t.TempDir()
			args := append([]string{"run", "."}, wants.args...)
			if example == "experiment" {
				args = append(args, "--out", out)
			}
			goTool(t, example, "vet", ".")
			text := goTool(t, example, args...)
			if !regexp.MustCompile(wants.text).MatchString(text) {
				t.Errorf("it prints\n%s\nwant %s", text, wants.text)
			}
			if example != "experiment" {
				return
			}
			seeds, _ := filepath.Glob(filepath.Join(out, "mine", "planted", "*", "seed-*"))
			pages, _ := filepath.Glob(filepath.Join(out, "mine", "planted", "*", "report.html"))
			figures, _ := filepath.Glob(filepath.Join(out, "mine", "planted", "*", "figures", "iterations.svg"))
			if len(seeds) != 3 || len(pages) != 1 || len(figures) != 1 {
				t.Errorf("%d seeds, %d pages, %d figures", len(seeds), len(pages), len(figures))
			}
		})
	}
}

// TestExperimentIsShort checks that a user can write an experiment in one short file: the example has fewer than 120
// lines.
func TestExperimentIsShort(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(clone, "examples", "experiment", "main.go"))
	if lines := bytes.Count(text, []byte("\n")); err != nil || lines >= 120 {
		t.Errorf("examples/experiment has %d lines, want fewer than 120: %v", lines, err)
	}
}

// TestLayerIsQuoted checks that docs/library.md quotes the method Build of the example of a layer word for word.
func TestLayerIsQuoted(t *testing.T) {
	blocks, err := docBlocks("docs/library.md", readPage(t, "docs/library.md"))
	if err != nil {
		t.Fatal(err)
	}
	quoted := slices.IndexFunc(blocks, func(b docBlock) bool {
		return strings.HasPrefix(b.text,
			"func (l Gated) Build(")
	})
	if quoted < 0 || !strings.Contains(readPage(t, "examples/layer/main.go"), blocks[quoted].text) {
		t.Error("docs/library.md does not quote Build of examples/layer/main.go")
	}
}
