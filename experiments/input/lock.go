package input

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/ansatz-lab/ansatz/internal/atomicfile"
	"github.com/ansatz-lab/ansatz/internal/lock"
)

// LockFile is the name of the lock of a folder that one process writes to.
const LockFile = ".ansatz.lock"

// LockFolder makes a folder and locks it for this process until release is called or the process ends; name is the
// lock file's name. If another process holds the lock, the error is an [*Error]. If the folder is "", nothing is
// locked. Release removes the folders that LockFolder made and that are still empty.
func LockFolder(dir, name string) (release func() error, err error) {
	if dir == "" {
		return func() error { return nil }, nil
	}
	made := atomicfile.MissingFolders(dir)
	if err := atomicfile.MakeFolder(dir); err != nil {
		return nil, &Error{fmt.Errorf("--out: %w: give a folder that can be written to", err)}
	}
	l, err := lock.Try(filepath.Join(dir, name))
	switch {
	case errors.Is(err, lock.ErrHeld):
		return nil, &Error{fmt.Errorf("%w: wait until it has ended, or give another folder", err)}
	case err != nil:
		return nil, &Error{fmt.Errorf("--out: %w: give a folder that can be written to", err)}
	}
	return func() error {
		err := l.Release()
		for _, empty := range made {
			_ = os.Remove(empty) // must fail if the folder is not empty
		}
		return err
	}, nil
}
