package main

import (
	"errors"
	"fmt"
	"runtime"
	"strings"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/data/array"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/spf13/cobra"
)

// diagnosis says what this machine offers.
type diagnosis struct {
	Version  string            `json:"version"`
	Go       string            `json:"go"`
	Platform string            `json:"platform"`
	Cores    int               `json:"cores"`
	Backend  string            `json:"backend"`
	Native   string            `json:"native,omitempty"`
	Kernels  string            `json:"kernels"` // of the backend go
	HDF5     bool              `json:"hdf5"`    // it can be read
	JPEG     string            `json:"jpeg"`    // the decoder
	Folder   string            `json:"data_dir"`
	Datasets map[string]string `json:"datasets"`
}

func (a *app) doctor() *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Show the version, the backend and the datasets on this machine",
		Long: "doctor shows the version, the backend that was built in with its libraries, and the datasets that " +
			"are present.",
		Example: "  ansatz doctor\n  ansatz doctor --json --data-dir ~/data",
		Args:    noArgs,
		RunE: func(*cobra.Command, []string) error {
			d := a.diagnose()
			if a.json {
				return a.print(d)
			}
			a.showDiagnosis(d)
			return nil
		},
	}
}

// diagnose finds out what this machine offers.
func (a *app) diagnose() diagnosis {
	d := diagnosis{
		Version: record.Version(), Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
		Cores: runtime.GOMAXPROCS(0), Backend: "go", Kernels: backend.Kernels(), Datasets: map[string]string{},
	}
	if backend.Native() {
		d.Backend, d.Native = "native", backend.Version()
	}
	d.Folder, _ = data.Folder(a.dataDir)
	d.HDF5 = array.HDF5Available()
	d.JPEG = data.JPEGDecoder()
	for _, name := range data.Names() {
		d.Datasets[name] = "there"
		_, err := data.Find(name, data.Options{Dir: a.dataDir})
		var missing *data.NotFoundError
		switch {
		case errors.As(err, &missing):
			d.Datasets[name] = "not there: " + missing.Hint
		case err != nil:
			d.Datasets[name] = err.Error()
		}
	}
	return d
}

// showDiagnosis prints a diagnosis, with hints at what is missing.
func (a *app) showDiagnosis(d diagnosis) {
	line := func(name, format string, args ...any) {
		fmt.Fprintf(a.streams.out, "%-10s "+format+"\n", append([]any{name}, args...)...)
	}
	line("ansatz", "%s", d.Version)
	line("go", "%s, %s, %d cores", d.Go, d.Platform, d.Cores)
	if d.Native != "" {
		line("backend", "native: %s", d.Native)
	} else {
		line("backend", "go only (%s): slower than with oneDNN and OpenBLAS, much slower without AVX2.", d.Kernels)
		line("", "On Debian: apt-get install gcc pkg-config libopenblas-dev libdnnl-dev, then make")
	}
	line("jpeg", "%s", d.JPEG)
	if !strings.HasPrefix(d.JPEG, "libturbojpeg") {
		line("", "three times slower than libjpeg-turbo. On Debian: apt-get install libturbojpeg0, with a native "+
			"backend")
	}
	if d.HDF5 {
		line("hdf5", "read")
	} else {
		line("hdf5", "not built in: PatchCamelyon cannot be read. On Debian: apt-get install libhdf5-dev, then make")
	}
	var there []string
	for _, name := range data.Names() {
		if d.Datasets[name] == "there" {
			there = append(there, name)
		}
	}
	line("data", "%s: %s. All: ansatz data list", d.Folder, strings.Join(there, ", "))
}
