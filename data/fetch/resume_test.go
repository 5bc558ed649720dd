package fetch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestResume checks that a download that was cut off at a random byte is completed, in the same call or in the next
// one, and that only the missing bytes are requested.
func TestResume(t *testing.T) {
	content := noise(10, 200_000)
	r := rand.New(rand.NewPCG(10, 2))
	for i := range 60 {
		at := r.IntN(len(content)-1) + 1
		checked, between := i%2 == 0, i%4 < 2
		var s *server
		s = serve(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("ETag", `"one"`)
			if s.count() == 1 {
				cut(file(content), at)(w, r)
			}
			file(content)(w, r)
		})
		f := File{Path: "f", URLs: []string{s.URL}}
		if checked {
			f.SHA256, f.Bytes = sha(content), int64(len(content))
		}
		dir := t.TempDir()
		o, _ := quick()
		if between {
			once := o
			once.Tries = 1
			_, _, err := get(t, dir, f, once)
			mustFail(t, err, s.URL, fmt.Sprintf("an end after %d", at), "go on")
		}
		mustGet(t, dir, f, o, content)
		if got, want := s.header(1, "Range"), fmt.Sprintf("bytes=%d-", at); s.count() != 2 || got != want {
			t.Fatalf("cut at %d: the second of %d requests was for %q", at, s.count(), got)
		}
		if got := s.header(1, "If-Range"); got != `"one"` {
			t.Errorf("If-Range %q", got)
		}
		if got := names(t, dir); !slices.Equal(got, []string{"f"}) {
			t.Errorf("the folder holds %q", got)
		}
	}
}

// TestResumeManyTimes checks that a download that is cut off again and again is completed in pieces.
func TestResumeManyTimes(t *testing.T) {
	content := noise(11, 4_500_000)
	s := serve(t, cut(file(content), 1<<20))
	o, clock := quick()
	o.Tries = 2
	mustGet(t, t.TempDir(), File{Path: "f", URLs: []string{s.URL}}, o, content)
	if s.count() != 5 || len(clock.slept) != 4 {
		t.Errorf("%d requests, waits %v", s.count(), clock.slept)
	}
}

// scene is a partly downloaded file and a server from which the download continues, or does not.
type scene struct {
	part   []byte
	origin string // the text of the side file; %s is the address
	file   File
	serve  http.HandlerFunc

	ranges []string // the ranges that the server is asked for
	fails  string   // what the error says; "" if it succeeds
}

