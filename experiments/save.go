package experiments

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/ansatz-lab/ansatz/experiments/report"
)

// Save writes the report of a verification into a folder: report.html, its
// figures and tables, and record.json. It returns the path of the report.
func (r *VerifyRecord) Save(ctx context.Context, dir string) (string, error) {
	p, err := r.Page(ctx)
	if err != nil {
		return "", err
	}
	return savePage(p, dir, r)
}

// savePage writes a report and the record behind it.
func savePage(p *report.Page, dir string, record any) (string, error) {
	path, err := p.Save(dir)
	if err != nil {
		return "", err
	}
	return path, writeJSON(filepath.Join(dir, "record.json"), record)
}

// writeJSON writes a file whole or not at all.
func writeJSON(path string, v any) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".tmp-*")
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
			err = fmt.Errorf("writing %s: %w", path, err)
		}
	}()
	e := json.NewEncoder(f)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	if err = e.Encode(v); err != nil {
		return err
	}
	if err = f.Chmod(0o644); err != nil {
		return err
	}
	if err = f.Sync(); err != nil {
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
