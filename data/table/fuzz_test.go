package table

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/data/table/dialect"
	"github.com/ansatz-lab/ansatz/internal/realdata"
	"github.com/parquet-go/parquet-go"
)

// fuzzed checks what a reader returned for arbitrary bytes: a FormatError, or a consistent table, each encoding of
// which is a FormatError or a set of finite numbers.
func fuzzed(t *testing.T, table *Table, err error) {
	t.Helper()
	if err != nil {
		if f := wantFormatError(t, err); f.Line < 0 {
			t.Fatal(f)
		}
		return
	}
	checkTable(t, table)
	for _, o := range []EncodeOptions{{}, {Ordinal: true, Rows: []int{0}}, {Classify: true},
		{Target: table.Columns[0].Name}} {
		s, c, err := table.Encode(o)
		if err != nil {
			wantFormatError(t, err)
			continue
		}
		checkSet(t, s)
		if c.Features != len(s.Features) {
			t.Fatalf("%+v, %d features", c, len(s.Features))
		}
	}
}

// addFiles calls add with the first 60 lines, except comments, of each file that matches the pattern. There may be
// none.
func addFiles(f *testing.F, pattern string, add func(text string)) {
	f.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		lines := slices.DeleteFunc(strings.SplitAfter(string(text), "\n"),
			func(line string) bool { return strings.HasPrefix(line, "%") })
		add(strings.Join(lines[:min(len(lines), 60)], ""))
	}
}

func FuzzARFF(f *testing.F) {
	f.Add("@relation r\n@attribute a {x,'y z'}\n@attribute b string", "{1 \"q\\\"\"}\n{0 'y z',1 ?},{1}\n")
	f.Add("@RELATION 'a b'\r\n@attribute \"c d\" REAL [0,1]\r\n@attribute e integer", "1,2\r\n% 3\r\n? -4e5,{1}")
	for _, hostile := range [][2]string{
		{"@attribute a real", "{99999999999999999999 1}\n{-1 1}\n{0 1, 0 2}\n{1"},
		{"@attribute a {" + strings.Repeat("x,", 2000), "x"},
		{"@attribute a real\n@attribute A real\n@attribute a real", "1,2,3"},
		{"@attribute a real", "nan\ninf\n-1e999\n0x1p9\n1_0\n1,2"},
		{"@attribute a relational\n" + strings.Repeat("@attribute b relational\n", 50) + "@end a", "'1'"},
		{"@attribute a date \"yyyy\"", "\"2001\""},
		{strings.Repeat("@attribute 'a\\'", 20), "'\\"},
		{"@attribute " + strings.Repeat("a", 70000) + " real", strings.Repeat("1,", 3000)},
		{"@attribute a real", "1,{" + strings.Repeat("9", 400) + "}\n1,{-1}\n1,{nan}"},
		{"@attribute \x00 real", "\x00\n\xff\xfe1"},
	} {
		f.Add(hostile[0], hostile[1])
	}
	addSmall := func(text string) {
		at := strings.Index(strings.ToLower(text), "@data")
		f.Add(text[:at], text[at+len("@data"):])
	}
	addSmall(smallARFF)
	for _, name := range []string{"iris", "hepatitis", "wine", "breast.w"} {
		addFiles(f, realdata.Find("uci/"+name+".arff"), addSmall)
	}
	f.Fuzz(func(t *testing.T, header, rows string) {
		table, err := ReadARFF("fuzz", strings.NewReader(header+"\n@data\n"+rows))
		fuzzed(t, table, err)
	})
}

