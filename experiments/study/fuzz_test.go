package study

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/report"
)

// FuzzRunRecord collects a run of two seeds, one of which has the fuzzed record, and makes its page. Errors must name
// the record, and nothing may be read from other folders.
func FuzzRunRecord(f *testing.F) {
	e, hash, text := smallRecord(f)
	dir := f.TempDir()
	run := filepath.Join(dir, filepath.FromSlash(e.ID), hash)
	write := func(t testing.TB, seed string, text []byte) {
		if err := os.WriteFile(filepath.Join(run, seed, RunFile), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, seed := range []string{"seed-4", "seed-5"} {
		if err := os.MkdirAll(filepath.Join(run, seed), 0o777); err != nil {
			f.Fatal(err)
		}
	}
	write(f, "seed-5", text)
	four := bytes.Replace(text, []byte(`"seed":5`), []byte(`"seed":4`), 1)
	f.Add(four)
	for old, new := range map[string]string{
		`"name":"matrix"`: `"name":"../../../../../etc/passwd"`, `"name":"c"`: `"name":"../c"`, `"name":"t"`: `"name":"CON/t"`,
		`"y":[0,`: `"y":[1e308,`, `"x":[0,`: `"x":[-1e308,`, `"series":[`: `"labels":["a"],"series":[`, `"rows":[`: `"rows":[null,`,
		`"columns":[`: `"columns":[null,`, `"notes":[`: `"notes":[null,`, `"values":{`: `"values":{"a":1e999,`, `"charts":[`: `"charts":[null,{},`,
		`"figures":[`: `"figures":` + strings.Repeat("[", 200), `"tables":[`: `"tables":[{},`, `"spec":`: `"spec":{},"spec":`,
	} {
		changed := bytes.Replace(four, []byte(old), []byte(new), 1)
		if bytes.Equal(changed, four) {
			f.Fatalf("the record has no %s: %s", old, four)
		}
		f.Add(changed)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		write(t, "seed-4", text)
		all, err := e.Collect(dir)
		if err != nil {
			if !input.IsError(err) || !strings.HasPrefix(err.Error(), filepath.Join(run, "seed-4", RunFile)) {
				t.Fatalf("%v (%T)", err, err)
			}
			return
		}
		for _, r := range all {
			_, _ = r.Page() // an error is allowed, such as a name that is taken
			for _, fig := range r.Outcome(r.Seeds[0]).Figures {
				if len(fig.SVG)+len(fig.PNG)+len(fig.CSV) > 0 {
					t.Fatalf("figure %q is of somewhere else", fig.Name)
				}
			}
		}
	})
}

// smallRecord returns a toy experiment, the hash of its settings, and the record of a seed as ansatz run writes it.
func smallRecord(f *testing.F) (e *Experiment, hash string, text []byte) {
	f.Helper()
	var ran int
	own := &toySpec{Level: 2, ran: &ran}
	e = toy(own)
	spec, hash, err := e.Hash(own)
	if err != nil {
		f.Fatal(err)
	}
	s := seedRecord{Experiment: e.ID, Spec: spec, Seed: 5, Values: map[string]float64{"a": 1},
		Notes: []string{"a note"}}
	found, err := own.Run(f.Context(), Setting{Seed: 5})
	if err != nil {
		f.Fatal(err)
	}
	s.Tables, s.Charts, s.Figures = found.Tables, found.Charts, []report.Figure{{Name: "matrix"}}
	if text, err = json.Marshal(s); err != nil {
		f.Fatal(err)
	}
	return e, hash, text
}
