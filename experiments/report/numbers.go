package report

import (
	"bytes"
	"encoding/csv"
	"math"
	"strconv"

	"github.com/ansatz-lab/ansatz/experiments/report/axes"
)

// numbers collects what a picture shows as comma-separated values, one value of
// the picture a line. A buffer takes all that is written to it, so that there are
// no errors.
type numbers struct {
	buffer bytes.Buffer
	csv    *csv.Writer
}

func newNumbers(columns ...string) *numbers {
	n := &numbers{}
	n.csv = csv.NewWriter(&n.buffer)
	n.row(columns...)
	return n
}

func (n *numbers) row(fields ...string) { n.csv.Write(fields) }

func (n *numbers) bytes() []byte {
	n.csv.Flush()
	return n.buffer.Bytes()
}

// exact is v with all its digits, blank for NaN, as in the CSV of a table.
func exact(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// rounded is v to six digits, more than the eye takes from a shade.
func rounded(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', 6, 64)
}

// valueAt is element i of v, NaN where v has none.
func valueAt(v []float64, i int) float64 {
	if i >= len(v) {
		return math.NaN()
	}
	return v[i]
}

// lineNumbers has a line for each point of each curve.
func lineNumbers(d *Description) []byte {
	n := newNumbers("series", "x", "y", "low", "high")
	x, y := axes.QuantityOf(d.XLabel).Value, axes.QuantityOf(d.YLabel).Value
	for _, s := range d.Lines {
		for i := range s.X {
			n.row(s.Label, exact(x(s.X[i])), exact(y(s.Y[i])), exact(y(valueAt(s.Low, i))), exact(y(valueAt(s.High, i))))
		}
	}
	return n.bytes()
}

// barNumbers has a line for each bar.
func barNumbers(d *Description) []byte {
	n := newNumbers("group", "label", "value", "error")
	for _, g := range d.Bars {
		for i, label := range d.Names {
			n.row(g.Label, label, exact(g.Values[i]), exact(valueAt(g.Errors, i)))
		}
	}
	return n.bytes()
}

// layerNumbers has a line for each layer of each series.
func layerNumbers(d *Description) []byte {
	n := newNumbers("series", "layer", "value", "se", "null_mean", "null_sd")
	for _, s := range d.Layers {
		for i, layer := range d.Names {
			n.row(s.Label, layer, exact(s.Value[i]), exact(valueAt(s.SE, i)), exact(valueAt(s.NullMean, i)),
				exact(valueAt(s.NullSD, i)))
		}
	}
	return n.bytes()
}

// maxNumbers is how many elements of matrices are written at most: about 600 kB.
// What is larger is in a file of its own, as .npy.
const maxNumbers = 1 << 15

// heatNumbers has a line for each element of each matrix, counted from 0. Of
// matrices with too many elements it has the means of square blocks, as many
// elements a side as the column block says; row and column are then those of a
// block's first element.
func heatNumbers(d *Description) []byte {
	panels := d.Matrices
	block := 1
	for heatBlocks(panels, block) > maxNumbers {
		block++
	}
	n := newNumbers("matrix", "row", "column", "block", "value")
	size := strconv.Itoa(block)
	for _, m := range panels {
		p := heatPanel{Matrix: m, factor: block}
		for i := 0; i < m.Rows; i += block {
			for j := 0; j < m.Cols; j += block {
				n.row(m.Title, nameOr(m.RowNames, i, block), nameOr(m.ColNames, j, block), size,
					rounded(p.mean(i/block, j/block)))
			}
		}
	}
	return n.bytes()
}

// nameOr returns name i where there are names and blocks are single elements, else the number i.
func nameOr(names []string, i, block int) string {
	if len(names) == 0 || block > 1 {
		return strconv.Itoa(i)
	}
	return names[i]
}

// heatBlocks counts the blocks of matrices.
func heatBlocks(panels []Matrix, block int) int {
	count := 0
	for _, m := range panels {
		count += ((m.Rows + block - 1) / block) * ((m.Cols + block - 1) / block)
	}
	return count
}

// gridNumbers has a line for each value of pictures whose pixels are data, as those
// of eigenvectors are: of small ones, as they are shown, from 0 to 1. It is nil if
// there are others, such as photographs, or too many pixels.
func gridNumbers(d *Description) []byte {
	rows := d.Images
	count := 0
	for _, row := range rows {
		for i := range row {
			if max(row[i].Width, row[i].Height) > crispUpTo {
				return nil
			}
			count += len(row[i].Pixels)
		}
	}
	if count == 0 || count > maxNumbers {
		return nil
	}
	n := newNumbers("row", "column", "caption", "y", "x", "channel", "value")
	for r, row := range rows {
		for c, m := range row {
			at := []string{strconv.Itoa(r), strconv.Itoa(c), m.Caption}
			for i, v := range m.Pixels {
				pixel := i / m.Channels
				n.row(append(at, strconv.Itoa(pixel/m.Width), strconv.Itoa(pixel%m.Width), strconv.Itoa(i%m.Channels),
					rounded(v))...)
			}
		}
	}
	return n.bytes()
}
