package fetch

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"path/filepath"
	"testing"
)

// FuzzUnpack checks that unpacking arbitrary bytes stays within its folder and its limits, that every error is an
// Error, and that written bytes belong to a file.
func FuzzUnpack(f *testing.F) {
	for _, name := range append(trueArchives, "single.bin.gz", "single.bin.bz2") {
		f.Add(readTestdata(f, name))
	}
	links := []entry{{name: "x", kind: tar.TypeSymlink, link: ".."}, {name: "x/../../y"}}
	f.Add(tarOf(f, links...))
	f.Add(zipOf(f, links...))
	f.Add(gzipped(f, tarOf(f, links...)))
	f.Add(sparse(4096))
	f.Fuzz(func(t *testing.T, content []byte) {
		dir := t.TempDir()
		u, err := unpackBytes(t, dir, "archive", content, tight)
		if e := (*Error)(nil); err != nil && !errors.As(err, &e) {
			t.Fatalf("error of type %T: %v", err, err)
		}
		checkConfined(t, dir, u, tight)
		if u.written > 0 && err == nil && len(u.files) == 0 {
			t.Error("something was written to no file")
		}
	})
}

func FuzzReceipt(f *testing.F) {
	var out bytes.Buffer
	if err := someReceipt().write(&out); err != nil {
		f.Fatal(err)
	}
	f.Add(out.Bytes())
	f.Add([]byte(receiptTitle + "\n# end 0\n"))
	f.Fuzz(func(t *testing.T, content []byte) {
		r, err := parseReceipt("receipt", bytes.NewReader(content))
		if err != nil {
			if e := (*Error)(nil); !errors.As(err, &e) || e.Offset < 0 || e.Offset > int64(len(content)) {
				t.Fatalf("error of type %T: %v", err, err)
			}
			return
		}
		var back bytes.Buffer
		if err := r.write(&back); err != nil || !bytes.Equal(back.Bytes(), content) {
			t.Fatalf("read %q, wrote %q, %v", content, back.Bytes(), err)
		}
	})
}

func FuzzContentRange(f *testing.F) {
	for _, s := range []string{"bytes 0-0/1", "bytes 5-9/*", "bytes */10", "bytes 1-9223372036854775807/*"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		start, total, ok := contentRange(text)
		if ok && (start < 0 || total < 0 || total > 0 && start >= total) {
			t.Fatalf("%q starts at %d of %d", text, start, total)
		}
	})
}

// FuzzOrigin checks that a side file gives a size that is not negative, and gives nothing if it is not valid JSON.
func FuzzOrigin(f *testing.F) {
	for _, text := range []string{`{}`, `{"url":"https://a/b","bytes":5,"etag":"\"x\""}`, `{"bytes":-1}`,
		`{"bytes":1e3}`, `null`, `[`, `{"bytes":9223372036854775807}`} {
		f.Add([]byte(text))
	}
	path := filepath.Join(f.TempDir(), "part.json")
	f.Fuzz(func(t *testing.T, text []byte) {
		write(t, path, text)
		if o := readOrigin(path); o.Bytes < 0 || o != (origin{}) && !json.Valid(text) {
			t.Fatalf("%q is %+v", text, o)
		}
	})
}