// FuzzCSV reads arbitrary bytes in a dialect whose parts are chosen by the bits of a number.
func FuzzCSV(f *testing.F) {
	separators := []dialect.Separator{0, dialect.Comma, dialect.Semicolon, dialect.Tab, dialect.Pipe, ' ', ':', '"'}
	headers := []dialect.Header{"", "", dialect.Names, dialect.NoNames}
	marks := []dialect.Decimal{"", "", dialect.DecimalPoint, dialect.DecimalComma}
	encodings := []dialect.Encoding{"", "", "", "", dialect.UTF8, dialect.UTF16, dialect.Latin1, dialect.Windows}
	f.Add(gapsCSV, uint16(0))
	f.Add("a;b\tc\n1;2\tx\n\"\"\"\";\"\n\"\n", uint16(0))
	f.Add("\ufeffa,b\r\n0x1p3,-1e999\r\n", uint16(1))
	f.Add(excelCSV, uint16(0))
	f.Add(excelCSV, uint16(7<<7|3<<5|2<<3|2))
	f.Add(inUTF16(excelCSV, binary.LittleEndian), uint16(0))
	f.Add(inUTF16("1,5|-,5e3|,|1.000,5", binary.BigEndian)[2:], uint16(5<<7|3<<3))
	for _, hostile := range []string{
		"a,b\n\"" + strings.Repeat("x\n", 2000), strings.Repeat("a,", 5000) + "\n", "a,a,A\n1,2,3\n",
		"a\n" + strings.Repeat("9", 5000) + "\n", "a,b\n1\n1,2,3\n", strings.Repeat("1;", 40000) + "\n",
		"\xff\xfea\x00,\x00b\x00\n\x00", "a\x00b\n1\x00\n", "\n\n\n", ",\n,\n", "a\rb\r1\r2\r",
		"\xff\xfe\x00\xd8\x00\xd8", "\x00\xd8\x00", "a;b\n,;,,\n-,5;1e9999\n", "\x80;\xff\n\x81;1\n",
		"a,b\nnan,inf\n-inf,1e400\n", "=cmd|' /C calc'!A0\n1\n",
	} {
		f.Add(hostile, uint16(0))
		f.Add(hostile, uint16(6<<7|3<<5|3<<3|3))
	}
	f.Fuzz(func(t *testing.T, text string, bits uint16) {
		table, err := ReadCSVAs("fuzz", strings.NewReader(text), dialect.Dialect{Separator: separators[bits&7],
			Header: headers[bits>>3&3], Decimal: marks[bits>>5&3], Encoding: encodings[bits>>7&7]})
		if fuzzed(t, table, err); err != nil {
			return
		}
		for row := range table.Rows {
			if table.Line(row) < 1 || row > 0 && table.Line(row) <= table.Line(row-1) {
				t.Fatalf("row %d is in line %d", row, table.Line(row))
			}
		}
		if !strings.Contains(table.ReadAs, "header") {
			t.Fatalf("read as %q", table.ReadAs)
		}
	})
}

func FuzzUCI(f *testing.F) {
	for _, name := range []string{"tiny.txt tiny_R.dat", "pair.txt pair_train_R.dat"} {
		header, table, _ := strings.Cut(name, " ")
		folder := filepath.Join("testdata/uci", strings.TrimSuffix(header, ".txt"))
		var texts []string
		for _, file := range []string{header, table, uciTuningFile, uciFoldsFile} {
			text, err := os.ReadFile(filepath.Join(folder, file))
			if err != nil {
				f.Fatal(err)
			}
			texts = append(texts, string(text))
		}
		f.Add(texts[0], texts[1], texts[2])
		f.Add(texts[0], texts[1], texts[3])
	}
	for _, hostile := range []string{
		"n_entradas= 99999999999999999999", "n_entradas= -1", "n_arquivos= 1000000000",
		"n_entradas= 1\nn_clases= 2\nn_arquivos= 1\nfich1= ../../x\nn_patrons1= 1",
		"n_entradas= 1\nn_clases= 2\nn_arquivos= 1\nfich1= x\nn_patrons1= 4611686018427387904",
		strings.Repeat("n_entradas= 1\n", 500),
	} {
		f.Add(hostile, "a 1 0\n", "0 99999999999999999999\n-1\n")
	}
	f.Fuzz(func(t *testing.T, header, rows, lists string) {
		h, err := parseUCIHeader("header", header)
		if err != nil {
			wantFormatError(t, err)
			return
		}
		for _, file := range h.files {
			if file.name != filepath.Base(file.name) || file.name == ".." {
				t.Fatalf("file %q", file.name)
			}
		}
		table := &Table{Name: "fuzz"}
		err = h.addRows(table, "rows", rows, h.files[0].rows)
		if fuzzed(t, table, err); err != nil {
			return
		}
		pairs := make([][2][]int, 1)
		if err := parseUCIPairs("lists", lists, table.Rows, pairs); err != nil {
			wantFormatError(t, err)
			return
		}
		if all := slices.Sorted(slices.Values(slices.Concat(pairs[0][0], pairs[0][1]))); !slices.Equal(all,
			upTo(table.Rows)) {
			t.Fatalf("%v of %d rows", pairs[0], table.Rows)
		}
	})
}

// FuzzParquet changes and inserts bytes in valid files, since arbitrary bytes would not pass the checks of a file's
// first and last bytes.
func FuzzParquet(f *testing.F) {
	files := []string{
		parquetOf(f, rowsOf(9)),
		parquetOf(f, rowsOf(40), parquet.Compression(&parquet.Snappy), parquet.DataPageVersion(1)),
	}
	for _, path := range []string{"testdata/numbers.parquet", "testdata/names.parquet"} {
		text, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		files = append(files, string(text))
	}
	for i, file := range files {
		for at := range len(file) / 40 {
			f.Add(uint8(i), uint16(40*at), []byte{file[40*at] ^ 3}, []byte{})
		}
		f.Add(uint8(i), uint16(4), []byte{}, []byte{0xff, 0x7f})
	}
	f.Fuzz(func(t *testing.T, i uint8, at uint16, changed, appended []byte) {
		file := []byte(files[int(i)%len(files)])
		copy(file[int(at)%len(file):], changed)
		file = slices.Insert(file, int(at)%len(file), appended...)
		table, err := ReadParquet("fuzz", strings.NewReader(string(file)))
		fuzzed(t, table, err)
	})
}
