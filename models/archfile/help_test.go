package archfile

import (
	"os"
	"strings"
	"testing"
)

// TestDocuments checks that the table of layers in docs/networks.md is the one that Table returns. ANSATZ_UPDATE=1
// writes it.
func TestDocuments(t *testing.T) {
	const path, mark = "../../docs/networks.md", "<!-- layers -->\n"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), mark)
	end := strings.Index(rest, "\n\n")
	if !found || end < 0 {
		t.Fatalf("%s has no %q", path, mark)
	}
	if os.Getenv("ANSATZ_UPDATE") != "" {
		text = []byte(before + mark + Table() + rest[end+1:])
		if err := os.WriteFile(path, text, 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if rest[:end+1] != Table() {
		t.Errorf("%s has another table of layers: run ANSATZ_UPDATE=1 go test ./models/archfile", path)
	}
}

func TestHelp(t *testing.T) {
	help := Help()
	for _, line := range strings.Split(help, "\n") {
		if len([]rune(line)) > 90 {
			t.Errorf("a line of %d characters: %s", len([]rune(line)), line)
		}
	}
	for _, typ := range Types() {
		if !strings.Contains(help, "  "+typ.Name+"\n") {
			t.Errorf("the help leaves out %s", typ.Name)
		}
		for _, k := range typ.Keys() {
			if k.Doc == "" || k.Default == "" || !strings.Contains(help, k.Name) {
				t.Errorf("%s: the key %s has documentation %q and default %q", typ.Name, k.Name, k.Doc, k.Default)
			}
		}
	}
}
