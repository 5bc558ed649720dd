package main

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A flag that was set to 0 never has its default: it is honoured, or refused before anything is read.
func TestZeroIsNoDefault(t *testing.T) {
	a := &app{}
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			visit(sub)
		}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if f.DefValue != "0" || !strings.Contains(f.Usage, "(default") || f.Value.Type() != "int" &&
				f.Value.Type() != "float64" && f.Value.Type() != "float" || slices.Contains(mayBeZero[c.Name()], f.Name) {
				return
			}
			was := f.Value.String()
			if err := c.Flags().Set(f.Name, "0"); err != nil {
				return // it has a type that refuses 0
			}
			if err := checkNumbers(c); err == nil {
				t.Errorf("%s --%s 0 would be %q", c.CommandPath(), f.Name, f.Usage)
			}
			_ = f.Value.Set(was)
			f.Changed = false
		})
	}
	visit(a.root())
	for _, args := range [][]string{
		{"train", "--arch", "lenet", "--data", "glyphs", "--epochs", "1", "--lr", "0"},
		{"train", "--arch", "alexnet", "--data", "glyphs", "--epochs", "1", "--dropout", "0"},
		{"train", "--arch", "lenet", "--data", "glyphs", "--epochs", "1", "--checkpoint-every", "-1s"},
		{"verify", "--arch", "lenet", "--weights", "w", "--data", "glyphs", "--null-draws", "0"},
		{"verify", "--arch", "lenet", "--weights", "w", "--data", "glyphs", "--images", "-1"},
		{"rfm", "--data", "glyphs", "--ridge", "-1"},
		{"tabular", "--benchmark", "uci121", "--iters", "0"},
		{"rfm", "--data", "glyphs", "--threads", "1000"},
	} {
		if code, _, errs := ansatz(t, args...); code != exitUsage || !strings.Contains(errs, "want") {
			t.Errorf("%v: exit %d: %s", args, code, errs)
		}
	}
}

// fullDevice is a writer with no room.
type fullDevice struct{}

func (fullDevice) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

// Results that cannot be printed are an error of every command.
func TestFullDevice(t *testing.T) {
	for _, args := range [][]string{{"doctor"}, {"list"}, {"doctor", "--json"}} {
		var errs bytes.Buffer
		if code := run(t.Context(), args, streams{fullDevice{}, &errs}); code != exitFailed ||
			!strings.Contains(errs.String(), "no space left") {
			t.Errorf("%v: exit %d: %s", args, code, &errs)
		}
	}
}
