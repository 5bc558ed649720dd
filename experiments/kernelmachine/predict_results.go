package kernelmachine

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"

	"github.com/ansatz-lab/ansatz/data/array"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/internal/words"
	"gonum.org/v1/gonum/mat"
)

// SaveOutputs writes the outputs, examples×outputs, as an NPY file.
func (r *PredictRecord) SaveOutputs(path string) error { return array.WriteNPY(path, r.outputs) }

// WritePredictions writes the predictions as CSV with a header: the number of the example, from 1; its id if one was asked for,
// or the file of an image, relative to its folder; the prediction, a class or a number in the target's own unit; and p_CLASS for
// every class.
func (r *PredictRecord) WritePredictions(w io.Writer) error {
	out := csv.NewWriter(w)
	header := []string{"row"}
	if r.about.TestFiles != nil {
		header = append(header, "file")
	} else if r.ids != nil {
		header = append(header, "id")
	}
	header = append(header, "prediction")
	for _, class := range r.about.Classes {
		header = append(header, "p_"+class)
	}
	if err := out.Write(header); err != nil {
		return err
	}
	for i, cells := range r.predictionCells() {
		line := []string{strconv.Itoa(i + 1)}
		if r.ids != nil {
			line = append(line, r.ids[i])
		}
		if err := out.Write(append(line, cells...)); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// predictionCells returns the prediction for every example, and the probability of every class.
func (r *PredictRecord) predictionCells() [][]string {
	cells := make([][]string, r.Test)
	if len(r.about.Classes) == 0 {
		f := mat.Col(nil, 0, r.outputs)
		if encoder := r.about.Pipeline.Table; encoder != nil {
			encoder.Target.Restore(f)
		}
		for i, v := range f {
			cells[i] = []string{strconv.FormatFloat(v, 'g', -1, 64)}
		}
		return cells
	}
	p, decided := r.decision.Probabilities(r.outputs), r.decision.Decide(r.outputs)
	for i := range cells {
		cells[i] = []string{r.about.Classes[decided[i]]}
		for _, v := range p.RawRowView(i) {
			cells[i] = append(cells[i], strconv.FormatFloat(v, 'g', -1, 64))
		}
	}
	return cells
}

// Summary says in a few sentences what the record shows.
func (r *PredictRecord) Summary() string {
	var s string
	switch {
	case r.Scored == nil:
		s = fmt.Sprintf("%s of %s: %s.", words.Count(r.Test, "test example"), r.Data, scoreText(r.Accuracy, r.R2))
	case *r.Scored == 0:
		unit := "row"
		if r.about != nil && r.about.Shape != nil {
			unit = "image"
		}
		s = fmt.Sprintf("%s of %s, without targets to score the predictions.", words.Count(r.Test, unit), r.Data)
	default:
		s = fmt.Sprintf("%s of %s, of which %d have targets: %s.", words.Count(r.Test, "row"), r.Data, *r.Scored,
			scoreText(r.Accuracy, r.R2))
	}
	s += r.Result.Sentence()
	for _, note := range r.Notes {
		s += "\nNote: " + note + "."
	}
	return s
}

// Table returns the scores.
func (r *PredictRecord) Table() *report.Table {
	t := &report.Table{Name: "prediction", Columns: append(record.TextColumns("model"),
		record.NumericColumns("data", "test", "accuracy", "r2", "mse")...)}
	t.Rows = [][]report.Cell{append(record.TextCells(r.Model, r.Data), record.DefinedCell(float64(r.Test), "%.0f"),
		record.NumberCell(r.Accuracy, "%.4f"), record.NumberCell(r.R2, "%.4f"), record.NumberCell(r.MSE, "%.4g"))}
	return t.WithoutEmpty()
}
