package experiments

import (
	"context"
	"encoding/json"
	"io"
	"path/filepath"

	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/internal/whole"
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

// sweepPage removes temporary files that killed writers of a report left in its folders.
// Its callers hold the lock of the folder.
func sweepPage(dir string) error {
	return whole.SweepFiles(dir, filepath.Join(dir, "figures"), filepath.Join(dir, "tables"))
}

// saveFit writes a report, the record behind it, the metric of its model as
// metric.npy and the model into a folder. It returns the path of the report.
func saveFit(p *report.Page, dir string, r interface {
	SaveMetric(path string) error
	SaveModel(dir string) error
}) (string, error) {
	path, err := savePage(p, dir, r)
	if err != nil {
		return "", err
	}
	if err := r.SaveMetric(filepath.Join(dir, "metric.npy")); err != nil {
		return "", err
	}
	return path, r.SaveModel(filepath.Join(dir, "model"))
}

// writeJSON writes a file whole or not at all.
func writeJSON(path string, v any) error {
	return whole.WriteFile(path, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		e.SetEscapeHTML(false)
		return e.Encode(v)
	})
}
