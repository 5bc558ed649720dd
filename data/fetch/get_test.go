package fetch

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ansatz-lab/ansatz/internal/disk"
)

func TestGet(t *testing.T) {
	content := noise(1, 300_000)
	s := serve(t, file(content))
	for _, c := range []struct {
		file File
		want Check
	}{
		{File{SHA256: strings.ToUpper(sha(content)), Bytes: 300_000}, BySHA256},
		{File{MD5: md5Of(content)}, ByMD5},
		{File{SHA256: sha(content), MD5: md5Of(nil)}, BySHA256},
		{File{Bytes: 300_000}, Unchecked},
		{File{}, Unchecked},
	} {
		dir := filepath.Join(t.TempDir(), "new")
		c.file.Path, c.file.URLs = "a/b.bin", []string{s.URL + "/b"}
		var done []int64
		o, _ := quick()
		o.Progress = func(file string, n, total int64) {
			if file != "a/b.bin" || total != 300_000 {
				t.Fatalf("progress of %s, %d in all", file, total)
			}
			done = append(done, n)
		}
		r := mustGet(t, dir, c.file, o, content)
		if r.Check != c.want || r.URL != c.file.URLs[0] || len(r.Files) != 1 || r.Files[0].Path != "a/b.bin" {
			t.Errorf("%+v: result %+v", c.file, r)
		}
		if !slices.IsSorted(done) || done[len(done)-1] != 300_000 {
			t.Errorf("progress %v", done)
		}
		requests := s.count()
		again := mustGet(t, dir, c.file, o, content)
		if again.URL != "" || again.Check != c.want || s.count() != requests {
			t.Errorf("what is there was fetched again: %+v", again)
		}
		if got := names(t, dir); !slices.Equal(got, []string{"a/", "a/b.bin"}) {
			t.Errorf("the folder holds %q", got)
		}
	}
	if agent := s.header(0, "User-Agent"); agent != "ansatz" {
		t.Errorf("User-Agent %q", agent)
	}
}

func TestGetEmptyFile(t *testing.T) {
	s := serve(t, file(nil))
	o, _ := quick()
	mustGet(t, t.TempDir(), File{Path: "empty", URLs: []string{s.URL}}, o, nil)
}

func TestGetReplacesWhatIsWrong(t *testing.T) {
	content := noise(2, 1000)
	s := serve(t, file(content))
	for _, there := range [][]byte{content[:999], append([]byte{1}, content[1:]...), nil} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "f"), there)
		o, _ := quick()
		mustGet(t, dir, File{Path: "f", URLs: []string{s.URL}, SHA256: sha(content)}, o, content)
	}
}

// TestGetRemembers checks that a file without a given digest is compared with the receipt, and fetched again if it has
// changed.
func TestGetRemembers(t *testing.T) {
	content := noise(3, 1000)
	s := serve(t, file(content))
	dir := t.TempDir()
	f := File{Path: "f", URLs: []string{s.URL}}
	o, _ := quick()
	first := mustGet(t, dir, f, o, content)
	o.Receipt = NewReceipt([]Result{*first})
	if r := mustGet(t, dir, f, o, content); r.Check != ByReceipt || s.count() != 1 {
		t.Errorf("%+v after %d requests", r, s.count())
	}
	write(t, filepath.Join(dir, "f"), noise(4, 1000))
	if r := mustGet(t, dir, f, o, content); r.URL == "" {
		t.Errorf("a damaged file was taken: %+v", r)
	}
}

func TestGetChecksItsList(t *testing.T) {
	for want, f := range map[string]File{
		"absolute":       {Path: "/etc/passwd"},
		`".."`:           {Path: "../x"},
		"shortest form":  {Path: "a//b"},
		"empty":          {},
		"backslash":      {Path: `a\b`},
		"drive letter":   {Path: "C:x"},
		"control":        {Path: "a\x00b"},
		"of 300 bytes":   {Path: strings.Repeat("x", 300)},
		"to unpack":      {Path: "a", Into: "../b"},
		"own path":       {Path: "a", Into: "a"},
		"a size":         {Path: "a", Bytes: -1},
		"hexadecimal":    {Path: "a", SHA256: "12"},
		"digests":        {Path: "a", MD5: strings.Repeat("g", 32)},
		"begin with":     {Path: "a", URLs: []string{"file:///etc/passwd"}},
		"http://":        {Path: "a", URLs: []string{"http:///nohost"}},
		"no address":     {Path: "a"},
		"ftp://x/y":      {Path: "a", URLs: []string{"ftp://x/y"}},
		"%zz":            {Path: "a", URLs: []string{"http://x/%zz"}},
		`data folder, f`: {Path: "."},
	} {
		dir := t.TempDir()
		_, err := Get(t.Context(), dir, []File{f}, Options{})
		mustFail(t, err, want)
		if got := names(t, dir); len(got) > 0 {
			t.Errorf("%s: the folder holds %q", want, got)
		}
	}
	_, err := Get(t.Context(), t.TempDir(), []File{{Path: "a"}, {Path: "a"}}, Options{})
	mustFail(t, err, "once")
}

