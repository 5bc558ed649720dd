package cost

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/ansatz-lab/ansatz/internal/jsonfile"
)

// gpuPoint is work that was measured on a GPU.
type gpuPoint struct {
	Device  string // the name of the GPU
	Name    string // what it was, for a reader
	Jobs    []Job  // one after another
	Seconds float64
}

//go:embed gpu.csv
var gpuCSV string

// gpuColumns head the table of work that was measured on GPUs.
var gpuColumns = []string{"device", "name", "seconds", "jobs"}

// gpuPoints returns all work that was measured on GPUs.
var gpuPoints = sync.OnceValues(func() ([]gpuPoint, error) { return readGPUPoints(strings.NewReader(gpuCSV)) })

// readGPUPoints reads a table of work on GPUs: lines that begin with # are remarks, then come the header and a row for each
// point.
func readGPUPoints(r io.Reader) (all []gpuPoint, err error) {
	rows, err := readRows(r, gpuColumns)
	if err != nil {
		return nil, fmt.Errorf("table of GPUs: %w", err)
	}
	for _, row := range rows {
		p := gpuPoint{Device: row[0], Name: row[1]}
		if p.Seconds, err = strconv.ParseFloat(row[2], 64); err != nil || !(p.Seconds > 0 && p.Seconds <= mostTaken) {
			return nil, fmt.Errorf("table of GPUs, %q: want seconds above 0, found %q", row[1], row[2])
		}
		if p.Jobs, err = readJobs([]byte(row[3])); err != nil {
			return nil, fmt.Errorf("table of GPUs, %q: %w", row[1], err)
		}
		all = append(all, p)
	}
	return all, nil
}

// readJobs reads a list of jobs, each with its kind.
func readJobs(text []byte) (all []Job, err error) {
	var jobs []struct {
		Kind string          `json:"kind"`
		Job  json.RawMessage `json:"job"`
	}
	if err := jsonfile.Decode(text, &jobs); err != nil {
		return nil, err
	}
	for _, j := range jobs {
		empty, known := kinds[j.Kind]
		if !known {
			return nil, fmt.Errorf("there is no kind of job %q", j.Kind)
		}
		job := empty()
		if err := jsonfile.Decode(j.Job, job); err != nil {
			return nil, err
		}
		all = append(all, job)
	}
	if len(all) == 0 {
		return nil, errors.New("there is no job")
	}
	return all, nil
}

// gpuModels holds the model of each GPU, fitted once to the work that was measured on it.
var gpuModels = sync.OnceValues(func() (map[string]weights, error) {
	all, err := gpuPoints()
	if err != nil {
		return nil, err
	}
	work, seconds := map[string][]terms{}, map[string][]float64{}
	for _, p := range all {
		t, err := gpuTerms(p.Jobs)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.Name, err)
		}
		work[p.Device], seconds[p.Device] = append(work[p.Device], t), append(seconds[p.Device], p.Seconds)
	}
	fitted := map[string]weights{}
	for device, t := range work {
		fitted[device] = fit(t, seconds[device])
	}
	return fitted, nil
})

// launcher is a job that launches kernels so often that their number tells on a GPU.
type launcher interface{ launches() float64 }

// gpuTerms returns the terms of time on a GPU: for each kind of job the time on a thread of a processor, a share of which it
// takes on the GPU, and launches of kernels.
func gpuTerms(jobs []Job) (t terms, err error) {
	for _, j := range jobs {
		takes, err := estimate(j)
		if err != nil {
			return nil, err
		}
		t = t.with(j.kind(), takes.Seconds)
		if j, is := j.(launcher); is {
			t = t.with("launches", j.launches())
		}
	}
	return t, nil
}

// OnGPU returns the seconds that jobs take on a GPU, one after another, with the processor beside it. It is an error if
// nothing was measured on the GPU, or no job of one of the kinds.
func OnGPU(device string, jobs ...Job) (seconds float64, err error) {
	all, err := gpuModels()
	if err != nil {
		return 0, err
	}
	model, known := all[device]
	if !known {
		return 0, fmt.Errorf("no work was measured on %s", device)
	}
	t, err := gpuTerms(jobs)
	if err != nil {
		return 0, err
	}
	seconds, known = model.total(t)
	if !known {
		return 0, fmt.Errorf("one of these kinds of work was not measured on %s", device)
	}
	return seconds, nil
}

// GPUs returns the names of the GPUs on which work was measured, and the largest relative error of the models at that work, to
// which they are fitted.
func GPUs() (devices []string, largest float64, err error) {
	all, err := gpuPoints()
	if err != nil {
		return nil, 0, err
	}
	for _, p := range all {
		seconds, err := OnGPU(p.Device, p.Jobs...)
		if err != nil {
			return nil, 0, err
		}
		largest = max(largest, math.Abs(seconds/p.Seconds-1))
		if !slices.Contains(devices, p.Device) {
			devices = append(devices, p.Device)
		}
	}
	return devices, largest, nil
}
