// Package flagcheck checks what the flags of ansatz's commands were given, before anything is read: numbers and texts
// that would stand for a default, flags that have no effect beside others, and outputs that cannot be written.
package flagcheck

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// mayBeZero lists, by command, the flags with a default for which 0 is a value like others. For all
// other flags with a default, 0 would stand for the default.
var mayBeZero = map[string][]string{
	"rfm": {"iters", "ridge"}, "convrfm": {"iters"}, "hyperbf": {"iters", "steps"}, "linearize": {"momentum"},
	"run": {"memory"}, "submit": {"signal"}, "resume": {"signal"},
}

// MayBeZero reports whether a flag of a command has a default and still takes 0 as a value like others.
func MayBeZero(c *cobra.Command, f *pflag.Flag) bool {
	return slices.Contains(mayBeZero[c.Name()], f.Name)
}

// hasDefaultInWords reports whether the text of a flag states a default that is something other than 0 or none.
func hasDefaultInWords(f *pflag.Flag) bool {
	return strings.Contains(f.Usage, "(default") && !strings.Contains(f.Usage, "(default: 0)") &&
		!strings.Contains(f.Usage, "(default: none)")
}

// CheckValues returns an error for a flag whose value the command would not use: a negative number, a
// 0 or an empty text that would stand for the default, or a flag that has no effect beside the others.
func CheckValues(c *cobra.Command) (err error) {
	c.Flags().Visit(func(f *pflag.Flag) {
		if err == nil {
			err = cmp.Or(checkNumber(c, f), checkText(f))
		}
	})
	return cmp.Or(err, checkEffects(c))
}

// mostTrials bounds a search, whose settings are drawn before the first trial begins.
const mostTrials = 100000

// checkNumber returns an error for a number that is negative, or a 0 that the command would take for
// "not given" and replace by the default.
func checkNumber(c *cobra.Command, f *pflag.Flag) error {
	var v float64
	switch f.Value.Type() {
	case "int", "float", "float64", "uint64":
		v, _ = strconv.ParseFloat(f.Value.String(), 64)
	case "duration":
		d, _ := time.ParseDuration(f.Value.String())
		v = d.Seconds()
	default:
		return nil
	}
	byDefault, _ := strconv.ParseFloat(f.DefValue, 64)
	hasDefault := byDefault != 0 || f.Value.Type() == "duration" || hasDefaultInWords(f)
	infinite := math.IsNaN(v) || math.IsInf(v, 0)
	if f.Name == "search" && v > mostTrials {
		return fmt.Errorf("--search %s: want at most %d trials", f.Value, mostTrials)
	}
	if v >= 0 && !infinite && (v != 0 || !hasDefault || MayBeZero(c, f)) {
		return nil
	}
	want := "a number above 0"
	switch whole := f.Value.Type() == "int"; {
	case infinite:
		want = "a finite number"
	case whole && (f.Name == "epochs" || hasDefault && !MayBeZero(c, f)):
		want = "at least 1"
	case whole:
		want = "at least 0"
	case !hasDefault || MayBeZero(c, f):
		want = "a number that is not negative"
	}
	if hasDefault {
		want += ", or no flag for the default"
	}
	return fmt.Errorf("--%s %s: want %s", f.Name, f.Value, want)
}

// checkText returns an error for an empty text or list, such as that of a variable that a script did
// not set: it would stand for "not given".
func checkText(f *pflag.Flag) error {
	empty := f.Value.Type() == "string" && f.Value.String() == ""
	if list, ok := f.Value.(pflag.SliceValue); ok {
		empty = len(list.GetSlice()) == 0
	}
	if !empty {
		return nil
	}
	return fmt.Errorf("--%s is empty: give a value, or leave the flag out", f.Name)
}
