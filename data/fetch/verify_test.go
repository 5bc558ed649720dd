package fetch

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// got fetches an archive into a folder, an archive into the data folder itself, and a plain file. It returns the data
// folder and the receipt.
func got(t *testing.T) (dir string, r *Receipt) {
	t.Helper()
	dir = t.TempDir()
	zip, _ := archiveServer(t, "in/x.zip", "in", readTestdata(t, "deflated.zip"))
	tar,
		_ := archiveServer(t, "y.tar", ".", tarOf(t, entry{name: "top", content: "t"},
		entry{name: "sub/a", content: "a"}))
	plain, _ := archiveServer(t, "plain", "", noise(50, 300_000))
	o, _ := quick()
	results, err := Get(t.Context(), dir, []File{zip, tar, plain}, o)
	if err != nil {
		t.Fatal(err)
	}
	return dir, NewReceipt(results)
}

func TestVerify(t *testing.T) {
	dir, r := got(t)
	var last, all int64
	progress := func(_ string, done, total int64) {
		if done <= last || done > total {
			t.Errorf("progress from %d to %d of %d", last, done, total)
		}
		last, all = done, total
	}
	if problems, err := Verify(t.Context(), dir, r, progress); err != nil || problems != nil {
		t.Errorf("%v, %v", problems, err)
	}
	if _, want := r.Files(); last != want || all != want {
		t.Errorf("progress ends at %d of %d, want %d", last, all, want)
	}
	remove := func(name string) {
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	remove("in/x.zip") // the archives need not be there
	remove("y.tar")
	remove("in/set/train/leer.txt")
	write(t, filepath.Join(dir, "in/set/größe.txt"), []byte("x"))
	remove("top")
	write(t, filepath.Join(dir, "top/x"), nil)
	flipped := noise(50, 300_000)
	flipped[299_999] ^= 0x80
	write(t, filepath.Join(dir, "plain"), flipped)
	write(t, filepath.Join(dir, "in/set/empty/new"), nil)
	write(t, filepath.Join(dir, "sub/b"), nil)
	write(t, filepath.Join(dir, "other"), nil) // beside the unpacked folders, not in them
	want := []Problem{
		{Changed, "in/set/größe.txt", "57 bytes", "1 bytes"},
		{Missing, "in/set/train/leer.txt", "0 bytes", ""},
		{Changed, "top", "1 bytes", "no file but drwxr-xr-x"},
		{Changed, "plain", "SHA-256 " + sha(noise(50, 300_000)), "SHA-256 " + sha(flipped)},
		{Unexpected, "in/set/empty/new", "", ""},
		{Unexpected, "sub/b", "", ""},
	}
	problems, err := Verify(t.Context(), dir, r, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range problems {
		if problems[i].Path == "top" {
			problems[i].Got = want[2].Got // its permissions depend on the umask
		}
	}
	if !slices.Equal(problems, want) {
		t.Errorf("problems %v\nwant %v", problems, want)
	}
	if got := problems[0].String() + "; " + problems[1].String(); got !=
		"in/set/größe.txt: changed: expected 57 bytes, found 1 bytes; in/set/train/leer.txt: missing" {
		t.Error(got)
	}
}

func TestVerifyNothing(t *testing.T) {
	_, r := got(t)
	problems, err := Verify(t.Context(), t.TempDir(), r, nil)
	if err != nil || len(problems) != 6 || slices.ContainsFunc(problems,
		func(p Problem) bool { return p.Kind != Missing }) {
		t.Errorf("%v, %v", problems, err)
	}
	if problems, err := Verify(t.Context(), t.TempDir(), &Receipt{}, nil); err != nil || problems != nil {
		t.Errorf("%v, %v", problems, err)
	}
}

func TestVerifyThroughLink(t *testing.T) {
	dir, r := got(t)
	elsewhere := filepath.Join(t.TempDir(), "in")
	if err := errors.Join(os.Rename(filepath.Join(dir, "in"), elsewhere),
		os.Symlink(elsewhere, filepath.Join(dir, "in"))); err != nil {
		t.Skip(err)
	}
	write(t, filepath.Join(elsewhere, "new"), nil)
	problems, err := Verify(t.Context(), dir, r, nil)
	if err != nil || !slices.Equal(problems, []Problem{{Kind: Unexpected, Path: "in/new"}}) {
		t.Errorf("%v, %v", problems, err)
	}
}

func TestVerifyInterrupted(t *testing.T) {
	dir, r := got(t)
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := Verify(ctx, dir, r, func(string, int64, int64) { cancel() }); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestInParallel(t *testing.T) {
	bad := errors.New("bad")
	done := make([]bool, 100)
	if err := inParallel(t.Context(), len(done), 7, func(i int) error { done[i] = true; return nil }); err != nil ||
		slices.Contains(done, false) {
		t.Errorf("%v, %v", err, done)
	}
	if err := inParallel(t.Context(), 100, 3, func(i int) error {
		if i == 50 {
			return bad
		}
		return nil
	}); err != bad {
		t.Errorf("%v", err)
	}
	if err := inParallel(t.Context(), 0, 3, nil); err != nil {
		t.Error(err)
	}
}
