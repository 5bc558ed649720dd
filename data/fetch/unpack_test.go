package fetch

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// trueFiles are the files in the archives that testdata/make_archives.py wrote.
var trueFiles = map[string][]byte{
	"set/train/a b.bin":  bytes.Repeat(bytes256(), 6),
	"set/train/leer.txt": {},
	"set/größe.txt":      []byte("größer als ASCII\ngrößer als ASCII\ngrößer als ASCII\n"),
}

var trueArchives = []string{"gnu.tar", "v7.tar", "pax.tar.gz", "ustar.tar.bz2", "stored.zip", "deflated.zip"}

func bytes256() []byte {
	b := make([]byte, 256)
	for i := range b {
		b[i] = byte(i)
	}
	return b
}

func readTestdata(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// unpackBytes unpacks content, as a file of the given name, into the folder
// dir/in, which it makes.
func unpackBytes(t testing.TB, dir, name string, content []byte, l Limits) (*unpacker, error) {
	t.Helper()
	path := filepath.Join(dir, filepath.Base(name))
	write(t, path, content)
	in := filepath.Join(dir, "in")
	if err := os.Mkdir(in, 0o777); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(in)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	u := newUnpacker(t.Context(), name, root, l.orDefault(int64(len(content))))
	return u, u.unpack(f, name)
}

func TestUnpack(t *testing.T) {
	for _, name := range trueArchives {
		// The kind of an archive is recognised by its content, not by its name.
		for _, as := range []string{name, "data", "data.zip", "data.tar.gz"} {
			dir := t.TempDir()
			u, err := unpackBytes(t, dir, as, readTestdata(t, name), Limits{})
			if err != nil {
				t.Fatal(err)
			}
			want := []string{"set/", "set/empty/", "set/größe.txt", "set/train/", "set/train/a b.bin",
				"set/train/leer.txt"}
			if got := names(t, filepath.Join(dir, "in")); !slices.Equal(got, want) {
				t.Errorf("%s as %s: unpacked %q", name, as, got)
			}
			checkTrueFiles(t, filepath.Join(dir, "in"), u.files)
		}
	}
}

func checkTrueFiles(t *testing.T, dir string, entries []Entry) {
	t.Helper()
	if len(entries) != len(trueFiles) {
		t.Errorf("%d entries", len(entries))
	}
	for _, e := range entries {
		want, known := trueFiles[e.Path]
		path := filepath.Join(dir, e.Path)
		got, err := os.ReadFile(path)
		if err != nil || !known || !bytes.Equal(got, want) || e.Bytes != int64(len(want)) ||
			e.SHA256.String() != sha(want) {
			t.Errorf("%+v is %q, %v", e, got, err)
		}
		checkMode(t, path, 0o644)
		checkMode(t, filepath.Dir(path), 0o755)
	}
}

// checkMode fails the test if a file has permissions beyond most, or its owner cannot read it. The umask may remove
// permissions.
func checkMode(t *testing.T, path string, most os.FileMode) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := info.Mode() &^ os.ModeDir; runtime.GOOS != "windows" && (got&^most != 0 || got&0o400 == 0) {
		t.Errorf("%s has mode %v", path, got)
	}
}

