package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/cmd/ansatz/flagcheck"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// TestZeroIsNoDefault checks that a flag that is set to 0 does not silently take its default: the command uses 0, or
// refuses it before it reads anything.
func TestZeroIsNoDefault(t *testing.T) {
	a, flags := &app{}, 0
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			visit(sub)
		}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			isZero := strings.Contains(f.Usage, "(default: 0)") || strings.Contains(f.Usage, "(default: none)")
			if f.DefValue != "0" || !strings.Contains(f.Usage, "(default") || isZero || f.Value.Type() != "int" &&
				f.Value.Type() != "float64" && f.Value.Type() != "float" || flagcheck.MayBeZero(c, f) {
				return
			}
			alone := &cobra.Command{Use: c.Use}
			alone.Flags().AddFlag(f)
			if err := alone.Flags().Set(f.Name, "0"); err != nil {
				return // the type of the flag refuses 0
			}
			flags++
			if err := flagcheck.CheckValues(alone); err == nil || !strings.HasPrefix(err.Error(), "--"+f.Name+" ") ||
				!strings.Contains(err.Error(), ": want ") {
				t.Errorf("%s --%s 0 would be %q: %v", c.CommandPath(), f.Name, f.Usage, err)
			}
		})
	}
	visit(a.root())
	if flags < 30 {
		t.Errorf("only %d flags were tried", flags)
	}
	for _, args := range [][]string{
		{"train", "--arch", "lenet", "--data", "glyphs", "--epochs", "1", "--lr", "0"},
		{"train", "--arch", "lenet", "--data", "glyphs", "--epochs", "1", "--steps", "0"},
		{"train", "--arch", "lenet", "--data", "glyphs", "--epochs", "1", "--validation", "9", "--patience", "0"},
		{"train", "--arch", "alexnet", "--data", "glyphs", "--epochs", "1", "--dropout", "0"},
		{"train", "--arch", "lenet", "--data", "glyphs", "--epochs", "1", "--checkpoint-every", "-1s"},
		{"verify", "--arch", "lenet", "--weights", "w", "--data", "glyphs", "--null-draws", "0"},
		{"verify", "--arch", "lenet", "--weights", "w", "--data", "glyphs", "--images", "-1"},
		{"rfm", "--data", "glyphs", "--ridge", "-1"},
		{"rfm", "--data", "glyphs", "--ridge", "nan"},
		{"rfm", "--data", "glyphs", "--bandwidth", "inf"},
		{"list", "--under", "-3m"},
		{"tabular", "--benchmark", "uci121", "--iters", "0"},
		{"rfm", "--data", "glyphs", "--threads", "1000"},
	} {
		if code, _, errs := ansatz(t, args...); code != exitUsage || !strings.Contains(errs, "want") {
			t.Errorf("%v: exit %d: %s", args, code, errs)
		}
	}
}

// TestEffectsNameFlags checks that every flag exists that is named in flagcheck's tables of flags that need or exclude
// others.
func TestEffectsNameFlags(t *testing.T) {
	commands := map[string]*cobra.Command{}
	for _, c := range (&app{}).root().Commands() {
		commands[c.Name()] = c
	}
	check := func(command, flag string) {
		t.Helper()
		if c := commands[command]; c == nil || c.Flags().Lookup(flag) == nil {
			t.Errorf("there is no %s --%s", command, flag)
		}
	}
	for command, flags := range flagcheck.Named() {
		for _, flag := range flags {
			check(command, flag)
		}
	}
}

// TestFlagWithoutEffect checks that a flag that would be ignored is refused before anything is read.
func TestFlagWithoutEffect(t *testing.T) {
	dir := t.TempDir()
	train := []string{"train", "--arch", "lenet", "--data", "glyphs", "--epochs", "1"}
	rfm := []string{"rfm", "--data", "glyphs"}
	for _, c := range []struct {
		base  []string
		flags string
		want  string // "" if the flags go together
	}{
		{[]string{"submit"}, "--engine slurm --signal 0", ""},
		{[]string{"resume"}, "--signal 0", ""},
		{train, "--probe-images 5", "--probe-images has no effect without --track-ansatz"},
		{train, "--init pytorch --init-weights w", "--init has no effect beside --init-weights"},
		{train, "--init-weights=", "--init-weights is empty"},
		{train, "--prefix m.", "--prefix has no effect without --init-weights"},
		{train, "--epochs -1", "--epochs -1: want at least 1"},
		{[]string{"ntk", "--arch", "lenet", "--data", "glyphs"}, "--prefix m.", "--prefix has no effect without --weights"},
		{[]string{"ntk", "--arch", "lenet", "--data", "glyphs"}, "--prefix m. --weights w", ""},
		{train, "--lr NaN", "--lr NaN: want"},
		{rfm, "--holdout .5 --select last", "--holdout has no effect without --select validation"},
		{rfm, "--bandwidth 3 --kernel ntk:2", "--bandwidth has no effect without --kernel laplace"},
		{rfm, "--bandwidth 3 --kernel exponential:1", ""},
		{rfm, "--scale=", "--scale is empty"},
		{[]string{"hyperbf", "--data", "glyphs"}, "--scale=", "--scale is empty"},
		{[]string{"energy", "--arch", "lenet"}, "--init-seeds 3", "--init-seeds has no effect without --against init"},
		{[]string{"energy", "--arch", "lenet"}, "--init-seeds 3 --against w --against init", ""},
		{[]string{"verify", "--arch", "lenet", "--data", dir}, "--split train", "--split has no effect on a folder"},
		{[]string{"tabular"}, "--methods=", "--methods is empty"},
		{[]string{"arch", "lenet"}, "--out o", "--out has no effect: ansatz arch only prints"},
		{rfm, "--search 100001", "--search 100001: want at most 100000 trials"},
		{[]string{"estimates", dir}, "--json", "--json has no effect: ansatz estimates prints CSV"},
		{[]string{"plan", "rfm/fig9", "--out", dir + "/p"}, "--print --json", "--json has no effect beside --print"},
		{[]string{"plan", "verify", "--arch", "lenet", "--out", dir + "/p"}, "--print --json", "--json has no effect beside --print"},
		{[]string{"doctor"}, "--out o", "--out has no effect: ansatz doctor only prints"},
		{[]string{"plan", "train"}, "--probe-images 5", "--probe-images has no effect without --track-ansatz"},
	} {
		root := (&app{}).root()
		sub, rest, err := root.Find(append(c.base, strings.Fields(c.flags)...))
		if err == nil {
			err = sub.ParseFlags(rest)
		}
		if err != nil {
			t.Fatal(c.base, c.flags, err)
		}
		err = flagcheck.CheckValues(sub)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%v %s: %v, want %q", c.base, c.flags, err, c.want)
		}
	}
}

// fullDevice is a writer without room: every write fails.
type fullDevice struct{}

func (fullDevice) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

// TestFullDevice checks that commands fail if their results cannot be printed.
func TestFullDevice(t *testing.T) {
	for _, args := range [][]string{{"doctor"}, {"list"}, {"doctor", "--json"}} {
		var errs bytes.Buffer
		if code := run(t.Context(), args, streams{fullDevice{}, &errs}); code != exitFailed ||
			!strings.Contains(errs.String(), "no space left") {
			t.Errorf("%v: exit %d: %s", args, code, &errs)
		}
	}
}
