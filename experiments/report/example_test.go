package report_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/ansatz-lab/ansatz/experiments/report"
)

func table() *report.Table {
	return &report.Table{
		Name:    "layers",
		Caption: "Similarity by layer",
		Columns: []report.Column{
			{Name: "layer"},
			{Name: "r", Numeric: true},
			{Name: "null", Numeric: true},
			{Name: "excess", Numeric: true},
		},
		Rows: [][]report.Cell{
			{{Text: "conv1"}, {Text: "0.970", Value: 0.9702}, {Text: "0.953", Value: 0.9531},
				{Text: "0.017", Value: 0.0171, Mark: report.Bad}},
			{{Text: "layer1.0.conv1"}, {Text: "0.641", Value: 0.6412}, {Text: "0.532", Value: 0.5320},
				{Text: "0.109", Value: 0.1092, Mark: report.Good}},
		},
	}
}

// A page with a curve and a table. The curve is also saved as SVG, PDF and PNG, and the numbers of both as CSV.
func Example() {
	f, err := report.LineChart("r2", "Test R² by iteration", "iteration", "R²", []report.Series{{
		Label: "RFM", X: []float64{0, 1, 2}, Y: []float64{.79, .95, .96}, Low: []float64{.75, .94, .95},
		High: []float64{.83, .96, .97},
	}})
	if err != nil {
		log.Fatal(err)
	}
	f.Alt = "R² rises from .79 to .96 in two iterations"
	page := report.Page{
		Title: "A kernel machine that learns features", Lead: "Two iterations explain nearly all of the variance.",
		Sections: []report.Section{{Heading: "Learning", Figures: []report.Figure{f},
			Tables: []report.Table{*table()}}},
	}
	dir, err := os.MkdirTemp("", "ansatz")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if _, err := page.Save(dir); err != nil {
		log.Fatal(err)
	}
	for _, pattern := range []string{"*.html", "figures/*", "tables/*"} {
		files, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			log.Fatal(err)
		}
		for _, path := range files {
			fmt.Println(filepath.Base(path))
		}
	}
	// Output:
	// report.html
	// r2.csv
	// r2.pdf
	// r2.png
	// r2.svg
	// layers.csv
}

func ExampleTable_WriteText() {
	if err := table().WriteText(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// Similarity by layer
	//
	// layer               r   null  excess
	// ──────────────  ─────  ─────  ────────
	// conv1           0.970  0.953   0.017 ✗
	// layer1.0.conv1  0.641  0.532   0.109 ✓
}

func ExampleTable_WriteMarkdown() {
	if err := table().WriteMarkdown(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// Similarity by layer
	//
	// | layer          |     r |  null | excess   |
	// | -------------- | ----: | ----: | -------: |
	// | conv1          | 0.970 | 0.953 |  0.017 ✗ |
	// | layer1.0.conv1 | 0.641 | 0.532 |  0.109 ✓ |
}

func ExampleTable_WriteCSV() {
	if err := table().WriteCSV(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// layer,r,null,excess
	// conv1,0.9702,0.9531,0.0171
	// layer1.0.conv1,0.6412,0.532,0.1092
}

func ExampleLayerSeries_Above() {
	s := report.LayerSeries{
		Value: []float64{0.97, 0.64}, SE: []float64{0.01, 0.01},
		NullMean: []float64{0.95, 0.53}, NullSD: []float64{0.01, 0.02},
	}
	for i := range s.Value {
		above, known := s.Above(i)
		fmt.Println(above, known)
	}
	// Output:
	// false true
	// true true
}
