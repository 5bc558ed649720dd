package main

import (
	"errors"
	"fmt"
	"runtime"
	"strings"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/data/array"
	"github.com/ansatz-lab/ansatz/data/imagefile"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/graph/backend/gpu"
	"github.com/ansatz-lab/ansatz/internal/words"
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
	GPUs     []gpuDiagnosis    `json:"gpus,omitempty"`
	NoGPU    string            `json:"no_gpu,omitempty"` // why there is none
	Folder   string            `json:"data_dir"`
	Datasets map[string]string `json:"datasets"`
}

// gpuDiagnosis is a device of the backend gpu.
type gpuDiagnosis struct {
	Name     string `json:"name"`
	Kind     string `json:"kind"`
	Platform string `json:"platform"`
	Driver   string `json:"driver"`
	Memory   int64  `json:"memory_bytes"`
	Float64  bool   `json:"float64"`
	Test     string `json:"test"` // passed, or what failed
}

// diagnoseGPUs lists the devices, in the order in which the backend gpu tries them.
func (d *diagnosis) diagnoseGPUs() {
	found, err := gpu.Devices()
	if err == nil && len(found) == 0 {
		err = gpu.Available()
	}
	if err != nil {
		d.NoGPU = err.Error()
	}
	for _, f := range found {
		g := gpuDiagnosis{Name: f.Name, Kind: string(f.Kind), Platform: f.Platform, Driver: f.Driver, Memory: f.Memory,
			Float64: f.Double, Test: "passed"}
		if f.Err != nil {
			g.Test = f.Err.Error()
		}
		d.GPUs = append(d.GPUs, g)
	}
}

func (a *app) doctor() *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Show the version, the backends and the datasets on this machine",
		Long: "doctor shows the version, the backend that was built in with its libraries, the devices of CUDA and\n" +
			"OpenCL with the result of a self-test, and the datasets that are present.",
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
		Cores: runtime.GOMAXPROCS(0), Backend: backend.Default(), Kernels: backend.Kernels(), Datasets: map[string]string{},
	}
	if backend.Native() {
		d.Native = backend.Version()
	}
	d.Folder, _ = data.Folder(a.dataDir)
	d.diagnoseGPUs()
	d.HDF5 = array.HDF5Available()
	d.JPEG = imagefile.JPEGDecoder()
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
	for _, g := range d.GPUs {
		numbers := "float32 only"
		if g.Float64 {
			numbers = "float32 and float64"
		}
		line("gpu", "%s (%s, %s %s): %s, %s; self-test: %s", g.Name, g.Kind, g.Platform, g.Driver, words.Bytes(g.Memory),
			numbers, g.Test)
	}
	if d.NoGPU != "" {
		line("gpu", "none: %s", d.NoGPU)
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
