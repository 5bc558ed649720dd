package data

import (
	"errors"
	"strings"
	"testing"
)

// FuzzOpen opens sets of files, with random arguments, in an empty folder. The error must say what is missing or which
// argument is wrong.
func FuzzOpen(f *testing.F) {
	for _, name := range Names() {
		for _, list := range []string{"", ":", ":letters", ":a=b", ":../../etc", ":/", ":\x00", ":a,b,c", ":test50k",
			":,", ":=" + strings.Repeat(",", 3000)} {
			f.Add(name+list, "test", "", 0)
		}
	}
	f.Add("mnist", "validation", "crop", 1<<40)
	f.Add("celeba", "../train", "stretch", -1)
	empty := f.TempDir()
	f.Fuzz(func(t *testing.T, name, split, fit string, size int) {
		k, known := lookup(name)
		if !known || k.generate != nil {
			t.Skip("a path, or a set that is generated")
		}
		_, err := Open(name, Options{Dir: empty, Split: split, Fit: fit, Size: size})
		var missing *NotFoundError
		var wrong *FormatError
		if !errors.As(err, &missing) && !errors.As(err, &wrong) {
			t.Fatalf("%q: %v (%T)", name, err, err)
		}
	})
}
