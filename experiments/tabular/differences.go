package tabular

import (
	"math"
	"slices"

	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
)

// DifferencesFigure draws the scores as a map of methods and datasets, with the methods in the leaderboard's order. It
// subtracts the mean score of each dataset, since datasets are harder or easier for all methods.
func (r *Results) DifferencesFigure(board []Standing) (report.Figure, error) {
	m := report.Matrix{Rows: len(board), Cols: len(r.Datasets), ColNames: r.Datasets, Title: "score − mean of the dataset"}
	means := make([]float64, len(r.Datasets))
	for i, row := range r.Scores {
		means[i] = record.ValueOrNaN(meanSorted(slices.DeleteFunc(slices.Clone(row), math.IsNaN)))
	}
	for _, s := range board {
		m.RowNames = append(m.RowNames, s.Method)
		j := slices.Index(r.Methods, s.Method)
		for i, row := range r.Scores {
			m.Data = append(m.Data, row[j]-means[i])
		}
	}
	f, err := report.HeatMaps("differences", []report.Matrix{m})
	f.Caption = "The score of every method, less the mean over the methods on that dataset: red above it, blue below. The " +
		"methods stand by mean rank, the best on top. Grey: no score."
	return f, err
}

// differences returns the figure of the scores. It returns none for a single method or dataset, or for more datasets
// than the figure can name.
func (r *Results) differences(board []Standing) ([]report.Figure, error) {
	const most = 150
	if len(r.Methods) < 2 || len(r.Datasets) < 2 || len(r.Datasets) > most {
		return nil, nil
	}
	f, err := r.DifferencesFigure(board)
	return []report.Figure{f}, err
}
