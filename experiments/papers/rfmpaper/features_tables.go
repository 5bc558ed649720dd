package rfmpaper

import (
	"fmt"
	"math"

	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"gonum.org/v1/gonum/stat"
)

// setFeaturesMeasures fills in the values that the claims of a figure are judged by. Their
// names begin with figure.
func setFeaturesMeasures(found []*taskFeatures, figure string, o *study.Outcome) {
	least := func(of func(*taskFeatures) float64) float64 {
		v := math.Inf(1)
		for _, f := range found {
			v = math.Min(v, of(f))
		}
		return v
	}
	mean := func(of func(*taskFeatures) float64) float64 {
		sum := 0.
		for _, f := range found {
			sum += of(f)
		}
		return sum / float64(len(found))
	}
	vectors := func(f *taskFeatures) float64 { return f.correlate(f.Net.top(), f.RFM.top()) }
	diagonals := func(f *taskFeatures) float64 { return stat.Correlation(f.Net.Diagonal, f.RFM.Diagonal, nil) }
	o.Values[figure+"eigenvectors_least"], o.Values[figure+"eigenvectors_mean"] = least(vectors), mean(vectors)
	o.Values[figure+"diagonals_least"], o.Values[figure+"diagonals_mean"] = least(diagonals), mean(diagonals)
	o.Values[figure+"eigenvectors_over_images"] = mean(func(f *taskFeatures) float64 {
		return vectors(f) - math.Max(f.correlate(f.Images.top(), f.RFM.top()),
			f.correlate(f.Centred.top(), f.RFM.top()))
	})
	o.Values[figure+"diagonals_over_images"] = mean(func(f *taskFeatures) float64 {
		return diagonals(f) - stat.Correlation(f.Centred.Diagonal, f.RFM.Diagonal, nil)
	})
	o.Values[figure+"ticket_over_network"] = mean(func(f *taskFeatures) float64 {
		return f.TicketAccuracy - f.NetAccuracy
	})
	o.Values[figure+"gap_rfm_least"] = least(func(f *taskFeatures) float64 { return f.RFM.gap() })
	o.Values[figure+"gap_network_least"] = least(func(f *taskFeatures) float64 { return f.Net.gap() })
	setCrossedMeasures(found, figure, o)
}

// correlationTable returns the correlations of each network's features with those of an RFM.
func correlationTable(found []*taskFeatures) report.Table {
	t := report.Table{
		Name: "correlations", Caption: "Correlation of the features of the network with those of the RFM, by task.",
		Columns: record.NumericColumns("task", "top eigenvector", "with W₁ − W₀", "before training", "diagonal",
			"with W₁ − W₀ ", "before training "),
	}
	for _, f := range found {
		row := []report.Cell{{Text: f.Name}}
		for _, m := range []spectrum{f.Net, f.Change, f.Before} {
			row = append(row, record.CorrelationCell(f.correlate(m.top(), f.RFM.top())))
		}
		for _, m := range []spectrum{f.Net, f.Change, f.Before} {
			row = append(row, record.CorrelationCell(stat.Correlation(m.Diagonal, f.RFM.Diagonal, nil)))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// controlTable returns the correlations of features with what the images alone explain.
func controlTable(found []*taskFeatures) report.Table {
	t := report.Table{
		Name: "controls", Caption: "Correlation of the features with what the images have without any labels: the " +
			"top eigenvector of their second moment and of their covariance, and the variance of the pixels.",
		Columns: record.NumericColumns("task", "RFM, second moment", "RFM, covariance", "network, second moment",
			"network, covariance", "RFM, variance", "network, variance", "λ₁/λ₂, RFM", "λ₁/λ₂, network"),
	}
	for _, f := range found {
		row := []report.Cell{{Text: f.Name}}
		for _, m := range []spectrum{f.RFM, f.Net} {
			row = append(row, record.CorrelationCell(f.correlate(m.top(), f.Images.top())),
				record.CorrelationCell(f.correlate(m.top(), f.Centred.top())))
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

// accuracyTable returns the accuracies of all machines on the test images.
func accuracyTable(found []*taskFeatures) report.Table {
	t := report.Table{
		Name: "accuracies", Caption: "Test accuracies, and the share of the coordinates that RFM-T looks at, in " +
			"percent.",
		Columns: record.NumericColumns("task", "network", "network, training", "Laplace", "RFM", "RFM-T",
			"coordinates"),
	}
	for _, f := range found {
		row := []report.Cell{{Text: f.Name}}
		for _, v := range []float64{
			f.NetAccuracy, f.NetTrain, f.LaplaceAccuracy, f.RFMAccuracy, f.TicketAccuracy, f.Kept,
		} {
			row = append(row, record.PercentCell(v))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// addFeatureFigures draws the eigenvectors and diagonals.
func addFeatureFigures(found []*taskFeatures, o *study.Outcome) error {
	var rows, spectra [][]report.Image
	for _, f := range found {
		s := *f.Shape
		rows = append(rows, []report.Image{
			record.RowImage(f.Examples[0], s, f.Classes[0]), record.RowImage(f.Examples[1], s, f.Classes[1]),
			record.SignedImage(f.Net.top(), s, ""), record.SignedImage(f.RFM.top(), s, ""),
			record.HeatImage(f.Net.Diagonal, s, ""), record.HeatImage(f.RFM.Diagonal, s, ""),
			record.HeatImage(f.Centred.Diagonal, s, ""),
		})
		var row []report.Image
		for _, m := range []spectrum{f.Net, f.RFM} {
			for k := range m.Vectors {
				row = append(row, record.SignedImage(m.Vectors[k], s, fmt.Sprintf("λ = %.3g", m.Values[k])))
			}
		}
		spectra = append(spectra, row)
	}
	columns := []string{
		"", "", "top eigenvector, network", "top eigenvector, RFM", "diagonal, network", "diagonal, RFM",
		"variance of the pixels",
	}
	f, err := report.ImageGrid("features", columns, rows)
	f.Caption = "A row a task: two images, the top eigenvectors of W₁ᵀW₁ and of M (grey is 0), their diagonals (dark " +
		"is 0), and what the images alone would show."
	f.Alt, f.Wide = "Top eigenvectors and diagonals of the feature matrices as images", true
	o.Figures = append(o.Figures, f)
	if err != nil {
		return err
	}
	f, err = report.ImageGrid("eigenvectors", []string{"network, 1", "2", "3", "RFM, 1", "2", "3"}, spectra)
	f.Caption = "The top three eigenvectors of W₁ᵀW₁ and of M, with their eigenvalues over the sum of all. A row a " +
		"task."
	f.Alt, f.Wide = "Eigenvectors of the feature matrices as images", true
	o.Figures = append(o.Figures, f)
	return err
}
