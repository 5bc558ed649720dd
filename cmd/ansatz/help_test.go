package main

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
)

// every calls do with each command of a command line, except those that cobra adds.
func every(c *cobra.Command, do func(*cobra.Command)) {
	for _, sub := range c.Commands() {
		if sub.Name() != "help" && sub.Name() != "completion" {
			do(sub)
			every(sub, do)
		}
	}
}

var (
	// goWords matches types and values in Go's notation.
	goWords = regexp.MustCompile(`float64|stringArray|\b(?:int|float|string)Slice|\b(?:ints|uint|strings)\b|` +
		`\[\]|\.000000|%!`)
	// goDefault matches a default in pflag's notation.
	goDefault = regexp.MustCompile(`\(default [^)]*\)|\(default: ["\[]`)
)

// TestHelp checks the help of every command. It must say in words what the command does, show two examples whose
// commands and flags exist, and give the kinds and defaults of flags as a user writes them.
func TestHelp(t *testing.T) {
	commands := 0
	every((&app{}).root(), func(c *cobra.Command) {
		commands++
		path := strings.Fields(c.CommandPath())[1:]
		code, out, _ := ansatz(t, append(path, "--help")...)
		if code != exitDone || !strings.HasPrefix(out, strings.TrimSpace(c.Long)) || c.Long == "" {
			t.Errorf("%s --help: exit %d, and no description: %s", c.CommandPath(), code, out)
		}
		if !regexp.MustCompile(`^[A-Z].{15,}[^.]$`).MatchString(c.Short) {
			t.Errorf("%s: the list of commands says %q", c.CommandPath(), c.Short)
		}
		for _, line := range strings.Split(c.Long, "\n") {
			if utf8.RuneCountInString(line) > 100 && c.Name() != "arch" {
				t.Errorf("%s --help: a line of more than 100 columns: %q", c.CommandPath(), line)
			}
		}
		examples := 0
		for _, line := range strings.Split(c.Example, "\n") {
			examples += strings.Count(line, "  ansatz ")
			checkExample(t, strings.Fields(strings.TrimSpace(line)))
		}
		if examples < 2 {
			t.Errorf("%s --help has %d examples, want two", c.CommandPath(), examples)
		}
		_, flags, _ := strings.Cut(out, "\nFlags:\n")
		for _, line := range strings.Split(flags, "\n") {
			if found := goWords.FindString(line) + goDefault.FindString(line); found != "" {
				t.Errorf("%s --help: %q in %q", c.CommandPath(), found, line)
			}
			if utf8.RuneCountInString(line) > 100 {
				t.Errorf("%s --help: a line of more than 100 columns: %q", c.CommandPath(), line)
			}
		}
	})
	if commands < 30 {
		t.Errorf("%d commands", commands)
	}
}

// checkExample checks that the command and the flags of an example exist.
func checkExample(t *testing.T, words []string) {
	t.Helper()
	if len(words) < 2 || words[0] != "ansatz" {
		return // another program
	}
	for i, w := range words {
		if w == "|" || w == ">" {
			words = words[:i]
			break
		}
	}
	for i := range words {
		words[i] = strings.Trim(words[i], "'")
	}
	c, rest, err := (&app{}).root().Find(words[1:])
	if err != nil || !c.HasParent() {
		t.Errorf("%q: %v", words, err)
		return
	}
	for _, w := range rest {
		name, _, _ := strings.Cut(strings.TrimPrefix(w, "--"), "=")
		if strings.HasPrefix(w, "--") && c.Flag(name) == nil && !strings.HasPrefix(w, "--mail-type") {
			t.Errorf("%q: there is no flag %s", words, w)
		}
	}
}
