package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments"
	"github.com/ansatz-lab/ansatz/experiments/overview"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/spf13/cobra"
)

// compareFlags are the flags of the command compare.
type compareFlags struct {
	selectFlags
	format, verdict, scale string
}

func (a *app) compare() *cobra.Command {
	var f compareFlags
	c := &cobra.Command{
		Use:   "compare DIR [PATTERN...]",
		Short: "Print all claims in one table: what the papers say, and what was found",
		Long: `compare reads the results of ansatz run in a folder, judges them anew, and shows every claim
with what the paper says, what was found, the threshold and the verdict. A claim of alignment
has the verdict on its null control beside it. The theorems and equations that ansatz run theory
checks count as claims too. If an experiment was run with several settings, those of the largest
scale count, as in ansatz report, unless --scale names others.

--format latex prints a longtable, for a document with \usepackage{array,booktabs,longtable}. md,
csv and latex print the table alone; text and json add the counts of the verdicts.`,
		Example: "  ansatz compare results\n  ansatz compare out cnfa --verdict fails\n" +
			"  ansatz compare results --paper rfm --kind figure --format md > claims.md\n" +
			"  ansatz compare results --format latex > claims.tex",
		Args: someFolder,
		RunE: func(_ *cobra.Command, args []string) error {
			return a.compareFolder(args[0], args[1:], f)
		},
	}
	f.add(c)
	c.Flags().StringVar(&f.format, "format", "text", strings.Join(compareFormats, ", "))
	c.Flags().StringVar(&f.verdict, "verdict", "", "only this verdict: holds, fails, inconclusive or not attempted")
	c.Flags().StringVar(&f.scale, "scale", "", "smoke, small, medium, paper or other (default: the largest at which an "+
		"experiment was run)")
	return c
}

// compareFormats are the formats in which the table can be printed.
var compareFormats = []string{"text", "md", "csv", "json", "latex"}

// someFolder accepts folders of results.
var someFolder = someArgs("a folder of results, the --out of ansatz run")

// options returns what the flags and the names of experiments select.
func (f *compareFlags) options(names []string) (o overview.CompareOptions, err error) {
	o.Experiments, _, err = experiments.All().Select(f.selection(names))
	if err != nil {
		return o, err
	}
	if f.verdict != "" {
		if o.Verdict, err = overview.ParseVerdict(f.verdict); err != nil {
			return o, err
		}
	}
	switch f.scale {
	case "", string(study.OtherScale):
		o.Scale = study.Scale(f.scale)
	default:
		o.Scale, err = study.ParseScale(f.scale)
	}
	return o, err
}

func (a *app) compareFolder(dir string, names []string, f compareFlags) error {
	o, err := f.options(names)
	if err != nil {
		return err
	}
	if a.json {
		f.format = "json"
	}
	if !slices.Contains(compareFormats, f.format) {
		return usageError{fmt.Errorf("--format %q: want %s", f.format, strings.Join(compareFormats, ", "))}
	}
	records, err := experiments.All().Collect(dir)
	if err != nil {
		return err
	}
	c := overview.Compare(records, o)
	switch f.format {
	case "json":
		return a.print(c)
	case "text":
		return show(a, c, c.Summary(), c.Table())
	case "md":
		return c.Table().WriteMarkdown(a.streams.out)
	case "csv":
		return c.Table().WriteCSV(a.streams.out)
	}
	return c.Table().WriteLaTeX(a.streams.out)
}
