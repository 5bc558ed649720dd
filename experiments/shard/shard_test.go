package shard

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ansatz-lab/ansatz/internal/lock"
)

// words is a job whose units are words; merging writes them in a line.
type words struct {
	made []string // in this order
	fail string   // the word that fails
	stop func()   // called when that is made
}

func (j *words) Make(ctx context.Context, u Unit, room Room) (Made, error) {
	var word string
	if err := json.Unmarshal(u.Spec, &word); err != nil {
		return Made{}, err
	}
	j.made = append(j.made, word)
	if word == j.fail {
		if j.stop != nil {
			j.stop()
			return Made{}, ctx.Err()
		}
		return Made{}, errors.New("it fails")
	}
	if err := os.Mkdir(filepath.Join(room.Dir, "sub"), 0o777); err != nil {
		return Made{}, err
	}
	return Made{Data: map[string]string{"alphabet": "abc"}},
		os.WriteFile(filepath.Join(room.Dir, "sub", "word"), []byte(word), 0o666)
}

func (j *words) Merge(_ context.Context, units []Folder, out string) error {
	var all []string
	for _, u := range units {
		text, err := os.ReadFile(filepath.Join(u.Dir, "sub", "word"))
		if err != nil {
			return err
		}
		all = append(all, string(text))
	}
	return os.WriteFile(filepath.Join(out, "words"), []byte(strings.Join(all, " ")), 0o666)
}

var sentence = []string{"a", "network", "learns", "what", "its", "AGOP", "names"}

