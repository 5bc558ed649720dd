package table

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/ansatz-lab/ansatz/data/array"
)

// sniffed is how much of a file tells its format.
const sniffed = 1 << 16

// opener returns the reader of files of an extension; nil if there is none.
func opener(extension string) func(path string) (*Table, error) {
	switch strings.ToLower(extension) {
	case ".arff":
		return OpenARFF
	case ".csv", ".tsv":
		return OpenCSV
	case ".parquet", ".pq":
		return OpenParquet
	}
	return nil
}

// Open reads the table of a path: an ARFF, CSV or Parquet file, or a folder
// that [OpenUCI] reads. Its extension tells the format of a file, .arff, .csv,
// .tsv, .parquet or .pq; of a file with another or none, what it begins with,
// if it is ARFF or Parquet. Arrays of NPY and NPZ files are read by package
// array, and made a table by [FromArrays].
//
// It returns an error that matches [io/fs.ErrNotExist] when there is no such
// path, and a [*FormatError] when what is there is not a table.
func Open(path string) (*Table, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("table: %w", err)
	}
	if info.IsDir() {
		return openFolder(path)
	}
	if open := opener(filepath.Ext(path)); open != nil {
		return open(path)
	}
	return openByContent(path)
}

// openFolder reads one of the 121 sets.
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

// openByContent reads a file whose extension tells nothing.
func openByContent(path string) (*Table, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("table: %w", err)
	}
	defer f.Close()
	head := make([]byte, sniffed)
	n, _ := f.Read(head) // what cannot be read is of no format
	l := newLines(path, string(head[:n]))
	if strings.HasPrefix(l.text, parquetMagic) {
		return OpenParquet(path)
	}
	for text, ok := l.scan(); ok; text, ok = l.scan() {
		line := &arffLine{lines: &l, text: text}
		if line.peek() == lineEnd {
			continue
		}
		if word, err := line.token("", false); err == nil && strings.EqualFold(word.text, "@relation") {
			return OpenARFF(path)
		}
		break
	}
	return nil, unknownFormat(path, "a file of another extension and content")
}

func unknownFormat(path, got string) *FormatError {
	return &FormatError{
		Path:   path,
		Offset: array.NoOffset,
		Want:   "a table: .arff, .csv, .tsv, .parquet, .pq or a folder of the 121 sets",
		Got:    got,
		Hint:   "read .npy and .npz files with package array, and make a table with FromArrays",
	}
}
