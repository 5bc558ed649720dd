package flagcheck

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// CommandLine returns the command with its arguments and the flags that were given, quoted for a shell. Flags that say
// where results go, what is printed, or that an interrupted run goes on are left out: they change no number.
func CommandLine(c *cobra.Command, args []string) string {
	words := []string{c.CommandPath()}
	for _, a := range args {
		words = append(words, Quote(a))
	}
	c.Flags().Visit(func(f *pflag.Flag) {
		if f.Annotations[outputKind] != nil || slices.Contains([]string{"json", "quiet", "resume", "shards", "print"}, f.Name) {
			return
		}
		if value := f.Value.String(); f.Value.Type() == "bool" && value == "true" {
			words = append(words, "--"+f.Name)
		} else if f.Value.Type() == "bool" {
			words = append(words, "--"+f.Name+"="+value)
		} else {
			for _, value := range valuesOf(f) {
				words = append(words, "--"+f.Name, Quote(value))
			}
		}
	})
	return strings.Join(words, " ")
}

// Divided returns the command that does the work of a plan in one process, such as ansatz verify for ansatz plan verify, with
// as many threads as the units of the plan have. It takes the command line of the plan.
func Divided(command string, threads int) string {
	command = strings.Replace(command, " plan ", " ", 1)
	if !strings.Contains(command, " --threads ") {
		command += fmt.Sprintf(" --threads %d", threads)
	}
	return command
}

// valuesOf returns the texts that set a flag to its present value: the command line repeats the flag for each of them.
func valuesOf(f *pflag.Flag) []string {
	text := f.Value.String()
	list, ok := f.Value.(pflag.SliceValue)
	switch {
	case f.Value.Type() == "stringArray":
		return list.GetSlice()
	case f.Value.Type() == "stringSlice":
		text = text[1 : len(text)-1] // CSV in brackets
	case ok:
		text = strings.Join(list.GetSlice(), ",")
	}
	return []string{text}
}

// plainWord matches words that a shell reads as they are.
var plainWord = regexp.MustCompile(`^[\w@%+=:,./-]+$`)

// Quote returns a word as a POSIX shell reads it: in quotes, if it needs them.
func Quote(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
