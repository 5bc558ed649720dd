package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

var (
	// docStray matches a command in an indented line outside of fenced blocks, where TestDocs does not run it.
	docStray = regexp.MustCompile(`(?m)^[ \t]+(\$ )?((bin/)?ansatz|make|go) [a-z].*$`)
	// docLink matches a link to a file of the repository.
	docLink = regexp.MustCompile(`\]\(([^)#:]+)(#[^)]*)?\)`)
	// docSpan matches code within a sentence or a table.
	docSpan = regexp.MustCompile("`([^`\n]+)`")
	docFlag = regexp.MustCompile(`^--([a-z][a-z-]*)`)
	// docPath matches the path of a file or a folder of the repository.
	docPath = regexp.MustCompile(`^(\.ci|cmd|data|docs|experiments|internal|models|results)/\S*$`)
)

// TestDocsMention checks that commands stand only in blocks of sh, where TestDocs runs them, and that the commands,
// flags and paths that sentences name exist, and so do the files that are linked to.
func TestDocsMention(t *testing.T) {
	root := (&app{}).root()
	flags := map[string]bool{}
	everyCommand(root, func(c *cobra.Command) {
		add := func(f *pflag.Flag) { flags[f.Name] = true }
		c.Flags().VisitAll(add)
		c.PersistentFlags().VisitAll(add)
	})
	for _, page := range docPages(t) {
		text := readPage(t, page)
		blocks, err := docBlocks(page, text)
		if err != nil {
			t.Fatal(err)
		}
		rest := text
		for _, b := range blocks {
			rest = strings.Replace(rest, "```"+b.language+"\n"+b.text+"```", "", 1)
			if b.language != "sh" && regexp.MustCompile(`(?m)^(bin/)?ansatz [a-z]`).MatchString(b.text) {
				t.Errorf("%s:%d: a command in a block of %q: want sh", page, b.line, b.language)
			}
		}
		if stray := docStray.FindString(rest); stray != "" {
			t.Errorf("%s: %q is not in a block of sh", page, strings.TrimSpace(stray))
		}
		if strings.Contains(text, "../shared") {
			t.Errorf("%s: a clone has no ../shared", page)
		}
		for _, l := range docLink.FindAllStringSubmatch(rest, -1) {
			if _, err := os.Stat(filepath.Join(clone, filepath.Dir(page), l[1])); err != nil {
				t.Errorf("%s: link: %v", page, err)
			}
		}
		for _, s := range docSpan.FindAllStringSubmatch(rest, -1) {
			if f := docFlag.FindStringSubmatch(s[1]); f != nil && !flags[f[1]] && page != "CONTRIBUTING.md" {
				t.Errorf("%s: no command has the flag --%s", page, f[1])
			}
			if _, err := os.Stat(filepath.Join(clone, s[1])); docPath.MatchString(s[1]) && err != nil {
				t.Errorf("%s: %v", page, err)
			}
			if words := strings.Fields(s[1]); words[0] == "ansatz" {
				c, rest, err := root.Find(words[1:])
				if err != nil || c == root && len(words) > 1 ||
					c.HasSubCommands() && len(rest) > 0 && c.ValidateArgs(rest[:1]) != nil {
					t.Errorf("%s: there is no command `%s`", page, s[1])
					continue
				}
				for _, w := range rest {
					name, is := strings.CutPrefix(w, "--")
					if name, _, _ = strings.Cut(name, "="); is && c.Flag(name) == nil && root.PersistentFlags().Lookup(name) == nil {
						t.Errorf("%s: `%s`: there is no flag --%s", page, s[1], name)
					}
				}
			}
		}
	}
}

func everyCommand(c *cobra.Command, do func(*cobra.Command)) {
	do(c)
	for _, sub := range c.Commands() {
		everyCommand(sub, do)
	}
}
