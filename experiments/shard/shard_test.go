package shard

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// wordJob is a job whose units are words; merging writes them in a line.
type wordJob struct {
	made []string // the words, in the order in which they were made
	fail string   // the word that fails
	stop func()   // called when the word fail is made
}

func (j *wordJob) Make(ctx context.Context, u Unit, room Room) (Made, error) {
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

func (j *wordJob) Merge(_ context.Context, units []Folder, out string) error {
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
	p, err := New(Plan{Kind: "words", Title: "a sentence", Maker: Maker{Version: "v1", Backend: "go", Threads: 1}, Units: units}, shards)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func made(t *testing.T) (p *Plan, out string) {
	t.Helper()
	p, out = wordPlan(t, 3), t.TempDir()
	if err := errors.Join(p.Write(out), Worker{Plan: p, Job: &wordJob{}, Out: out}.Run(t.Context(),
		p.Units)); err != nil {
		t.Fatal(err)
	}
	return p, out
}

// isInput reports whether an error is or wraps an [*InputError].
func isInput(err error) bool {
	var input *InputError
	return errors.As(err, &input)
}
