package fetch

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestStall checks that if a server sends nothing for too long, before or during its answer, the connection is closed,
// and the file is fetched through another.
func TestStall(t *testing.T) {
	content := noise(20, 10_000)
	for _, after := range []int{-1, 0, 1, 9999} {
		o, clock := quick()
		var s *server
		s = serve(t, func(w http.ResponseWriter, r *http.Request) {
			if s.count() > 1 {
				file(content)(w, r)
				return
			}
			if after >= 0 {
				w.Header().Set("Content-Length", strconv.Itoa(len(content)))
				w.Write(content[:after])
				w.(http.Flusher).Flush()
			}
			clock.fire()
			<-r.Context().Done()
		})
		var notes []string
		o.Note = func(_, text string) { notes = append(notes, text) }
		mustGet(t, t.TempDir(), File{Path: "f", URLs: []string{s.URL}, SHA256: sha(content)}, o, content)
		if s.count() != 2 || len(notes) != 1 || !strings.Contains(notes[0], "not a byte for 1m0s") {
			t.Errorf("after %d bytes: %d requests, notes %q", after, s.count(), notes)
		}
	}
}

// TestSlowIsNotStalled checks that a slow server gets its full time again with each piece that arrives.
func TestSlowIsNotStalled(t *testing.T) {
	s := serve(t, file(noise(24, 1_000_000)))
	o, clock := quick()
	o.Stall = 7 * time.Second
	pieces := 0
	o.Progress = func(string, int64, int64) { pieces++ }
	mustGet(t, t.TempDir(), File{Path: "f", URLs: []string{s.URL}}, o, noise(24, 1_000_000))
	resets := clock.timers[0].resets
	if len(clock.timers) != 1 || !clock.timers[0].stopped || len(resets) < pieces || pieces < 2 {
		t.Errorf("%d timers, %d resets in %d pieces", len(clock.timers), len(resets), pieces)
	}
	if i := slices.IndexFunc(resets, func(d time.Duration) bool { return d != o.Stall }); i >= 0 {
		t.Errorf("reset to %v", resets[i])
	}
}

// TestCorruptByte checks that a wrong byte makes a download fail and leaves no file, and that the next call fetches the
// file again.
func TestCorruptByte(t *testing.T) {
	content := noise(21, 10_000)
	bad := bytes.Clone(content)
	bad[7777] ^= 1
	for _, f := range []File{{SHA256: sha(content)}, {MD5: md5Of(content)}} {
		var s *server
		s = serve(t, func(w http.ResponseWriter, r *http.Request) {
			file([][]byte{bad, content}[min(s.count()-1, 1)])(w, r)
		})
		f.Path, f.URLs = "f", []string{s.URL}
		o, _ := quick()
		dir := t.TempDir()
		_, _, err := get(t, dir, f, o)
		mustFail(t, err, s.URL, f.SHA256, f.MD5, "damaged")
		if got := names(t, dir); len(got) > 0 {
			t.Errorf("the folder holds %q", got)
		}
		mustGet(t, dir, f, o, content)
		if s.count() != 2 {
			t.Errorf("%d requests", s.count())
		}
	}
}

