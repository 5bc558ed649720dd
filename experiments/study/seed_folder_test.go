package study

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
)

// ReadPicture does not read a picture that ansatz cannot have written, such as a file of 1 TiB or a folder.
func TestReadPicture(t *testing.T) {
	dir := t.TempDir()
	stem := filepath.Join(dir, "figures", "f")
	err := errors.Join(os.Mkdir(filepath.Dir(stem), 0o777), os.WriteFile(stem+".csv", []byte("x,y\n"), 0o666),
		os.WriteFile(stem+".svg", nil, 0o666), os.Truncate(stem+".svg", 1<<40), os.Mkdir(stem+".png", 0o777))
	if err != nil {
		t.Skip(err)
	}
	f := report.Figure{Name: "f"}
	record.ReadPicture(&f, dir)
	if f.SVG != nil || f.PNG != nil || string(f.CSV) != "x,y\n" {
		t.Errorf("read %d, %d and %d bytes", len(f.SVG), len(f.PNG), len(f.CSV))
	}
}
