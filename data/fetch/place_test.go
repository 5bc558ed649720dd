package fetch

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// archiveServer starts a server of an archive. It returns the File to get from it, and the server.
func archiveServer(t *testing.T, path, into string, content []byte) (File, *server) {
	t.Helper()
	s := serve(t, file(content))
	return File{Path: path, URLs: []string{s.URL}, SHA256: sha(content), Into: into}, s
}

func TestGetUnpacks(t *testing.T) {
	for _, name := range trueArchives {
		for _, into := range []string{"data/x", "."} {
			f, s := archiveServer(t, "got/"+name, into, readTestdata(t, name))
			dir := t.TempDir()
			o, _ := quick()
			r, err := Get(t.Context(), dir, []File{f}, o)
			if err != nil {
				t.Fatal(err)
			}
			if !r[0].Unpacked || r[0].Check != BySHA256 || !slices.IsSortedFunc(r[0].Files,
				func(a, b Entry) int { return strings.Compare(a.Path, b.Path) }) {
				t.Errorf("%+v", r[0])
			}
			entries := slices.Clone(r[0].Files)
			for i := range entries {
				entries[i].Path = strings.TrimPrefix(entries[i].Path, "data/x/")
			}
			checkTrueFiles(t, filepath.Join(dir, into), entries)
			before := names(t, dir)
			if slices.ContainsFunc(before, func(n string) bool { return strings.Contains(n, "/.") || n[0] == '.' }) {
				t.Errorf("left behind: %q", before)
			}
			// Without a receipt, the archive is unpacked again over its files. With one, it is not.
			again, err := Get(t.Context(), dir, []File{f}, o)
			if err != nil || !again[0].Unpacked || s.count() != 1 || !slices.Equal(names(t, dir), before) {
				t.Errorf("again: %v, %v, now %q", again, err, names(t, dir))
			}
			o.Receipt = NewReceipt(r)
			third, err := Get(t.Context(), dir, []File{f}, o)
			if err != nil || third[0].Unpacked || third[0].Check != ByReceipt ||
				!slices.Equal(third[0].Files, r[0].Files) {
				t.Errorf("with a receipt: %v, %v", third, err)
			}
		}
	}
}

// TestGetWithoutArchive checks that with a receipt the archive may be missing, unless one of its files is missing too.
func TestGetWithoutArchive(t *testing.T) {
	f, s := archiveServer(t, "x.zip", "x", readTestdata(t, "deflated.zip"))
	dir := t.TempDir()
	o, _ := quick()
	r, err := Get(t.Context(), dir, []File{f}, o)
	if err != nil {
		t.Fatal(err)
	}
	o.Receipt = NewReceipt(r)
	remove := func(name string) {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	remove("x.zip")
	if r, err = Get(t.Context(), dir, []File{f}, o); err != nil || s.count() != 1 || r[0].Check != ByReceipt {
		t.Fatalf("%v, %v", r, err)
	}
	other := f
	other.SHA256 = sha(nil)
	_, err = Get(t.Context(), dir, []File{other}, o)
	mustFail(t, err, sha(nil))
	remove("x/set/größe.txt")
	if r, err = Get(t.Context(), dir, []File{f}, o); err != nil || s.count() != 3 || !r[0].Unpacked {
		t.Fatalf("%v, %v", r, err)
	}
	checkTrueFiles(t, filepath.Join(dir, "x"), cutPrefix(r[0].Files, "x/"))
}

func cutPrefix(entries []Entry, prefix string) []Entry {
	entries = slices.Clone(entries)
	for i := range entries {
		entries[i].Path = strings.TrimPrefix(entries[i].Path, prefix)
	}
	return entries
}

// TestGetMerges checks that two archives can be unpacked into one folder. Other files in it stay. Of two files with the
// same name, that of the later archive remains.
func TestGetMerges(t *testing.T) {
	one, _ := archiveServer(t, "x/one.tar", "x", tarOf(t, entry{name: "both", content: "1"},
		entry{name: "one/a", content: "1"}))
	two, _ := archiveServer(t, "x/two.zip", "x", zipOf(t, entry{name: "both", content: "2"},
		entry{name: "two", content: "2"}, entry{name: "one/b", content: "2"}))
	dir := t.TempDir()
	write(t, filepath.Join(dir, "x", "mine"), []byte("mine"))
	o, _ := quick()
	for range 2 {
		r, err := Get(t.Context(), dir, []File{one, two}, o)
		if err != nil {
			t.Fatal(err)
		}
		want := []string{"x/", "x/both", "x/mine", "x/one/", "x/one.tar", "x/one/a", "x/one/b", "x/two", "x/two.zip"}
		got := names(t, dir)
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("the folder holds %q", got)
		}
		if b, err := os.ReadFile(filepath.Join(dir, "x", "both")); err != nil || string(b) != "2" {
			t.Errorf("both is %q, %v", b, err)
		}
		receipt := NewReceipt(r)
		problems, err := Verify(t.Context(), dir, receipt, nil)
		if err != nil || len(problems) != 1 || problems[0] != (Problem{Kind: Unexpected, Path: "x/mine"}) {
			t.Errorf("%v, %v", problems, err)
		}
		// The first archive is incomplete and is unpacked again, so the second must be unpacked again after it.
		o.Receipt = receipt
		if err := os.Remove(filepath.Join(dir, "x", "one", "a")); err != nil {
			t.Fatal(err)
		}
	}
}

