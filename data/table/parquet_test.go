package table

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/ansatz-lab/ansatz/data/table/thrift"
	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
)

// numbersParquet returns the table that testdata/make_parquet.mjs wrote to numbers.parquet.
func numbersParquet() *Table {
	t := &Table{Name: "numbers", Rows: 20, Columns: []Column{{Name: "int32"}, {Name: "int64"}, {Name: "float"},
		{Name: "double"}, {Name: "gaps"}}}
	for i := range 20 {
		v := float64(i)
		t.Columns[0].addNumber(v - 3)
		t.Columns[1].addNumber(v * 3e9)
		t.Columns[2].addNumber(v / 4)
		if i == 5 {
			v = math.NaN()
		}
		t.Columns[3].addNumberOrNaN(v / 10)
		if v = float64(i); i%3 == 0 {
			v = math.NaN()
		}
		t.Columns[4].addNumberOrNaN(v)
	}
	return t
}

func TestParquetOfAnotherWriter(t *testing.T) {
	got, err := Open("testdata/numbers.parquet")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(numbersParquet(), got, content); d != "" {
		t.Error(d)
	}
	names, err := Open("testdata/names.parquet")
	if err != nil {
		t.Fatal(err)
	}
	checkTable(t, names)
	flag, class, word := names.Columns[1], names.Columns[2], names.Columns[3]
	for i := range 20 {
		if flag.IsMissing(i) != (i == 4) || flag.Codes[i] == 1 != (i%4 == 1) {
			t.Errorf("flag %d: %d", i, flag.Codes[i])
		}
		if got := class.Categories[class.Codes[i]]; got != []string{"setosa", "virginica", "é"}[i%3] {
			t.Errorf("class %d: %s", i, got)
		}
		if word.IsMissing(i) != (i == 7) || !word.IsMissing(i) && word.Categories[word.Codes[i]] != fmt.Sprint("w", i) {
			t.Errorf("word %d: %d", i, word.Codes[i])
		}
	}
}

// row is a row of the files that the tests write with parquet-go.
type row struct {
	I8   int8    `parquet:"i8"`
	U32  uint32  `parquet:"u32"`
	U64  uint64  `parquet:"u64,optional"`
	F    float32 `parquet:"f,dict"`
	Name string  `parquet:"name,dict"`
	Gap  *string `parquet:"gap,optional,plain"`
	B    bool    `parquet:"b"`
	Y    *int64  `parquet:"y,optional,dict"`
}

func rowsOf(n int) []row {
	rows := make([]row, n)
	for i := range rows {
		rows[i] = row{I8: int8(-i), U32: math.MaxUint32 - uint32(i), U64: math.MaxUint64, F: float32(i % 7),
			Name: fmt.Sprint("name", i%5), B: i%2 == 0}
		if i%3 != 0 {
			word, y := strings.Repeat("w", i%4), int64(i)
			rows[i].Gap, rows[i].Y = &word, &y
		}
	}
	return rows
}

