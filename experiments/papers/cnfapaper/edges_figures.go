package cnfapaper

import (
	"context"
	"fmt"
	"slices"

	"github.com/ansatz-lab/ansatz/experiments/kernelmachine"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/similarity"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

// edgesTable returns a table with a row for each machine.
func edgesTable(found []*edgeResult) report.Table {
	t := report.Table{
		Name: "edges", Caption: "The orientation of the first eight eigenvectors of M, and what M sees in photographs.",
		Columns: []report.Column{
			{Name: "machine"},
			{
				Name: "one orientation", Numeric: true,
				Help: "share of the gradient energy, weighted by eigenvalue × gradient energy",
			},
			{Name: "null", Numeric: true, Help: "the same of QMQᵀ with a random rotation Q: mean"},
			{Name: "± null", Numeric: true, Help: "and standard deviation"},
			{Name: "images", Numeric: true, Help: "the same of the second moment of the training images' patches"},
			{
				Name: "orientations", Numeric: true,
				Help: "how many of 0°, 45°, 90° and 135° have an eigenvector, of at least 1 % of the trace, above " +
					"the null's 97.5 % quantile",
			},
			{Name: "by chance", Numeric: true, Help: "how many QMQᵀ has on average"},
			{
				Name: "photographs' edges", Numeric: true,
				Help: "correlation of ‖Mh‖ with the norm of the gradient, mean over the photographs",
			},
			{Name: "M = I", Numeric: true, Help: "the same of the norm of the patch"},
			{
				Name: "aligned", Numeric: true,
				Help: "how much more |vᵀh| is correlated with the slope across an eigenvector's edge than with that " +
					"along it",
			},
			{Name: "by chance ", Numeric: true, Help: "the same of the eigenvectors of QMQᵀ"},
		},
	}
	for _, f := range found {
		c, images := kernelmachine.Coherence(f.vectors), kernelmachine.Coherence(f.images)
		mark := report.Muted
		if c > f.null.WeightedMean+similarity.NullDeviations*f.null.Weighted {
			mark = report.Good
		}
		t.Rows = append(t.Rows, []report.Cell{
			{Text: f.Name}, record.MarkedCell(record.DefinedCell(c, "%.3f"), mark),
			record.NumberCell(&f.null.WeightedMean, "%.3f"), record.NumberCell(&f.null.Weighted, "%.3f"),
			record.DefinedCell(images, "%.3f"),
			record.NumberCell(&f.orientations, "%.0f"), record.NumberCell(&f.null.Orientations, "%.2f"),
			record.CorrelationCell(f.edges), record.CorrelationCell(f.identity), record.DefinedCell(f.aligned, "%+.3f"),
			record.DefinedCell(f.alignedNull, "%+.3f"),
		})
	}
	return t
}

// eigenvectorsTable returns a table with a row for each eigenvector of each machine.
func eigenvectorsTable(found []*edgeResult) report.Table {
	t := report.Table{
		Name: "eigenvectors",
		Caption: "Eigenvectors of M one by one: their share of the trace and the orientation of their edge (0° lies, " +
			"45° rises to the right). Marked are those above the 97.5 % quantile of random directions.",
		Columns: record.NumericColumns("machine, eigenvector", "share, %", "one orientation", "null", "± null",
			"angle, °"),
	}
	for _, f := range found {
		for k := range record.ShownVectors {
			row := []report.Cell{{Text: fmt.Sprintf("%s, %d", f.Name, k+1)}}
			if k >= len(f.vectors) { // a metric of small rank; all seeds have the same rows
				t.Rows = append(t.Rows, append(row, slices.Repeat([]report.Cell{record.NumberCell(nil, "")}, 5)...))
				continue
			}
			e := f.vectors[k]
			mark := report.Muted
			if e.Orientation.Coherence >= f.null.High {
				mark = report.Good
			}
			t.Rows = append(t.Rows, append(row, record.PercentCell(e.Share),
				record.MarkedCell(record.DefinedCell(e.Orientation.Coherence, "%.3f"), mark),
				record.NumberCell(&f.null.Mean, "%.3f"), record.NumberCell(&f.null.Sd, "%.3f"),
				record.DefinedCell(e.Orientation.Angle, "%.0f")))
		}
	}
	return t
}

// edgeCharts returns charts of orientation and of edges in photographs by iteration.
func edgeCharts(found []*edgeResult) []study.Chart {
	orientation := study.Chart{
		Name: "orientation", Title: "Orientation of M's eigenvectors", XLabel: "iteration",
		YLabel:  "share at one orientation",
		Caption: "The share of the first eight eigenvectors' gradient energy that is at one orientation, by iteration.",
	}
	edges := study.Chart{
		Name: "photograph-edges", Title: "What M sees in photographs", XLabel: "iteration",
		YLabel: "correlation with the gradients",
		Caption: "The correlation of ‖Mh‖ with the norm of the photographs' gradients, by iteration; in the first, M " +
			"= I.",
	}
	for _, f := range found {
		orientation.Series, edges.Series = append(orientation.Series, f.coherences), append(edges.Series, f.edgesBy)
	}
	return []study.Chart{orientation, edges}
}

// The photographs, and the single eigenvectors of each machine, that figures show.
const (
	shownPhotographs = 4
	shownEdges       = 6
)

// addEdgeFigures draws the eigenvectors, and the responses of M and of single eigenvectors to
// photographs.
func addEdgeFigures(ctx context.Context, found []*edgeResult, photographs rfm.Images, o *study.Outcome) error {
	var titles []string
	var metrics []*rfm.Metric
	var sides []int
	columns := []string{"photograph"}
	rows := make([][]report.Image, min(shownPhotographs, photographs.Len()))
	for i := range rows {
		rows[i] = []report.Image{record.ExampleImage(photographs, i)}
	}
	for _, f := range found {
		titles, metrics, sides = append(titles, f.Name), append(metrics, f.metric), append(sides, f.Machine.Patch)
		columns = append(columns, f.Name)
		for i := range rows {
			rows[i] = append(rows[i], record.ResponseImage(f.responses[i]))
		}
	}
	f, err := kernelmachine.EigenpatchFigure("eigenvectors", titles, metrics, photographs.Channels, sides)
	if err != nil {
		return err
	}
	o.Figures = append(o.Figures, f)
	if f, err = report.ImageGrid("photographs", columns, rows); err != nil {
		return err
	}
	f.Caption = fmt.Sprintf("Photographs of %d×%d, and at every position the norm ‖Mh‖ of the patch there; each "+
		"picture is scaled to its own range.", photographs.Height, photographs.Width)
	f.Alt, f.Wide = "Photographs beside what feature matrices see in them: edges", true
	single, err := singleEigenvectorsFigure(ctx, found)
	o.Figures = append(o.Figures, f, single)
	return err
}

// singleEigenvectorsFigure draws the responses of each machine's first eigenvectors to a
// photograph, one by one (cnfa Fig. 11).
func singleEigenvectorsFigure(ctx context.Context, found []*edgeResult) (report.Figure, error) {
	var rows [][]report.Image
	for _, f := range found {
		one := f.photographs.Slice(0, 1)
		vectors, seen := []report.Image{record.ExampleImage(one, 0)}, []report.Image{{}}
		vectors[0].Caption = f.Name
		for _, e := range f.vectors[:min(shownEdges, len(f.vectors))] {
			r, err := rfm.FilterResponses(ctx, mat.NewDense(1, len(e.Vector), e.Vector), one, rfm.ResponseOptions{})
			if err != nil {
				return report.Figure{}, err
			}
			vectors = append(vectors, record.EigenpatchImage(e.Vector, one.Channels, f.Machine.Patch))
			seen = append(seen, record.ResponseImage(r[0]))
		}
		rows = append(rows, vectors, seen)
	}
	f, err := report.ImageGrid("single-eigenvectors", nil, rows)
	f.Caption = "A photograph, the first eigenvectors v of each M as patches, and below each |vᵀh| of the " +
		"photograph's patches h."
	f.Alt, f.Wide = "A photograph through single eigenvectors", true
	return f, err
}
