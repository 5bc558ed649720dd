package record

import (
	"os"
	"path/filepath"

	"github.com/ansatz-lab/ansatz/experiments/report"
)

// mostPicture is the most bytes of a picture, or of its numbers, that are read.
const mostPicture = 64 << 20

// ReadPicture reads a figure's picture and numbers from the folder of a report. They are nil if the files are missing,
// or too large to come from ansatz.
func ReadPicture(f *report.Figure, dir string) {
	stem := filepath.Join(dir, "figures", f.Name)
	for end, to := range map[string]*[]byte{".svg": &f.SVG, ".pdf": &f.PDF, ".png": &f.PNG, ".csv": &f.CSV} {
		info, err := os.Stat(stem + end)
		if err == nil && info.Mode().IsRegular() && info.Size() <= mostPicture {
			*to, _ = os.ReadFile(stem + end)
		}
	}
}
