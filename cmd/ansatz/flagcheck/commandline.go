package flagcheck

import (
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
		if f.Annotations[outputKind] != nil || slices.Contains([]string{"json", "quiet", "resume"}, f.Name) {
			return
		}
		value := f.Value.String()
		if list, ok := f.Value.(pflag.SliceValue); ok {
			value = strings.Join(list.GetSlice(), ",")
		}
		switch {
		case f.Value.Type() != "bool":
			words = append(words, "--"+f.Name, Quote(value))
		case value == "true":
			words = append(words, "--"+f.Name)
		default:
			words = append(words, "--"+f.Name+"="+value)
		}
	})
	return strings.Join(words, " ")
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
