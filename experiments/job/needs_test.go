package job

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/shard"
)

// TestPlanNeeds checks the needs of a plan of ten minutes in four shards, the longest of which takes four minutes.
func TestPlanNeeds(t *testing.T) {
	p := &shard.Plan{Maker: shard.Maker{Threads: 1}, Shards: [][]int{{0}, {1}, {2}, {3, 4}}, MergeSeconds: 30,
		MergeBytes: 1 << 30}
	for _, s := range []float64{240, 120, 120, 60, 60} {
		p.Units = append(p.Units, shard.Unit{Seconds: s, Bytes: 1e6 * s})
	}
	n := PlanNeeds(p)
	if n.Seconds != 600 || n.Longest != 240 || n.Bytes != 240e6 || n.Unknown != 0 || n.Merging.Seconds != 30 {
		t.Errorf("%+v", n)
	}
	for cores, want := range map[int]float64{1: 600, 2: 300, 3: 240, 100: 240} {
		if got := n.On(cores); got != want {
			t.Errorf("%g s on %d cores, want %g", got, cores, want)
		}
	}
	if n.Disk != 0 || strings.Contains(n.String(), "disk") {
		t.Errorf("%+v: %v", n, n)
	}
	p.MergeDisk, p.Units[1].Disk, p.Units[2].Disk, p.Units[2].Scratch = 1<<30, 2<<30, 3<<30, 1<<20
	if s := PlanNeeds(p).String(); !strings.Contains(s, "; 6.0 GiB on the disk, and up to 1 MiB of checkpoints for each process") {
		t.Error(s)
	}
	if s := n.String(); !strings.Contains(s, "10 min on 1 core, 4 min on 3 cores, and up to 229 MiB for each process; merging takes 30 s and 1.0 GiB") {
		t.Error(s)
	}
	p.Threads, p.Units[2].Seconds = 4, 0
	if n := PlanNeeds(p); n.Unknown != 1 || n.On(4) != 480 || n.On(8) != 240 ||
		strings.Contains(n.String(), "on 1 core,") {
		t.Errorf("%+v, %v", n, n)
	}
}

// TestNeedsOnGPU checks that each process counts as one GPU, however many threads it has, and that the text leaves out
// the unknown memory.
func TestNeedsOnGPU(t *testing.T) {
	n := Needs{Shards: 8, Threads: 4, Device: "NVIDIA H200", Seconds: 8 * 7200, Longest: 7200}
	if got, want := n.String(), "about 16 h on 1 NVIDIA H200, 4 h on 4 NVIDIA H200s, 2 h on 8 NVIDIA H200s"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestPlanStart checks that the time in which a process opens its inputs counts once for each shard, not for each unit.
func TestPlanStart(t *testing.T) {
	var units []shard.Unit
	for k := range 6 {
		units = append(units, shard.Unit{Name: "unit", Spec: json.RawMessage(fmt.Sprint(k)), Seconds: 5})
	}
	for shards, want := range map[int]float64{1: 6*2 + 3, 2: 6*2 + 2*3, 6: 6 * 5, 9: 6 * 5} {
		p, err := Work{Kind: "kind", Title: "work", Units: slices.Clone(units), Start: 3}.Plan(1, shards, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := PlanNeeds(p).Seconds; math.Abs(got-want) > 1e-9 {
			t.Errorf("%d shards take %g s, want %g", shards, got, want)
		}
	}
}
