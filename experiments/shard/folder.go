package shard

import (
	"os"
	"path/filepath"

	"github.com/ansatz-lab/ansatz/internal/lock"
)

// folder is where the work of a plan is kept.
type folder string

func (f folder) units() string            { return filepath.Join(string(f), "units") }
func (f folder) unit(id string) string    { return filepath.Join(f.units(), id) }
func (f folder) scratch(id string) string { return filepath.Join(string(f), "scratch", id) }
func (f folder) failed(id string) string  { return filepath.Join(string(f), "failed", id+".json") }
func (f folder) lock(id string) string    { return filepath.Join(string(f), "locks", id+".lock") }
func (f folder) merged() string           { return filepath.Join(string(f), MergedFile) }

// has says whether a unit is whole, by its receipt.
func (f folder) has(id string) bool {
	_, err := os.Stat(filepath.Join(f.unit(id), ReceiptFile))
	return err == nil
}

// hold takes the lock of a unit, or of merging; [lock.ErrHeld] if another process
// has it.
func (f folder) hold(id string) (*lock.Lock, error) {
	path := f.lock(id)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, err
	}
	return lock.Try(path)
}
