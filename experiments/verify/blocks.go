package verify

import (
	"fmt"
	"slices"

	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/models"
)

// describeBlocks adds the conventions for layers with groups and with heads, if there are any.
func (v *Verification) describeBlocks(c *Conventions) {
	layers := v.Options.Chosen(v.Net)
	if slices.ContainsFunc(layers, func(l models.LayerInfo) bool { return l.Blocks() > 1 }) {
		c.Similarity += "; with groups CNFM and AGOP have one block for each group, and all elements of all " +
			"blocks count"
		c.Null += "; with groups each group's S is rotated; if a group has one filter, its S is permuted among " +
			"the channels"
	}
	if c.Statements != "" && slices.ContainsFunc(layers, func(l models.LayerInfo) bool { return l.Blocks() > 1 && l.BlockFilters() == 1 }) {
		c.Statements += "; if a group has one filter, the null permutes S_ℓ and the gradient among the channels in place of " +
			"replacing left singular vectors"
	}
	if slices.ContainsFunc(layers, func(l models.LayerInfo) bool { return l.Heads > 0 }) {
		c.Similarity += "; heads are blocks of rows of W and S, those of an output projection of columns of W"
	}
}

// groupsColumn is the table column for the number of groups; a table has it if a layer has several.
var groupsColumn = report.Column{Name: "groups", Numeric: true,
	Help: "of filters and channels; W, CNFM and AGOP have one block for each group"}

func (r *Record) hasGroups() bool {
	return slices.ContainsFunc(r.Layers, func(l LayerRecord) bool { return l.Groups > 1 })
}

// notJudged returns a sentence on the layers that no null can judge; "" if there are none.
func (r *Record) notJudged() string {
	n := 0
	for _, l := range r.Layers {
		if l.NotJudged != "" {
			n++
		}
	}
	switch n {
	case 0:
		return ""
	case 1:
		return " One layer is shown but not judged: permuting S among its channels does not change its " +
			"similarity."
	}
	return fmt.Sprintf(" %d layers are shown but not judged: permuting S among their channels does not change "+
		"their similarity.", n)
}

// whatTheNullPermutes explains the null of layers whose groups have one filter each.
const whatTheNullPermutes = " In a layer with groups CNFM and AGOP have one block for each group, and the null " +
	"rotates each. If a group has one filter, its two blocks differ only in scale: the null permutes the scales " +
	"among the channels, and a layer in which that changes nothing is shown but not judged."

// HeadsTable returns a table with the excess of every head of every layer that has heads; nil if none has.
func (r *Record) HeadsTable() *report.Table {
	t := &report.Table{
		Name: "heads",
		Caption: "Similarity less its null for every head of the attentions. A head is marked as layers are. " +
			"Heads of queries, keys and values are blocks of rows of W and S; those of an output projection are " +
			"blocks of columns of W.",
		Columns: []report.Column{{Name: "layer"}},
	}
	most := 0
	for _, l := range r.Layers {
		most = max(most, len(l.Heads))
	}
	if most == 0 {
		return nil
	}
	for h := range most {
		t.Columns = append(t.Columns, report.Column{Name: fmt.Sprintf("head %d", h), Numeric: true})
	}
	for _, l := range r.Layers {
		if len(l.Heads) > 0 {
			t.Rows = append(t.Rows, l.headsRow(most))
		}
	}
	return t
}

// headsRow returns the layer as a row of [Record.HeadsTable].
func (l LayerRecord) headsRow(columns int) []report.Cell {
	cells := []report.Cell{{Text: l.Layer}}
	for h := range columns {
		if h >= len(l.Heads) {
			cells = append(cells, report.Cell{})
			continue
		}
		mark := report.Muted
		if above, _ := l.Heads[h].Above(); above {
			mark = report.Good
		}
		cells = append(cells, record.MarkedCell(record.NumberCell(l.Heads[h].Excess, "%+.3f"), mark))
	}
	return cells
}