func wordPlan(t *testing.T, shards int) *Plan {
	t.Helper()
	var units []Unit
	for i, w := range sentence {
		units = append(units, Unit{Name: w, Spec: json.RawMessage(fmt.Sprintf(" %q", w)), Seconds: float64(i)})
	}
	p, err := New(Plan{Kind: "words", Title: "a sentence", Maker: Maker{"v1", "go", 1}, Units: units}, shards)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Whatever the number of shards, and the order in which they are made, the same is
// merged.
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
			order[i] = (i*5+3)%len(order) + 1 // 5 divides none of the numbers but its own
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
				err = Worker{Plan: p, Job: &words{}, Out: out}.Run(t.Context(), units)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if s := StatusOf(p, out); s.Done || s.Whole != len(sentence) || len(s.Missing()) > 0 {
			t.Errorf("before it is merged: %+v", s)
		}
		if err := Merge(t.Context(), p, &words{}, out); err != nil {
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

// Shards take about the same time: none more than the fair share and a unit.
func TestDivide(t *testing.T) {
	var units []Unit
	total, longest := 0., 0.
	for i := range 100 {
		u := Unit{Seconds: float64(i * i % 37)} // of some it is not known
		units = append(units, u)
	}
	for _, u := range units {
		s := u.Seconds
		if s == 0 {
			s = 36
		}
		total, longest = total+s, max(longest, s)
	}
	for shards := 1; shards <= 100; shards++ {
		seen := 0
		for _, shard := range divide(units, shards) {
			load := 0.
			for _, k := range shard {
				if load += units[k].Seconds; units[k].Seconds == 0 {
					load += 36
				}
			}
			if seen += len(shard); load > total/float64(shards)+longest || len(shard) == 0 {
				t.Errorf("%d shards: one of %d units takes %v of %v", shards, len(shard), load, total)
			}
		}
		if seen != len(units) {
			t.Errorf("%d shards: %d units", shards, seen)
		}
	}
}

func made(t *testing.T) (p *Plan, out string) {
	t.Helper()
	p, out = wordPlan(t, 3), t.TempDir()
	if err := errors.Join(p.Write(out), Worker{Plan: p, Job: &words{}, Out: out}.Run(t.Context(),
		p.Units)); err != nil {
		t.Fatal(err)
	}
	return p, out
}

// What is missing, damaged or foreign is refused by name, and nothing is merged.
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
		err := Merge(t.Context(), p, &words{}, out)
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

// Every flipped bit of a unit's files is found.
func TestEveryBit(t *testing.T) {
	p, out := made(t)
	dir := folder(out).unit(p.Units[1].ID)
	for _, name := range []string{"sub/word", ReceiptFile} {
		path := filepath.Join(dir, name)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for bit := 0; bit < 8*len(text); bit += 5 { // which comes by every place in a byte
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

// sameJSON says whether a file has another text of the same meaning: a space that
// became a tab, or a letter of a key that became a capital.
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

// Units by another version, on another backend or of other data are foreign.
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
		if err := Merge(t.Context(), p, &words{}, out); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
		if err := old.write(dir); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.MadeBy(Maker{"v2", "go", 1}); !isInput(err) {
		t.Errorf("another version: %v", err)
	}
	if err := Merge(t.Context(), p, &words{}, out); err != nil {
		t.Error(err)
	}
}

// A unit that fails, and one that is interrupted, do not keep what is whole from being
// taken as it is.
func TestWorkerGoesOn(t *testing.T) {
	p, out := wordPlan(t, 2), t.TempDir()
	if err := p.Write(out); err != nil {
		t.Fatal(err)
	}
	failing := &words{fail: "learns"}
	err := Worker{Plan: p, Job: failing, Out: out}.Run(t.Context(), p.Units)
	var failed *FailedError
	if !errors.As(err, &failed) || len(failed.Units) != 1 || len(failing.made) != len(sentence) {
		t.Fatalf("%v after %v", err, failing.made)
	}
	s := StatusOf(p, out)
	if s.Whole != len(sentence)-1 || !slices.ContainsFunc(s.Shards,
		func(s ShardStatus) bool { return s.State == Failed && s.Error == "learns: it fails" }) {
		t.Errorf("%+v", s)
	}
	ctx, stop := context.WithCancel(t.Context())
	var stopped *StoppedError
	if err := (Worker{Plan: p, Job: &words{fail: "learns", stop: stop}, Out: out}).Run(ctx, p.Units); !errors.As(err,
		&stopped) || !stopped.Interrupts {
		t.Errorf("interrupted: %v", err)
	}
	again := &words{}
	if err := (Worker{Plan: p, Job: again, Out: out}).Run(t.Context(), p.Units); err != nil ||
		!slices.Equal(again.made, []string{"learns"}) {
		t.Errorf("%v after %v", err, again.made)
	}
	if s := StatusOf(p, out); s.Whole != len(sentence) || len(s.Missing()) > 0 {
		t.Errorf("%+v", s)
	}
}

// A unit that another process makes is left to it, and what is merged by another is
// not merged here.
func TestBesideOthers(t *testing.T) {
	p, out := wordPlan(t, 2), t.TempDir()
	if err := p.Write(out); err != nil {
		t.Fatal(err)
	}
	l, err := folder(out).lockUnit(p.Units[4].ID)
	if err != nil {
		t.Fatal(err)
	}
	j := &words{}
	var stopped *StoppedError
	if err := (Worker{Plan: p, Job: j, Out: out}).Run(t.Context(), p.Units); !errors.As(err, &stopped) ||
		stopped.ByOthers != 1 || slices.Contains(j.made, "its") {
		t.Errorf("%v after %v", err, j.made)
	}
	if s := StatusOf(p, out); s.Whole != len(sentence)-1 ||
		!slices.ContainsFunc(s.Shards, func(s ShardStatus) bool { return s.State == Running && s.Now == "its" }) {
		t.Errorf("%+v", s)
	}
	if err := l.Release(); err != nil {
		t.Fatal(err)
	}
	if err := (Worker{Plan: p, Job: j, Out: out}).Run(t.Context(), p.Units); err != nil {
		t.Error(err)
	}
	if l, err = folder(out).lockUnit("merge"); err != nil {
		t.Fatal(err)
	}
	if err := Merge(t.Context(), p, j, out); !errors.Is(err, lock.ErrHeld) {
		t.Errorf("merged beside another: %v", err)
	}
	if err := errors.Join(l.Release(), Merge(t.Context(), p, j, out)); err != nil {
		t.Error(err)
	}
}

// A plan is read as it was written, another one is not put in its place, and one that
// is damaged is refused.
func TestPlanFile(t *testing.T) {
	p, out := wordPlan(t, 3), filepath.Join(t.TempDir(), "a", "b")
	if _, err := Read(out); !errors.Is(err, fs.ErrNotExist) || !isInput(err) {
		t.Errorf("no plan: %v", err)
	}
	if err := errors.Join(p.Write(out), p.Write(out)); err != nil {
		t.Fatal(err)
	}
	if back, err := Read(out); err != nil || back.String() != p.String() {
		t.Errorf("%v: %+v, want %+v", err, back, p)
	}
	if err := wordPlan(t, 2).Write(out); !isInput(err) {
		t.Errorf("another plan: %v", err)
	}
	for _, i := range []int{-1, 0, 4} {
		if _, err := p.Shard(i); !isInput(err) {
			t.Errorf("shard %d: %v", i, err)
		}
	}
	path := filepath.Join(out, PlanFile)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ from, to string }{{"learns", "learnt"}, {`"threads": 1`, `"threads": 2`},
		{`"version": "v1"`, `"version": "v0"`}, {"1,", "0,"}, {"{", "["}} {
		if err := os.WriteFile(path, []byte(strings.Replace(string(text), c.from, c.to, 1)), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(out); !isInput(err) {
			t.Errorf("%q for %q: %v", c.to, c.from, err)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	one := []Unit{{Name: "a", Spec: json.RawMessage(`1`)}}
	for _, c := range []struct {
		p      Plan
		shards int
	}{{Plan{Maker: Maker{Threads: 1}}, 1}, {Plan{Units: one}, 1}, {Plan{Units: one, Maker: Maker{Threads: 1}}, 0}} {
		if _, err := New(c.p, c.shards); !isInput(err) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	if _, err := New(Plan{Units: append(one, one...), Maker: Maker{Threads: 1}}, 1); err == nil {
		t.Error("a unit is there twice")
	}
}

// A clock that jumps, forwards and backwards, and files of any time make no difference:
// nothing is decided by either.
func TestClockJumps(t *testing.T) {
	still, out := made(t)
	jumping, other := wordPlan(t, 3), t.TempDir()
	if err := jumping.Write(other); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(9, 9))
	when := func() time.Time { return time.Unix(rng.Int64N(1<<33)-1<<32, 0) } // 1833 to 2106
	for range 50 {
		u := jumping.Units[rng.IntN(len(jumping.Units))]
		if err := (Worker{Plan: jumping, Job: &words{}, Out: other, Now: when}).Run(t.Context(),
			[]Unit{u}); err != nil {
			t.Fatal(err)
		}
		err := filepath.WalkDir(other, func(path string, _ fs.DirEntry, err error) error {
			return errors.Join(err, os.Chtimes(path, when(), when()))
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(Merge(t.Context(), still, &words{}, out),
		Merge(t.Context(), jumping, &words{}, other)); err != nil {
		t.Fatal(err)
	}
	a, err := os.ReadFile(filepath.Join(out, "words"))
	if b, err2 := os.ReadFile(filepath.Join(other, "words")); err != nil || err2 != nil || string(a) != string(b) {
		t.Errorf("%q and %q: %v, %v", a, b, err, err2)
	}
	for _, u := range jumping.Units {
		if r, err := ReadReceipt(folder(other).unit(u.ID)); err != nil || !(r.Seconds >= 0 && r.Seconds < 60) {
			t.Errorf("%s took %v s: %v", u.Name, r.Seconds, err)
		}
	}
}

// isInput reports whether an error is or wraps an [*InputError].
func isInput(err error) bool {
	var input *InputError
	return errors.As(err, &input)
}
