package shard

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Merging gives the same result for any number of shards, made in any order.
func TestMergedIsTheSame(t *testing.T) {
	for shards := 1; shards <= len(sentence)+2; shards++ {
		p, out := wordPlan(t, shards), t.TempDir()
		if err := p.Write(out); err != nil {
			t.Fatal(err)
		}
		p, err := Read(out)
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Shards) != min(shards, len(sentence)) {
			t.Fatalf("%d shards, want %d", len(p.Shards), shards)
		}
		order := make([]int, len(p.Shards))
		for i := range order {
			order[i] = (i*5+3)%len(order) + 1 // a permutation, unless 5 divides the number of shards
		}
		if len(order)%5 == 0 {
			slices.Sort(order)
			for i := range order {
				order[i] = len(order) - i
			}
		}
		for _, i := range order {
			units, err := p.Shard(i)
			if err == nil {
				err = Worker{Plan: p, Job: &wordJob{}, Out: out}.Run(t.Context(), units)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if s := StatusOf(p, out); s.Done || s.Whole != len(sentence) || len(s.Missing()) > 0 {
			t.Errorf("before it is merged: %+v", s)
		}
		if err := Merge(t.Context(), p, &wordJob{}, out); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(out, "words"))
		if want := strings.Join(sentence, " "); err != nil || string(text) != want {
			t.Errorf("%d shards: %q, %v, want %q", shards, text, err, want)
		}
		if s := StatusOf(p, out); !s.Done {
			t.Errorf("once it is merged: %+v", s)
		}
	}
}

// Merge refuses a unit that is missing, damaged or foreign, names it, and merges nothing.
func TestMergeRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		harm func(dir, other string) error
		want string
	}{
		"missing": {func(dir, _ string) error { return os.RemoveAll(dir) }, "missing"},
		"no receipt": {func(dir, _ string) error { return os.Remove(filepath.Join(dir, ReceiptFile)) },
			"receipt.json is missing"},
		"no file": {func(dir, _ string) error { return os.Remove(filepath.Join(dir, "sub", "word")) },
			"sub/word is missing"},
		"cut": {func(dir, _ string) error { return os.Truncate(filepath.Join(dir, "sub", "word"), 1) },
			"sub/word is damaged: it has 1 bytes"},
		"a bit of a file": {func(dir, _ string) error { return flip(filepath.Join(dir, "sub", "word"), 3) },
			"sub/word is damaged"},
		"a bit of receipt": {func(dir, _ string) error { return flip(filepath.Join(dir, ReceiptFile), 700) },
			"receipt.json is damaged"},
		"one more file": {func(dir, _ string) error { return os.WriteFile(filepath.Join(dir, "x"), nil, 0o666) },
			"x is foreign"},
		"another's": {func(dir, other string) error {
			return errors.Join(os.RemoveAll(dir),
				os.CopyFS(dir, os.DirFS(other)))
		}, "foreign: it is words"},
		"of no unit": {func(dir, _ string) error {
			return os.CopyFS(filepath.Join(filepath.Dir(dir), "0123"),
				os.DirFS(dir))
		}, "units/0123: foreign"},
	} {
		p, out := made(t)
		f := folder(out)
		if err := c.harm(f.unit(p.Units[2].ID), f.unit(p.Units[0].ID)); err != nil {
			t.Fatal(err)
		}
		err := Merge(t.Context(), p, &wordJob{}, out)
		var refused *MergeError
		if !errors.As(err, &refused) || len(refused.Problems) != 1 || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
		if name != "of no unit" && !strings.Contains(err.Error(), `, learns (units/`+p.Units[2].ID) {
			t.Errorf("%s: %v does not name the unit", name, err)
		}
		if _, err := os.Stat(filepath.Join(out, "words")); !errors.Is(err, fs.ErrNotExist) || StatusOf(p, out).Done {
			t.Errorf("%s: it was merged", name)
		}
	}
}

func flip(path string, bit int) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	text[bit/8] ^= 1 << (bit % 8)
	return os.WriteFile(path, text, 0o666)
}

// A flipped bit in a unit's files is found, unless the receipt still means the same. The test flips every fifth bit.
func TestEveryBit(t *testing.T) {
	p, out := made(t)
	dir := folder(out).unit(p.Units[1].ID)
	for _, name := range []string{"sub/word", ReceiptFile} {
		path := filepath.Join(dir, name)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for bit := 0; bit < 8*len(text); bit += 5 { // 5 and 8 have no common divisor, so each place in a byte is tested
			if err := flip(path, bit); err != nil {
				t.Fatal(err)
			}
			c := collector{plan: p, done: &merged{Units: map[string]string{}}, data: map[string]source{}}
			if err := c.checkUnit(folder(out), p.Units[1]); err == nil && !sameJSON(t, path, text) {
				t.Errorf("bit %d of %s: it was not noticed", bit, name)
			}
			if err := os.WriteFile(path, text, 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// sameJSON reports whether a receipt in a file still means the same as a text, for example with a tab for a space, or a
// capital in a key.
func sameJSON(t *testing.T, path string, text []byte) bool {
	t.Helper()
	now, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	a, b := Receipt{}, Receipt{}
	if json.Unmarshal(now, &a) != nil || json.Unmarshal(text, &b) != nil {
		return false
	}
	return fmt.Sprintf("%+v", a) == fmt.Sprintf("%+v", b)
}

// Units made by another version, on another backend, with another number of threads or from other data are foreign.
func TestMergeRefusesOthers(t *testing.T) {
	p, out := made(t)
	for _, c := range []struct {
		change func(r *Receipt)
		want   string
	}{
		{func(r *Receipt) { r.Version = "v2" }, "foreign: it was made by ansatz v2 on the go backend with 1 thread"},
		{func(r *Receipt) { r.Backend = "native" }, "native backend"},
		{func(r *Receipt) { r.Threads = 2 }, "2 threads"},
		{func(r *Receipt) { r.Data["alphabet"] = "abd" }, "foreign: its data, alphabet, is not that of"},
	} {
		dir := folder(out).unit(p.Units[3].ID)
		r, err := ReadReceipt(dir)
		if err != nil {
			t.Fatal(err)
		}
		old := *r
		old.Data = map[string]string{"alphabet": "abc"}
		c.change(r)
		if err := r.write(dir); err != nil {
			t.Fatal(err)
		}
		if err := Merge(t.Context(), p, &wordJob{}, out); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
		if err := old.write(dir); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.MadeBy(Maker{Version: "v2", Backend: "go", Threads: 1}); !isInput(err) {
		t.Errorf("another version: %v", err)
	}
	if err := Merge(t.Context(), p, &wordJob{}, out); err != nil {
		t.Error(err)
	}
}