func TestResumeScenes(t *testing.T) {
	old, content := noise(12, 3000), noise(13, 3000)
	known := File{SHA256: sha(content)}
	sameSize := `{"url":"%s","bytes":3000}`
	ignoring := func(w http.ResponseWriter, r *http.Request) { w.Write(content) }
	partial := func(contentRange string, body []byte) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Range") == "" {
				w.Write(content)
				return
			}
			w.Header().Set("Content-Range", contentRange)
			w.WriteHeader(http.StatusPartialContent)
			w.Write(body)
		}
	}
	beyond := func(contentRange string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Range") == "" {
				w.Write(content)
				return
			}
			w.Header().Set("Content-Range", contentRange)
			w.WriteHeader(http.StatusRequestedRangeNotSatisfiable)
		}
	}
	tagged := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"new"`)
		file(content)(w, r)
	}
	all := []string{""}
	rest := []string{"bytes=1000-"}
	restThenAll := []string{"bytes=1000-", ""}
	for name, c := range map[string]scene{
		"the content has changed, and the server says so": {
			part: old[:1000], origin: `{"url":"%s","etag":"\"old\""}`, serve: tagged, ranges: rest},
		"changed, and it disregards If-Range": {
			part: old[:1000], origin: `{"url":"%s","etag":"\"old\""}`, ranges: restThenAll,
			serve: func(w http.ResponseWriter, r *http.Request) { r.Header.Del("If-Range"); tagged(w, r) }},
		"changed in date, and it disregards If-Range": {
			part: old[:1000], origin: `{"url":"%s","last_modified":"Thu, 28 Feb 2024 12:00:00 GMT"}`,
			ranges: restThenAll,
			serve:  func(w http.ResponseWriter, r *http.Request) { r.Header.Del("If-Range"); file(content)(w, r) }},
		"changed in size": {
			part: old[:1000], origin: `{"url":"%s","bytes":2999}`, serve: file(content), ranges: restThenAll},
		"changed, and only the digest tells": {
			part: old[:1000], origin: sameSize, file: known, serve: file(content), ranges: restThenAll},
		"a weak tag and a date": {
			part:   content[:1000],
			origin: `{"url":"%s","etag":"W/\"x\"","last_modified":"Thu, 29 Feb 2024 12:00:00 GMT"}`,
			serve:  file(content), ranges: rest},
		"nothing is known":       {part: old[:1000], serve: file(content), ranges: all},
		"a damaged side file":    {part: old[:1000], origin: `{"url":`, serve: file(content), ranges: all},
		"only a digest is known": {part: content[:1000], file: known, serve: file(content), ranges: rest},
		"only a size is known": {part: content[:1000], file: File{Bytes: 3000}, serve: file(content),
			ranges: rest},
		"the server ignores ranges": {part: content[:1000], file: known, serve: ignoring, ranges: rest},
		"another part than asked for": {part: content[:1000], file: known,
			serve: partial("bytes 999-2999/3000", content[999:]), ranges: restThenAll},
		"a part that says not which": {part: content[:1000], file: known, serve: partial("", content[1000:]),
			ranges: restThenAll},
		"nonsense for a range": {part: content[:1000], file: known,
			serve: partial("bytes 1000-5/3000", content[1000:]), ranges: restThenAll},
		"a part of a whole of any size": {part: content[:1000], file: known,
			serve: partial("bytes 1000-2999/*", content[1000:]), ranges: rest},
		"of any size, and no digest": {part: content[:1000], origin: sameSize,
			serve: partial("bytes 1000-2999/*", content[1000:]), ranges: restThenAll},
		"a part of too large a whole": {part: content[:1000], file: File{Bytes: 3000},
			serve: partial("bytes 1000-3999/4000", content[1000:]), ranges: rest,
			fails: "an announced size of 4000"},
		"more than is missing": {part: content[:1000], file: known,
			serve: partial("bytes 1000-2998/2999", content[1000:]), ranges: rest, fails: "found 3000"},
		"nothing is missing":          {part: content, file: File{Bytes: 3000}, serve: http.NotFound},
		"nothing, says the side file": {part: content, origin: sameSize, serve: http.NotFound},
		"nothing, says the server": {part: content, file: known, serve: beyond("bytes */3000"),
			ranges: []string{"bytes=3000-"}},
		"nothing is missing but it is bad": {part: old, file: File{Bytes: 3000, SHA256: sha(content)},
			serve: file(content), ranges: all},
		"too much is there": {part: append(content[:3000:3000], 0), file: File{Bytes: 3000},
			serve: file(content), ranges: all},
		"too much, says the server": {part: append(content[:3000:3000], 0), file: known,
			serve: beyond("bytes */3000"), ranges: []string{"bytes=3001-", ""}},
		"too much, says it without numbers": {part: append(content[:3000:3000], 0), file: known, serve: beyond(""),
			ranges: []string{"bytes=3001-", ""}},
	} {
		t.Run(name, func(t *testing.T) { c.play(t, content) })
	}
}

func (c scene) play(t *testing.T, content []byte) {
	s := serve(t, c.serve)
	dir := t.TempDir()
	write(t, filepath.Join(dir, "f.part"), c.part)
	if c.origin != "" {
		write(t, filepath.Join(dir, "f.part.json"), []byte(strings.Replace(c.origin, "%s", s.URL, 1)))
	}
	c.file.Path, c.file.URLs = "f", []string{s.URL}
	o, _ := quick()
	if c.fails != "" {
		_, _, err := get(t, dir, c.file, o)
		mustFail(t, err, c.fails)
	} else {
		mustGet(t, dir, c.file, o, content)
	}
	var ranges []string
	for i := range s.count() {
		ranges = append(ranges, s.header(i, "Range"))
	}
	if !slices.Equal(ranges, c.ranges) {
		t.Errorf("asked for %q, want %q", ranges, c.ranges)
	}
}

// TestResumeAtMirror checks that a download that the first server began is continued from the second, if there is a
// digest or a size by which to check that both have the same content.
func TestResumeAtMirror(t *testing.T) {
	content := noise(14, 9000)
	for _, c := range []struct {
		file    File
		chunked bool // the first server does not tell the size
		want    string
	}{
		{File{SHA256: sha(content)}, true, "bytes=4000-"},
		{File{MD5: md5Of(content)}, false, "bytes=4000-"},
		{File{Bytes: 9000}, true, "bytes=4000-"},
		{File{}, false, "bytes=4000-"},
		{File{}, true, ""},
	} {
		first := serve(t, cut(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("ETag", `"first"`)
			if c.chunked {
				w.(*cutter).ResponseWriter.(http.Flusher).Flush()
			} else {
				w.Header().Set("Content-Length", strconv.Itoa(len(content)))
			}
			w.Write(content)
		}, 4000))
		second := serve(t, file(content))
		c.file.Path, c.file.URLs = "f", []string{first.URL, second.URL}
		o, _ := quick()
		o.Tries = 1
		mustGet(t, t.TempDir(), c.file, o, content)
		if got := second.header(0, "Range"); got != c.want || second.header(0, "If-Range") != "" ||
			second.count() != 1 {
			t.Errorf("%+v: %d requests, the first for %q", c.file, second.count(), got)
		}
	}
}

// TestResumeAtWrongMirror checks that if a mirror has other content of the same size, the damaged download is discarded
// and the next mirror is asked for the whole file.
func TestResumeAtWrongMirror(t *testing.T) {
	content := noise(15, 9000)
	first := serve(t, cut(file(content), 4000))
	wrong := serve(t, file(noise(16, 9000)))
	good := serve(t, file(content))
	f := File{Path: "f", URLs: []string{first.URL, wrong.URL, good.URL}, SHA256: sha(content), Bytes: 9000}
	o, _ := quick()
	o.Tries = 2
	mustGet(t, t.TempDir(), f, o, content)
	if good.header(0, "Range") != "" {
		t.Errorf("the last mirror was asked for %q", good.header(0, "Range"))
	}
}

// TestInterrupt checks that the received bytes are kept when the user interrupts, and that the next call continues from
// there.
func TestInterrupt(t *testing.T) {
	content := noise(17, 500_000)
	var s *server
	s = serve(t, func(w http.ResponseWriter, r *http.Request) {
		if s.count() > 1 {
			file(content)(w, r)
			return
		}
		w.Header().Set("ETag", `"e"`)
		w.Header().Set("Content-Length", strconv.Itoa(len(content)))
		w.Write(content[:100_000])
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	ctx, cancel := context.WithCancel(t.Context())
	o, clock := quick()
	o.Progress = func(_ string, done, _ int64) {
		if done == 100_000 {
			cancel()
		}
	}
	dir := t.TempDir()
	f := File{Path: "f", URLs: []string{s.URL}}
	_, err := Get(ctx, dir, []File{f}, o)
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "go on") || len(clock.slept) > 0 {
		t.Fatalf("%v after waits %v", err, clock.slept)
	}
	if got := names(t, dir); !slices.Equal(got, []string{"f.part", "f.part.json"}) {
		t.Errorf("the folder holds %q", got)
	}
	if b, err := os.ReadFile(filepath.Join(dir, "f.part")); err != nil || !bytes.Equal(b, content[:100_000]) {
		t.Errorf("%d bytes were kept, %v", len(b), err)
	}
	mustGet(t, dir, f, o, content)
	if got := s.header(1, "Range"); got != "bytes=100000-" {
		t.Errorf("asked for %q", got)
	}
	if _, err := Get(ctx, t.TempDir(), []File{f}, o); !errors.Is(err, context.Canceled) {
		t.Errorf("after its end: %v", err)
	}
}
