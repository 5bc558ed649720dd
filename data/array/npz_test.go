package array

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"slices"
	"testing"
)

func parseZip(content []byte, limit int64, names ...string) (map[string]*Array, error) {
	return parseNPZ("test.npz", bytes.NewReader(content), int64(len(content)), limit, names)
}

// zipFile returns a zip archive. Its entries are given as pairs of a name and a content.
func zipFile(t testing.TB, method uint16, entries ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for ; len(entries) > 0; entries = entries[2:] {
		w, err := z.CreateHeader(&zip.FileHeader{Name: entries[0], Method: method})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(entries[1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestReadNPZ(t *testing.T) {
	for file, want := range saidOf(t, ".npz") {
		all, err := ReadNPZ(testFile(file))
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if got, want := sortedKeys(all), sortedKeys(want); !slices.Equal(got, want) {
			t.Errorf("%s has %v, want %v", file, got, want)
		}
		for name, s := range want {
			s.check(t, all[name])
			one, err := ReadNPZ(testFile(file), name, name)
			if err != nil || len(one) != 1 || !reflect.DeepEqual(one[name], all[name]) || one[name].Name != name {
				t.Errorf("%s: %q alone: %v, %v", file, name, one, err)
			}
		}
	}
	if _, err := ReadNPZ(testFile("absent.npz")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
	_, err := ReadNPZ(testFile("stored.npz"), "labels")
	wantFormatError(t, err, NoOffset, `an array "labels", found the arrays ["x" "y" "f"]`)
}

// TestNPZCut checks that an archive that is cut at any byte gives an error at that byte, since the directory of a zip
// archive is at its end.
func TestNPZCut(t *testing.T) {
	for file := range saidOf(t, ".npz") {
		whole := content(t, file)
		for n := range whole {
			_, err := parseZip(whole[:n], MaxBytes)
			wantFormatError(t, err, int64(n), "")
		}
	}
}

// TestNPZFlipped checks that a flipped bit gives an error or does not change the arrays. It asks for the arrays by
// name, since the bit may be in a name.
func TestNPZFlipped(t *testing.T) {
	for file, want := range saidOf(t, ".npz") {
		b := content(t, file)
		good, err := parseZip(b, MaxBytes)
		if err != nil {
			t.Fatal(err)
		}
		for i := range b {
			b[i] ^= 1 << (i % 8)
			got, err := parseZip(b, MaxBytes, sortedKeys(want)...)
			if f := (*FormatError)(nil); err != nil && !errors.As(err, &f) {
				t.Fatalf("%s: byte %d: error of type %T: %v", file, i, err, err)
			}
			if err == nil && !reflect.DeepEqual(got, good) {
				t.Errorf("%s: byte %d flipped changes the arrays", file, i)
			}
			b[i] ^= 1 << (i % 8)
		}
	}
}

func TestNPZEntries(t *testing.T) {
	array := string(npyFile(npyDict("'|u1'", "False", "(2,)"), 1, 2))
	got, err := parseZip(zipFile(t, zip.Deflate, "a.npy", array, "readme.txt", "no array", "b/c.npy", array), MaxBytes)
	if keys := sortedKeys(got); err != nil || !slices.Equal(keys, []string{"a", "b/c"}) {
		t.Errorf("%v, %v", keys, err)
	}
	_, err = parseZip(zipFile(t, zip.Store, "a.npy", array, "a.npy", array), MaxBytes)
	wantFormatError(t, err, NoOffset, `two arrays "a"`)
	if _, err = parseZip(zipFile(t, zip.Store, "a.npy", array, "b.npy", array), 4); err != nil {
		t.Error(err)
	}
	_, err = parseZip(zipFile(t, zip.Store, "a.npy", array, "b.npy", array), 3)
	wantFormatError(t, err, NoOffset, "test.npz (b): expected an array of at most 1 bytes")
	_, err = parseZip(zipFile(t, zip.Deflate, "a.npy", array[:len(array)-1]), MaxBytes)
	wantFormatError(t, err, int64(len(array)-1), "test.npz (a): at byte")
	damaged := zipFile(t, zip.Store, "a.npy", array)
	damaged[bytes.Index(damaged, []byte{1, 2, 'P', 'K'})] ^= 1
	_, err = parseZip(damaged, MaxBytes)
	wantFormatError(t, err, int64(len(array)), "checksum")

	var many []string
	for i := range maxEntries + 1 {
		many = append(many, fmt.Sprintf("%d.npy", i), "")
	}
	_, err = parseZip(zipFile(t, zip.Store, many...), MaxBytes)
	wantFormatError(t, err, NoOffset, "at most 10000 entries, found 10001")
}
