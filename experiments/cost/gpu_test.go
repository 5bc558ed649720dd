package cost

import (
	"math"
	"strings"
	"testing"
)

// TestGPUs checks that the models are within 30 % of the measured times that they are fitted to, and that every
// measured point names its GPU and its work.
func TestGPUs(t *testing.T) {
	devices, largest, err := GPUs()
	if err != nil || len(devices) == 0 || !(largest <= within) {
		t.Errorf("%v, largest error %.2f, %v", devices, largest, err)
	}
	points, err := gpuPoints()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range points {
		if p.Device == "" || p.Name == "" {
			t.Errorf("%+v has no name", p)
		}
	}
}

// TestOnGPU checks that the time is proportional to the number of steps. 1000 times the products slow a GPU down much
// less than a thread, because a small network waits for launches on a GPU. An unknown device, a kind of job that was
// not measured, and NaN steps are errors.
func TestOnGPU(t *testing.T) {
	devices, _, err := GPUs()
	if err != nil {
		t.Fatal(err)
	}
	small := Training{Net: Net{Layers: 5, Conv: 4e5, Values: 6e3, Patches: 3e4, Parameters: 6e4}, Batch: 128, Steps: 1e4, Images: 128e4}
	twice := small
	twice.Steps, twice.Images = 2*small.Steps, 2*small.Images
	a, err := OnGPU(devices[0], small)
	b, err2 := OnGPU(devices[0], &twice)
	cpu, err3 := Of(small)
	if err != nil || err2 != nil || err3 != nil || math.Abs(b/a-2) > .1 || a <= 0 {
		t.Errorf("%g and %g seconds: %v, %v, %v", a, b, err, err2, err3)
	}
	large := small
	large.Conv *= 1000
	slow, err := OnGPU(devices[0], large)
	slowCPU, err2 := Of(large)
	if err != nil || err2 != nil || slow/a > .2*slowCPU.Seconds/cpu.Seconds {
		t.Errorf("a network of 1000 times the products takes %g times as long on the GPU and %g times on a thread: %v, %v",
			slow/a, slowCPU.Seconds/cpu.Seconds, err, err2)
	}
	for device, job := range map[string]Job{"abacus": small, devices[0]: Table{Fits: 1, Rows: 10, Data: 10}} {
		if seconds, err := OnGPU(device, job); err == nil {
			t.Errorf("%s: %+v takes %g seconds", device, job, seconds)
		}
	}
	small.Steps = math.NaN()
	if seconds, err := OnGPU(devices[0], small); err == nil {
		t.Errorf("NaN steps take %g seconds", seconds)
	}
}

func TestReadGPUPointsBad(t *testing.T) {
	const head = "# remark\ndevice,name,seconds,jobs\n"
	const job = `"[{""kind"":""table"",""job"":{}}]"`
	if all, err := readGPUPoints(strings.NewReader(head + "d,n,1," + job + "\n")); err != nil || len(all) != 1 {
		t.Fatalf("%+v: %v", all, err)
	}
	for _, text := range []string{"", "device,name\n", head + "d,n,1\n", head + "d,n,0," + job + "\n", head + "d,n,NaN," + job + "\n",
		head + "d,n,x," + job + "\n", head + "d,n,1,[]\n", head + "d,n,1,{}\n", head + "\"d,n,1,[]\n",
		head + `d,n,1,"[{""kind"":""none"",""job"":{}}]"` + "\n", head + `d,n,1,"[{""kind"":""table""}]"` + "\n",
		head + `d,n,1,"[{""kind"":""table"",""job"":{""none"":1}}]"` + "\n"} {
		if all, err := readGPUPoints(strings.NewReader(text)); err == nil {
			t.Errorf("%q: %+v", text, all)
		}
	}
}
