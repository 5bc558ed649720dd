package tabular

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/ansatz-lab/ansatz/data/table"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/record"
)

// aboutDatasets are the names of columns that hold no scores.
var aboutDatasets = []string{"n-train", "rows", "features", "classes", "best method"}

// The bounds on a file of results.
const (
	maxResultBytes = 1 << 26
	maxMethods     = 1 << 12
)

// ReadResults reads results from CSV with a header: first a column of datasets, then one for each
// method. Empty, "-", "–" and "?" stand for a missing score. Columns called n-train, rows, features,
// classes and best method hold no scores; if a dataset occurs twice, n-train becomes part of its name.
// A format error is a [*table.FormatError], which names the file by path.
func ReadResults(path string, r io.Reader) (*Results, error) {
	results, _, err := readResults(path, r)
	return results, err
}

// readResults also returns the largest number of decimals of a score.
func readResults(path string, r io.Reader) (results *Results, decimals int, err error) {
	f := &resultsReader{path: path, limit: &io.LimitedReader{R: r, N: maxResultBytes + 1}}
	f.csv = csv.NewReader(f.limit)
	f.csv.FieldsPerRecord, f.csv.ReuseRecord, f.csv.LazyQuotes = -1, true, false
	if err = f.readHeader(); err != nil {
		return nil, 0, err
	}
	for err == nil {
		err = f.readRow()
	}
	if err == io.EOF {
		err = f.renameDuplicates()
	}
	if err != nil {
		return nil, 0, err
	}
	return &f.results, f.decimals, nil
}

// openResults reads the file of that path, as [ReadResults] does, and returns its SHA-256.
func openResults(path string) (*Results, string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, "", &input.Error{
			Err: fmt.Errorf("%w: give a CSV file of results, or one of %s", err, strings.Join(PaperTables(), ", ")),
		}
	}
	defer f.Close()
	return readDigest(path, f)
}

// resultsReader is the state of reading a file of results.
type resultsReader struct {
	path     string
	limit    *io.LimitedReader
	csv      *csv.Reader
	columns  int
	train    int            // the column n-train, or -1
	scores   []int          // the columns of the methods
	lines    map[string]int // of datasets
	trained  []string       // the values of the column n-train
	results  Results
	decimals int // the most decimals of a score
}

// readCells reads the cells of a line. It returns the line and the byte where they begin.
func (f *resultsReader) readCells() (cells []string, line int, offset int64, err error) {
	offset = f.csv.InputOffset()
	cells, err = f.csv.Read()
	if f.limit.N <= 0 {
		return nil, 0, 0, f.formatError(0, maxResultBytes, fmt.Sprintf("at most %d bytes", maxResultBytes), "more")
	}
	if err == io.EOF {
		return nil, 0, offset, err
	}
	if err != nil {
		e := f.formatError(0, offset, "values separated by commas, quotes in pairs", "others")
		var parse *csv.ParseError
		if errors.As(err, &parse) {
			e.Line, e.Err = parse.Line, parse.Err
			return nil, 0, 0, e
		}
		return nil, 0, 0, fmt.Errorf("reading %s: %w", f.path, err)
	}
	line, _ = f.csv.FieldPos(0)
	for i, c := range cells {
		cells[i] = strings.TrimSpace(c)
	}
	return cells, line, offset, nil
}

// formatError returns an error at a place of the file.
func (f *resultsReader) formatError(line int, offset int64, want, got string) *table.FormatError {
	return &table.FormatError{
		Path: f.path, Line: line, Offset: offset, Want: want, Got: got,
		Hint: "results are a column of datasets and one for each method, under a line of names",
	}
}

