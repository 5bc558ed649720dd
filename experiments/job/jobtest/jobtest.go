package jobtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/job"
	"github.com/ansatz-lab/ansatz/experiments/shard"
	"github.com/ansatz-lab/ansatz/internal/atomicfile"
)

// MergePlan makes the units of a plan in a new folder, the last shard and its last unit first, merges them twice and
// returns the folder. err is the error of planning, which fails the test.
func MergePlan(t *testing.T, kinds job.Kinds, p *shard.Plan, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	if err := p.Write(out); err != nil {
		t.Fatal(err)
	}
	for i := len(p.Shards); i > 0; i-- {
		job, err := kinds.Open(p, job.Setting{})
		if err != nil {
			t.Fatal(err)
		}
		units, err := p.Shard(i)
		if err != nil {
			t.Fatal(err)
		}
		slices.Reverse(units)
		if err := (shard.Worker{Plan: p, Job: job, Out: out}).Run(t.Context(), units); err != nil {
			t.Fatal(err)
		}
	}
	checkDisk(t, p, out)
	job, err := kinds.Open(p, job.Setting{})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		for _, half := range []string{
			filepath.Join("figures", atomicfile.TemporaryName("similarity.svg")),
			atomicfile.TemporaryName("record.json"),
		} {
			path := filepath.Join(out, half)
			err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte("half"), 0o666))
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := shard.Merge(t.Context(), p, job, out); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// checkDisk compares the sizes of the units' files with those that the plan expects. Pages vary in size, arrays do not.
func checkDisk(t *testing.T, p *shard.Plan, out string) {
	t.Helper()
	for _, u := range p.Units {
		receipt, err := shard.ReadReceipt(filepath.Join(out, "units", u.ID))
		if err != nil {
			t.Fatal(err)
		}
		sum := 0.
		for _, f := range receipt.Files {
			sum += float64(f.Bytes)
		}
		if u.Disk == 0 || sum > 1.1*u.Disk+2*job.PageBytes || sum < u.Disk/2-job.PageBytes {
			t.Errorf("%s %s takes %g bytes of disk, expected %g", p.Kind, u.Name, sum, u.Disk)
		}
	}
}

// planFiles are the files and folders of a plan, as opposed to merged results.
var planFiles = []string{"plan.json", "merged.json", "units", "scratch", "locks", "failed"}

// ReadFiles reads the files in a folder, except for those of a plan.
func ReadFiles(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		if first, _, _ := strings.Cut(filepath.ToSlash(name), "/"); slices.Contains(planFiles, first) || d.IsDir() {
			return nil
		}
		files[filepath.ToSlash(name)], err = os.ReadFile(path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// CheckSameFiles compares files byte by byte, after made has removed from them what differs in every run.
func CheckSameFiles(t *testing.T, got, want map[string][]byte, made func(name string, text []byte) []byte) {
	t.Helper()
	for name, text := range want {
		is, there := got[name]
		if made != nil {
			text, is = made(name, text), made(name, is)
		}
		if !there || !bytes.Equal(is, text) {
			t.Errorf("%s: exists %v; its %d bytes differ from the %d wanted", name, there, len(is), len(text))
		}
	}
	for name := range got {
		if _, wanted := want[name]; !wanted {
			t.Errorf("%s is unexpected", name)
		}
	}
}

// WithoutFields returns JSON without the fields of the given names, at any depth.
func WithoutFields(t *testing.T, text []byte, names ...string) []byte {
	t.Helper()
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	var strip func(v any)
	strip = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for _, name := range names {
				delete(v, name)
			}
			for _, of := range v {
				strip(of)
			}
		case []any:
			for _, of := range v {
				strip(of)
			}
		}
	}
	strip(v)
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// LeaveTemporary leaves temporary files in each folder, as a killed writer does. The function that it returns checks
// that all of them have been removed.
func LeaveTemporary(t *testing.T, dirs ...string) (swept func()) {
	t.Helper()
	var left []string
	for _, dir := range dirs {
		left = append(left, filepath.Join(dir, atomicfile.TemporaryName("record.json")))
		if err := os.WriteFile(left[len(left)-1], []byte("half"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return func() {
		t.Helper()
		for _, path := range left {
			if _, err := os.Stat(path); !os.IsNotExist(err) {
				t.Errorf("%s was not removed: %v", path, err)
			}
		}
	}
}
