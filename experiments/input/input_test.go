package input

import (
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"testing"
)

// A missing file is an input error, because the user can fix it. Too many open files are not.
func TestIsError(t *testing.T) {
	for cause, want := range map[error]bool{fs.ErrNotExist: true, syscall.EMFILE: false, syscall.ENFILE: false} {
		err := fmt.Errorf("reading: %w", &Error{&fs.PathError{Op: "open", Path: "0.png", Err: cause}})
		if got := IsError(err); got != want {
			t.Errorf("%v: %t, want %t", err, got, want)
		}
	}
}

// An unknown backend is refused with the name of the flag or the variable that has it.
func TestCheckBackend(t *testing.T) {
	t.Setenv("ANSATZ_BACKEND", "gpuu")
	for name, want := range map[string]string{"": `$ANSATZ_BACKEND "gpuu": want native`, "gap": `--backend "gap": want native`} {
		if err := CheckBackend(name); !IsError(err) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", name, err)
		}
	}
}