func TestGetIntoWhatIsInTheWay(t *testing.T) {
	archive := tarOf(t, entry{name: "a/b", content: "new"}, entry{name: "x.tar", content: "new"})
	for _, c := range []struct {
		path, into string
		make       func(dir string) error
		says       string
	}{
		{"x.tar", "in", func(dir string) error { return os.MkdirAll(filepath.Join(dir, "in", "a", "b"), 0o777) },
			"a folder that is there"},
		{"x.tar", "in", func(dir string) error {
			return errors.Join(os.Mkdir(filepath.Join(dir, "in"), 0o777),
				os.WriteFile(filepath.Join(dir, "in", "a"), nil, 0o666))
		}, "a: "},
		{"x.tar", "in", func(dir string) error { return os.WriteFile(filepath.Join(dir, "in"), nil, 0o666) }, "in: "},
		{"x.tar", ".", func(string) error { return nil }, "the archive itself"},
		{"in/x.tar", "in", func(string) error { return nil }, "the archive itself"},
	} {
		f, _ := archiveServer(t, c.path, c.into, archive)
		dir := t.TempDir()
		if err := c.make(dir); err != nil {
			t.Fatal(err)
		}
		before := append(names(t, dir), "x.tar", "in/", "in/x.tar")
		o, _ := quick()
		_, err := Get(t.Context(), dir, []File{f}, o)
		mustFail(t, err, c.says)
		for _, n := range names(t, dir) {
			if !slices.Contains(before, n) {
				t.Errorf("%s: it left %q", c.says, n)
			}
		}
		if b, err := os.ReadFile(filepath.Join(dir, c.path)); err != nil || !bytes.Equal(b, archive) {
			t.Errorf("%s: the archive was changed, %v", c.says, err)
		}
	}
}

// TestGetThroughLinks checks that an archive is unpacked through a link that the user has put in the place of its
// folder, and that the link stays. Links inside that folder are not followed to the outside.
func TestGetThroughLinks(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	if err := os.Symlink(elsewhere, filepath.Join(dir, "x")); err != nil {
		t.Skip(err)
	}
	f, _ := archiveServer(t, "x.tar", "x", tarOf(t, entry{name: "d/a", content: "1"}))
	o, _ := quick()
	if _, err := Get(t.Context(), dir, []File{f}, o); err != nil {
		t.Fatal(err)
	}
	if got := names(t, elsewhere); !slices.Equal(got, []string{"d/", "d/a"}) {
		t.Errorf("the linked folder holds %q", got)
	}
	outside := t.TempDir()
	if err := errors.Join(os.RemoveAll(filepath.Join(elsewhere, "d")),
		os.Symlink(outside, filepath.Join(elsewhere, "d"))); err != nil {
		t.Fatal(err)
	}
	_, err := Get(t.Context(), dir, []File{f}, o)
	if e := mustFail(t, err); !strings.HasPrefix(e.Path, filepath.Join(dir, "x", "d")) {
		t.Errorf("the error is about %s: %v", e.Path, err)
	}
	if got := names(t, outside); len(got) > 0 {
		t.Errorf("it wrote %q outside", got)
	}
}

