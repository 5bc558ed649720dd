package table

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/data/array"
	"github.com/ansatz-lab/ansatz/data/table/dialect"
)

// sniffed is the number of bytes at the beginning of a file in which its format is sought.
const sniffed = 1 << 16

// A reader reads a table of one format.
type reader func(path string, r io.Reader) (*Table, error)

// csvReader returns the reader of CSV files in a dialect.
func csvReader(d dialect.Dialect) reader {
	return func(path string, r io.Reader) (*Table, error) { return ReadCSVAs(path, r, d) }
}

// readerOf returns the reader for an extension; nil if there is none.
func readerOf(extension string, d dialect.Dialect) reader {
	if slices.Contains(textExtensions(), extension) {
		return func(path string, r io.Reader) (*Table, error) { return ReadAs(path, r, d) }
	}
	if IsCSV(extension) {
		return csvReader(d)
	}
	switch extension {
	case ".arff":
		return ReadARFF
	case ".parquet", ".pq":
		return ReadParquet
	}
	return nil
}

// gzipExtension follows the extension of a compressed file.
const gzipExtension = ".gz"

// Extension returns the extension of a path in lower case, without a .gz at the end: .csv for A.CSV.gz.
func Extension(path string) string {
	return filepath.Ext(strings.TrimSuffix(strings.ToLower(path), gzipExtension))
}

// textExtensions returns the extensions of text files that may hold tables of any format; [ReadAs] reads them.
func textExtensions() []string { return []string{".txt", ".dat", ".data", ".tab"} }

// IsCSV reports whether a path has an extension of CSV files: .csv, .tsv or .txt, .dat, .data or .tab, perhaps with .gz.
func IsCSV(path string) bool {
	return slices.Contains(append(textExtensions(), ".csv", ".tsv"), Extension(path))
}

// Open reads the table at a path: an ARFF, CSV or Parquet file, or a folder that [OpenUCI] reads. The extension of a file
// gives its format: .arff, .csv, .tsv, .txt, .dat, .data, .tab, .parquet or .pq, each perhaps with .gz. With any other
// extension, or none, Open recognises ARFF and Parquet by the beginning of the file. Package array reads the arrays of
// NPY and NPZ files, and [FromArrays] makes a table from them.
//
// It returns an error that matches [io/fs.ErrNotExist] when the path does not exist, and a [*FormatError] when it is not
// a table.
func Open(path string) (*Table, error) { return OpenAs(path, dialect.Dialect{}) }

// OpenAs is [Open] with a dialect for CSV files; see [ReadCSVAs].
func OpenAs(path string, d dialect.Dialect) (*Table, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("table: %w", err)
	}
	if info.IsDir() {
		return openFolder(path)
	}
	if read := readerOf(Extension(path), d); read != nil {
		return readPath(path, read)
	}
	return openByContent(path)
}

// ReadAs reads a table in the format that its beginning shows: Parquet or ARFF, else CSV in a dialect (see [ReadCSVAs]).
// Path names the file in errors, and gives the table its name. It returns the errors of the format's reader.
func ReadAs(path string, r io.Reader, d dialect.Dialect) (*Table, error) {
	text, err := read(path, r)
	if err != nil {
		return nil, err
	}
	format := sniff(path, text[:min(len(text), sniffed)])
	if format == nil {
		format = csvReader(d)
	}
	return format(path, whole{text: text})
}

// openFolder reads the folder of one of the 121 UCI sets.
func openFolder(dir string) (*Table, error) {
	if !IsUCI(dir) {
		e := unknownFormat(dir, "a folder without NAME.txt")
		e.Hint = "in a folder NAME of the 121 sets there is a file NAME.txt"
		return nil, e
	}
	u, err := OpenUCI(dir)
	if err != nil {
		return nil, err
	}
	return u.Table, nil
}

// openByContent reads a file whose extension does not show its format.
func openByContent(path string) (*Table, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("table: %w", err)
	}
	defer f.Close()
	head := make([]byte, sniffed)
	n, _ := f.Read(head) // an unreadable file has no known format
	if format := sniff(path, string(head[:n])); format != nil {
		return readPath(path, format)
	}
	return nil, unknownFormat(path, "a file with another extension and content")
}

// sniff returns the reader of the format that a file's beginning shows; nil if it is neither Parquet nor ARFF.
func sniff(path, head string) reader {
	l := newLines(path, head)
	if strings.HasPrefix(l.text, parquetMagic) {
		return ReadParquet
	}
	for text, ok := l.scan(); ok; text, ok = l.scan() {
		line := &arffLine{lines: &l, text: text}
		if line.peek() == lineEnd {
			continue
		}
		if word, err := line.token("", false); err == nil && strings.EqualFold(word.text, "@relation") {
			return ReadARFF
		}
		break
	}
	return nil
}

func unknownFormat(path, got string) *FormatError {
	return &FormatError{
		Path:   path,
		Offset: array.NoOffset,
		Want:   "a table: .arff, .csv, .tsv, .txt, .parquet, .pq or a folder of the 121 sets",
		Got:    got,
		Hint:   "save other data as CSV or Parquet; the commands also read a .npz file with arrays X and y, if it is not gzipped",
	}
}
