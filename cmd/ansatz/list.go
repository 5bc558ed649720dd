package main

import (
	"github.com/ansatz-lab/ansatz/experiments"
	"github.com/spf13/cobra"
)

func (a *app) list() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "The papers' experiments that can be run",
		Long: `list shows the figures and tables of the papers that ansatz run makes again, and how many
of their claims it checks. With --json it also says what an experiment does and what its
settings are at each scale.`,
		Example: "  ansatz list\n  ansatz list --json",
		Args:    noArgs,
		RunE: func(*cobra.Command, []string) error {
			l := experiments.ListExperiments()
			return show(a, l, l.Summary(), l.Table())
		},
	}
}
