package input

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ansatz-lab/ansatz/internal/lock"
)

// LockFile is the name of the lock of a folder that one process writes to.
const LockFile = ".ansatz.lock"

// HoldFolder makes a folder and takes it for this process, until it gives it back or ends:
// another one that wants it is refused with an [*Error]. "" stands for no
// folder. The lock has the name given, in the folder. Folders that were made and stayed
// empty are removed when it is given back.
func HoldFolder(dir, name string) (release func() error, err error) {
	if dir == "" {
		return func() error { return nil }, nil
	}
	made := missing(dir)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, &Error{fmt.Errorf("--out: %w: give a folder that can be written to", err)}
	}
	l, err := lock.Try(filepath.Join(dir, name))
	switch {
	case errors.Is(err, lock.ErrHeld):
		return nil, &Error{fmt.Errorf("%w: wait until it has ended, or give another --out", err)}
	case err != nil:
		return nil, &Error{fmt.Errorf("--out: %w: give a folder that can be written to", err)}
	}
	return func() error {
		err := l.Release()
		for _, empty := range made {
			_ = os.Remove(empty) // of what is not empty nothing is removed
		}
		return err
	}, nil
}

// missing are the folders, from dir upwards, that are not there.
func missing(dir string) (all []string) {
	for {
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
			return all
		}
		all = append(all, dir)
		dir = filepath.Dir(dir)
	}
}
