package rfmpaper

import (
	"fmt"
	"math"

	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// setTaskMeasures sets the measures of a part, which are over some tasks.
func setTaskMeasures(found []*taskFeatures, part string, o *study.Outcome) {
	set := func(m study.Measure, v float64) { o.Set(m.Of(part), v) }
	vectors := func(f *taskFeatures) float64 { return correlateVectors(f.Net, f.RFM) }
	diagonals := func(f *taskFeatures) float64 { return correlateDiagonals(f.Net, f.RFM) }
	set(eigenvectorsLeast, record.LeastOf(found, vectors))
	set(eigenvectorsMean, record.MeanOf(found, vectors))
	set(eigenvectorsOverImages, record.MeanOf(found, func(f *taskFeatures) float64 {
		return vectors(f) - max(correlateVectors(f.Images, f.RFM), correlateVectors(f.Centred, f.RFM))
	}))
	set(diagonalsLeast, record.LeastOf(found, diagonals))
	set(diagonalsMean, record.MeanOf(found, diagonals))
	set(diagonalsOverImages, record.MeanOf(found, func(f *taskFeatures) float64 {
		return diagonals(f) - correlateDiagonals(f.Centred, f.RFM)
	}))
	set(ticketOverNetwork, record.MeanOf(found, func(f *taskFeatures) float64 {
		return f.TicketAccuracy - f.NetAccuracy
	}))
	set(ticketOverLaplace, record.MeanOf(found, func(f *taskFeatures) float64 {
		return f.TicketAccuracy - f.LaplaceAccuracy
	}))
	third, excess := bestThird(found)
	set(thirdMost, third)
	set(thirdOverImages, excess)
	set(rfmGapLeast, record.LeastOf(found, func(f *taskFeatures) float64 { return f.RFM.gap() }))
	set(networkGapLeast, record.LeastOf(found, func(f *taskFeatures) float64 { return f.Net.gap() }))

	// The network of one task and the RFM of another, on images of the same size. Such a pair may not exist.
	type pair struct{ net, rfm spectrum }
	var crossed []pair
	for _, a := range found {
		for _, b := range found {
			if a != b && *a.Shape == *b.Shape {
				crossed = append(crossed, pair{a.Net, b.RFM})
			}
		}
	}
	set(eigenvectorsCrossed, record.MeanOf(crossed, func(p pair) float64 { return correlateVectors(p.net, p.rfm) }))
	set(diagonalsCrossed, record.MeanOf(crossed, func(p pair) float64 { return correlateDiagonals(p.net, p.rfm) }))
}

// bestThird returns the largest correlation over the tasks of the RFM's third eigenvector with the network's
// second, and by how much it exceeds that with the eigenvectors of the images' covariance. They are NaN if there
// are too few features.
func bestThird(found []*taskFeatures) (most, overImages float64) {
	most, overImages = math.NaN(), math.NaN()
	for _, f := range found {
		third, ok := f.thirdCorrelation()
		if !ok || third <= most {
			continue
		}
		most, overImages = third, third
		for _, v := range f.Centred.Vectors {
			overImages = min(overImages, third-correlate(f.RFM.Vectors[2], v))
		}
	}
	return most, overImages
}

// thirdCorrelation returns the correlation of the RFM's third eigenvector with the network's second, and whether both
// exist.
func (f *taskFeatures) thirdCorrelation() (float64, bool) {
	if len(f.RFM.Vectors) < 3 || len(f.Net.Vectors) < 2 {
		return math.NaN(), false
	}
	return correlate(f.RFM.Vectors[2], f.Net.Vectors[1]), true
}

// featureTables returns tables by task: the correlations of each network's features with those of an RFM, the
// correlations of both with statistics of the images alone, and the accuracies.
func featureTables(found []*taskFeatures) []report.Table {
	type row = *taskFeatures
	task := record.TextField("task", func(f row) string { return f.Name })
	vectors := func(name string, a, b func(row) spectrum) record.Field[row] {
		return record.NumberField(name, "%.3f", func(f row) float64 { return correlateVectors(a(f), b(f)) })
	}
	diagonals := func(name string, a, b func(row) spectrum) record.Field[row] {
		return record.NumberField(name, "%.3f", func(f row) float64 { return correlateDiagonals(a(f), b(f)) })
	}
	net := func(f row) spectrum { return f.Net }
	change := func(f row) spectrum { return f.Change }
	before := func(f row) spectrum { return f.Before }
	learner := func(f row) spectrum { return f.RFM }
	images := func(f row) spectrum { return f.Images }
	centred := func(f row) spectrum { return f.Centred }
	return []report.Table{
		record.TableOf("correlations", "Correlation of the features of the network with those of the RFM, by task.",
			found, task,
			vectors("top eigenvector", net, learner), vectors("with W₁ − W₀", change, learner),
			vectors("before training", before, learner), diagonals("diagonal", net, learner),
			diagonals("with W₁ − W₀ ", change, learner), diagonals("before training ", before, learner),
			record.NumberField("RFM's third with network's second", "%.3f", func(f row) float64 {
				third, _ := f.thirdCorrelation()
				return third
			})),
		record.TableOf("controls", "Correlation of the features with statistics of the images, without labels: "+
			"the top eigenvector of their second moment and of their covariance, and the variance of the pixels.",
			found, task,
			vectors("RFM, second moment", learner, images), vectors("RFM, covariance", learner, centred),
			vectors("network, second moment", net, images), vectors("network, covariance", net, centred),
			diagonals("RFM, variance", learner, centred), diagonals("network, variance", net, centred),
			record.NumberField("λ₁/λ₂, RFM", "%.2f", func(f row) float64 { return f.RFM.gap() }),
			record.NumberField("λ₁/λ₂, network", "%.2f", func(f row) float64 { return f.Net.gap() })),
		record.TableOf("accuracies", "Test accuracies, and the share of the coordinates that RFM-T looks at, in "+
			"percent.",
			found, task,
			record.PercentField("network", func(f row) float64 { return f.NetAccuracy }),
			record.PercentField("network, training", func(f row) float64 { return f.NetTrain }),
			record.PercentField("Laplace", func(f row) float64 { return f.LaplaceAccuracy }),
			record.PercentField("RFM", func(f row) float64 { return f.RFMAccuracy }),
			record.PercentField("RFM-T", func(f row) float64 { return f.TicketAccuracy }),
			record.PercentField("coordinates", func(f row) float64 { return f.Kept })),
	}
}

// addFeatureFigures draws the eigenvectors and diagonals.
func addFeatureFigures(found []*taskFeatures, o *study.Outcome) error {
	var rows, spectra [][]report.Image
	var tasks []string
	for _, f := range found {
		s := *f.Shape
		tasks = append(tasks, f.Name)
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
	f, err := report.ImageGrid("features", columns, rows, tasks...)
	f.Caption = "One row for each task: two images, the top eigenvectors of W₁ᵀW₁ and of M (grey is 0), their " +
		"diagonals (dark is 0), and the same for the images alone."
	f.Alt, f.Wide = "Top eigenvectors and diagonals of the feature matrices as images", true
	o.Figures = append(o.Figures, f)
	if err != nil {
		return err
	}
	f, err = report.ImageGrid("eigenvectors", []string{"network, 1", "2", "3", "RFM, 1", "2", "3"}, spectra,
		tasks...)
	f.Caption = "The top three eigenvectors of W₁ᵀW₁ and of M, with their eigenvalues over the sum of all. A row a " +
		"task."
	f.Alt, f.Wide = "Eigenvectors of the feature matrices as images", true
	o.Figures = append(o.Figures, f)
	return err
}
