package calibrate

import (
	"bytes"
	"maps"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments"
	"github.com/ansatz-lab/ansatz/experiments/cost/measured"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

func FuzzCosts(f *testing.F) {
	table, err := os.ReadFile("../cost/measured/costs.csv")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(table))
	for _, row := range []string{"rfm/fig7,smoke,1e308,1e308", "rfm/fig7,smoke,0x1p-1074,0", "rfm/fig7,smoke,1,inf",
		"rfm/fig7,smoke,inf,1", "\"rfm\nfig7\",smoke,1,1", "#", "\"", ",,,"} {
		f.Add("# remark\nid,scale,seconds,mib\n" + row + "\n")
	}
	f.Fuzz(func(t *testing.T, text string) {
		costs, err := measured.Read(strings.NewReader(text))
		if err != nil {
			return
		}
		for k, c := range costs {
			if !(c.Seconds > 0 && c.Seconds-c.Seconds == 0 && c.Bytes >= 0 && c.Bytes-c.Bytes == 0) {
				t.Fatalf("%v costs %+v", k, c)
			}
		}
		var first, second bytes.Buffer
		if err := costs.WriteCSV(&first, nil, measuredKeys()); err != nil {
			t.Fatal(err)
		}
		again, err := measured.Read(bytes.NewReader(first.Bytes()))
		if err != nil {
			t.Fatalf("read %q, wrote %q: %v", text, first.String(), err)
		}
		if err := again.WriteCSV(&second, nil, measuredKeys()); err != nil ||
			!bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Fatalf("wrote %q, then %q, %v", first.String(), second.String(), err)
		}
	})
}

// The table lists only experiments that exist and have a run of their own. It is equal after it was written and read
// again.
func TestMeasuredCosts(t *testing.T) {
	costs, err := measured.Costs()
	if err != nil || len(costs) == 0 {
		t.Fatal(err)
	}
	for k := range costs {
		e, err := experiments.All().Find(k.ID)
		if err != nil || e.Of != nil || e.Specs[study.Scale(k.Scale)] == nil && k.Scale != measured.CheckScale {
			t.Errorf("%v: %v", k, err)
		}
	}
	var b bytes.Buffer
	if err := costs.WriteCSV(&b, []string{"a remark, with \"quotes\""}, measuredKeys()); err != nil {
		t.Fatal(err)
	}
	again, err := measured.Read(&b)
	if err != nil || !maps.Equal(costs, again) {
		t.Errorf("%v\n%v\n%v", err, costs, again)
	}
}

// WriteCosts takes new costs from runs, and keeps the old costs of all other experiments.
func TestWriteCosts(t *testing.T) {
	e, err := experiments.All().Find("rfm/tutorial")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if _, err := (study.Run{Experiment: e, Scale: study.Smoke, Seeds: 2, Setting: study.Setting{Threads: 1},
		Out: dir}).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := WriteCosts(&b, []string{dir}); err != nil {
		t.Fatal(err)
	}
	got, err := measured.Read(&b)
	if err != nil {
		t.Fatal(err)
	}
	old, _ := measured.Costs()
	for k, c := range old {
		if g, there := got[k]; !there || g != c && k != (measured.Key{ID: e.ID, Scale: string(study.Smoke)}) {
			t.Errorf("%v: %+v, was %+v", k, g, c)
		}
	}
	seeds, err := e.SeedsIn(dir)
	if err != nil || len(seeds) != 2 {
		t.Fatalf("%d seeds, %v", len(seeds), err)
	}
	want := meanCost(seeds)
	if c := got[measured.Key{ID: e.ID, Scale: string(study.Smoke)}]; c.Bytes != math.Ceil(want.Bytes/(1<<20))*(1<<20) ||
		math.Abs(c.Seconds-want.Seconds) > .01*want.Seconds {
		t.Errorf("%+v, want %+v", c, want)
	}
}
