package examples

import (
	"bytes"
	"io"
	"os"
	"sync"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/data/table"
	"github.com/ansatz-lab/ansatz/experiments/input"
)

// stdin keeps the text that was read from stdin: a search and the machines of an average open their table more than once.
var stdin struct {
	sync.Mutex
	from *os.File
	text bytes.Buffer
}

// readStdin reads the table from stdin or, after the first time, from the text that was kept.
func (s Spec) readStdin() (*table.Table, error) {
	stdin.Lock()
	defer stdin.Unlock()
	name := fileName(input.Stdin)
	if stdin.from == os.Stdin {
		return table.ReadAs(name, bytes.NewReader(stdin.text.Bytes()), s.CSV)
	}
	stdin.text.Reset()
	t, err := table.ReadAs(name, io.TeeReader(os.Stdin, &stdin.text), s.CSV)
	if err == nil {
		stdin.from = os.Stdin
	}
	return t, err
}

// openFile opens a table of the spec, which must have targets if labelled is set. Its errors are an [*input.Error].
func (s Spec) openFile(name string, labelled bool) (t *table.Table, err error) {
	switch {
	case name == input.Stdin:
		t, err = s.readStdin()
	case labelled:
		t, err = data.OpenTableAs(name, s.Dir, s.CSV)
	default:
		t, err = data.OpenRows(name, s.Dir, s.CSV)
	}
	if err != nil {
		return nil, &input.Error{Err: err}
	}
	return t, nil
}

// fileName returns the name of a table for records and messages.
func fileName(data string) string {
	if data == input.Stdin {
		return "stdin"
	}
	return data
}

// checkFiles returns an input error if flags for CSV files are given for other files, or if two tables are on stdin.
func (s Spec) checkFiles() error {
	if s.Data == input.Stdin && s.TestData == input.Stdin {
		return input.Errorf("--data - and --test-data -: stdin has one table: give a file for one of them")
	}
	if s.Data == input.Stdin || s.TestData == input.Stdin || table.IsCSV(s.Data) || table.IsCSV(s.TestData) {
		return nil
	}
	for _, f := range []struct {
		flag  string
		given bool
	}{
		{"--separator", s.CSV.Separator != 0}, {"--header", s.CSV.Header != ""}, {"--decimal", s.CSV.Decimal != ""},
		{"--encoding", s.CSV.Encoding != ""},
	} {
		if f.given {
			return input.Errorf("%s is for CSV files (.csv, .tsv, .txt or stdin), which %s is not", f.flag, s.Data)
		}
	}
	return nil
}
