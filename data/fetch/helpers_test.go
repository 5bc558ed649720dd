package fetch

import (
	"bytes"
	"context"
	"crypto/md5"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// fakeClock is a clock that stands still and whose sleeps end at once.
type fakeClock struct {
	mu      sync.Mutex
	slept   []time.Duration
	onSleep func() // called in Sleep, if not nil
	timers  []*fakeTimer
}

type fakeTimer struct {
	c       *fakeClock
	f       func()
	stopped bool
	resets  []time.Duration
}

var now = time.Date(2024, 2, 29, 12, 0, 0, 0, time.UTC)

func (c *fakeClock) Now() time.Time { return now }

func (c *fakeClock) Sleep(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	c.slept = append(c.slept, d)
	then := c.onSleep
	c.mu.Unlock()
	if then != nil {
		then()
	}
	return ctx.Err()
}

func (c *fakeClock) AfterFunc(_ time.Duration, f func()) timer {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := &fakeTimer{c: c, f: f}
	c.timers = append(c.timers, t)
	return t
}

// fire calls the functions of all timers that were not stopped, as if their time had run out.
func (c *fakeClock) fire() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, t := range c.timers {
		if !t.stopped {
			t.f()
		}
	}
}

func (t *fakeTimer) Reset(d time.Duration) bool {
	t.c.mu.Lock()
	defer t.c.mu.Unlock()
	t.resets = append(t.resets, d)
	return true
}

func (t *fakeTimer) Stop() bool {
	t.c.mu.Lock()
	defer t.c.mu.Unlock()
	t.stopped = true
	return true
}

// noise returns n pseudorandom bytes that depend only on the seed.
func noise(seed uint64, n int) []byte {
	r := rand.New(rand.NewPCG(seed, 1))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

func sha(b []byte) string   { return fmt.Sprintf("%x", sha256.Sum256(b)) }
func md5Of(b []byte) string { return fmt.Sprintf("%x", md5.Sum(b)) }

// server is a test server that records the headers of its requests.
type server struct {
	*httptest.Server
	mu       sync.Mutex
	requests []http.Header
}

func serve(t testing.TB, handle http.HandlerFunc) *server {
	t.Helper()
	s := &server{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.requests = append(s.requests, r.Header.Clone())
		s.mu.Unlock()
		handle(w, r)
	}))
	s.Config.ErrorLog = nil
	t.Cleanup(s.Close)
	return s
}

// count returns the number of requests so far, which includes the one that is being answered.
func (s *server) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.requests)
}

func (s *server) header(i int, name string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i >= len(s.requests) {
		return "no such request"
	}
	return s.requests[i].Get(name)
}

// file returns a handler that serves content as net/http does, with ranges, If-Range and Last-Modified.
func file(content []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/octet-stream")
		http.ServeContent(w, r, "", now, bytes.NewReader(content))
	}
}

// cut returns a handler that breaks off the connection after n bytes of what handle sends.
func cut(handle http.HandlerFunc, n int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { handle(&cutter{w, n}, r) }
}

type cutter struct {
	http.ResponseWriter
	left int
}

func (c *cutter) Write(b []byte) (int, error) {
	if len(b) >= c.left {
		c.ResponseWriter.Write(b[:c.left])
		c.ResponseWriter.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}
	n, err := c.ResponseWriter.Write(b)
	c.left -= n
	return n, err
}

// quick returns options with a fake clock and four tries, and the clock.
func quick() (Options, *fakeClock) {
	c := &fakeClock{}
	return Options{clock: c, Tries: 4}, c
}

// get fetches one file and returns its content.
func get(t *testing.T, dir string, f File, o Options) ([]byte, *Result, error) {
	t.Helper()
	r, err := Get(t.Context(), dir, []File{f}, o)
	if err != nil {
		return nil, nil, err
	}
	b, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(f.Path)))
	if err != nil {
		t.Fatal(err)
	}
	return b, &r[0], nil
}

// mustGet fetches a file and fails the test unless its content is want. It returns the result.
func mustGet(t *testing.T, dir string, f File, o Options, want []byte) *Result {
	t.Helper()
	got, r, err := get(t, dir, f, o)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Fatalf("got %d bytes %.40q, want %d bytes %.40q", len(got), got, len(want), want)
	}
	if r.SHA256.String() != sha(want) || r.Bytes != int64(len(want)) {
		t.Fatalf("the result says %d bytes %v", r.Bytes, r.SHA256)
	}
	return r
}

// mustFail fails the test unless err is an Error whose message contains all of the words.
func mustFail(t *testing.T, err error, words ...string) *Error {
	t.Helper()
	e := (*Error)(nil)
	if !errors.As(err, &e) {
		t.Fatalf("error of type %T: %v, want an *Error that says %q", err, err, words)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("error %q does not say %q", err, w)
		}
	}
	return e
}

// names returns the paths of everything below a folder. Those of folders end with a slash.
func names(t *testing.T, dir string) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err != nil || p == dir {
			return err
		}
		rel, err := filepath.Rel(dir, p)
		if d.IsDir() {
			rel += "/"
		}
		all = append(all, filepath.ToSlash(rel))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func write(t testing.TB, path string, content []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o666); err != nil {
		t.Fatal(err)
	}
}
