package report

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/ansatz-lab/ansatz/internal/atomicfile"
)

// Save writes the report to the folder dir, which it makes if needed: report.html, the figures as figures/NAME.svg, NAME.pdf
// and NAME.png with their numbers as figures/NAME.csv, the pixels and matrices of their descriptions as arrays/NAME.npy, the
// panels together as figures/figure.svg, .pdf and .png, and the tables as tables/NAME.csv. It returns the path of report.html.
//
// Save makes all files before it writes the first, and writes each atomically, report.html last. If writing fails, the files
// of an earlier report that were not yet replaced stay as they were. Save leaves other files of the folder alone.
func (p *Page) Save(dir string) (path string, err error) {
	files, err := p.files()
	if err != nil {
		return "", fmt.Errorf("report: %w", err)
	}
	for _, f := range files {
		path = filepath.Join(dir, f.path)
		if err := f.write(path); err != nil {
			return "", fmt.Errorf("report: saving %s: %w", path, err)
		}
	}
	return path, nil
}

// file is a file of a report; its path is relative to the report's folder.
type file struct {
	path string
	data []byte
}

// files returns the files of the report, the page last.
func (p *Page) files() ([]file, error) {
	html, err := p.html() // checks the page as well
	if err != nil {
		return nil, err
	}
	var files []file
	var figures []Figure
	for _, s := range p.everySection() {
		figures = append(figures, s.Figures...)
		for _, t := range s.allTables() {
			var b bytes.Buffer
			if err := t.WriteCSV(&b); err != nil {
				return nil, err
			}
			files = append(files, file{filepath.Join("tables", t.Name+".csv"), b.Bytes()})
		}
	}
	if len(p.Panels) > 1 {
		f, err := Assemble(Assembled, p.Panels)
		if err != nil {
			return nil, err
		}
		figures = append(figures, f)
	}
	for _, f := range figures {
		if f, err = f.Rendered(); err != nil {
			return nil, fmt.Errorf("figure %q: %w", f.Name, err)
		}
		files = append(files, f.files()...)
	}
	return append(files, file{"report.html", html}), nil
}

// files returns the files of a figure that are not empty.
func (f *Figure) files() []file {
	stem := filepath.Join("figures", f.Name)
	all := []file{{stem + ".svg", f.SVG}, {stem + ".pdf", f.PDF}, {stem + ".png", f.PNG}, {stem + ".jpg", f.JPEG},
		{stem + ".csv", f.CSV}, {arrayPath(f.Name), f.array()}}
	return slices.DeleteFunc(all, func(f file) bool { return len(f.data) == 0 })
}

// write writes the file to path atomically. It makes the folder if needed.
func (f file) write(path string) error {
	if err := atomicfile.MakeFolder(filepath.Dir(path)); err != nil {
		return err
	}
	return atomicfile.WriteBytes(path, f.data)
}
