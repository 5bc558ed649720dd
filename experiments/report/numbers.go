package report

import (
	"bytes"
	"encoding/csv"
	"math"
	"strconv"

	"github.com/ansatz-lab/ansatz/experiments/report/axes"
)

// numbers collects the numbers that a picture shows as comma-separated values, a
// line for each value of the picture. Writing to a buffer never fails, so that there
// are no errors.
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

// exact returns v with all its digits, or "" for NaN, as in the CSV of a table.
func exact(v float64) string { return inDigits(v, -1) }

// rounded returns v to six digits, more than an eye can tell from a colour.
func rounded(v float64) string { return inDigits(v, 6) }

func inDigits(v float64, digits int) string {
	if math.IsNaN(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', digits, 64)
}

// valueAt returns element i of v, or NaN if v is shorter.
func valueAt(v []float64, i int) float64 {
	if i >= len(v) {
		return math.NaN()
	}
	return v[i]
}

// lineNumbers returns a CSV file with a line for each point of each curve.
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

// barNumbers returns a CSV file with a line for each bar.
func barNumbers(d *Description) []byte {
	n := newNumbers("group", "label", "value", "error")
	for _, g := range d.Bars {
		for i, label := range d.Names {
			n.row(g.Label, label, exact(g.Values[i]), exact(valueAt(g.Errors, i)))
		}
	}
	return n.bytes()
}

// layerNumbers returns a CSV file with a line for each layer of each series.
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

// maxNumbers is the largest number of elements in a CSV file, about 600 kB. The .npy
// file of a figure has all of them.
const maxNumbers = 1 << 15

// heatNumbers returns a CSV file with a line for each element of each matrix,
// counted from 0. For matrices with too many elements, each line has the mean of a
// square block: the column block is the number of elements on its side, and row and
// column are those of its first element.
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

// nameOr returns name i if there are names and blocks are single elements, else the number i.
func nameOr(names []string, i, block int) string {
	if len(names) == 0 || block > 1 {
		return strconv.Itoa(i)
	}
	return names[i]
}

// heatBlocks counts the square blocks of matrices.
func heatBlocks(panels []Matrix, block int) int {
	count := 0
	for _, m := range panels {
		count += ((m.Rows + block - 1) / block) * ((m.Cols + block - 1) / block)
	}
	return count
}

// gridNumbers returns a CSV file with a line for each value, from 0 to 1, of small
// pictures, whose pixels are data, such as eigenvectors. It returns nil if there are
// larger pictures, such as photographs, or too many pixels.
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
