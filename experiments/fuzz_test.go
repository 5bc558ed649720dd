package experiments

import (
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/settings"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// FuzzSelection checks that a pattern is refused or selects at least one experiment, each of them once.
func FuzzSelection(f *testing.F) {
	for _, name := range []string{"all", "rfm", "rfm/fig7", "energy/table*", "[", "*/*", "\\", "cnfa/fig[1-3]"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		found, exact, err := All().Select(study.Selection{Names: []string{name, name}})
		if err != nil {
			if !input.IsError(err) {
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

// FuzzSpec changes settings by any text. If the text is accepted, the settings have a hash, and a dry run can estimate
// their cost.
func FuzzSpec(f *testing.F) {
	all := All()
	for i, e := range all {
		if s, err := e.SpecAt(study.Smoke); err == nil {
			f.Add(uint8(i), strings.Join(settings.Names(s), "\n"))
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
		s, err := e.SpecWith(study.Smoke, text)
		if err != nil {
			if !input.IsError(err) {
				t.Fatalf("%s: %v (%T)", e.ID, err, err)
			}
			return
		}
		if _, hash, err := e.Hash(s); err != nil || len(hash) != 12 {
			t.Fatalf("%s: taken, and then: %q, %v", e.ID, hash, err)
		}
		if _, err := study.DryRun(s); err != nil && strings.HasPrefix(err.Error(), "the dry run of ") &&
			!strings.Contains(err.Error(), "it takes more than") {
			t.Fatalf("%s: taken, and then: %v", e.ID, err) // a panic
		}
	})
}
