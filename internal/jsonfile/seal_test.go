package jsonfile

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A sealed file that was changed in any way is refused, and one that was never sealed is read.
func TestSeal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "note.json")
	read := func(text string) error {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		var n note
		err := ReadSealed(path, Small, &n)
		if err == nil && (n.Name != "a" || n.Count != 2) {
			t.Errorf("%s: read %+v", text, n)
		}
		return err
	}
	// The text ends in one bracket or in several, on one line or on many.
	for _, last := range []any{nil, map[string]any{"b": map[string]any{}}} {
		n := note{Name: "a", Count: 2, Any: last}
		line, _ := json.Marshal(n)
		lines, _ := json.MarshalIndent(n, "", "  ")
		for _, text := range [][]byte{line, lines, append(lines, '\n')} {
			sealed := string(Seal(text))
			if err := read(sealed); err != nil {
				t.Errorf("%s: %v", sealed, err)
			}
			if err := read(string(text)); err != nil {
				t.Errorf("without a digest: %v", err)
			}
			var again map[string]any
			if err := json.Unmarshal([]byte(sealed), &again); err != nil {
				t.Fatal(err)
			}
			other, _ := json.Marshal(again)
			for what, changed := range map[string]string{
				"another number": strings.Replace(sealed, "2", "3", 1), "written anew": string(other),
				"a space": strings.Replace(sealed, ":", " :", 1), "another digest": strings.Replace(sealed, `t": "`, `t": "0`, 1),
				"no text": strings.Replace(sealed, `t": "`, `t": 3, "more": "`, 1), "at its end": sealed + "\n",
			} {
				if err := read(changed); err == nil || !strings.Contains(err.Error(), "changed after it was written") {
					t.Errorf("%s: %v\n%s", what, err, changed)
				}
			}
		}
	}
}

// TestDigest checks that different contents have different digests, and that a folder is refused.
func TestDigest(t *testing.T) {
	dir := t.TempDir()
	digests := map[string]bool{}
	for _, text := range []string{"{}", "[]"} {
		path := filepath.Join(dir, "file")
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		d, err := Digest(path, Small)
		if err != nil || len(d) != 64 {
			t.Errorf("%q, %v", d, err)
		}
		digests[d] = true
	}
	if _, err := Digest(dir, Small); err == nil || len(digests) != 2 {
		t.Errorf("%v, %d digests", err, len(digests))
	}
}
