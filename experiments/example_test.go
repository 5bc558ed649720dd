package experiments_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/ansatz-lab/ansatz/experiments"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/settings"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// This example runs an experiment of the papers without the command ansatz: it changes two settings, reads the records
// back from the folder, and draws one of the curves.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "ansatz")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	// The task of the notebook by the authors of paper rfm: y = x₁x₂ among 100 features.
	e, err := experiments.All().Find("rfm/tutorial")
	if err != nil {
		log.Fatal(err)
	}
	spec, err := e.SpecAt(study.Smoke)
	if err != nil {
		log.Fatal(err)
	}
	if err := settings.Overlay(spec, "train = 1000\niterations = 3"); err != nil {
		log.Fatal(err)
	}
	run := study.Run{Experiment: e, Scale: study.OtherScale, Spec: spec, Seeds: study.MinSeeds, Out: dir}
	if _, err := run.Run(ctx); err != nil {
		log.Fatal(err)
	}

	// Collect reads every record in the folder, of this run and of earlier ones.
	records, err := experiments.All().Collect(dir)
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range records {
		if r.ID != "rfm/tutorial" {
			continue // an experiment that is not attempted
		}
		fmt.Println(r.Title+", settings of scale", r.Scale, "and seeds", r.Seeds)
		for _, c := range r.Claims {
			fmt.Printf("%-12s %5.2f ± %.2f, threshold %s: %s\n", c.Verdict, *c.Ours, *c.Error, c.Want, c.Sentence)
		}
		fmt.Printf("share of the trace of M on the two features, by seed: %.1f\n", r.Values("share_last"))
		if err := plot(r, filepath.Join(dir, "mine")); err != nil {
			log.Fatal(err)
		}
	}
	drawn, err := filepath.Glob(filepath.Join(dir, "mine", "*", "*"))
	if err != nil {
		log.Fatal(err)
	}
	for _, path := range drawn {
		fmt.Println(filepath.Base(path))
	}
	// Output:
	// A product of two of 100 features, settings of scale other and seeds [0 1 2]
	// holds         0.01 ± 0.09, threshold ≤ 0.15: A kernel machine that learns no features finds little of the product of two of 100 features: its test R².
	// fails         0.65 ± 0.16, threshold 0.8231 to 1.023: On a product of two of 100 features, the RFM's test R² after five iterations is that of RFM_Tutorial.ipynb.
	// holds         1.00 ± 0.00, threshold ≥ 0.9999: On a product of two of 100 features, the RFM's training R² after five iterations is near 1.
	// inconclusive  0.82 ± 0.11, threshold ≥ 0.9: On a product of two of 100 features, nearly all of the trace of the RFM's M after five iterations lies on the two: share.
	// share of the trace of M on the two features, by seed: [0.8 0.8 0.8]
	// share.csv
	// share.pdf
	// share.png
	// share.svg
	// claims.csv
}

// plot draws the share of M's trace on the two features against the iteration: the mean over the seeds, with a band of
// one standard deviation. It writes the chart as SVG, PDF, PNG and CSV, the claims as CSV, and a page with both.
func plot(r *study.Record, dir string) error {
	page := report.Page{Title: r.Title, Lead: r.Summary()}
	section := report.Section{Heading: r.Figure, Tables: []report.Table{*r.ClaimsTable()}}
	for _, c := range r.Charts() {
		if c.Name != "share" {
			continue
		}
		f, err := report.LineChart(c.Name, c.Title, c.XLabel, c.YLabel, c.Series)
		if err != nil {
			return err
		}
		f.Alt = "The share rises with every iteration"
		section.Figures = append(section.Figures, f)
	}
	page.Sections = append(page.Sections, section)
	_, err := page.Save(dir)
	return err
}
