package input

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// putImages writes files with the given contents into the folder of a class, and returns the folder above it.
func putImages(t *testing.T, contents ...string) string {
	t.Helper()
	root := t.TempDir()
	if err := os.Mkdir(filepath.Join(root, "cat"), 0o777); err != nil {
		t.Fatal(err)
	}
	for i, text := range contents {
		name := filepath.Join(root, "cat", string(rune('a'+i))+".png")
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// Test images that are copies of training images are counted, whatever their names. The folder of the training images
// itself is refused, also through a link.
func TestCheckTestData(t *testing.T) {
	train := putImages(t, "one", "two", "four")
	for _, fresh := range []string{putImages(t, "six", "ten"), putImages(t), filepath.Join(train, "none")} {
		if note, err := CheckTestData(train, fresh); err != nil || note != "" {
			t.Errorf("%s: %q, %v", fresh, note, err)
		}
	}
	note, err := CheckTestData(train, putImages(t, "six", "two", "five"))
	if err != nil || !strings.Contains(note.Warning(), "1 of 3 are copies") || !strings.Contains(note.Warning(), "b.png") {
		t.Errorf("%q, %v", note, err)
	}

	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(train, link); err != nil {
		t.Skip(err)
	}
	_, err = CheckTestData(train, link)
	wantError(t, err, "is the folder of --data")
	linked := t.TempDir()
	if err := os.Symlink(filepath.Join(train, "cat"), filepath.Join(linked, "cat")); err != nil {
		t.Fatal(err)
	}
	if note, err := CheckTestData(train, linked); err != nil || !strings.Contains(note.Warning(), "3 of 3 are") {
		t.Errorf("%q, %v", note, err)
	}
}
