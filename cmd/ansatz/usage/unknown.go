package usage

import (
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/internal/suggest"
	"github.com/spf13/cobra"
)

// Set gives a root command and all its commands the help of this package. If a user asks for help about a command
// that does not exist, it calls report with the error of [Unknown].
func Set(root *cobra.Command, report func(error)) {
	root.SetUsageFunc(Write)
	show := root.HelpFunc()
	root.SetHelpFunc(func(c *cobra.Command, args []string) {
		if before := c.Flags().Args(); c.HasAvailableSubCommands() && len(before) > 0 {
			report(Unknown(c, before))
			return
		}
		show(c, args)
	})
	root.InitDefaultHelpCmd()
	if help, _, err := root.Find([]string{"help"}); err == nil {
		help.Long = "help shows the help of a command, as COMMAND --help does."
		help.Example = "  ansatz help verify\n  ansatz help data get"
		show := help.Run
		help.Run, help.RunE = nil, func(c *cobra.Command, args []string) error {
			found, rest, err := root.Find(args)
			if err == nil && len(rest) > 0 && found.HasAvailableSubCommands() {
				return Unknown(found, rest)
			}
			show(c, args)
			return err
		}
	}
	root.InitDefaultCompletionCmd()
	if completion, _, err := root.Find([]string{"completion"}); err == nil {
		completion.Example = "  source <(ansatz completion bash)\n" +
			"  ansatz completion fish > ~/.config/fish/completions/ansatz.fish"
	}
}

// Unknown returns an input error if there is an argument. It names the most similar command below c, or lists all.
func Unknown(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	rest := suggest.Hint(args[0], names)
	if rest == "" {
		rest = ": there are " + strings.Join(names, ", ")
	}
	return input.Errorf("unknown command %q%s\nTry: %s --help", args[0], rest, c.CommandPath())
}
