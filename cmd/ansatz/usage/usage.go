// Package usage writes the help of a command below its description: how it is called, examples, its commands, and
// its flags with their kinds of values and their defaults in words.
package usage

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// width is the number of columns that flags take.
const width = 100

// Write writes the help of a command, in place of [cobra.Command]'s own.
func Write(c *cobra.Command) error {
	var b strings.Builder
	part := func(heading, text string) {
		if text != "" {
			fmt.Fprintf(&b, "%s:\n%s\n\n", heading, strings.TrimRight(text, "\n"))
		}
	}
	part("Usage", calls(c))
	part("Examples", c.Example)
	part("Commands", commands(c))
	part("Flags", flags(c, c.LocalFlags()))
	part("Flags of every command", flags(c, c.InheritedFlags()))
	text := strings.TrimRight(b.String(), "\n")
	if c.HasAvailableSubCommands() {
		text += fmt.Sprintf("\n\nFor more about a command: %s COMMAND --help", c.CommandPath())
	}
	_, err := fmt.Fprintln(c.OutOrStderr(), text)
	return err
}

// calls returns the lines by which a command is called.
func calls(c *cobra.Command) (text string) {
	if c.Runnable() {
		text = "  " + c.UseLine() + "\n"
	}
	if c.HasAvailableSubCommands() {
		text += "  " + c.CommandPath() + " COMMAND\n"
	}
	return text
}

// commands lists the commands of a command.
func commands(c *cobra.Command) (text string) {
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() || sub.Name() == "help" {
			text += fmt.Sprintf("  %-*s %s\n", sub.NamePadding(), sub.Name(), sub.Short)
		}
	}
	return text
}

// optional matches what may be left out of a call.
var optional = regexp.MustCompile(`\[[^]]*\]`)

// isRequired reports whether a command is not called without a flag, as its use says.
func isRequired(c *cobra.Command, f *pflag.Flag) bool {
	return slices.Contains(strings.Fields(optional.ReplaceAllString(c.Use, "")), "--"+f.Name)
}

// flags lists flags of a command with their texts beside them.
func flags(c *cobra.Command, all *pflag.FlagSet) string {
	var names, texts []string
	longest := 0
	all.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		kind, says := describe(f)
		if isRequired(c, f) {
			says += " (required)"
		}
		if f.Name == "help" { // cobra names the last word of the command alone
			says = "help for " + strings.TrimPrefix(c.CommandPath(), c.Root().Name()+" ")
		}
		name := "      --" + f.Name
		if f.Shorthand != "" {
			name = "  -" + f.Shorthand + ", --" + f.Name
		}
		name = strings.TrimRight(name+" "+kind, " ")
		longest = max(longest, utf8.RuneCountInString(name))
		names, texts = append(names, name), append(texts, says)
	})
	var b strings.Builder
	for i, name := range names {
		for _, line := range wrap(texts[i], width-longest-2) {
			fmt.Fprintf(&b, "%-*s  %s\n", longest, name, line)
			name = ""
		}
	}
	return b.String()
}

// kinds are the words for the types of values.
var kinds = map[string]string{
	"bool": "", "int": "number", "uint64": "number", "float64": "number", "float": "number", "float64Slice": "numbers",
	"intSlice": "numbers", "string": "text", "stringArray": "text", "stringSlice": "names", "duration": "time",
}

// describe returns the kind of values that a flag has, which its text may name in backquotes, and the text with the
// default.
func describe(f *pflag.Flag) (kind, says string) {
	kind, says = pflag.UnquoteUsage(f)
	if !strings.Contains(f.Usage, "`") {
		kind = f.Value.Type()
		if word, known := kinds[kind]; known {
			kind = word
		}
		first, _, _ := strings.Cut(says, " ")
		if kind == "text" && (first == "file" || first == "folder" || first == "column") {
			kind = first
		}
	}
	if value := defaultOf(f); value != "" && !strings.Contains(says, "(default:") {
		says += " (default: " + value + ")"
	}
	return kind, says
}

// defaultOf returns the default of a flag as a user would write it, "" for 0 and false.
func defaultOf(f *pflag.Flag) string {
	parts := strings.Split(strings.Trim(f.DefValue, "[]"), ",")
	for i, p := range parts {
		if v, err := strconv.ParseFloat(p, 64); err == nil {
			parts[i] = strconv.FormatFloat(v, 'g', -1, 64)
		}
	}
	value := strings.Join(parts, ",")
	if value == "0" || value == "false" || value == "0s" {
		return ""
	}
	return value
}

// wrap divides a text into lines of at most so many columns.
func wrap(text string, columns int) (lines []string) {
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && utf8.RuneCountInString(line+" "+word) > columns {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimLeft(line+" "+word, " ")
	}
	return append(lines, line)
}