// parquetOf returns a Parquet file of the given rows.
func parquetOf[T any](t testing.TB, rows []T, o ...parquet.WriterOption) string {
	t.Helper()
	var b bytes.Buffer
	if err := parquet.Write(&b, rows, o...); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestParquetForms checks that a table is read correctly from every compression and page format, and from several pages
// and row groups.
func TestParquetForms(t *testing.T) {
	const n = 3000
	var want *Table
	for name, o := range map[string][]parquet.WriterOption{
		"none":     nil,
		"v1":       {parquet.DataPageVersion(1)},
		"snappy":   {parquet.Compression(&parquet.Snappy)},
		"gzip":     {parquet.Compression(&parquet.Gzip), parquet.DataPageVersion(1)},
		"zstd":     {parquet.Compression(&parquet.Zstd)},
		"zstd v1":  {parquet.Compression(&parquet.Zstd), parquet.DataPageVersion(1)},
		"pages":    {parquet.PageBufferSize(1000)},
		"row sets": {parquet.MaxRowsPerRowGroup(100), parquet.Compression(&parquet.Snappy)},
	} {
		got, err := ReadParquet("x.parquet", strings.NewReader(parquetOf(t, rowsOf(n), o...)))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		checkTable(t, got)
		if want == nil {
			want = got
		}
		if d := cmp.Diff(want, got, content); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	last := n - 1 // 2999, which is 3 modulo 7 and 4 modulo 5
	if got := []float64{want.Columns[0].Values[7], want.Columns[1].Values[last], want.Columns[2].Values[1],
		want.Columns[3].Values[last], want.Columns[7].Values[1]}; !cmp.Equal(got,
		[]float64{-7, math.MaxUint32 - float64(last), math.MaxUint64, float64(last % 7), 1}) {
		t.Error(got)
	}
	if name := want.Columns[4]; name.Categories[name.Codes[last]] != "name4" || !want.Columns[5].IsMissing(3) ||
		want.Columns[6].Codes[1] != 0 {
		t.Errorf("%v", name.Codes[last])
	}
}

func TestParquetRefused(t *testing.T) {
	type inner struct{ A, B int }
	one := []int{1}
	for name, text := range map[string]string{
		"lists":   parquetOf(t, []struct{ L []int }{{one}}),
		"records": parquetOf(t, []struct{ R inner }{{inner{1, 2}}}),
		"fixed":   parquetOf(t, []struct{ F [3]byte }{{}}),
		"uuid": parquetOf(t, []struct {
			U [16]byte `parquet:"u,uuid"`
		}{{}}),
		"deltas": parquetOf(t, []struct {
			D int64 `parquet:"d,delta"`
		}{{1}}),
		"brotli":   parquetOf(t, rowsOf(9), parquet.Compression(&parquet.Brotli)),
		"lz4":      parquetOf(t, rowsOf(9), parquet.Compression(&parquet.Lz4Raw)),
		"infinite": parquetOf(t, []struct{ F float64 }{{math.Inf(1)}}),
		"no rows":  parquetOf(t, []row{}),
		"index": parquetOf(t, []struct {
			I int `parquet:"__index_level_0__"`
		}{{1}}),
	} {
		got, err := ReadParquet(name, strings.NewReader(text))
		if got != nil {
			t.Errorf("%s: a table", name)
		}
		if f := wantFormatError(t, err); (name == "uuid" || name == "fixed") && !strings.Contains(f.Hint, "write its values as texts") {
			t.Error(f)
		}
	}
}

// TestParquetTimesAndDecimals checks that dates and times are read as texts, and decimals as numbers, whatever type
// they are stored in.
func TestParquetTimesAndDecimals(t *testing.T) {
	type row struct {
		Date   int32            `parquet:"date,date"`
		Milli  time.Time        `parquet:"milli,timestamp(millisecond)"`
		Nano   *time.Time       `parquet:"nano,optional,timestamp(nanosecond),dict"`
		Clock  int64            `parquet:"clock,time(microsecond)"`
		Old    deprecated.Int96 `parquet:"old"`
		Small  int32            `parquet:"small,decimal(3:9)"`
		Large  int64            `parquet:"large,decimal(2:18)"`
		Widest [16]byte         `parquet:"widest,decimal(2:38)"`
	}
	at := time.Date(1969, 12, 31, 23, 59, 58, 250e6, time.UTC)
	wide := func(head, tail byte) (b [16]byte) {
		for i := range b {
			b[i] = head
		}
		b[15] = tail
		return b
	}
	rows := []row{
		{-1, at, &at, 5400e6, deprecated.Int96{1e9, 0, 2440589}, -1500, 1234567, wide(0xff, 0x85)},
		{18653, at.Add(2 * time.Second), nil, 0, deprecated.Int96{0, 0, 2440587}, 7, -1, wide(0, 125)},
	}
	for _, o := range [][]parquet.WriterOption{nil, {parquet.DataPageVersion(1), parquet.Compression(&parquet.Zstd)}} {
		got, err := ReadParquet("x.parquet", strings.NewReader(parquetOf(t, rows, o...)))
		if err != nil {
			t.Fatal(err)
		}
		checkTable(t, got)
		for i, want := range [][2]string{{"1969-12-31", "2021-01-26"}, {"1969-12-31 23:59:58.25", "1970-01-01 00:00:00.25"},
			{"1969-12-31 23:59:58.25", "missing"}, {"01:30:00", "00:00:00"}, {"1970-01-02 00:00:01", "1969-12-31 00:00:00"},
			{"-1.5", "0.007"}, {"12345.67", "-0.01"}, {"-1.23", "1.25"}} {
			c := &got.Columns[i]
			for k := range want {
				text := "missing"
				if c.Kind == Numeric {
					text = formatNumber(c.Values[k])
				} else if !c.IsMissing(k) {
					text = c.Categories[c.Codes[k]]
				}
				if text != want[k] {
					t.Errorf("%s of row %d is %s, want %s", c.Name, k, text, want[k])
				}
			}
		}
	}
}

func TestParquetCutAnywhere(t *testing.T) {
	for _, file := range []string{"testdata/numbers.parquet", "testdata/names.parquet"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for cut := range text {
			_, err := ReadParquet(file, bytes.NewReader(text[:cut]))
			if f := wantFormatError(t, err); f.Offset < 0 || f.Offset > int64(cut) {
				t.Errorf("cut at %d: error at byte %d", cut, f.Offset)
			}
		}
	}
}

// TestParquetWrongAnywhere checks that a wrong byte never causes a panic, and that before the footer it gives an error
// or does not change the table, since each page has a checksum. The footer has none. A wrong byte in it may change a
// type or the name of a column, but the name remains valid UTF-8.
func TestParquetWrongAnywhere(t *testing.T) {
	for _, text := range []string{
		parquetOf(t, rowsOf(9), parquet.Compression(&parquet.Snappy)),
		parquetOf(t, rowsOf(9), parquet.DataPageVersion(1)),
	} {
		want, err := ReadParquet("wrong.parquet", strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		footer := len(text) - 8 - int(uint32At(text, len(text)-8))
		for i := range text {
			for _, wrong := range []byte{text[i] ^ 1, ^text[i]} {
				got, err := ReadParquet("wrong.parquet", strings.NewReader(text[:i]+string([]byte{wrong})+text[i+1:]))
				if err != nil {
					wantFormatError(t, err)
					continue
				}
				checkTable(t, got)
				for c := range got.Columns {
					if !utf8.ValidString(got.Columns[c].Name) {
						t.Errorf("byte %d: a column %q", i, got.Columns[c].Name)
					}
					got.Columns[c].Name = want.Columns[c].Name
				}
				if d := cmp.Diff(want, got, content); i < footer && d != "" {
					t.Errorf("byte %d: %s", i, d)
				}
			}
		}
	}
}

// TestParquetBombs checks that pages that claim more than they contain, or more than the limits allow, are refused.
func TestParquetBombs(t *testing.T) {
	p := &parquetPage{parquetGuard: &parquetGuard{path: "bomb"}}
	for name, check := range map[string]func() error{
		"a run of 2^40": func() error {
			_, err := p.checkRuns("\x80\x80\x80\x80\x80\x80\x01\x01", 1,
				8)
			return err
		},
		"many runs": func() error {
			_, err := p.checkRuns(strings.Repeat("\xfe\xff\x01\x01", 9), 1,
				20000)
			return err
		},
		"half a packed run": func() error { _, err := p.checkRuns("\x05\xff", 1, 9); return err },
		"snappy of 2^31": func() error {
			p.codec = codecSnappy
			_,
				err := p.inflate("\xff\xff\xff\xff\x07a", 5)
			return err
		},
		"zeros in gzip": func() error {
			p.codec = codecGzip
			_,
				err := p.inflate(gzipOfZeros(t, 1<<20), 100)
			return err
		},
		"zeros in zstd": func() error {
			p.codec = codecZstd
			_,
				err := p.inflate(zstdOfZeros(t, 1<<20), 100)
			return err
		},
		"a header of 2^20 numbers": func() error {
			text := parquetMagic + "\x15\x00\xf9\xf3\x80\x80\x40" + strings.Repeat("\x00", maxHeader) + "\x00"
			g := &parquetGuard{path: "bomb", text: text, data: len(text)}
			return g.chunk(parquetColumn{}, thrift.Struct{9: int64(len(parquetMagic)), 7: int64(len(text) - len(parquetMagic))})
		},
		"many large pages": func() error {
			p.inflated, p.header = maxInflated-9, thrift.Struct{2: int64(10)}
			_, err := p.check("")
			return err
		},
		"texts of 2^32":      func() error { p.column.kind = parquetBytes; return p.checkPlain("\xff\xff\xff\xff", 1) },
		"numbers, too few":   func() error { p.column.kind = parquetDouble; return p.checkPlain("1234567", 1) },
		"more than the most": func() error { return p.checkPlain("", maxCells+1) },
	} {
		if f := wantFormatError(t, check()); f.Path != "bomb" {
			t.Errorf("%s: %v", name, f)
		}
	}
}

func gzipOfZeros(t *testing.T, n int) string {
	t.Helper()
	b, err := parquet.Gzip.Encode(nil, make([]byte, n))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func zstdOfZeros(t *testing.T, n int) string {
	t.Helper()
	b, err := parquet.Zstd.Encode(nil, make([]byte, n))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestParquetTypes checks which types a column may have. The types are given by their numbers in the format.
func TestParquetTypes(t *testing.T) {
	integer := func(bits, signed int64) thrift.Struct {
		return thrift.Struct{10: thrift.Struct{10: thrift.Struct{1: bits, 2: signed}}}
	}
	timestamp := func(unit int16) thrift.Struct {
		return thrift.Struct{10: thrift.Struct{8: thrift.Struct{2: thrift.Struct{unit: thrift.Struct{}}}}}
	}
	for _, c := range []struct {
		kind         int64
		element      thrift.Struct
		ok, unsigned bool
	}{
		{parquetBoolean, nil, true, false},
		{parquetDouble, nil, true, false},
		{parquetBytes, nil, true, false},
		{parquetInt96, nil, true, false},
		{7, nil, false, false}, // FIXED_LEN_BYTE_ARRAY
		{-1, nil, false, false},
		{parquetInt32, integer(16, 0), true, true},
		{parquetInt64, integer(64, 1), true, false},
		{parquetInt32, integer(64, 1), false, false},
		{parquetInt64, integer(8, 1), false, false},
		{parquetBytes, thrift.Struct{10: thrift.Struct{1: thrift.Struct{}}}, true, false},
		{parquetInt32, thrift.Struct{10: thrift.Struct{1: thrift.Struct{}}}, false, false},
		{parquetInt32, thrift.Struct{10: thrift.Struct{6: thrift.Struct{}}}, true, false}, // DATE
		{parquetInt64, thrift.Struct{10: thrift.Struct{6: thrift.Struct{}}}, false, false},
		{parquetInt64, timestamp(3), true, false},
		{parquetInt32, timestamp(1), false, false},
		{parquetInt64, timestamp(4), false, false},
		{parquetInt32, thrift.Struct{10: thrift.Struct{11: thrift.Struct{}}}, true, false}, // null
		{parquetBytes, thrift.Struct{6: int64(0)}, true, false},
		{parquetInt32, thrift.Struct{6: int64(0)}, false, false},
		{parquetInt32, thrift.Struct{6: int64(5), 7: int64(2)}, true, false}, // DECIMAL
		{parquetDouble, thrift.Struct{6: int64(5), 7: int64(2)}, false, false},
		{parquetInt32, thrift.Struct{6: int64(5), 7: int64(-1)}, false, false},
		{parquetFixed, thrift.Struct{2: int64(33), 6: int64(5), 7: int64(2)}, false, false},
		{parquetInt32, thrift.Struct{6: int64(6)}, true, false}, // DATE
		{parquetInt32, thrift.Struct{6: int64(7)}, true, false}, // TIME_MILLIS
		{parquetInt32, thrift.Struct{6: int64(8)}, false, false},
		{parquetInt64, thrift.Struct{6: int64(9)}, true, false},  // TIMESTAMP_MILLIS
		{parquetInt32, thrift.Struct{6: int64(13)}, true, true},  // UINT_32
		{parquetInt64, thrift.Struct{6: int64(14)}, true, true},  // UINT_64
		{parquetInt32, thrift.Struct{6: int64(15)}, true, false}, // INT_8
		{parquetInt64, thrift.Struct{6: int64(15)}, false, false},
		{parquetInt64, thrift.Struct{6: int64(18)}, true, false}, // INT_64
		{parquetInt32, thrift.Struct{6: int64(18)}, false, false},
	} {
		column := parquetColumn{kind: c.kind}
		if ok := column.setType(c.element); ok != c.ok || ok && column.unsigned != c.unsigned {
			t.Errorf("type %d, %v: %v, unsigned %v", c.kind, c.element, ok, column.unsigned)
		}
	}
}
