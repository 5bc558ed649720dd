package main

import (
	"github.com/ansatz-lab/ansatz/experiments"
	"github.com/spf13/cobra"
)

// costs is for those who change ansatz.
func (a *app) costs() *cobra.Command {
	return &cobra.Command{
		Use:     "costs DIR...",
		Hidden:  true,
		Short:   "The table of what experiments take, from runs",
		Long:    "costs prints experiments/costs.csv anew, from what ansatz run left in folders.\nWhat is not in them is as it was.",
		Example: "  ansatz costs out/costs > /tmp/costs.csv && mv /tmp/costs.csv experiments/costs.csv",
		Args:    someFolder,
		RunE:    func(_ *cobra.Command, dirs []string) error { return experiments.WriteCosts(a.streams.out, dirs) },
	}
}
