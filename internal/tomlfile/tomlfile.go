// Package tomlfile reads TOML files of unknown origin within limits. [Read] limits their size and how long a pipe may
// stay silent, [Check] the work of the parser. [CheckKeys] finds settings that are given twice.
package tomlfile

import (
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Limits of a TOML file. The parser's time grows with the square of the number of tables and arrays: with the largest
// number allowed it is a second or two.
const (
	MaxBytes    = 1 << 20
	maxBrackets = 20000
	maxDepth    = 100
	maxSilence  = 10 * time.Second
)

// Read returns the content of a TOML file, which may be a pipe. It returns an error if the file has more than
// [MaxBytes], fails [Check], or is a pipe to which nobody writes.
func Read(path string) ([]byte, error) {
	// Opening a pipe without O_NONBLOCK would wait for a writer, forever if there is none.
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, fmt.Errorf("%s is a folder: want a TOML file", path)
	}
	_ = f.SetReadDeadline(time.Now().Add(maxSilence)) // regular files have no deadline
	text, err := io.ReadAll(io.LimitReader(f, MaxBytes+1))
	if err != nil {
		return nil, err
	}
	if len(text) == 0 && info.Mode()&os.ModeNamedPipe != 0 { // without a writer, reading ends at once
		return nil, fmt.Errorf("%s is a pipe to which nobody writes: want a TOML file", path)
	}
	if len(text) > MaxBytes {
		return nil, fmt.Errorf("%s has more than %d KiB: want a TOML file of at most that size", path, MaxBytes>>10)
	}
	if err := Check(text); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return text, nil
}

// CheckKeys returns an error if two keys of one table differ only in case. The decoder would treat both as the same
// setting, in an order that changes from run to run.
func CheckKeys(table map[string]any) error {
	first := map[string]string{}
	for _, key := range slices.Sorted(maps.Keys(table)) {
		lower := strings.ToLower(key)
		if other, twice := first[lower]; twice {
			return fmt.Errorf("the keys %q and %q of one table are the same setting: leave one out", other, key)
		}
		first[lower] = key
		if err := checkValue(table[key]); err != nil {
			return err
		}
	}
	return nil
}

// checkValue applies [CheckKeys] to all tables in a value.
func checkValue(value any) error {
	switch v := value.(type) {
	case map[string]any:
		return CheckKeys(v)
	case []map[string]any:
		for _, table := range v {
			if err := CheckKeys(table); err != nil {
				return err
			}
		}
	case []any:
		for _, element := range v {
			if err := checkValue(element); err != nil {
				return err
			}
		}
	}
	return nil
}

// Check returns an error if a text has more or deeper tables and arrays than the limits allow. It counts brackets,
// including those in strings and comments.
func Check(text []byte) error {
	all, depth := 0, 0
	for _, c := range text {
		switch c {
		case '[', '{':
			all, depth = all+1, depth+1
		case ']', '}':
			depth = max(0, depth-1)
		}
		if all > maxBrackets {
			return fmt.Errorf("more than %d tables and arrays: want fewer", maxBrackets)
		}
		if depth > maxDepth {
			return fmt.Errorf("tables and arrays are nested more than %d deep", maxDepth)
		}
	}
	return nil
}
