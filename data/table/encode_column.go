package table

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/data/array"
)

// mean returns the mean of the values that are not missing, over the given rows (nil for all); 0 if there are none.
func (c *Column) mean(rows []int) float64 {
	n, sum, scaled := 0, 0.0, 0.0
	each := func(do func(v float64)) {
		eachRow(rows, c.Len(), func(i int) {
			if !c.IsMissing(i) {
				do(c.Values[i])
			}
		})
	}
	each(func(v float64) { n, sum = n+1, sum+v })
	if n == 0 {
		return 0
	}
	if isFinite(sum) {
		return sum / float64(n)
	}
	each(func(v float64) { scaled += v / float64(n) })
	return scaled
}

// mode returns the most frequent category of the rows, the first if several are; noCode if every value is missing.
func (c *Column) mode(rows []int) int32 {
	count := make([]int, len(c.Categories))
	eachRow(rows, c.Len(), func(i int) {
		if c.Codes[i] != noCode {
			count[c.Codes[i]]++
		}
	})
	mode, most := int32(noCode), 0
	for code, n := range count {
		if n > most {
			mode, most = int32(code), n
		}
	}
	return mode
}

// eachRow calls do with each index of rows, or with 0 to n-1 if rows is nil.
func eachRow(rows []int, n int, do func(i int)) {
	if rows == nil {
		for i := range n {
			do(i)
		}
		return
	}
	for _, i := range rows {
		do(i)
	}
}

// categories numbers names in the order in which they are added.
type categories struct {
	names []string
	index map[string]int32
}

// maxCategories bounds the categories of a column.
const maxCategories = 1 << 24

// tooManyNames returns the error of a column with more categories than that.
func tooManyNames(path, column string) *FormatError {
	return &FormatError{
		Path:   path,
		Offset: array.NoOffset,
		Want:   fmt.Sprintf("at most %d different names in column %s", maxCategories, show(column)),
		Got:    "more",
		Hint:   "leave the column out of the file",
	}
}

// code returns the index of a name, and adds the name if it is new; false if that would exceed maxCategories.
func (c *categories) code(name string) (int32, bool) {
	if code, known := c.index[name]; known {
		return code, true
	}
	if len(c.names) == maxCategories {
		return 0, false
	}
	if c.index == nil {
		c.index = map[string]int32{}
	}
	code := int32(len(c.names))
	c.index[name] = code
	c.names = append(c.names, name)
	return code, true
}

// sortInto makes the names the categories of a column, in the order of their bytes, so that the codes do not depend on
// the order of the rows.
func (c *categories) sortInto(column *Column) {
	column.Categories = slices.Clone(c.names)
	slices.Sort(column.Categories)
	rank := make([]int32, len(c.names))
	for i, name := range column.Categories {
		rank[c.index[name]] = int32(i)
	}
	for i, code := range column.Codes {
		if code != noCode {
			column.Codes[i] = rank[code]
		}
	}
}

// add appends a value to a column by its name, new or known; false if there are too many names.
func (c *categories) add(column *Column, name string) bool {
	code, known := c.index[name]
	if !known {
		var ok bool
		if code, ok = c.code(strings.Clone(name)); !ok { // cloned, since the name may share the memory of a whole file
			return false
		}
	}
	column.addCode(code)
	return true
}
