package table

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/parquet-go/parquet-go"
)

// parquetReader reads a column.
type parquetReader struct {
	column Column
	names  categories
	add    func(v parquet.Value) error // appends a value that is not null
}

// decodeParquetColumn reads column i of a file.
func decodeParquetColumn(f *parquet.File, i int, column parquetColumn) (*Column, error) {
	r := &parquetReader{column: Column{Name: strings.Clone(column.name)}}
	switch {
	case column.kind == parquetBoolean:
		r.column.Kind, r.column.Categories = Nominal, []string{"false", "true"}
		r.add = r.addBoolean
	case column.kind == parquetBytes, column.layout != "":
		r.column.Kind = Nominal
		r.add = func(v parquet.Value) error { return r.addText(column.text(v)) }
	default:
		r.add = func(v parquet.Value) error { return r.addNumber(column.number(v)) }
	}
	for _, group := range f.RowGroups() {
		if err := r.read(group.ColumnChunks()[i]); err != nil {
			return nil, err
		}
	}
	if r.column.Kind == Nominal && column.kind != parquetBoolean {
		r.names.sortInto(&r.column)
	}
	return &r.column, nil
}

func (r *parquetReader) addBoolean(v parquet.Value) error {
	code := int32(0)
	if v.Boolean() {
		code = 1
	}
	r.column.addCode(code)
	return nil
}

func (r *parquetReader) addNumber(v float64) error {
	if math.IsInf(v, 0) {
		return fmt.Errorf("%v in row %d is not finite", v, r.column.Len())
	}
	r.column.addNumberOrNaN(v)
	return nil
}

func (r *parquetReader) addText(text string) error {
	if !r.names.add(&r.column, text) {
		return fmt.Errorf("more than %d different names", maxCategories)
	}
	return nil
}

// read appends the column's values in one row group.
func (r *parquetReader) read(chunk parquet.ColumnChunk) error {
	pages := chunk.Pages()
	defer pages.Close()
	buffer := make([]parquet.Value, 1024)
	for {
		page, err := pages.ReadPage()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		err = r.readPage(page, buffer)
		parquet.Release(page)
		if err != nil {
			return err
		}
	}
}

// readPage appends the values of a page.
func (r *parquetReader) readPage(page parquet.Page, buffer []parquet.Value) error {
	values := page.Values()
	for {
		n, err := values.ReadValues(buffer)
		for _, v := range buffer[:n] {
			if v.IsNull() {
				r.column.addMissing()
			} else if err := r.add(v); err != nil {
				return err
			}
		}
		if err == io.EOF || n == 0 && err == nil {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
