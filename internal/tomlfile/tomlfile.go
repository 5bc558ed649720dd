// Package tomlfile reads TOML files that anybody may have written, within bounds: [Read] limits their
// size and how long a pipe may stay silent, [Check] what a parser would have to do. [CheckKeys] finds settings
// that are given twice.
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

// The bounds of a TOML file. The parser's time grows with the square of the number of tables and
// arrays: with the most that are allowed it takes a second or two.
const (
	MaxBytes    = 1 << 20
	maxBrackets = 20000
	maxDepth    = 100
	maxSilence  = 10 * time.Second
)

// Read returns the content of a TOML file, which may be a pipe. It is an error if the file has more
// than [MaxBytes], fails [Check], or is a pipe that nobody writes to.
func Read(path string) ([]byte, error) {
	// A pipe that has no writer would keep a blocking open waiting for ever.
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
	_ = f.SetReadDeadline(time.Now().Add(maxSilence)) // regular files have none
	text, err := io.ReadAll(io.LimitReader(f, MaxBytes+1))
	if err != nil {
		return nil, err
	}
	if len(text) > MaxBytes {
		return nil, fmt.Errorf("%s has more than %d KiB: want a TOML file of at most that size", path, MaxBytes>>10)
	}
	if err := Check(text); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return text, nil
}

// CheckKeys returns an error if two keys of one table differ only in case. The decoder takes both for the
// same setting, in an order that changes from run to run.
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

// checkValue is [CheckKeys] for the tables in a value.
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

// Check returns an error if a text has more or deeper tables and arrays than are allowed. It counts
// brackets, those in strings and comments too.
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
