package record

import "github.com/ansatz-lab/ansatz/internal/memory"

// AvailableMemory is [memory.Available].
func AvailableMemory() int64 { return memory.Available() }

// PeakMemory is [memory.Peak].
func PeakMemory(f func() error) (int64, error) { return memory.Peak(f) }
