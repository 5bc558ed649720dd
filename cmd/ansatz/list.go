package main

import (
	"fmt"
	"time"

	"github.com/ansatz-lab/ansatz/experiments"
	"github.com/ansatz-lab/ansatz/experiments/overview"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/spf13/cobra"
)

// selectFlags are flags that select experiments.
type selectFlags struct{ papers, kinds []string }

func (f *selectFlags) add(c *cobra.Command) {
	c.Flags().StringSliceVar(&f.papers, "paper", nil, "only these papers: cnfa, rfm, hyperbf, energy, ntk, theory, alignment")
	c.Flags().StringSliceVar(&f.kinds, "kind", nil, "only these kinds: figure, table, other")
}

func (f *selectFlags) selection(names []string) study.Selection {
	if len(names) == 0 {
		names = nil
	}
	return study.Selection{Names: names, Papers: f.papers, Kinds: f.kinds}
}

func (a *app) list() *cobra.Command {
	var (
		f         selectFlags
		attempted bool
		under     time.Duration
		scale     string
	)
	c := &cobra.Command{
		Use:   "list [PATTERN...]",
		Short: "List the papers' experiments",
		Long: `list shows the figures and tables of the papers that ansatz run reproduces, how many claims
and controls it checks (without theory's statements), and the measured time of all seeds at a
scale on one thread. A pattern is an ID, a
paper, or a form such as 'rfm/fig*'. Some experiments show a part of another's run, which is
done once for both.

--json adds what an experiment does and its settings at each scale.`,
		Example: "  ansatz list\n  ansatz list cnfa 'ntk/table*'\n  ansatz list --kind table --under 15m\n" +
			"  ansatz list --attempted=false\n  ansatz list --scale paper --json",
		RunE: func(c *cobra.Command, names []string) error {
			at, err := study.ParseScale(scale)
			if err != nil {
				return err
			}
			s := f.selection(names)
			if c.Flags().Changed("attempted") {
				s.Attempted = &attempted
			}
			if c.Flags().Changed("under") && under <= 0 {
				return usageError{fmt.Errorf("--under %v: want a time above 0, such as 15m", under)}
			}
			selected, _, err := experiments.All().Select(s)
			if err != nil {
				return err
			}
			l := overview.NewList(selected, at)
			if under > 0 {
				l.Under(under.Seconds())
			}
			return show(a, l, l.Summary(), l.Table())
		},
	}
	f.add(c)
	c.Flags().BoolVar(&attempted, "attempted", true, "list the experiments that can be run; with =false those that cannot")
	c.Flags().DurationVar(&under, "under", 0, "list only experiments known to take less time, such as 15m")
	c.Flags().StringVar(&scale, "scale", string(study.Small), "scale of times and memory: smoke, small, medium or paper")
	return c
}