// readHeader reads the names of the columns.
func (f *resultsReader) readHeader() error {
	cells, line, offset, err := f.readCells()
	if err == io.EOF {
		return f.formatError(0, 0, "a line of names: dataset, and the methods", "nothing")
	}
	if err != nil {
		return err
	}
	f.columns, f.train, f.lines = len(cells), -1, map[string]int{}
	for i, name := range cells {
		if i == 0 {
			continue
		}
		name = strings.Clone(name)
		switch lower := strings.ToLower(name); {
		case lower == "n-train":
			f.train = i
		case slices.Contains(aboutDatasets, lower):
		case name == "":
			return f.formatError(line, offset, "a name for every column", fmt.Sprintf("none for column %d", i+1))
		case slices.Contains(f.results.Methods, name):
			return f.formatError(line, offset, "another name for each method",
				"two columns "+strconv.Quote(shorten(name)))
		case len(f.scores) == maxMethods:
			return f.formatError(line, offset, fmt.Sprintf("at most %d methods", maxMethods), "more")
		default:
			f.scores, f.results.Methods = append(f.scores, i), append(f.results.Methods, name)
		}
	}
	if len(f.scores) == 0 {
		return f.formatError(line, offset, "a column for a method at least",
			"none besides "+strconv.Quote(shorten(cells[0])))
	}
	return nil
}

// readRow reads the scores of a dataset.
func (f *resultsReader) readRow() error {
	cells, line, offset, err := f.readCells()
	if err != nil {
		return err
	}
	if len(cells) != f.columns {
		return f.formatError(line, offset, fmt.Sprintf("%d values, as the header has", f.columns),
			strconv.Itoa(len(cells)))
	}
	if cells[0] == "" {
		return f.formatError(line, offset, "the name of a dataset", "none")
	}
	scores := make([]float64, len(f.scores))
	for k, i := range f.scores {
		if scores[k], err = parseScore(cells[i]); err != nil {
			return f.formatError(line, offset, "a finite number for "+shorten(
				f.results.Methods[k])+", or - where there is none", strconv.Quote(shorten(cells[i])))
		}
		f.decimals = max(f.decimals, record.Decimals(cells[i]))
	}
	name, trained := strings.Clone(cells[0]), ""
	if f.train >= 0 {
		trained = strings.Clone(cells[f.train])
	}
	key := name + "\x00" + trained
	if before, again := f.lines[key]; again {
		return f.formatError(line, offset, "each dataset once",
			fmt.Sprintf("%s, which line %d has", strconv.Quote(shorten(name)), before))
	}
	f.lines[key] = line
	f.trained = append(f.trained, trained)
	f.results.Datasets, f.results.Scores = append(f.results.Datasets, name), append(f.results.Scores, scores)
	return nil
}

// renameDuplicates adds n-train to the names of datasets that occur more than once.
func (f *resultsReader) renameDuplicates() error {
	if len(f.results.Datasets) == 0 {
		return f.formatError(0, f.csv.InputOffset(), "a row for a dataset at least", "only a header")
	}
	count := map[string]int{}
	for _, name := range f.results.Datasets {
		count[name]++
	}
	for i, name := range f.results.Datasets {
		if count[name] > 1 {
			f.results.Datasets[i] = withTrain(name, f.trained[i])
		}
	}
	return nil
}

// withTrain returns the name of a dataset that occurs more than once.
func withTrain(name, train string) string { return fmt.Sprintf("%s (%s)", name, train) }

// parseScore reads a score; NaN stands for a missing one.
func parseScore(text string) (float64, error) {
	if text == "" || text == "-" || text == "–" || text == "?" {
		return math.NaN(), nil
	}
	v, err := strconv.ParseFloat(text, 64)
	if err == nil && (math.IsNaN(v) || math.Abs(v) > maxScore) {
		err = strconv.ErrRange
	}
	return v, err
}

// maxScore bounds scores, so that their sums are finite.
const maxScore = 1e100

// shorten returns the beginning of a text, for an error message.
func shorten(text string) string {
	const most = 40
	if r := []rune(text); len(r) > most {
		return string(r[:most]) + "…"
	}
	return text
}
