package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/ansatz-lab/ansatz/cmd/ansatz/flagcheck"
	"github.com/ansatz-lab/ansatz/experiments"
	"github.com/ansatz-lab/ansatz/experiments/overview"
	"github.com/spf13/cobra"
)

func (a *app) report() *cobra.Command {
	var index string
	var redraw, commands bool
	c := &cobra.Command{
		Use:   "report DIR",
		Short: "Write one page about all results in a folder",
		Long: `report reads the results of ansatz run in a folder, judges all claims anew, and writes one
HTML page that needs no network: findings first, then each experiment with its figures, its
tables and the record of how they were made, and all claims at the end.

The page is DIR/report.html, unless --out names a file that ends in .html, or a folder.
--index FILE writes the results in Markdown too: FILE has the findings, the verdicts by paper and
the experiments; beside it are a file of all claims, one for each finding and one for each paper,
with links to the figures and tables in DIR. With README.md they are claims.md, finding-tables.md,
cnfa.md and so on, with all.md they are all-claims.md and all-cnfa.md; existing files of these
names are replaced. FILE links to a file NOTES.md beside it.

--redraw first draws every page, figure and table below DIR again, from the records and arrays
there alone: record.json, or run.json of a seed, and arrays/NAME.npy. It needs neither weights nor
data, and computes nothing anew. DIR may be the --out of any command, or a folder of several.
Results of early versions, which kept no figures as data, are named and keep their pictures. A
folder without results of experiments gets no page about all of them.

--commands prints, in place of the page, the command that makes each experiment again, one a line,
with the seeds of its record.`,
		Example: `  ansatz report out
  ansatz report results --index results/README.md
  ansatz report out --out today.html --quiet
  ansatz report out/verify --redraw
  ansatz report results --commands`,
		Args: oneArg("folder"),
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case commands && (redraw || index != ""):
				return usageError{errors.New("--commands prints commands alone: leave out --redraw and --index")}
			case commands:
				return a.printRuns(args[0])
			case redraw:
				return a.redraw(c.Context(), args[0], index)
			}
			return a.writeReport(args[0], index)
		},
	}
	c.Flags().BoolVar(&redraw, "redraw", false, "draw all pages, figures and tables below DIR again, from records "+
		"and arrays")
	c.Flags().BoolVar(&commands, "commands", false, "print the commands that make the experiments again")
	flagcheck.OutputFile(c.Flags(), &index, "index", "Markdown file for an index of the results; each paper is in a file "+
		"beside it")
	return c
}

// redraw draws everything below a folder again, and then the page over its experiments, if there are any.
func (a *app) redraw(ctx context.Context, dir, index string) error {
	redrawn, err := experiments.Redraw(ctx, dir)
	if err != nil {
		return err
	}
	for _, left := range redrawn.Left {
		fmt.Fprintln(a.err, "Not drawn again:", left)
	}
	err = a.writeReport(dir, index)
	switch {
	case !errors.Is(err, overview.ErrNoExperiments) || a.out != "" || index != "":
		return err
	case a.json:
		return a.print(redrawn)
	}
	_, err = fmt.Fprintln(a.streams.out, redrawn.Summary())
	return err
}

// printRuns prints the commands that make the experiments of a folder again.
func (a *app) printRuns(dir string) error {
	if err := flagcheck.CheckIsThere(dir); err != nil {
		return usageError{err}
	}
	all, err := overview.ReadOverview(experiments.All(), dir)
	if err != nil {
		return err
	}
	if a.json {
		return a.print(all.Commands())
	}
	_, err = fmt.Fprintln(a.streams.out, strings.Join(all.Commands(), "\n"))
	return err
}

// writeReport writes the page over the experiments of a folder and, unless its path is empty, the index.
func (a *app) writeReport(dir, index string) error {
	if err := flagcheck.CheckIsThere(dir); err != nil {
		return usageError{err}
	}
	page := filepath.Join(dir, "report.html")
	if a.out != "" {
		page = a.out
		if !strings.HasSuffix(page, ".html") {
			if err := a.checkOut(); err != nil {
				return err
			}
			page = filepath.Join(a.out, "report.html")
		}
	}
	if err := flagcheck.CheckPage(page, index); err != nil {
		return usageError{err}
	}
	all, err := overview.ReadOverview(experiments.All(), dir)
	if err != nil {
		return err
	}
	size, err := all.SavePage(page)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.err, "Report: %s (%.1f MB)\n", page, float64(size)/1e6)
	if index != "" {
		if err := all.SaveIndex(index); err != nil {
			return err
		}
		fmt.Fprintf(a.err, "Index: %s, and each paper beside it\n", index)
	}
	return show(a, all.Verdicts(), all.Summary(), all.SummaryTable())
}
