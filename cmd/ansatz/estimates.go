package main

import (
	"github.com/ansatz-lab/ansatz/experiments"
	"github.com/spf13/cobra"
)

// estimates is for those who change ansatz.
func (a *app) estimates() *cobra.Command {
	return &cobra.Command{
		Use:    "estimates DIR...",
		Hidden: true,
		Short:  "The table of what experiments take, from runs",
		Long: `estimates prints experiments/costs.csv anew from what ansatz run left in folders; what is not in
them is as it was. ansatz run and list estimate time and memory from it.`,
		Example: "  ansatz estimates out/costs > /tmp/costs.csv && mv /tmp/costs.csv experiments/costs.csv",
		Args:    someFolder,
		RunE:    func(_ *cobra.Command, dirs []string) error { return experiments.WriteCosts(a.streams.out, dirs) },
	}
}
