package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/ansatz-lab/ansatz/cmd/ansatz/flagcheck"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// namesOutput matches the names, and usesAsOutput the help texts, of flags that name what a command writes.
var (
	namesOutput  = regexp.MustCompile(`^(out|index|predictions|cpuprofile|[a-z-]*-out)$`)
	usesAsOutput = regexp.MustCompile(`^(\w+ )?(file|folder) for `)
)

// eachFlag calls visit for every flag of every command.
func eachFlag(c *cobra.Command, visit func(c *cobra.Command, f *pflag.Flag)) {
	for _, sub := range c.Commands() {
		eachFlag(sub, visit)
	}
	c.LocalFlags().VisitAll(func(f *pflag.Flag) { visit(c, f) })
	c.InheritedFlags().VisitAll(func(f *pflag.Flag) { visit(c, f) })
}

// badOutputs returns paths that cannot be written to, by a pattern for the error.
func badOutputs(t *testing.T) map[string][]string {
	t.Helper()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, err := range []error{
		os.WriteFile(at("file"), nil, 0o666), os.Symlink("circle", at("circle")), os.Mkdir(at("locked"), 0o777),
		os.Symlink(filepath.Join("no", "where"), at("dangling")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	all := map[string][]string{
		"symbolic links in a row|too many levels": {at("circle")},
		"file name too long":                      {at(strings.Repeat("x/", 2500)), at(strings.Repeat("x", 5000))},
		"is a file|not a directory|no folder":     {filepath.Join(at("file"), "in")},
		"socket|device|space|is a file":           nil,
		"read-only":                               nil,
	}
	if err := syscall.Mknod(at("full"), syscall.S_IFCHR|0o666, 1<<8|7); err == nil {
		all["socket|device|space|is a file"] = []string{at("full")}
	}
	if err := syscall.Mount("tmpfs", at("locked"), "tmpfs", syscall.MS_RDONLY, ""); err == nil {
		t.Cleanup(func() { _ = syscall.Unmount(at("locked"), 0) })
		all["read-only"] = []string{filepath.Join(at("locked"), "new")}
	}
	return all
}

// TestOutputsAreChecked checks that every flag that names an output is known to flagcheck, which refuses paths that
// cannot be written to before anything is read.
func TestOutputsAreChecked(t *testing.T) {
	bad := badOutputs(t)
	a := &app{}
	flags := 0
	eachFlag(a.root(), func(c *cobra.Command, f *pflag.Flag) {
		if !namesOutput.MatchString(f.Name) && !usesAsOutput.MatchString(f.Usage) {
			return
		}
		if !flagcheck.NamesOutput(c, f) && !flagcheck.ReadsOut(c, f) {
			t.Errorf("%s --%s (%s): make it with flagcheck.OutputFile or OutputFolder", c.CommandPath(), f.Name, f.Usage)
			return
		}
		if flagcheck.ReadsOut(c, f) || f.Value.Type() != "string" {
			return
		}
		flags++
		for message, paths := range bad {
			for _, path := range paths {
				err := flagcheck.CheckOutputs(withFlag(c, f, path), nil)
				if err == nil || !regexp.MustCompile(message).MatchString(err.Error()) || len(err.Error()) > 1000 {
					t.Errorf("%s --%s %.60s: want %s, got %v", c.CommandPath(), f.Name, path, message, err)
				}
			}
		}
		_ = f.Value.Set("")
		f.Changed = false
	})
	if flags < 20 {
		t.Errorf("%d flags were tried", flags)
	}
}

// withFlag returns a command of the same name whose only flag is f, set to value.
func withFlag(c *cobra.Command, f *pflag.Flag, value string) *cobra.Command {
	one := &cobra.Command{Use: c.Use}
	f.Changed = false
	one.Flags().AddFlag(f)
	_ = one.Flags().Set(f.Name, value)
	return one
}

// TestOutputsAreApart checks that commands refuse to write two outputs to one file, or an output over an input.
func TestOutputsAreApart(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	const rows = "a,b\n1,2\n"
	for _, err := range []error{os.WriteFile(at("x.csv"), []byte(rows), 0o666), os.Symlink("x.csv", at("link.csv")),
		os.Mkdir(at("images"), 0o777)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"convrfm", "--data", "glyphs", "--metric-out", at("m.npy"), "--kernel-out", dir + "/./m.npy"},
			"are the same file"},
		{[]string{"rfm", "--data", at("x.csv"), "--metric-out", at("link.csv")}, "would replace what the command reads"},
		{[]string{"rfm", "--data", at("images"), "--out", dir + "/images/"}, "would replace what the command reads"},
		{[]string{"leaderboard", at("x.csv"), "--out", at("x.csv")}, "is a file"},
		{[]string{"report", dir, "--index", at("page.html"), "--out", at("page.html")}, "are the same file"},
	} {
		code, _, errs := ansatz(t, c.args...)
		if code != exitUsage || !regexp.MustCompile(c.want).MatchString(errs) {
			t.Errorf("%v: exit %d: %s", c.args, code, errs)
		}
		if text, err := os.ReadFile(at("x.csv")); err != nil || string(text) != rows {
			t.Fatalf("%v: the input holds %q, %v", c.args, text, err)
		}
	}
}
