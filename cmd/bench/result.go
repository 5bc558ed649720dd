package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/graph/backend"
)

// result is the whole benchmark as JSON.
type result struct {
	Machine machine `json:"machine"`
	Runs    int     `json:"runs"`
	Rows    []row   `json:"rows"`
}

// machine is what the times depend on.
type machine struct {
	Processor string `json:"processor"`
	Threads   int    `json:"threads"` // of each program
	Load      string `json:"load"`    // the load average before the first run; above 0.5 the times are too long
	Ansatz    string `json:"ansatz"`
	PyTorch   string `json:"pytorch"`
	// Settings are the environment variables for the libraries of both programs, such as OPENBLAS_CORETYPE=Haswell.
	Settings []string `json:"settings"`
	// Sgemm is the rate of a large product of matrices of float32, in GFLOP/s.
	Sgemm float64 `json:"sgemm_gflops"`
}

// row is a row of the table: times of the same work, in turn, or memory.
type row struct {
	Work string    `json:"work"`
	Unit string    `json:"unit"` // s, ms, MB
	Ours []float64 `json:"ansatz"`
	Peer []float64 `json:"pytorch,omitempty"` // nil where there is no peer
	// Flops are the floating point operations of the work in matrix products and convolutions, 0 where they are not counted.
	Flops float64 `json:"flops,omitempty"`
	Note  string  `json:"note,omitempty"`
}

const tableHead = "| work | ansatz | PyTorch | ratio | GFLOP/s, share of a matrix product's |\n|---|---|---|---|---|"

// rate returns the GFLOP/s that ansatz reaches in the median; the unit must be s or ms.
func (r row) rate() float64 {
	seconds := median(r.Ours)
	if r.Unit == "ms" {
		seconds /= 1e3
	}
	return r.Flops / seconds / 1e9
}

// markdown returns the row with medians, and the least and the largest of several, on a machine whose matrix products reach
// sgemm GFLOP/s.
func (r row) markdown(sgemm float64) string {
	share := "–"
	if r.Flops > 0 {
		share = fmt.Sprintf("%.0f, %.0f %%", r.rate(), 100*r.rate()/sgemm)
	}
	work := r.Work
	if r.Note != "" {
		work += " (" + r.Note + ")"
	}
	if r.Peer == nil {
		return fmt.Sprintf("| %s | %s %s | – | – | %s |", work, spread(r.Ours), r.Unit, share)
	}
	ratios := make([]float64, len(r.Ours))
	for i := range ratios {
		ratios[i] = r.Ours[i] / r.Peer[i]
	}
	return fmt.Sprintf("| %s | %s %s | %s %s | **%.2f** | %s |", work, spread(r.Ours), r.Unit, spread(r.Peer), r.Unit,
		median(ratios), share)
}

// spread writes the median of some numbers, with the least and the largest.
func spread(x []float64) string {
	format := func(v float64) string {
		if v >= 99.5 {
			return fmt.Sprintf("%.0f", v)
		}
		return fmt.Sprintf("%.2g", v)
	}
	if len(x) == 1 {
		return format(x[0])
	}
	return fmt.Sprintf("%s (%s–%s)", format(median(x)), format(slices.Min(x)), format(slices.Max(x)))
}

func median(x []float64) float64 {
	s := slices.Sorted(slices.Values(x))
	n := len(s)
	return (s[(n-1)/2] + s[n/2]) / 2
}

// machine describes the machine and both programs.
func (b *bench) machine(ctx context.Context) (machine, error) {
	m := machine{Processor: processor(), Threads: runtime.NumCPU(), Ansatz: "pure Go", PyTorch: "not found"}
	if backend.Native() {
		m.Ansatz = "native, " + backend.Version()
	}
	for _, v := range environment() {
		for _, library := range []string{"OMP_", "OPENBLAS_", "DNNL_", "ONEDNN_", "MKL_"} {
			if strings.HasPrefix(v, library) {
				m.Settings = append(m.Settings, v)
			}
		}
	}
	if load, err := os.ReadFile("/proc/loadavg"); err == nil {
		m.Load, _, _ = strings.Cut(string(load), " ")
	}
	if out, err := output(ctx, b.python, "-c", "import torch; print(torch.__version__, end='')"); err == nil {
		m.PyTorch = string(out)
	}
	var err error
	m.Sgemm, err = sgemmPeak()
	return m, err
}

// sentence describes the machine and the runs.
func (m machine) sentence(runs int) string {
	return fmt.Sprintf("Medians of %d runs in turn, with the least and the largest, on %d threads of %s, load before %s, "+
		"%.0f GFLOP/s in a product of matrices of 2048×2048 in float32. ansatz: %s; PyTorch %s. Settings of the libraries: %s.",
		runs, m.Threads, m.Processor, m.Load, m.Sgemm, m.Ansatz, m.PyTorch, cmp.Or(strings.Join(m.Settings, " "), "none"))
}

// processor returns the name of the processor.
func processor() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return runtime.GOARCH
	}
	for line := range strings.Lines(string(text)) {
		if name, value, found := strings.Cut(line, ":"); found && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}
