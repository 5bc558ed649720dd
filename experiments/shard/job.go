package shard

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ansatz-lab/ansatz/internal/atomicfile"
	"github.com/ansatz-lab/ansatz/internal/lock"
)

// Job makes the units of one kind of plans and merges them.
type Job interface {
	// Make makes a unit. Apart from times, the result is the same in every call.
	Make(ctx context.Context, u Unit, room Room) (Made, error)
	// Merge combines the results of the units in the folder out. It gets their folders in the order of the plan. It
	// may be called again.
	Merge(ctx context.Context, units []Folder, out string) error
}

// Room holds the folders and callbacks for making a unit.
type Room struct {
	// Dir is an empty folder for the results.
	Dir string
	// Scratch is a folder for checkpoints. It stays until the unit is complete.
	Scratch string
	// Progress reports the progress of a stage of the unit. It is not nil.
	Progress func(stage string, done, total int)
}

// Made is what a unit's receipt records besides the files in its folder.
type Made struct {
	// Data maps the names of the data that the unit read to their digests. All units of a plan must
	// have the same digest for a name.
	Data map[string]string
}

// Folder is a unit with the folder of its results.
type Folder struct {
	Unit
	Dir string
}

// Place copies the results of a unit atomically, without its receipt. Complete, if not nil, changes the copy first.
func (u Folder) Place(to string, complete func(dir string) error) error {
	if err := atomicfile.Sweep(to); err != nil {
		return err
	}
	return atomicfile.WriteFolder(to, func(dir string) error {
		if err := os.CopyFS(dir, os.DirFS(u.Dir)); err != nil {
			return err
		}
		if err := os.Remove(filepath.Join(dir, ReceiptFile)); err != nil || complete == nil {
			return err
		}
		return complete(dir)
	})
}

// folder is the folder of a plan's work.
type folder string

func (f folder) units() string            { return filepath.Join(string(f), "units") }
func (f folder) unit(id string) string    { return filepath.Join(f.units(), id) }
func (f folder) scratch(id string) string { return filepath.Join(string(f), "scratch", id) }
func (f folder) failed(id string) string  { return filepath.Join(string(f), "failed", id+".json") }
func (f folder) lock(id string) string    { return filepath.Join(string(f), "locks", id+".lock") }
func (f folder) merged() string           { return filepath.Join(string(f), MergedFile) }

// writeJSON writes a file of the plan's folder; see checkReplaceable.
func writeJSON(path string, v any) error {
	if err := checkReplaceable(path); err != nil {
		return err
	}
	return atomicfile.WriteJSON(path, v)
}

// checkReplaceable returns an error if path is something other than a regular file: a pipe would block the writer, and
// a link could lead out of the folder.
func checkReplaceable(path string) error {
	info, err := os.Lstat(path)
	if err == nil && !info.Mode().IsRegular() {
		return inputError("%s: want a regular file or none, found a folder, a link or a pipe: remove it", path)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// has reports whether a unit is complete, that is, has a receipt.
func (f folder) has(id string) bool {
	_, err := os.Stat(filepath.Join(f.unit(id), ReceiptFile))
	return err == nil
}

// lockUnit locks a unit, or the merge. The error is [lock.ErrHeld] if another process holds the lock.
func (f folder) lockUnit(id string) (*lock.Lock, error) {
	path := f.lock(id)
	if err := atomicfile.MakeFolder(filepath.Dir(path)); err != nil {
		return nil, err
	}
	return lock.Try(path)
}