func TestGetMirrors(t *testing.T) {
	content := noise(5, 5000)
	bad := serve(t, http.NotFound)
	wrong := serve(t, file(noise(6, 5000)))
	good := serve(t, file(content))
	f := File{Path: "f", URLs: []string{bad.URL, wrong.URL, good.URL}, SHA256: sha(content)}
	o, clock := quick()
	if r := mustGet(t, t.TempDir(), f, o, content); r.URL != good.URL || len(clock.slept) != 0 {
		t.Errorf("%+v after waits %v", r, clock.slept)
	}
	if bad.count() != 1 || wrong.count() != 1 || good.count() != 1 {
		t.Errorf("%d, %d, %d requests", bad.count(), wrong.count(), good.count())
	}
	dir := t.TempDir()
	f.URLs = f.URLs[:2]
	_, _, err := get(t, dir, f, o)
	mustFail(t, err, "404", bad.URL, wrong.URL, sha(content), sha(noise(6, 5000)), "by hand")
	if got := names(t, dir); len(got) > 0 {
		t.Errorf("the folder holds %q", got)
	}
}

func TestGetWaitsLongerAndLonger(t *testing.T) {
	for _, c := range []struct {
		after string
		want  []time.Duration
		says  string
	}{
		{"", []time.Duration{1, 2, 4}, "503"},
		{"3", []time.Duration{3, 3, 4}, "wait 3s"},
		{now.Add(7 * time.Second).Format(http.TimeFormat), []time.Duration{7, 7, 7}, "wait 7s"},
		{now.Add(-time.Hour).Format(http.TimeFormat), []time.Duration{1, 2, 4}, "wait 0s"},
		{"86400", nil, "wait 24h"},
		{"99999999999999999999", []time.Duration{1, 2, 4}, "503"},
	} {
		s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			if c.after != "" {
				w.Header().Set("Retry-After", c.after)
			}
			w.WriteHeader(http.StatusServiceUnavailable)
		})
		o, clock := quick()
		_, _, err := get(t, t.TempDir(), File{Path: "f", URLs: []string{s.URL}}, o)
		mustFail(t, err, c.says, s.URL)
		for i := range c.want {
			c.want[i] *= time.Second
		}
		if !slices.Equal(clock.slept, c.want) {
			t.Errorf("Retry-After %q: waits %v, want %v", c.after, clock.slept, c.want)
		}
	}
}

func TestGetTriesAgain(t *testing.T) {
	content := noise(7, 100)
	for _, status := range []int{500, 502, 503, 429, 408, 425} {
		var s *server
		s = serve(t, func(w http.ResponseWriter, r *http.Request) {
			if s.count() < 3 {
				w.WriteHeader(status)
				return
			}
			file(content)(w, r)
		})
		o, _ := quick()
		mustGet(t, t.TempDir(), File{Path: "f", URLs: []string{s.URL}}, o, content)
	}
}

func TestGetWithoutServer(t *testing.T) {
	s := serve(t, http.NotFound)
	s.Close()
	o, clock := quick()
	_, _, err := get(t, t.TempDir(), File{Path: "f", URLs: []string{s.URL}}, o)
	mustFail(t, err, s.URL, "refused")
	if len(clock.slept) != 3 {
		t.Errorf("waits %v", clock.slept)
	}
}

func TestGetWithoutSpace(t *testing.T) {
	content := noise(8, 1000)
	s := serve(t, file(content))
	o, _ := quick()
	o.free = func(string) (int64, bool) { return 999, true }
	dir := t.TempDir()
	f := File{Path: "f", URLs: []string{s.URL}, Bytes: 1000}
	_, _, err := get(t, dir, f, o)
	mustFail(t, err, "1000 bytes of free space", "999")
	if s.count() != 0 {
		t.Error("it was asked for")
	}
	f.Bytes = 0
	_, _, err = get(t, dir, f, o)
	mustFail(t, err, "1000 bytes of free space", "999")
	// Bytes that were received before need no more space.
	write(t, filepath.Join(dir, "f.part"), content[:1])
	f.Bytes = 1000
	mustGet(t, dir, f, o, content)
	if n, known := disk.Free(dir); known && n <= 0 {
		t.Errorf("%d bytes free", n)
	}
}

func TestGetWhereItMayNotWrite(t *testing.T) {
	s := serve(t, file([]byte("x")))
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a"), nil)
	o, _ := quick()
	_, _, err := get(t, dir, File{Path: "a/f", URLs: []string{s.URL}}, o)
	mustFail(t, err, "permissions")
	if err := os.MkdirAll(filepath.Join(dir, "d", "x"), 0o777); err != nil {
		t.Fatal(err)
	}
	_, _, err = get(t, dir, File{Path: "d", URLs: []string{s.URL}}, o)
	mustFail(t, err, "directory")
}
