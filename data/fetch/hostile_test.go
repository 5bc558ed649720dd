package fetch

import (
	"archive/tar"
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// tight are limits so low that some archives of these tests exceed them.
var tight = Limits{Bytes: 5000, Entries: 8, Name: 100, Depth: 4}

func TestHostileArchives(t *testing.T) {
	many := make([]entry, 9)
	for i := range many {
		many[i].name = string(rune('a' + i))
	}
	for name, c := range map[string]struct {
		entries []entry
		says    string // what the error says; "" if there is none
	}{
		"the parent":           {[]entry{{name: "../x"}}, `".."`},
		"the parent, later":    {[]entry{{name: "a/../../x"}}, `".."`},
		"no parent in the end": {[]entry{{name: "a/../x"}}, `".."`},
		"the parent, extended": {[]entry{{name: "../größe"}}, `".."`}, // tar writes this name in a header of its own
		"a share":              {[]entry{{name: "//server/x"}}, "absolute"},
		"absolute":             {[]entry{{name: "/tmp/x"}}, "absolute"},
		"a drive":              {[]entry{{name: "c:/x"}}, "drive letter"},
		"a backslash":          {[]entry{{name: `..\x`}}, "backslash"},
		"a new line":           {[]entry{{name: "a\nb"}}, "control character, 0x0a"},
		"an escape":            {[]entry{{name: "a\x1b[2Jb"}}, "control character, 0x1b"},
		"a symbolic link":      {[]entry{{name: "x", kind: tar.TypeSymlink, link: "/etc/passwd"}}, "a link"},
		"through a link":       {[]entry{{name: "x", kind: tar.TypeSymlink, link: ".."}, {name: "x/y"}}, "a link"},
		"a pipe":               {[]entry{{name: "x", kind: tar.TypeFifo}}, "a device"},
		"a device":             {[]entry{{name: "x", kind: tar.TypeChar}}, "a device"},
		"twice":                {[]entry{{name: "x"}, {name: "./x"}}, "twice"},
		"a folder twice":       {[]entry{{name: "x", content: "1"}, {name: "d/"}, {name: "d/"}}, ""},
		"a file as a folder":   {[]entry{{name: "x"}, {name: "x/y"}}, "twice"},
		"a folder as a file":   {[]entry{{name: "x/y"}, {name: "x"}}, "twice"},
		"too many":             {many, "at most 8"},
		"as many as may be":    {many[:8], ""},
		"too many folders":     {[]entry{{name: "1/2/3/x"}, {name: "4/5/6/y"}, {name: "z"}}, "at most 8"},
		"too long a path":      {[]entry{{name: strings.Repeat("long/", 21) + "x"}}, "at most 100 bytes"},
		"too deep":             {[]entry{{name: "a/b/c/d/e"}}, "at most 4"},
		"not too deep":         {[]entry{{name: "./a/b//c/./d"}}, ""},
		"too large":            {[]entry{{name: "x", content: strings.Repeat("y", 5001)}}, "at most 5000"},
		"too large in all": {[]entry{{name: "x", content: strings.Repeat("y", 2501)},
			{name: "z", content: strings.Repeat("y", 2500)}}, "at most 5000"},
		"not too large": {[]entry{{name: "x", content: strings.Repeat("y", 5000)}}, ""},
		"nothing":       {nil, "at least one file"},
		"only folders":  {[]entry{{name: "a/"}}, "at least one file"},
		"two cases":     {[]entry{{name: "a"}, {name: "A"}}, ""},
		"hidden":        {[]entry{{name: ".a"}, {name: "..."}, {name: "-rf"}}, ""},
	} {
		for kind, content := range map[string][]byte{"tar": tarOf(t, c.entries...), "zip": zipOf(t, c.entries...)} {
			if kind == "tar" && c.entries == nil {
				continue // a tar archive without entries is two empty blocks, which are not recognised
			}
			tryHostile(t, name+" in "+kind, content, c.says)
		}
	}
}

// tryHostile unpacks an archive. If says is not empty, the archive must be refused with an error that says it. Nothing
// may be written outside the folder.
func tryHostile(t *testing.T, name string, content []byte, says string) {
	t.Run(name, func(t *testing.T) {
		dir := t.TempDir()
		u, err := unpackBytes(t, dir, "archive", content, tight)
		if says == "" && err != nil {
			t.Fatal(err)
		}
		if says != "" {
			mustFail(t, err, "archive", says)
		}
		checkConfined(t, dir, u, tight)
	})
}

// checkConfined checks that an unpacker has written only files and folders, only into its folder, and no more than the
// limits allow.
func checkConfined(t testing.TB, dir string, u *unpacker, l Limits) {
	t.Helper()
	entries, bytes := 0, int64(0)
	err := filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, p)
		if err != nil {
			return err
		}
		if rel == "." || rel == "in" || rel == "archive" {
			return nil
		}
		if !strings.HasPrefix(rel, "in"+string(filepath.Separator)) {
			t.Errorf("it wrote %q", rel)
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if entries++; info.Mode().IsRegular() {
			bytes += info.Size()
		} else if !info.IsDir() {
			t.Errorf("%q is a %v", rel, info.Mode())
		}
		if depth := strings.Count(filepath.ToSlash(rel), "/"); depth > l.Depth {
			t.Errorf("%q is too deep", rel)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if entries > l.Entries || bytes > l.Bytes {
		t.Errorf("it wrote %d entries of %d bytes", entries, bytes)
	}
	if len(u.files) > entries {
		t.Errorf("%d files of %d entries", len(u.files), entries)
	}
}

func TestHostileTars(t *testing.T) {
	tryHostile(t, "a hard link", tarOf(t, entry{name: "x", kind: tar.TypeLink, link: "/etc/passwd"}), "a link")
	tryHostile(t, "into a hard link", tarOf(t, entry{name: "x", kind: tar.TypeLink, link: "../archive"},
		entry{name: "x", content: "y"}), "a link")
	tryHostile(t, "a block device", tarOf(t, entry{name: "x", kind: tar.TypeBlock}), "a device")
	tryHostile(t, "a contiguous file", tarOf(t, entry{name: "x", kind: tar.TypeCont}), "a device or the like")
	tryHostile(t, "as git makes it", tarOf(t, entry{kind: tar.TypeXGlobalHeader}, entry{name: "x"}), "")
	tryHostile(t, "compressed zeros after the end",
		gzipped(t, append(tarOf(t, entry{name: "x"}), make([]byte, 10000)...)), "at most 5000")
	tryHostile(t, "a compressed bomb", gzipped(t, make([]byte, 1<<20)), "at most 5000")
	tryHostile(t, "a bomb in a compressed tar",
		gzipped(t, tarOf(t, entry{name: "x", content: strings.Repeat("y", 1<<20)})), "at most 5000")
	tryHostile(t, "no end", tarOf(t, entry{name: "x"})[:512], "end is missing")
	tryHostile(t, "half an end", tarOf(t, entry{name: "x"})[:1024], "end is missing")
	tryHostile(t, "something after the end", append(tarOf(t, entry{name: "x"}), noise(31, 3000)...), "")
	tryHostile(t, "something after gzip", append(gzipped(t, tarOf(t, entry{name: "x"})), 1, 2, 3), "whole archive")
	tryHostile(t, "holes", sparse(8<<20), "at most 5000")
	tryHostile(t, "small holes", sparse(4096), "")
}

func TestHostileZips(t *testing.T) {
	one := zipOf(t, entry{name: "x", content: "content"})
	secret := bytes.Clone(one)
	secret[6] |= 1
	secret[bytes.Index(secret, []byte("PK\x01\x02"))+8] |= 1
	tryHostile(t, "a password", secret, "encrypted")
	method := bytes.Clone(one)
	method[bytes.Index(method, []byte("PK\x01\x02"))+10] = 93
	tryHostile(t, "another method", method, "unsupported compression")
	tryHostile(t, "a name with NUL", zipOf(t, entry{name: "a\x00b"}), "control character, 0x00")
	tryHostile(t, "a file that is a folder", zipOf(t, entry{name: "./"}), "at least one")
	tryHostile(t, "overlapping", overlapping(t, 8, 1000), "at most 5000")
	tryHostile(t, "overlapping and lying", lying(t, overlapping(t, 8, 1000)), "not a valid zip")
	// The directory of the archive and the header before the content give different names. The one in the directory
	// counts.
	tryHostile(t, "two names", bytes.Replace(zipOf(t, entry{name: "a/xx", content: "y"}), []byte("a/xx"),
		[]byte("../x"), 1), "")
	central := zipOf(t, entry{name: "a/xx", content: "y"})
	at := bytes.LastIndex(central, []byte("a/xx"))
	tryHostile(t, "two names, the other way", append(append(bytes.Clone(central[:at]), "../x"...), central[at+4:]...),
		`".."`)
	// The directory of the archive is too large.
	long := make([]entry, 20)
	for i := range long {
		long[i] = entry{name: strings.Repeat("n", 65000) + string(rune('a'+i))}
	}
	tryHostile(t, "a large directory", zipOf(t, long...), "directory")
}

// TestInsecurePathSettings checks that unsafe names are refused by this package, whatever the settings of Go's own
// packages are.
func TestInsecurePathSettings(t *testing.T) {
	for _, setting := range []string{"zipinsecurepath=0,tarinsecurepath=0", "zipinsecurepath=1,tarinsecurepath=1"} {
		t.Setenv("GODEBUG", setting)
		for _, content := range [][]byte{tarOf(t, entry{name: "../x"}), zipOf(t, entry{name: "../x"})} {
			_, err := unpackBytes(t, t.TempDir(), "archive", content, tight)
			e := mustFail(t, err, `".."`)
			if e.Path != `archive: "../x"` {
				t.Errorf("with %s the error is of %s", setting, e.Path)
			}
		}
	}
}

// TestUnpackBesideLink checks that nothing is written through a link that another process has put in the place of a
// folder during unpacking.
func TestUnpackBesideLink(t *testing.T) {
	dir := t.TempDir()
	outside := t.TempDir()
	in := filepath.Join(dir, "in")
	if err := os.Mkdir(in, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(in, "d")); err != nil {
		t.Skip(err)
	}
	root, err := os.OpenRoot(in)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	u := newUnpacker(t.Context(), "archive", root, tight)
	u.folders["d"] = true // it was a folder when the unpacker made it
	mustFail(t, u.file("d/x", strings.NewReader("content")), "escapes")
	if got := names(t, outside); len(got) > 0 {
		t.Errorf("it wrote %q outside", got)
	}
}