func TestHostileServers(t *testing.T) {
	content := noise(22, 5000)
	known := File{SHA256: sha(content), Bytes: 5000}
	for name, c := range map[string]struct {
		path  string
		file  File
		serve http.HandlerFunc
		says  []string // nil if the download succeeds
		asked int
	}{
		"a web page": {file: known, asked: 1, says: []string{"web page", "by hand"},
			serve: func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "Text/HTML; charset=utf-8")
				w.Write([]byte("<html>Google Drive - Quota exceeded</html>"))
			}},
		"a web page that was asked for": {path: "x.HTML", asked: 1,
			serve: func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/html")
				w.Write(content)
			}},
		"forbidden":               {asked: 1, says: []string{"403 Forbidden"}, serve: status(403)},
		"gone":                    {asked: 1, says: []string{"410 Gone"}, serve: status(410)},
		"broken":                  {asked: 4, says: []string{"500 Internal"}, serve: status(500)},
		"no content":              {asked: 1, says: []string{"204"}, serve: status(204)},
		"a part without a reason": {asked: 4, says: []string{"what follows byte 0"}, serve: status(206)},
		"416 without a reason":    {asked: 4, says: []string{"416"}, serve: status(416)},
		"endless redirects": {asked: 11, says: []string{"at most 10 redirects"},
			serve: func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, r.URL.Path+"x", http.StatusFound)
			}},
		"a redirect to a file": {asked: 1, says: []string{`"file"`}, serve: redirect("file:///etc/passwd")},
		"more than the file has": {file: File{Bytes: 4999}, asked: 1, says: []string{"expected 4999", "5000"},
			serve: file(content)},
		"less than the file has": {file: File{Bytes: 5001}, asked: 1, says: []string{"expected 5001", "5000"},
			serve: file(content)},
		"more, unannounced": {file: File{Bytes: 4999}, asked: 1, says: []string{"at most 4999", "more"},
			serve: chunked(content)},
		"less, unannounced": {file: File{Bytes: 5001}, asked: 1, says: []string{"expected 5001", "5000"},
			serve: chunked(content)},
		"of no known size": {asked: 1, serve: chunked(content)},
		"a promise of too little": {file: File{SHA256: sha(content)}, asked: 1,
			says: []string{sha(content), sha(content[:4000])}, serve: raw(4000, content)},
		"a promise of too much": {file: File{SHA256: sha(content)}, asked: 4,
			says: []string{"end after 5000", "expected 5001"}, serve: raw(5001, content)},
		"a promise beyond reason": {asked: 1, says: []string{"at most 10000", "20000"}, serve: raw(20000, content)},
		"an endless file": {asked: 1, says: []string{"at most 10000", "more"},
			serve: chunked(bytes.Repeat(content, 3))},
		"in an encoding":           {asked: 1, says: []string{`"gzip"`}, serve: encoded("gzip", content)},
		"gzip that is called so":   {path: "f.tar.gz", asked: 1, serve: encoded("x-gzip", content)},
		"an encoding that is none": {asked: 1, serve: encoded("identity", content)},
		"not http": {asked: 4, says: []string{"malformed"},
			serve: raw(-1, []byte("SSH-2.0-OpenSSH\r\n"))},
		"endless heads": {asked: 4, says: []string{"header"},
			serve: raw(-1, []byte("HTTP/1.1 200 OK\r\n"+strings.Repeat("X: "+strings.Repeat("y", 1000)+"\r\n", 300)))},
		"nothing but an open line": {asked: 4, says: []string{"EOF"}, serve: raw(-1, nil)},
		"negative length": {asked: 4, says: []string{"Content-Length"},
			serve: raw(-1, []byte("HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n"))},
		"a redirect to other hosts": {asked: 1, serve: elsewhere(t, content)},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, c.serve)
			c.file.Path, c.file.URLs = cmp.Or(c.path, "f"), []string{s.URL}
			o, _ := quick()
			o.MaxBytes = 10_000
			dir := t.TempDir()
			if c.says == nil {
				mustGet(t, dir, c.file, o, content)
			} else {
				_, _, err := get(t, dir, c.file, o)
				mustFail(t, err, append(c.says, "f from "+s.URL)...)
				if slices.Contains(names(t, dir), "f") {
					t.Error("the file is there")
				}
			}
			if s.count() != c.asked {
				t.Errorf("asked %d times, want %d", s.count(), c.asked)
			}
		})
	}
}

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

func redirect(to string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", to)
		w.WriteHeader(http.StatusFound)
	}
}

func elsewhere(t *testing.T, content []byte) http.HandlerFunc {
	return redirect(serve(t, file(content)).URL)
}

func chunked(content []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.(http.Flusher).Flush()
		w.Write(content)
	}
}

func encoded(encoding string, content []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", encoding)
		w.Write(content)
	}
}

// raw returns a handler that announces a body of n bytes and sends body, which may be longer or shorter. If n is
// negative, it sends only body, without a header.
func raw(n int, body []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		conn, out, err := w.(http.Hijacker).Hijack()
		if err != nil {
			panic(err)
		}
		defer conn.Close()
		if n >= 0 {
			fmt.Fprintf(out, "HTTP/1.1 200 OK\r\nContent-Type: application/x-tar\r\nContent-Length: %d\r\n\r\n", n)
		}
		out.Write(body)
		out.Flush()
		conn.(*net.TCPConn).CloseWrite()
	}
}

// A redirect from https to http is followed only where a digest is known.
func TestRedirectToPlain(t *testing.T) {
	content := noise(23, 100)
	plain := serve(t, file(content))
	safe := httptest.NewTLSServer(redirect(plain.URL))
	defer safe.Close()
	o, _ := quick()
	o.Client = safe.Client()
	f := File{Path: "f", URLs: []string{safe.URL}}
	_, _, err := get(t, t.TempDir(), f, o)
	mustFail(t, err, "redirect to https")
	f.SHA256 = sha(content)
	mustGet(t, t.TempDir(), f, o, content)
	if o.Client.CheckRedirect != nil {
		t.Error("the client was changed")
	}
}

func TestOwnRulesOnRedirects(t *testing.T) {
	s := serve(t, elsewhere(t, []byte("x")))
	o, _ := quick()
	no := errors.New("not with me")
	o.Client = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return no }}
	if _, _, err := get(t, t.TempDir(), File{Path: "f", URLs: []string{s.URL}}, o); !errors.Is(err, no) {
		t.Errorf("%v", err)
	}
}

func TestProxyFromEnvironment(t *testing.T) {
	tr := defaultClient().Transport.(*http.Transport)
	if tr.Proxy == nil || defaultClient().Timeout != 0 {
		t.Error("no proxy, or a bound on the time of all")
	}
	if !isWeb(&url.URL{Scheme: "https", Host: "x"}) || isWeb(&url.URL{Scheme: "file", Path: "/x"}) {
		t.Error("isWeb")
	}
}
