package shard

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// A plan that can be read is the same after it was written and read again, and its shards together have all of its
// units.
func FuzzPlan(f *testing.F) {
	for shards := 1; shards < 4; shards++ {
		p, err := New(Plan{Kind: "words", Title: "t", Maker: Maker{Version: "v", Backend: "go", Threads: 2},
			Settings: json.RawMessage(`{"a":[1,2]}`),
			Units: []Unit{{Name: "a", Spec: json.RawMessage(`1`), Seconds: 2},
				{Name: "b", Spec: json.RawMessage(`{"b":"é"}`)}, {Name: "c", Spec: json.RawMessage(`null`)}}}, shards)
		if err != nil {
			f.Fatal(err)
		}
		text, err := json.MarshalIndent(p, "", "  ")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
		f.Add(text[:len(text)/2])
	}
	f.Add([]byte(`{"format":1,"threads":1,"shards":[[0,0],[-1],[99999999999]],"units":[{}]}`))
	f.Add([]byte(`{"format":1,"settings":` + string(bytes.Repeat([]byte("["), 20000))))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text []byte) {
		path := filepath.Join(dir, PlanFile)
		if err := os.WriteFile(path, text, 0o666); err != nil {
			t.Fatal(err)
		}
		p, err := Read(dir)
		if err != nil {
			return
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if err := p.Write(dir); err != nil {
			t.Fatal(err)
		}
		q, err := Read(dir)
		if err != nil || q.Hash != p.Hash {
			t.Fatalf("written again: %v", err)
		}
		units := 0
		for i := range p.Shards {
			all, err := p.Shard(i + 1)
			if err != nil {
				t.Fatal(err)
			}
			units += len(all)
		}
		if units != len(p.Units) {
			t.Errorf("%d units in shards, of %d", units, len(p.Units))
		}
	})
}

// A receipt that can be read has the checksum that it states.
func FuzzReceipt(f *testing.F) {
	r := &Receipt{Kind: "words", Unit: "0123", Name: "a", Maker: Maker{Version: "v", Backend: "go", Threads: 1}, Data: map[string]string{"d": "e"}}
	if err := r.write(f.TempDir()); err != nil {
		f.Fatal(err)
	}
	text, err := json.Marshal(r)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add(bytes.Replace(text, []byte("words"), []byte("word"), 1))
	f.Add([]byte(`{"format":1,"checksum":"","files":null}`))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(filepath.Join(dir, ReceiptFile), text, 0o666); err != nil {
			t.Fatal(err)
		}
		if r, err := ReadReceipt(dir); err == nil && r.digest() != r.Checksum {
			t.Errorf("%+v", r)
		}
	})
}
