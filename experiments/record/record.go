package record

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/internal/atomicfile"
)

// Record is what a command found, as data: its page is a function of it alone. In the
// folder of its report it is record.json, which [experiments.Redraw] reads.
type Record interface {
	// RecordKind names its type: record.json begins with it.
	RecordKind() string
	// Page is the record as a report.
	Page() (*report.Page, error)
}

// RecordFile is the record of a command in the folder of its report.
const RecordFile = "record.json"

// PageData is what a page shows besides the numbers that scripts are given: what was
// measured on networks and images while they were at hand. record.json has it under
// the name page.
type PageData struct {
	Machine string          `json:"machine,omitempty"` // where the record was made
	Figures []report.Figure `json:"figures,omitempty"`
	Tables  []report.Table  `json:"tables,omitempty"`
	// Numbers are curves that figures and tables show, by names of the record's own.
	Numbers map[string]report.Numbers `json:"numbers,omitempty"`
}

// hasPageData is a [Record] that has page data. It may be nil.
type hasPageData interface{ PageData() *PageData }

// hasCSV is a [Record] that has tables of its own beside its page, by the names of
// their files.
type hasCSV interface {
	CSVTables() map[string]*report.Table
}

// Named returns the figures of some names, as far as there are any.
func (d *PageData) Named(names ...string) []report.Figure {
	var all []report.Figure
	for _, f := range d.Figures {
		if slices.Contains(names, f.Name) {
			all = append(all, f)
		}
	}
	return all
}

// SetNumbers keeps a curve under a name.
func (d *PageData) SetNumbers(name string, values ...float64) {
	if len(values) == 0 {
		return
	}
	if d.Numbers == nil {
		d.Numbers = map[string]report.Numbers{}
	}
	d.Numbers[name] = values
}

// NewPageData returns page data of this machine.
func NewPageData() PageData {
	return PageData{Machine: fmt.Sprintf("%s/%s, %d processors, %s",
		runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version())}
}

// SaveRecord writes a record and its page, figures and tables into a folder. It
// returns the path of the page.
func SaveRecord(dir string, r Record) (string, error) {
	path, err := DrawRecord(dir, r)
	if err != nil {
		return "", err
	}
	return path, WriteRecord(dir, r)
}

// DrawRecord writes the page of a record, its figures and its tables.
func DrawRecord(dir string, r Record) (string, error) {
	p, err := r.Page()
	if err != nil {
		return "", err
	}
	path, err := p.Save(dir)
	if err != nil {
		return "", err
	}
	if r, ok := r.(hasCSV); ok {
		err = WriteCSVTables(dir, r)
	}
	return path, err
}

// SweepPage removes temporary files that killed writers of a report left in its folders.
// Its callers hold the lock of the folder.
func SweepPage(dir string) error {
	return atomicfile.SweepFiles(dir, filepath.Join(dir, "figures"), filepath.Join(dir, "tables"))
}

// WriteCSVTables writes the tables that a record has beside its page.
func WriteCSVTables(dir string, r hasCSV) error {
	for name, t := range r.CSVTables() {
		err := atomicfile.WriteFile(filepath.Join(dir, name), func(w io.Writer) error { return t.WriteCSV(w) })
		if err != nil {
			return err
		}
	}
	return nil
}

// WriteRecord writes record.json: the kind of the record, what scripts are given of
// it, and its page data.
func WriteRecord(dir string, r Record) error {
	text, err := plainJSON(r)
	if err != nil {
		return err
	}
	kind, err := plainJSON(map[string]string{"record": r.RecordKind()})
	if err != nil {
		return err
	}
	parts := [][]byte{inner(kind), inner(text)}
	if r, ok := r.(hasPageData); ok && r.PageData() != nil {
		page, err := plainJSON(map[string]*PageData{"page": r.PageData()})
		if err != nil {
			return err
		}
		parts = append(parts, inner(page))
	}
	return WriteJSON(filepath.Join(dir, RecordFile), json.RawMessage("{"+string(bytes.Join(parts, []byte(",")))+"}"))
}

// inner is an object as JSON without its braces.
func inner(object []byte) []byte {
	return bytes.TrimSuffix(bytes.TrimPrefix(bytes.TrimSpace(object), []byte("{")), []byte("}"))
}

// plainJSON is v as JSON, with <, > and & as they are.
func plainJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return b.Bytes(), err
}

// WriteJSON writes a file whole or not at all.
func WriteJSON(path string, v any) error {
	return atomicfile.WriteFile(path, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		e.SetEscapeHTML(false)
		return e.Encode(v)
	})
}

// ReadRecord reads the record in a folder, one of the kinds that are given, with the
// pictures of its page data drawn again. It returns nil for a record without a kind,
// from before records had one.
func ReadRecord(dir string, kinds []Record) (Record, error) {
	path := filepath.Join(dir, RecordFile)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var head struct {
		Record string          `json:"record"`
		Page   json.RawMessage `json:"page"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return nil, input.Errorf("%s: %w: want what ansatz wrote there", path, err)
	}
	if head.Record == "" {
		return nil, nil
	}
	k := slices.IndexFunc(kinds, func(r Record) bool { return r.RecordKind() == head.Record })
	if k < 0 {
		return nil, input.Errorf("%s is a record of kind %q, which this version does not know", path, head.Record)
	}
	r := kinds[k]
	if err := json.Unmarshal(text, r); err != nil {
		return nil, input.Errorf("%s: %w: want what ansatz wrote there", path, err)
	}
	of, has := r.(hasPageData)
	if !has || head.Page == nil {
		return r, nil
	}
	data := of.PageData()
	if err := json.Unmarshal(head.Page, data); err != nil {
		return nil, input.Errorf("%s: %w: want what ansatz wrote there", path, err)
	}
	for i, f := range data.Figures {
		if data.Figures[i], err = f.Redraw(dir); err != nil {
			return nil, input.Errorf("%s: %w", path, err)
		}
	}
	return r, nil
}
