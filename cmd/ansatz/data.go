package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/ansatz-lab/ansatz/cmd/ansatz/progress"
	"github.com/ansatz-lab/ansatz/cmd/ansatz/usage"
	"github.com/ansatz-lab/ansatz/experiments/datasets"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/spf13/cobra"
)

// datasets returns the command data, which has commands of its own.
func (a *app) datasets() *cobra.Command {
	c := &cobra.Command{
		Use:   "data list|get|check",
		Short: "List, download and check the papers' datasets",
		Long: `data lists the datasets of the five papers and says which are present, downloads those that
may be downloaded, and checks that those present are complete. They are in one folder:
--data-dir, else $ANSATZ_DATA, else the folder ansatz in the user's cache folder, in the
layouts that their publishers and torchvision use.`,
		Example: "  ansatz data list\n  ansatz data get mnist\n  ansatz data check cifar10",
		Args:    usage.Unknown,
		RunE:    func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(a.dataList(), a.dataGet(), a.dataCheck())
	return c
}

func (a *app) dataList() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the datasets, and which of them are present",
		Long: `list shows every dataset of the five papers: the papers that use it, the shape of its
images, how many there are, how much there is to download, its licence, and whether it is
in the data folder. --json adds what may follow a name (emnist:letters), the publisher's page,
and how to get by hand what cannot be downloaded.`,
		Example: "  ansatz data list\n  ansatz data list --json --data-dir ~/data",
		Args:    noArgs,
		RunE: func(*cobra.Command, []string) error {
			l, err := datasets.NewList(a.dataDir)
			if err != nil {
				return err
			}
			return show(a, l, l.Summary(), l.Table())
		},
	}
}

func (a *app) dataGet() *cobra.Command {
	var mirror string
	c := &cobra.Command{
		Use:   "get NAME...",
		Short: "Download datasets into the data folder",
		Long: `get downloads the files of a dataset from its publisher or a mirror, checks their digests,
and unpacks them where the other commands look for them. Files that are present are not
fetched again. A download that was cut off, or stopped with Ctrl-C, continues when the
command is given again. Digests of all files are written to
.ansatz/NAME.sha256 in the data folder, for ansatz data check and for sha256sum -c.`,
		Example: "  ansatz data get mnist\n  ansatz data get svhn stl10 --data-dir /scratch/data",
		Args:    someArgs("the name of a dataset: ansatz data list shows them"),
		RunE: func(c *cobra.Command, names []string) error {
			all := &datasets.Gets{}
			for _, name := range names {
				got, err := withBar(a, func(bar *progress.Bar) (*datasets.Got, error) {
					return datasets.Get(c.Context(), datasets.GetSpec{
						Name:     name,
						Dir:      a.dataDir,
						Progress: func(file string, done, total int64) { bar.Update(file, int(done), int(total)) },
						Note:     a.note,
						Mirror:   mirror,
					})
				})
				if err != nil {
					return err
				}
				all.Datasets = append(all.Datasets, got)
			}
			return show(a, all, all.Summary(), all.Table())
		},
	}
	c.Flags().StringVar(&mirror, "mirror", "", "address of a server to ask first, with the files laid out as in "+
		"the data folder")
	return c
}

func (a *app) dataCheck() *cobra.Command {
	s := datasets.CheckSpec{}
	c := &cobra.Command{
		Use:   "check NAME|PATH",
		Short: "Read all of a dataset, and compare it with the published one",
		Long: `check reads every image of a dataset, or of a folder of images, and shows for each split
the numbers of images present and published, their shape, classes, mean and standard
deviation, and the digest that records contain. Files of ansatz data get are
compared with their digests. For a table (ARFF, CSV, NPZ, Parquet, or a folder in the layout
of the 121 UCI sets) it shows the columns, missing values, and the matrix that is made of it.

With --out it writes a page, with the first images of each class. It exits with 1 if
anything is wrong.`,
		Example: "  ansatz data check mnist\n  ansatz data check emnist:letters --out out/letters\n" +
			"  ansatz data check photos/\n  ansatz data check iris.arff --json",
		Args: oneArg("dataset"),
		RunE: func(c *cobra.Command, names []string) error {
			s.Data, s.Dir, s.Seed = names[0], a.dataDir, a.seed
			bar := a.progress()
			s.Progress = bar.Update
			switch {
			case datasets.IsCollection(s.Data):
				return a.checkCollection(c.Context(), s, bar)
			case input.IsTable(s.Data):
				return a.checkTable(s)
			}
			return a.checkImages(c.Context(), s, bar)
		},
	}
	f := c.Flags()
	f.IntVar(&s.Size, "size", 0, "size to which images are scaled (default: the set's own)")
	f.StringVar(&s.Fit, "fit", "", "crop or stretch: how to bring images of different sizes to one size (default: the "+
		"set's own)")
	f.StringVar(&s.Target, "target", "", "of a table: the column to predict (default: the one named class, else the "+
		"last)")
	f.BoolVar(&s.Ordinal, "ordinal", false, "of a table: encode categorical columns by number instead of one-hot")
	f.BoolVar(&s.Classify, "classify", false, "of a table: treat whole numbers to predict as classes")
	return c
}

// checkImages checks a dataset of images.
func (a *app) checkImages(ctx context.Context, s datasets.CheckSpec, bar *progress.Bar) error {
	found, err := datasets.NewInspection(s)
	if err != nil {
		return err
	}
	if err := a.checkResults(); err != nil {
		return err
	}
	err = found.Run(ctx)
	bar.End()
	if err != nil {
		return err
	}
	err = errors.Join(show(a, found, found.Summary(), found.Table()),
		a.savePage(func(dir string) (string, error) { return found.Save(ctx, dir) }))
	return errors.Join(err, errorUnless(found.OK, found.Summary()))
}

// checkCollection checks a collection of tables.
func (a *app) checkCollection(ctx context.Context, s datasets.CheckSpec, bar *progress.Bar) error {
	found, err := datasets.CheckCollection(ctx, s)
	bar.End()
	if err != nil {
		return err
	}
	err = errors.Join(show(a, found, found.Summary(), found.Table()), a.savePage(found.Save))
	return errors.Join(err, errorUnless(found.OK, found.Summary()))
}

// errorUnless returns an error with a text unless ok.
func errorUnless(ok bool, text string) error {
	if ok {
		return nil
	}
	return errors.New(text)
}

// checkTable checks a table.
func (a *app) checkTable(s datasets.CheckSpec) error {
	found, err := datasets.CheckTable(s)
	if err != nil {
		return err
	}
	return errors.Join(show(a, found, found.Summary(), found.Table()), a.savePage(found.Save))
}

// savePage saves a page into --out, if it is given, and prints its path.
func (a *app) savePage(save func(dir string) (string, error)) error {
	return errors.Join(a.checkResults(), a.saveResults("Page", save))
}

// note writes a remark on a file to stderr, unless --quiet is given.
func (a *app) note(file, text string) {
	if !a.quiet {
		fmt.Fprintf(a.err, "%s: %s\n", file, text)
	}
}
