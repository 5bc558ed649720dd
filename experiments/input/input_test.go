package input

import (
	"fmt"
	"io/fs"
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
