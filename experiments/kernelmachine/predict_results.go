package kernelmachine

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/ansatz-lab/ansatz/data/array"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"gonum.org/v1/gonum/floats"
)

// SaveOutputs writes the outputs, examples×outputs, as an NPY file.
func (r *PredictRecord) SaveOutputs(path string) error { return array.WriteNPY(path, r.outputs) }

// WritePredictions writes the predictions as CSV with a header: the number of the example, from 1; its id if one was
// asked for; the prediction, a class or a number in the target's own unit; and p_CLASS for every class.
func (r *PredictRecord) WritePredictions(w io.Writer) error {
	out := csv.NewWriter(w)
	header := []string{"row"}
	if r.ids != nil {
		header = append(header, "id")
	}
	header = append(header, "prediction")
	for _, class := range r.about.Classes {
		header = append(header, "p_"+class)
	}
	if err := out.Write(header); err != nil {
		return err
	}
	for i := range r.Test {
		line := []string{strconv.Itoa(i + 1)}
		if r.ids != nil {
			line = append(line, r.ids[i])
		}
		if err := out.Write(append(line, r.predictionCells(i)...)); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// predictionCells returns the prediction of an example, and the share of every class.
func (r *PredictRecord) predictionCells(i int) []string {
	f := slices.Clone(r.outputs.RawRowView(i))
	if len(r.about.Classes) == 0 {
		if encoder := r.about.Pipeline.Table; encoder != nil {
			encoder.Target.Restore(f)
		}
		return []string{strconv.FormatFloat(f[0], 'g', -1, 64)}
	}
	cells := []string{r.about.Classes[floats.MaxIdx(f)]}
	for _, p := range shares(f) {
		cells = append(cells, strconv.FormatFloat(p, 'g', -1, 64))
	}
	return cells
}

// shares turns outputs for one-hot targets into shares of 1: it cuts them to [0, 1] and divides them by their sum. If
// all are 0 the classes have equal shares. They are not calibrated probabilities.
func shares(outputs []float64) []float64 {
	p := make([]float64, len(outputs))
	for k, v := range outputs {
		p[k] = min(max(v, 0), 1)
	}
	sum := floats.Sum(p)
	for k := range p {
		if sum == 0 {
			p[k] = 1 / float64(len(p))
		} else {
			p[k] /= sum
		}
	}
	return p
}

// Summary says in a few sentences what the record shows.
func (r *PredictRecord) Summary() string {
	var s string
	switch {
	case r.Scored == nil:
		s = fmt.Sprintf("%d test examples of %s: %s.", r.Test, r.Data, scoreText(r.Accuracy, r.R2))
	case *r.Scored == 0:
		s = fmt.Sprintf("%d rows of %s, without targets to score the predictions.", r.Test, r.Data)
	default:
		s = fmt.Sprintf("%d rows of %s, of which %d have targets: %s.", r.Test, r.Data, *r.Scored,
			scoreText(r.Accuracy, r.R2))
	}
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
