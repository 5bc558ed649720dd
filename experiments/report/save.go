package report

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
)

// Save writes the report to dir, which is made if need be: report.html, the
// figures as figures/NAME.svg and figures/NAME.png, and the tables as
// tables/NAME.csv. It returns the path of report.html.
//
// Everything is made before anything is written, and every file appears whole
// or not at all: files of an earlier report are replaced one by one, the page
// last, and keep what they held if writing fails. Files that the report does
// not have are left alone.
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
	for _, s := range p.Sections {
		for _, f := range s.Figures {
			stem := filepath.Join("figures", f.Name)
			if len(f.SVG) > 0 {
				files = append(files, file{stem + ".svg", f.SVG})
			}
			if len(f.PNG) > 0 {
				files = append(files, file{stem + ".png", f.PNG})
			}
		}
		for _, t := range s.Tables {
			var b bytes.Buffer
			if err := t.WriteCSV(&b); err != nil {
				return nil, err
			}
			files = append(files, file{filepath.Join("tables", t.Name+".csv"), b.Bytes()})
		}
	}
	return append(files, file{"report.html", html}), nil
}

// write writes the file to path by way of a temporary file in the same folder,
// so that path holds at every moment either what it did or all of the data.
func (f file) write(path string) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	temp, err := os.CreateTemp(dir, "."+filepath.Base(path)+".*.tmp")
	if err != nil {
		return err
	}
	err = f.fill(temp)
	if err == nil {
		err = os.Rename(temp.Name(), path)
	}
	if err != nil {
		os.Remove(temp.Name())
	}
	return err
}

// fill writes the data to temp, makes sure that they are on the disk, and
// closes it.
func (f file) fill(temp *os.File) error {
	_, err := temp.Write(f.data)
	if err == nil {
		err = temp.Chmod(0o644) // temporary files start out private
	}
	if err == nil {
		err = temp.Sync()
	}
	if closeErr := temp.Close(); err == nil {
		err = closeErr
	}
	return err
}
