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
	"github.com/ansatz-lab/ansatz/rfm/responses"
	"gonum.org/v1/gonum/mat"
)

// markedIf returns a number's cell, marked as good or else as less important.
func markedIf(good bool, v float64) report.Cell {
	if good {
		return record.MarkedCell(record.DefinedCell(v, "%.3f"), report.Good)
	}
	return record.MarkedCell(record.DefinedCell(v, "%.3f"), report.Muted)
}

// edgesTable returns a table with a row for each machine.
func edgesTable(found []*edgeResult) report.Table {
	return record.TableOf("edges",
		"The orientation of the first eight eigenvectors of M, and the responses of M to photographs.", found,
		record.TextField("machine", func(f *edgeResult) string { return f.title() }),
		record.CellField("one orientation", func(f *edgeResult) report.Cell {
			c := f.coherence()
			return markedIf(c > f.null.WeightedMean+similarity.NullDeviations*f.null.Weighted, c)
		}).WithHelp("share of the gradient energy, weighted by eigenvalue × gradient energy"),
		record.NumberField("null", "%.2f", func(f *edgeResult) float64 { return f.null.WeightedMean }).
			WithHelp("the same of QMQᵀ with a random rotation Q: mean"),
		record.NumberField("± null", "%.2f", func(f *edgeResult) float64 { return f.null.Weighted }).
			WithHelp("and standard deviation"),
		record.NumberField("images", "%.2f", (*edgeResult).imagesCoherence).
			WithHelp("the same of the second moment of the training images' patches"),
		record.NumberField("orientations", "%.0f", func(f *edgeResult) float64 { return f.orientations }).
			WithHelp("how many of 0°, 45°, 90° and 135° have one of the first eight eigenvectors above the null's "+
				"97.5 % quantile"),
		record.NumberField("by chance", "%.2f", func(f *edgeResult) float64 { return f.null.Orientations }).
			WithHelp("how many QMQᵀ has on average"),
		record.NumberField("iteration", "%.0f", (*edgeResult).chosen).WithHelp("that was chosen"),
		record.NumberField("photographs' edges", "%.2f", func(f *edgeResult) float64 { return f.edges }).
			WithHelp("correlation of ‖Mh‖ with the norm of the gradient, mean over the photographs"),
		record.NumberField("M = I", "%.2f", func(f *edgeResult) float64 { return f.identity }).
			WithHelp("the same of the norm of the patch"),
		record.NumberField("aligned", "%+.2f", func(f *edgeResult) float64 { return f.aligned }).
			WithHelp("how much more |vᵀh| is correlated with the slope across an eigenvector's edge than with that "+
				"along it"),
		record.NumberField("by chance ", "%+.2f", func(f *edgeResult) float64 { return f.alignedNull }).
			WithHelp("the same of the eigenvectors of QMQᵀ"))
}

