package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments"
	"github.com/spf13/cobra"
)

func (a *app) report() *cobra.Command {
	var index string
	c := &cobra.Command{
		Use:   "report DIR",
		Short: "One page of all results in a folder",
		Long: `report reads what ansatz run left in a folder, judges all claims anew, and writes one HTML
page that needs no network and no other file: claims first, then each experiment with its
figures, its tables and the record of how they were made.

The page is DIR/report.html, or as --out says: a name that ends in .html, or a folder.
--index FILE writes the results in Markdown too: FILE has all claims, and a file for each paper
beside it the experiments, with links to the figures and tables in DIR. README.md has its papers in
cnfa.md, rfm.md and so on, all.md in all-cnfa.md; what has such a name there is replaced. A file
NOTES.md beside FILE is linked to.`,
		Example: "  ansatz report out\n  ansatz report results --index results/README.md\n  ansatz report out --out today.html --quiet",
		Args:    oneFolder,
		RunE: func(_ *cobra.Command, args []string) error {
			return a.writeReport(args[0], index)
		},
	}
	c.Flags().StringVar(&index, "index", "", "Markdown file for an index of the results; each paper is in a file beside it")
	return c
}

// oneFolder refuses all but one argument.
func oneFolder(c *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usageError{fmt.Errorf("%s takes one folder, not %d\nTry: %s --help", c.CommandPath(), len(args), c.CommandPath())}
	}
	return nil
}

func (a *app) writeReport(dir, index string) error {
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
	if err := checkFiles(page, index); err != nil {
		return err
	}
	all, err := experiments.ReadOverview(experiments.All(), dir)
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
