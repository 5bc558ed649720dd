package shard

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A submission is the same after it was written and read again. The submission of another plan is ignored, and a
// damaged one is refused.
func TestSubmission(t *testing.T) {
	p, out := wordPlan(t, 3), t.TempDir()
	if s, err := ReadSubmission(p, out); s != nil || err != nil {
		t.Errorf("there is none: %v, %v", s, err)
	}
	s := &Submission{
		Plan: p.Hash, Engine: "slurm", Options: map[string][]string{"setup": {"a", "b"}}, Program: "/bin/ansatz",
		Folder: "/", When: time.Unix(0, 0).UTC(),
		Shards: []int{1, 3}, Job: "12", Merge: "13", Earlier: []string{"9"},
	}
	if err := s.Write(out); err != nil {
		t.Fatal(err)
	}
	if back, err := ReadSubmission(p, out); err != nil || !reflect.DeepEqual(back, s) ||
		!slices.Equal(back.Jobs(), []string{"12", "13", "9"}) {
		t.Errorf("%+v, %v", back, err)
	}
	if back, err := ReadSubmission(wordPlan(t, 2), out); back != nil || err != nil {
		t.Errorf("of another plan: %v, %v", back, err)
	}
	path := filepath.Join(out, SubmissionFile)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for cut := range len(text) - 2 {
		if err := os.WriteFile(path, text[:cut], 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadSubmission(p, out); !isInput(err) {
			t.Errorf("it was read of %d bytes of %d", cut, len(text))
		}
	}
	for _, c := range [][2]string{{`"12"`, `"12 --me"`}, {`"format": 1`, `"format": 2`}, {`"job"`, `"jobs"`},
		{`"9"`, `"x"`}, {"\n}", "\n}}"}, {"\t\t3\n", "\t\t4\n"}, {"\t\t1,", "\t\t-1,"}} {
		if err := os.WriteFile(path, []byte(strings.Replace(string(text), c[0], c[1], 1)), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadSubmission(p, out); !isInput(err) {
			t.Errorf("%s for %s: %v", c[1], c[0], err)
		}
	}
}

func TestAsSubmitter(t *testing.T) {
	out, did := t.TempDir(), false
	err := AsSubmitter(out, func() error {
		var busy *BusyError
		if err := AsSubmitter(out, func() error { return errors.New("both") }); !isInput(err) ||
			!errors.As(err, &busy) {
			t.Errorf("a second one: %v", err)
		}
		did = true
		return nil
	})
	if again := AsSubmitter(out, func() error { return nil }); err != nil || again != nil || !did {
		t.Errorf("%v, %v", err, again)
	}
}

func FuzzSubmission(f *testing.F) {
	f.Add([]byte(`{"format":1,"plan":"x","engine":"slurm",` +
		`"options":{"setup":["a"]},"program":"p","folder":"f","when":"2026-11-21T00:00:00Z","shards":[1],"job":"1"}`))
	f.Add([]byte(`{"format":1}`))
	dir, p := f.TempDir(), &Plan{Hash: "x", Shards: [][]int{{0}}}
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(filepath.Join(dir, SubmissionFile), text, 0o666); err != nil {
			t.Fatal(err)
		}
		s, err := ReadSubmission(p, dir)
		if err != nil || s == nil {
			return
		}
		for _, id := range s.Jobs() {
			if n, err := strconv.Atoi(id); err != nil || n < 1 {
				t.Errorf("job %q", id)
			}
		}
	})
}