// eigenvectorsTable returns a table with a row for each eigenvector of each machine.
func eigenvectorsTable(found []*edgeResult) report.Table {
	t := report.Table{
		Name: "eigenvectors",
		Caption: "Single eigenvectors of M: their share of the trace and the orientation of their edge (0° is " +
			"horizontal, 45° rises to the right). Those above the 97.5 % quantile of random directions are marked.",
		Columns: record.NumericColumns("machine, eigenvector", "share, %", "one orientation", "null", "± null",
			"angle, °"),
	}
	t.Columns[len(t.Columns)-1].Period = 180
	for _, f := range found {
		for k := range record.ShownVectors {
			row := []report.Cell{{Text: fmt.Sprintf("%s, %d", f.title(), k+1)}}
			if k >= len(f.vectors) { // a metric of small rank; the table has the same rows for all seeds
				t.Rows = append(t.Rows, append(row, slices.Repeat([]report.Cell{record.NumberCell(nil, "")}, 5)...))
				continue
			}
			e := f.vectors[k]
			t.Rows = append(t.Rows, append(row, record.PercentCell(e.Share),
				markedIf(e.Orientation.Coherence >= f.null.High, e.Orientation.Coherence),
				record.DefinedCell(f.null.Mean, "%.3f"), record.DefinedCell(f.null.Sd, "%.3f"),
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
		YLabel:  "correlation with the gradients",
		Caption: "The correlation of ‖Mh‖ with the norm of the photographs' gradients, by iteration.",
	}
	index := func(i edgeIteration) float64 { return i.index }
	for _, f := range found {
		orientation.Series = append(orientation.Series,
			record.SeriesOf(f.title(), f.iterations, index, func(i edgeIteration) float64 { return i.coherence }))
		edges.Series = append(edges.Series,
			record.SeriesOf(f.title(), f.iterations, index, func(i edgeIteration) float64 { return i.edges }))
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
	var responses []namedResponses
	for _, f := range found {
		titles, metrics, sides = append(titles, f.title()), append(metrics, f.metric), append(sides, f.Machine.Patch)
		responses = append(responses, namedResponses{f.title(), f.responses})
	}
	f, err := kernelmachine.EigenpatchFigure("eigenvectors", titles, metrics, photographs.Channels, sides)
	if err != nil {
		return err
	}
	o.Figures = append(o.Figures, f)
	if f, err = photographsFigure("photographs", photographs, responses); err != nil {
		return err
	}
	f.Caption = fmt.Sprintf("Photographs of %d×%d, and at every position the norm ‖Mh‖ of the patch there; each "+
		"picture is scaled to its own range.", photographs.Height, photographs.Width)
	f.Alt, f.Wide = "Photographs beside the responses of feature matrices to them: edges", true
	single, err := singleEigenvectorsFigure(ctx, found)
	o.Figures = append(o.Figures, f, single)
	return err
}

// namedResponses are the responses of a matrix to the photographs, with the name of its machine or network.
type namedResponses struct {
	name      string
	responses []responses.Map
}

// photographsFigure draws photographs, and beside them the responses of each matrix.
func photographsFigure(name string, photographs rfm.Images, all []namedResponses) (report.Figure, error) {
	columns := []string{"photograph"}
	for _, r := range all {
		columns = append(columns, r.name)
	}
	var rows [][]report.Image
	for i := range min(shownPhotographs, photographs.Len()) {
		row := []report.Image{record.ExampleImage(photographs, i)}
		for _, r := range all {
			row = append(row, record.ResponseImage(r.responses[i]))
		}
		rows = append(rows, row)
	}
	return report.ImageGrid(name, columns, rows)
}

// singleEigenvectorsFigure draws the responses of each machine's first eigenvectors to a
// photograph, one by one (cnfa Fig. 11).
func singleEigenvectorsFigure(ctx context.Context, found []*edgeResult) (report.Figure, error) {
	var rows [][]report.Image
	var names []string
	for _, f := range found {
		one := f.photographs.Slice(0, 1)
		vectors, seen := []report.Image{record.ExampleImage(one, 0)}, []report.Image{{}}
		for _, e := range f.vectors[:min(shownEdges, len(f.vectors))] {
			r, err := responses.OfFilters(ctx, mat.NewDense(1, len(e.Vector), e.Vector), one, responses.Options{})
			if err != nil {
				return report.Figure{}, err
			}
			vectors = append(vectors, record.EigenpatchImage(e.Vector, one.Channels, f.Machine.Patch))
			seen = append(seen, record.ResponseImage(r[0]))
		}
		rows, names = append(rows, vectors, seen), append(names, f.title(), "its responses")
	}
	f, err := report.ImageGrid("single-eigenvectors", nil, rows, names...)
	f.Caption = "A photograph, the first eigenvectors v of each M as patches, and below each |vᵀh| of the " +
		"photograph's patches h."
	f.Alt, f.Wide = "A photograph through single eigenvectors", true
	return f, err
}
