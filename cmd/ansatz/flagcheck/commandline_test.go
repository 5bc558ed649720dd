package flagcheck

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// TestCommandLine checks that CommandLine gives the arguments and flags of a command, quoted so that a shell reads them
// unchanged, without the flags for the output.
func TestCommandLine(t *testing.T) {
	given := []string{"--name", "it's $HOME; *", "--size", "-3", "--list", "a,b c", "--list", `"d,e"`,
		"--rates", "1e-7,0.25", "--against", "a,b", "--against", "init", "--flip", "--crop=false", "--out", "here",
		"--json", "an arg"}
	var got string
	c := &cobra.Command{Use: "ansatz", RunE: func(c *cobra.Command, args []string) error {
		got = CommandLine(c, args)
		return nil
	}}
	f := c.Flags()
	f.String("name", "", "")
	f.String("other", "default", "")
	f.Int("size", 0, "")
	f.StringSlice("list", nil, "")
	f.StringArray("against", nil, "")
	Floats(f, new([]float64), "rates", []float64{1}, "")
	f.Bool("flip", false, "")
	f.Bool("crop", true, "")
	f.Bool("json", false, "")
	var out string
	OutputFolder(f, &out, "out", "")
	c.SetArgs(given)
	if err := c.Execute(); err != nil {
		t.Fatal(err)
	}
	want := `ansatz 'an arg' --against a,b --against init --crop=false --flip --list 'a,b c,"d,e"' --name 'it'\''s $HOME; *' ` +
		`--rates 1e-07,0.25 --size -3`
	if got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("there is no shell")
	}
	words, err := exec.Command("sh", "-c", "printf '%s\\n' "+got).Output()
	if want := "ansatz\nan arg\n--against\na,b\n--against\ninit\n--crop=false\n--flip\n--list\na,b c,\"d,e\"\n--name\n" +
		"it's $HOME; *\n--rates\n1e-07,0.25\n--size\n-3\n"; err != nil ||
		string(words) != want {
		t.Errorf("a shell reads %q, want %q: %v", strings.Split(string(words), "\n"), want, err)
	}
}