func TestUnpackSingle(t *testing.T) {
	want := trueFiles["set/train/a b.bin"]
	for _, c := range []struct{ file, as, name string }{
		{"single.bin.gz", "single.bin.gz", "single.bin"},
		{"single.bin.bz2", "a/b.BZ2", "b"},
		{"single.bin.gz", "data", "data.unpacked"},
		{"single.bin.gz", ".gz", ".gz.unpacked"},
		{"single.bin.gz", "..gz", "..gz.unpacked"},
	} {
		dir := t.TempDir()
		u, err := unpackBytes(t, dir, c.as, readTestdata(t, c.file), Limits{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(dir, "in", c.name))
		if err != nil || !bytes.Equal(got, want) || len(u.files) != 1 || u.files[0].SHA256.String() != sha(want) {
			t.Errorf("%s as %s: %+v, %v", c.file, c.as, u.files, err)
		}
	}
}

// TestUnpackManyMembers checks that a gzip file of two members, one after the other, is unpacked whole.
func TestUnpackManyMembers(t *testing.T) {
	one := readTestdata(t, "single.bin.gz")
	dir := t.TempDir()
	if _, err := unpackBytes(t, dir, "x.gz", slices.Concat(one, one), Limits{}); err != nil {
		t.Fatal(err)
	}
	want := trueFiles["set/train/a b.bin"]
	if got, err := os.ReadFile(filepath.Join(dir, "in", "x")); err != nil ||
		!bytes.Equal(got, slices.Concat(want, want)) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

// TestUnpackCut checks that an archive that is cut off is refused. The error gives an offset, except in zip archives.
func TestUnpackCut(t *testing.T) {
	for _, name := range slices.Concat(trueArchives, []string{"single.bin.gz", "single.bin.bz2"}) {
		content := readTestdata(t, name)
		dir := t.TempDir()
		for n := range content {
			// The small archives are cut at every byte, the others at the edges of blocks and at every 53rd byte.
			if many := strings.Contains(name, "tar"); many && (n+1)%tarBlock > 2 && n%53 != 0 {
				continue
			}
			_, err := unpackBytes(t, filepath.Join(dir, strconv.Itoa(n)), name, content[:n], Limits{})
			e := (*Error)(nil)
			if !errors.As(err, &e) {
				t.Fatalf("%s cut at %d: %v", name, n, err)
			}
			zip := bytes.HasPrefix(content, magicZip)
			if !zip && (e.Offset < 0 || e.Offset > int64(n)) || zip && e.Offset > 0 {
				t.Errorf("%s cut at %d: offset %d: %v", name, n, e.Offset, err)
			}
		}
	}
}

// TestUnpackDamaged checks that a changed byte in an archive with checksums gives an error or does not change the
// files.
func TestUnpackDamaged(t *testing.T) {
	for _, name := range []string{"pax.tar.gz", "ustar.tar.bz2", "deflated.zip"} {
		content := readTestdata(t, name)
		whole, refused := 0, 0
		for i := 0; i < len(content); i += 5 {
			bad := bytes.Clone(content)
			bad[i] ^= 0x10
			dir := t.TempDir()
			u, err := unpackBytes(t, dir, name, bad, Limits{})
			if err != nil {
				e := (*Error)(nil)
				if !errors.As(err, &e) {
					t.Fatalf("byte %d: %v", i, err)
				}
				refused++
				continue
			}
			for _, f := range u.files {
				if want, ok := trueFiles[f.Path]; ok && f.SHA256.String() != sha(want) {
					t.Errorf("%s with byte %d changed: %s is another", name, i, f.Path)
				}
			}
			whole++
		}
		if refused < len(content)/15 || name != "deflated.zip" && whole > 12 { // such as in dates
			t.Errorf("%s: %d changes were refused, %d made no difference", name, refused, whole)
		}
	}
}

func TestUnpackNoArchive(t *testing.T) {
	for _, content := range [][]byte{nil, []byte("<html>"), noise(30, 1000), make([]byte, 1024), []byte("\x1f\x8b"),
		[]byte("PK\x03\x04"), []byte("BZh9")} {
		_, err := unpackBytes(t, t.TempDir(), "x.zip", content, Limits{})
		mustFail(t, err, "x.zip", "archive")
	}
	// A zip archive within a gzip file is not unpacked.
	inner := readTestdata(t, "deflated.zip")
	dir := t.TempDir()
	if _, err := unpackBytes(t, dir, "x.zip.gz", gzipped(t, inner), Limits{}); err != nil {
		t.Fatal(err)
	}
	if got := names(t, filepath.Join(dir, "in")); !slices.Equal(got, []string{"x.zip"}) {
		t.Errorf("unpacked %q", got)
	}
}

func gzipped(t testing.TB, b []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	_, err := z.Write(b)
	if err := errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestLimitsDefault(t *testing.T) {
	for _, c := range []struct{ archive, want int64 }{
		{0, 1 << 20},
		{1 << 10, 1<<20 + 1100<<10},
		{26 << 20, 8 << 30}, // MNIST and the like: 11 MB become 55
		{1 << 30, 200 << 30},
		{1 << 62, 1 << 60},
	} {
		if got := (Limits{}).orDefault(c.archive); got.Bytes != c.want || got.Entries < 1_400_000 || got.Name != 1024 ||
			got.Depth != 32 {
			t.Errorf("an archive of %d bytes: %+v, want %d", c.archive, got, c.want)
		}
	}
	own := Limits{Bytes: 1, Entries: 2, Name: 3, Depth: 4}
	if own.orDefault(1000) != own {
		t.Error("own limits were changed")
	}
}

// TestLimitsPassZeros checks that the default limit allows a file of zeros, which deflate compresses most.
func TestLimitsPassZeros(t *testing.T) {
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	const n = 64 << 20
	if _, err := io.CopyN(z, zeros{}, n); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	u, err := unpackBytes(t, t.TempDir(), "z.gz", out.Bytes(), Limits{})
	if err != nil || u.written != n || n/out.Len() < 900 {
		t.Errorf("%d bytes of %d, %v", u.written, out.Len(), err)
	}
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}
