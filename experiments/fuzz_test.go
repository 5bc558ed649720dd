package experiments

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/report"
)

// FuzzSpec changes settings by any text: what is taken can be named by its hash,
// and what it would cost can be asked.
func FuzzSpec(f *testing.F) {
	all := All()
	for i, e := range all {
		if s, err := e.SpecAt(Smoke); err == nil {
			f.Add(uint8(i), strings.Join(settingNames(s), "\n"))
		}
	}
	for _, text := range []string{
		"train = -1", "train = 99999999999999999999", "ridge = nan", "ridge = -inf", "seeds", "a.b.c = 1", "[machine]\nkernel = 'ntk:9'",
		"x = " + strings.Repeat("[", 2000), "x = " + strings.Repeat("{a=", 2000), "train = 1\ntrain = 2", "\x00", "\"\\uD800\" = 1", strings.Repeat("a.", 2000) + "a = 1",
	} {
		f.Add(uint8(3), text)
	}
	f.Fuzz(func(t *testing.T, id uint8, text string) {
		e := all[int(id)%len(all)]
		s, err := e.SpecWith(Smoke, text)
		if err != nil {
			if !IsInput(err) {
				t.Fatalf("%s: %v (%T)", e.ID, err, err)
			}
			return
		}
		if _, hash, err := e.hash(s); err != nil || len(hash) != 12 {
			t.Fatalf("%s: taken, and then: %q, %v", e.ID, hash, err)
		}
		if w, is := s.(Worker); is {
			_, _ = w.Jobs()
		}
	})
}

// smallRecord is the record of a toy experiment as ansatz run writes it.
func smallRecord(f *testing.F) (e *Experiment, hash string, text []byte) {
	f.Helper()
	var ran int
	own := &toySpec{Level: 2, ran: &ran}
	e = toy(own)
	spec, hash, err := e.hash(own)
	if err != nil {
		f.Fatal(err)
	}
	s := seedRecord{Experiment: e.ID, Spec: spec, Seed: 5, Values: map[string]float64{"a": 1}, Notes: []string{"a note"}}
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

// FuzzRunRecord collects a run of two seeds of which one is what it may be, and makes
// the page of it. Whatever the record says, nothing is read elsewhere.
func FuzzRunRecord(f *testing.F) {
	e, hash, text := smallRecord(f)
	dir := f.TempDir()
	run := filepath.Join(dir, filepath.FromSlash(e.ID), hash)
	write := func(t testing.TB, seed string, text []byte) {
		if err := os.WriteFile(filepath.Join(run, seed, runFile), text, 0o666); err != nil {
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
		all, err := e.collect(dir)
		if err != nil {
			if !IsInput(err) || !strings.HasPrefix(err.Error(), filepath.Join(run, "seed-4", runFile)) {
				t.Fatalf("%v (%T)", err, err)
			}
			return
		}
		for _, r := range all {
			_, _ = r.Page() // an error, such as that a name is taken, is an answer
			for _, fig := range r.Outcome(r.Seeds[0]).Figures {
				if len(fig.SVG)+len(fig.PNG)+len(fig.CSV) > 0 {
					t.Fatalf("figure %q is of somewhere else", fig.Name)
				}
			}
		}
	})
}

func FuzzCosts(f *testing.F) {
	f.Add(costsCSV)
	for _, row := range []string{"rfm/fig7,smoke,1e308,1e308", "rfm/fig7,smoke,0x1p-1074,0", "rfm/fig7,smoke,1,inf", "rfm/fig7,smoke,inf,1", "\"rfm\nfig7\",smoke,1,1", "#", "\"", ",,,"} {
		f.Add("# remark\nid,scale,seconds,mib\n" + row + "\n")
	}
	f.Fuzz(func(t *testing.T, text string) {
		costs, err := readCosts(strings.NewReader(text))
		if err != nil {
			return
		}
		for k, c := range costs {
			if !(c.Seconds > 0 && c.Seconds-c.Seconds == 0 && c.Bytes >= 0 && c.Bytes-c.Bytes == 0) {
				t.Fatalf("%v costs %+v", k, c)
			}
		}
		var first, second bytes.Buffer
		if err := writeCosts(&first, nil, costs); err != nil {
			t.Fatal(err)
		}
		again, err := readCosts(bytes.NewReader(first.Bytes()))
		if err != nil {
			t.Fatalf("read %q, wrote %q: %v", text, first.String(), err)
		}
		if err := writeCosts(&second, nil, again); err != nil || !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Fatalf("wrote %q, then %q, %v", first.String(), second.String(), err)
		}
	})
}

// FuzzTabularNote goes on with a benchmark from a record that may be anything.
func FuzzTabularNote(f *testing.F) {
	dir := &tabularFolder{dir: f.TempDir()}
	planned := &tabularPlanned{tabularMember: tabularMember{name: "t"}, digest: "d"}
	if err := dir.begin(TabularSpec{}); err != nil {
		f.Fatal(err)
	}
	score := .5
	whole, err := json.Marshal(tabularNote{Dataset: "t", SHA256: "d", Result: TabularResult{
		Method: "rfm", Score: &score, Folds: []float64{.5}, ByFold: []TabularFold{{Train: 3, Test: 2, Score: .5}}, Chosen: &TabularConfig{},
	}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	for old, new := range map[string]string{`"score":0.5`: `"score":1e999`, `"folds":[`: `"folds":[null,`, `"by_fold":[`: `"by_fold":[{},`, `"chosen":{`: `"chosen":null,"x":{`} {
		f.Add(bytes.Replace(whole, []byte(old), []byte(new), 1))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(dir.notePath("t", "rfm"), text, 0o666); err != nil {
			t.Fatal(err)
		}
		r, err := dir.load(planned, "rfm")
		if err != nil && !IsInput(err) {
			t.Fatalf("%v (%T)", err, err)
		}
		if r == nil {
			return
		}
		all := &TabularRecord{Spec: TabularSpec{Methods: []string{"rfm"}}, Datasets: []TabularDataset{{Name: "t", Methods: []TabularResult{*r}}}}
		all.Leaderboard = all.Results().Leaderboard(DropMissing)
		if _, err := all.Page(); err != nil {
			t.Fatalf("taken, and then: %v", err)
		}
	})
}

// FuzzSelection: a pattern selects experiments that there are, each once, or nothing.
func FuzzSelection(f *testing.F) {
	for _, name := range []string{"all", "rfm", "rfm/fig7", "energy/table*", "[", "*/*", "\\", "cnfa/fig[1-3]"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		found, exact, err := All().Select(Selection{Names: []string{name, name}})
		if err != nil {
			if !IsInput(err) {
				t.Fatalf("%v (%T)", err, err)
			}
			return
		}
		seen := map[string]bool{}
		for _, e := range found {
			seen[e.ID] = true
		}
		if len(seen) != len(found) || len(found) == 0 || exact && (len(found) != 1 || found[0].ID != name) {
			t.Fatalf("%q selects %v, exactly: %t", name, seen, exact)
		}
	})
}