// TestGetRemovesStale checks that the temporary folder that a killed process left is removed, and that of another file
// is not.
func TestGetRemovesStale(t *testing.T) {
	f, _ := archiveServer(t, "x.tar", "in", tarOf(t, entry{name: "a"}))
	dir := t.TempDir()
	write(t, filepath.Join(dir, temporaryPrefix(f)+"OLD", "a"), nil)
	write(t, filepath.Join(dir, temporaryPrefix(File{Path: "y.tar"})+"NEW", "a"), nil)
	o, _ := quick()
	if _, err := Get(t.Context(), dir, []File{f}, o); err != nil {
		t.Fatal(err)
	}
	other := temporaryPrefix(File{Path: "y.tar"}) + "NEW/"
	if got := names(t, dir); !slices.Equal(got, []string{other, other + "a", "in/", "in/a", "x.tar"}) {
		t.Errorf("the folder holds %q", got)
	}
}

// TestGetUnpacksNothing checks that nothing is unpacked if the archive is damaged, or if its files would exceed the
// free space or the limit.
func TestGetUnpacksNothing(t *testing.T) {
	good := zipOf(t, entry{name: "a", content: strings.Repeat("a", 2000)},
		entry{name: "b", content: strings.Repeat("b", 2000)})
	bad := bytes.Clone(good)
	bad[bytes.LastIndex(bad, []byte("PK\x03\x04"))+33] ^= 0xff
	for name, content := range map[string][]byte{"whole archive": bad, "free space": good, "at most 3000": good} {
		f, _ := archiveServer(t, "x.zip", "in", content)
		o, _ := quick()
		switch name {
		case "free space":
			o.free = func(string) (int64, bool) { return 3999, true }
		case "at most 3000":
			o.Limits.Bytes = 3000
		}
		dir := t.TempDir()
		_, err := Get(t.Context(), dir, []File{f}, o)
		mustFail(t, err, name)
		if got := names(t, dir); !slices.Equal(got, []string{"x.zip"}) {
			t.Errorf("%s: the folder holds %q", name, got)
		}
	}
}

// TestInterruptUnpacking checks that an interruption while unpacking leaves nothing but the archive.
func TestInterruptUnpacking(t *testing.T) {
	f, _ := archiveServer(t, "x.tar", "in", tarOf(t, entry{name: "a", content: "1"}, entry{name: "b", content: "2"}))
	ctx, cancel := context.WithCancel(t.Context())
	o, _ := quick()
	o.Note = func(_, text string) {
		if text == "unpacking" {
			cancel()
		}
	}
	dir := t.TempDir()
	if _, err := Get(ctx, dir, []File{f}, o); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if got := names(t, dir); !slices.Equal(got, []string{"x.tar"}) {
		t.Errorf("the folder holds %q", got)
	}
}

// TestMoveIntoNewFolder checks that files are moved correctly if another process has made their folder in the meantime.
func TestMoveIntoNewFolder(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "temporary", "a"), []byte("a"))
	write(t, filepath.Join(dir, "in", "b"), []byte("b"))
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	m := &move{g: newGetter(dir, Options{}), f: File{Path: "x.tar", Into: "in"}, root: root,
		from: "temporary", to: "in",
		u: &unpacker{files: []Entry{{Path: "a"}}}}
	if err := m.run(); err != nil {
		t.Fatal(err)
	}
	if got := names(t, dir); !slices.Equal(got, []string{"in/", "in/a", "in/b", "temporary/"}) {
		t.Errorf("the folder holds %q", got)
	}
}
