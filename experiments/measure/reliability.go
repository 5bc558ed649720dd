package measure

import "gonum.org/v1/gonum/mat"

// Bin is a bin of a reliability curve: the pairs of row and class whose probability lies between two numbers.
type Bin struct {
	Predicted float64 `json:"predicted"` // their mean probability
	Observed  float64 `json:"observed"`  // the share of rows that belong to the class
	Count     int     `json:"count"`
}

// reliabilityBins is the number of bins of equal width.
const reliabilityBins = 10

// Reliability compares probabilities p, n×classes, with observed frequencies, in ten bins of equal width; empty bins
// are left out. For two classes it uses the second, for more all of them. The second result is the expected
// calibration error, the mean of |predicted − observed| weighted by the bins' counts.
func Reliability(p *mat.Dense, classes []int) (bins []Bin, calibrationError float64) {
	n, count := p.Dims()
	first := 0
	if count == 2 {
		first = 1
	}
	all := make([]Bin, reliabilityBins)
	for i := range n {
		for k := first; k < count; k++ {
			v := p.At(i, k)
			b := &all[min(int(v*reliabilityBins), reliabilityBins-1)]
			b.Predicted += v
			b.Count++
			if classes[i] == k {
				b.Observed++
			}
		}
	}
	total := float64(n * (count - first))
	for _, b := range all {
		if b.Count > 0 {
			c := float64(b.Count)
			b.Predicted, b.Observed = b.Predicted/c, b.Observed/c
			calibrationError += c / total * max(b.Predicted-b.Observed, b.Observed-b.Predicted)
			bins = append(bins, b)
		}
	}
	return bins, calibrationError
}
