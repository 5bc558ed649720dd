package experiments

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/ansatz-lab/ansatz/internal/lock"
)

// holdFile is the name of the lock of a folder that one process writes to.
const holdFile = ".ansatz.lock"

// hold makes a folder and takes it for this process, until it gives it back or ends:
// another one that wants it is refused with an [*InputError]. "" stands for no
// folder. The lock has the name given, in the folder.
func hold(dir, name string) (release func() error, err error) {
	if dir == "" {
		return func() error { return nil }, nil
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, &InputError{fmt.Errorf("--out: %w: give a folder that can be written to", err)}
	}
	l, err := lock.Try(filepath.Join(dir, name))
	switch {
	case errors.Is(err, lock.ErrHeld):
		return nil, &InputError{fmt.Errorf("%w: wait until it has ended, or give another --out", err)}
	case err != nil:
		return nil, &InputError{fmt.Errorf("--out: %w: give a folder that can be written to", err)}
	}
	return l.Release, nil
}
