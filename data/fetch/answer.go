package fetch

import (
	"fmt"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"
)

// accept checks the header of a response and prepares the part for its body. It returns the final size of the part, 0
// if unknown, and whether the part is complete already.
func (t *transfer) accept(req *http.Request, resp *http.Response) (total int64, whole bool, err error) {
	switch resp.StatusCode {
	case http.StatusOK:
		total, err = t.begin(resp)
	case http.StatusPartialContent:
		total, err = t.resume(req, resp)
	case http.StatusRequestedRangeNotSatisfiable:
		return 0, true, t.beyond(resp)
	default:
		err = t.status(resp)
	}
	return total, false, err
}

// begin prepares the part for a response with the whole file, and returns its size.
func (t *transfer) begin(resp *http.Response) (int64, error) {
	o := t.originOf(resp)
	o.Bytes = max(0, resp.ContentLength)
	if err := t.acceptable(resp, o.Bytes, o.Bytes); err != nil {
		return 0, err
	}
	if t.p.size > 0 {
		t.note(t.f, "starting over: the server sends the whole file")
	}
	if err := t.p.restart(); err != nil {
		return 0, err
	}
	return o.Bytes, t.p.setOrigin(o)
}

// resume prepares the part for a response with the missing end of the file, and returns the size of the file.
func (t *transfer) resume(req *http.Request, resp *http.Response) (int64, error) {
	start, total, ok := contentRange(resp.Header.Get("Content-Range"))
	if !ok || start != t.p.size || req.Header.Get("Range") == "" {
		return 0, t.startOver(fmt.Sprintf("what follows byte %d", t.p.size), resp.Header.Get("Content-Range"))
	}
	o := t.originOf(resp)
	o.Bytes = total
	if err := t.acceptable(resp, total, total-start); err != nil {
		return 0, err
	}
	same := req.Header.Get("If-Range") != "" || t.f.checked() || total > 0
	if !same || t.changed(o) {
		return 0, t.startOver("the rest of the same file", "another one")
	}
	o = o.or(t.p.from)
	return o.Bytes, t.p.setOrigin(o)
}

// changed reports whether the part certainly has other content than o.
func (t *transfer) changed(o origin) bool {
	if t.p.from.URL == t.url {
		return o.differs(t.p.from)
	}
	return o.Bytes > 0 && t.p.from.Bytes > 0 && o.Bytes != t.p.from.Bytes
}

// beyond handles the response that the file has no bytes after the end of the part.
func (t *transfer) beyond(resp *http.Response) error {
	text, _ := strings.CutPrefix(resp.Header.Get("Content-Range"), "bytes */")
	total, err := strconv.ParseInt(text, 10, 64)
	if err == nil && total == t.p.size && (t.f.Bytes == 0 || t.f.Bytes == total) {
		return nil
	}
	return t.startOver(fmt.Sprintf("what follows byte %d", t.p.size), resp.Status)
}

// startOver empties the part and returns an error after which the whole file is requested.
func (t *transfer) startOver(want, got string) error {
	if err := t.p.restart(); err != nil {
		return err
	}
	return t.retryError(want, fmt.Sprintf("%q", got), nil)
}

// acceptable returns an error for a body that cannot be the file's. total is the size of the file and remaining the size of
// the body; both are 0 or less if unknown.
func (t *transfer) acceptable(resp *http.Response, total, remaining int64) error {
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	name := strings.ToLower(path.Ext(t.f.Path))
	if (kind == "text/html" || kind == "application/xhtml+xml") && name != ".html" && name != ".htm" {
		e := t.fault("a file", "a web page, perhaps one to log in or to confirm", nil)
		e.Hint = fmt.Sprintf("get it by hand with a browser and put it at %s", t.path(t.f.Path))
		return e
	}
	// Some servers also send this header for files that are themselves compressed.
	encoding := strings.ToLower(resp.Header.Get("Content-Encoding"))
	if encoding != "" && encoding != "identity" && name != ".gz" && name != ".tgz" {
		return t.fault("the file as it is", fmt.Sprintf("the encoding %q", encoding), nil)
	}
	if want := t.f.Bytes; want > 0 && total > 0 && total != want {
		return t.fault(fmt.Sprintf("%d bytes", want), fmt.Sprintf("an announced size of %d", total), nil)
	}
	if limit := t.limit(); total > limit {
		return t.fault(fmt.Sprintf("at most %d bytes", limit), fmt.Sprintf("an announced size of %d", total), nil)
	}
	return t.fits(t.dir, remaining, t.f.Path)
}

// status returns the error of a response without a file.
func (t *transfer) status(resp *http.Response) error {
	wait, requested := retryAfter(resp.Header.Get("Retry-After"), t.clock.Now())
	got := resp.Status
	if requested {
		got += fmt.Sprintf(" with a request to wait %v", wait)
	}
	passing := resp.StatusCode >= 500 || resp.StatusCode == http.StatusTooManyRequests ||
		resp.StatusCode == http.StatusRequestTimeout || resp.StatusCode == http.StatusTooEarly
	if !passing {
		return t.fault("the file", got, nil)
	}
	e := t.retryError("the file", got, nil)
	e.wait = wait
	if wait > patience {
		e.then, e.Hint = nextMirror, "run it again then"
	}
	return e
}

// retryAfter reads a Retry-After header: seconds or a date.
func retryAfter(text string, now time.Time) (_ time.Duration, requested bool) {
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second, true
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, at.Sub(now)), true
	}
	return 0, false
}

func (t *transfer) originOf(resp *http.Response) origin {
	return origin{URL: t.url, ETag: resp.Header.Get("ETag"), LastModified: resp.Header.Get("Last-Modified")}
}

// contentRange parses a Content-Range header, "bytes 5-9/10" or "bytes 5-9/*". The latter has total 0.
func contentRange(text string) (start, total int64, ok bool) {
	var end int64
	rest, ok := strings.CutPrefix(text, "bytes ")
	span, all, cut := strings.Cut(rest, "/")
	from, to, dash := strings.Cut(span, "-")
	if !ok || !cut || !dash {
		return 0, 0, false
	}
	for _, n := range []struct {
		text string
		to   *int64
	}{{from, &start}, {to, &end}, {all, &total}} {
		u, err := strconv.ParseUint(n.text, 10, 63)
		if err != nil && (n.text != "*" || n.to != &total) {
			return 0, 0, false
		}
		*n.to = int64(u)
	}
	return start, total, start <= end && (all == "*" || end < total)
}
