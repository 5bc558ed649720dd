package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/report/explorer"
	"github.com/ansatz-lab/ansatz/internal/atomicfile"
	"github.com/ansatz-lab/ansatz/internal/jsonfile"
)

// Record is the result of a command, as data: its page is a function of the record alone. It is stored as record.json
// in the folder of its report.
type Record interface {
	// RecordKind returns the name of the record's type, which record.json begins with.
	RecordKind() string
	// Page returns the record as a report.
	Page() (*report.Page, error)
}

// FileName is the name of a record in the folder of its report.
const FileName = "record.json"

// PageData is the part of a record that only the page shows, such as measurements on networks and images during the
// run. record.json stores it under "page".
type PageData struct {
	Machine string          `json:"machine,omitempty"` // where the record was made
	Command string          `json:"command,omitempty"` // that made the record, without --out
	Figures []report.Figure `json:"figures,omitempty"`
	Tables  []report.Table  `json:"tables,omitempty"`
	// Explorer is the interactive view of a network.
	Explorer *explorer.Document `json:"explorer,omitempty"`
	// Numbers are curves for figures and tables, by names that the record chooses.
	Numbers map[string]report.Numbers `json:"numbers,omitempty"`
}

// hasPageData is a [Record] with page data, which may be nil.
type hasPageData interface{ PageData() *PageData }

// hasCSV is a [Record] with CSV tables beside its page, by file name.
type hasCSV interface {
	CSVTables() map[string]*report.Table
}

// Named returns the figures that have one of the names.
func (d *PageData) Named(names ...string) []report.Figure {
	var all []report.Figure
	for _, f := range d.Figures {
		if slices.Contains(names, f.Name) {
			all = append(all, f)
		}
	}
	return all
}

// SetNumbers sets a curve. It does nothing if there are no values.
func (d *PageData) SetNumbers(name string, values ...float64) {
	if len(values) == 0 {
		return
	}
	if d.Numbers == nil {
		d.Numbers = map[string]report.Numbers{}
	}
	d.Numbers[name] = values
}

// NewPageData returns page data with a description of this machine.
func NewPageData() PageData {
	return PageData{Machine: fmt.Sprintf("%s/%s, %d processors, %s",
		runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version())}
}

// SaveRecord writes a record with its page, figures and tables into a folder, and returns the path
// of the page. It removes an earlier record first and writes the new one last.
func SaveRecord(dir string, r Record) (string, error) {
	if err := Retract(dir); err != nil {
		return "", err
	}
	path, err := DrawRecord(dir, r)
	if err != nil {
		return "", err
	}
	return path, WriteRecord(dir, r)
}

// DrawRecord writes the page of a record with its figures and tables, and returns its path.
func DrawRecord(dir string, r Record) (string, error) {
	p, err := r.Page()
	if err != nil {
		return "", err
	}
	if d := pageDataOf(r); d != nil && d.Command != "" {
		p.Command = fmt.Sprintf("%s --out out/%s", d.Command, r.RecordKind())
		p.Provenance = append([]report.Fact{{Name: "command", Value: p.Command}}, p.Provenance...)
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

// SweepPage removes temporary files that killed writers left in the folders of a report. The caller
// holds the lock of the folder.
func SweepPage(dir string) error {
	return atomicfile.SweepFiles(dir, filepath.Join(dir, "figures"), filepath.Join(dir, "tables"))
}

// WriteCSVTables writes the CSV tables of a record beside its page.
func WriteCSVTables(dir string, r hasCSV) error {
	for name, t := range r.CSVTables() {
		err := atomicfile.WriteFile(filepath.Join(dir, name), func(w io.Writer) error { return t.WriteCSV(w) })
		if err != nil {
			return err
		}
	}
	return nil
}

// WriteRecord writes record.json: the kind of the record and the record, indented for readers, and its page data,
// which are long, on one line.
func WriteRecord(dir string, r Record) error {
	text, err := plainJSON(r)
	if err != nil {
		return err
	}
	kind, err := plainJSON(map[string]string{"record": r.RecordKind()})
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := json.Indent(&out, []byte("{"+string(inner(kind))+","+string(inner(text))+"}"), "", "\t"); err != nil {
		return err
	}
	if d := pageDataOf(r); d != nil && !reflect.ValueOf(*d).IsZero() {
		page, err := plainJSON(d)
		if err != nil {
			return err
		}
		out.Truncate(out.Len() - len("\n}"))
		fmt.Fprintf(&out, ",\n\t\"page\": %s\n}", bytes.TrimSpace(page))
	}
	out.WriteByte('\n')
	return atomicfile.WriteFile(filepath.Join(dir, FileName), func(w io.Writer) error {
		_, err := out.WriteTo(w)
		return err
	})
}

// SetCommand sets the command by which a record was made, without the flag --out. It does nothing for a record without
// page data.
func SetCommand(r any, command string) {
	if d := pageDataOf(r); d != nil {
		d.Command = command
	}
}

// pageDataOf returns the page data of a record, nil if it has none.
func pageDataOf(r any) *PageData {
	if r, ok := r.(hasPageData); ok {
		return r.PageData()
	}
	return nil
}

// inner returns a JSON object without its braces.
func inner(object []byte) []byte {
	return bytes.TrimSuffix(bytes.TrimPrefix(bytes.TrimSpace(object), []byte("{")), []byte("}"))
}

// plainJSON returns v as JSON, in which <, > and & are not escaped.
func plainJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return b.Bytes(), err
}

// ReadRecord reads the record in a folder into one of the given kinds, with the pictures of its
// page data drawn again. It returns nil for an old record without a kind, and an [*input.Error] for
// a record that is damaged or of an unknown kind.
func ReadRecord(dir string, kinds []Record) (Record, error) {
	path := filepath.Join(dir, FileName)
	var text json.RawMessage
	err := jsonfile.Read(path, jsonfile.Large, &text)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err != nil {
		return nil, input.Errorf("%w: want a file as ansatz wrote it", err)
	}
	var head struct {
		Record string          `json:"record"`
		Page   json.RawMessage `json:"page"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return nil, input.Errorf("%s: %w: want a file as ansatz wrote it", path, err)
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
		return nil, input.Errorf("%s: %w: want a file as ansatz wrote it", path, err)
	}
	paged, has := r.(hasPageData)
	if !has || head.Page == nil {
		return r, nil
	}
	data := paged.PageData()
	if err := json.Unmarshal(head.Page, data); err != nil {
		return nil, input.Errorf("%s: %w: want a file as ansatz wrote it", path, err)
	}
	for i, f := range data.Figures {
		if data.Figures[i], err = f.Redraw(dir); err != nil {
			return nil, input.Errorf("%s: %w", path, err)
		}
	}
	return r, nil
}
