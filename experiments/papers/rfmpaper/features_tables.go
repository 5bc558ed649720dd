package rfmpaper

import (
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"gonum.org/v1/gonum/stat"
)

// correlationTable is the correlations of a network's features with an RFM's.
func correlationTable(found []*taskFeatures) report.Table {
	t := report.Table{
		Name: "correlations", Caption: "Correlation of the features of the network with those of the RFM, by task.",
		Columns: record.NumericColumns("task", "top eigenvector", "with W₁ − W₀", "before training", "diagonal", "with W₁ − W₀ ", "before training "),
	}
	for _, f := range found {
		row := []report.Cell{{Text: f.Name}}
		for _, m := range []spectrum{f.Net, f.Change, f.Before} {
			row = append(row, record.CorrelationCell(f.alike(m.top(), f.RFM.top())))
		}
		for _, m := range []spectrum{f.Net, f.Change, f.Before} {
			row = append(row, record.CorrelationCell(stat.Correlation(m.Diagonal, f.RFM.Diagonal, nil)))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// controlTable is what of the features the images alone explain.
func controlTable(found []*taskFeatures) report.Table {
	t := report.Table{
		Name: "controls", Caption: "Correlation of the features with what the images have without any labels: the top eigenvector of their second moment and of their covariance, and the variance of the pixels.",
		Columns: record.NumericColumns("task", "RFM, second moment", "RFM, covariance", "network, second moment", "network, covariance", "RFM, variance", "network, variance", "λ₁/λ₂, RFM", "λ₁/λ₂, network"),
	}
	for _, f := range found {
		row := []report.Cell{{Text: f.Name}}
		for _, m := range []spectrum{f.RFM, f.Net} {
			row = append(row, record.CorrelationCell(f.alike(m.top(), f.Images.top())), record.CorrelationCell(f.alike(m.top(), f.Centred.top())))
		}
		for _, m := range []spectrum{f.RFM, f.Net} {
			row = append(row, record.CorrelationCell(stat.Correlation(m.Diagonal, f.Centred.Diagonal, nil)))
		}
		for _, m := range []spectrum{f.RFM, f.Net} {
			gap := m.gap()
			row = append(row, record.NumberCell(&gap, "%.2f"))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// accuracyTable is how well everything does on the test images.
func accuracyTable(found []*taskFeatures) report.Table {
	t := report.Table{
		Name: "accuracies", Caption: "Test accuracies, and the share of the coordinates that RFM-T looks at, in percent.",
		Columns: record.NumericColumns("task", "network", "network, training", "Laplace", "RFM", "RFM-T", "coordinates"),
	}
	for _, f := range found {
		row := []report.Cell{{Text: f.Name}}
		for _, v := range []float64{f.NetAccuracy, f.NetTrain, f.LaplaceAccuracy, f.RFMAccuracy, f.TicketAccuracy, f.Kept} {
			row = append(row, record.PercentCell(v))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
