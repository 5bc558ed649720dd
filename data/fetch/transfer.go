package fetch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
)

// errStalled is the cause of a connection that was dropped because it had stalled.
var errStalled = errors.New("the connection has stalled")

// transfer is one request and its response.
type transfer struct {
	*getter
	f   File
	url string
	p   *part
}

// transfer requests the missing bytes and appends them. It returns nil if the size says that the part is complete.
func (g *getter) transfer(ctx context.Context, f File, url string, p *part) error {
	t := &transfer{g, f, url, p}
	if p.size > 0 && p.size == t.total() {
		return nil
	}
	if p.size > t.limit() {
		if err := p.restart(); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watchdog := g.clock.AfterFunc(g.Stall, func() { cancel(errStalled) })
	defer watchdog.Stop()
	err := t.run(ctx, watchdog)
	if err != nil && context.Cause(ctx) == errStalled {
		return t.retryError("an answer", fmt.Sprintf("not a byte for %v", g.Stall), nil)
	}
	return err
}

func (t *transfer) run(ctx context.Context, watchdog timer) error {
	req, err := t.request(ctx)
	if err != nil {
		return err
	}
	resp, err := t.clientFor(t.f).Do(req)
	if err != nil {
		return t.unreachable(err)
	}
	defer resp.Body.Close()
	total, whole, err := t.accept(req, resp)
	if err != nil || whole {
		return err
	}
	return t.receive(resp.Body, total, watchdog)
}

// request returns a request for the whole file, or for just the missing bytes if a validator, a digest or a known size
// shows later whether they belong to the same content.
func (t *transfer) request(ctx context.Context) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, t.url, nil)
	if err != nil {
		return nil, t.fault("an address", "", err)
	}
	req.Header.Set("User-Agent", "ansatz")
	// Without this header, the transport would request gzip and inflate it, and we could not count the bytes.
	req.Header.Set("Accept-Encoding", "identity")
	validator := ""
	if t.p.from.URL == t.url {
		validator = t.p.from.validator()
	}
	if t.p.size == 0 || validator == "" && !t.f.checked() && t.total() == 0 {
		return req, nil
	}
	req.Header.Set("Range", fmt.Sprintf("bytes=%d-", t.p.size))
	if validator != "" {
		req.Header.Set("If-Range", validator)
	}
	return req, nil
}

// receive appends the body to the part. total is the size of the part afterwards, 0 if unknown.
func (t *transfer) receive(body io.Reader, total int64, watchdog timer) error {
	buf := make([]byte, 128<<10)
	for {
		n, err := body.Read(buf)
		watchdog.Reset(t.Stall)
		if limit := t.limit(); t.p.size+int64(n) > limit {
			return t.discard("at most %d bytes", limit, "more")
		}
		if _, err := t.p.Write(buf[:n]); err != nil {
			return err
		}
		if t.Progress != nil && n > 0 {
			t.Progress(t.f.Path, t.p.size, max(total, t.f.Bytes))
		}
		if err == io.EOF {
			return t.received(total)
		}
		if err != nil {
			return t.retryError(fmt.Sprintf("%d bytes", max(total, t.f.Bytes)), fmt.Sprintf("an end after %d", t.p.size),
				err)
		}
	}
}

// received checks the size of the part at the end of a body.
func (t *transfer) received(total int64) error {
	size := t.p.size
	switch want := t.f.Bytes; {
	case total > 0 && size > total:
		return t.discard("%d bytes", total, fmt.Sprint(size))
	case total > 0 && size < total:
		return t.retryError(fmt.Sprintf("%d bytes", total), fmt.Sprintf("an end after %d", size), nil)
	case want > 0 && size != want:
		return t.discard("%d bytes", want, fmt.Sprint(size))
	}
	return nil
}

// total returns the size of the whole file, 0 if unknown.
func (t *transfer) total() int64 { return cmp.Or(t.f.Bytes, t.p.from.Bytes) }

// limit returns the largest size that the part may have.
func (t *transfer) limit() int64 { return cmp.Or(t.f.Bytes, t.MaxBytes) }

// discard empties a part that cannot be the beginning of the right file, and returns an error that says so.
func (t *transfer) discard(want string, bytes int64, got string) error {
	if err := t.p.restart(); err != nil {
		return err
	}
	return t.fault(fmt.Sprintf(want, bytes), got, nil)
}

// fault returns an error after which the next address is tried.
func (t *transfer) fault(want, got string, err error) *Error {
	return &Error{Path: t.f.Path, URL: t.url, Offset: noOffset, Want: want, Got: got, Err: err,
		Hint: "get it by hand, or see whether its publisher has moved or replaced it"}
}

// retryError returns an error after which the same address is tried again.
func (t *transfer) retryError(want, got string, err error) *Error {
	return &Error{Path: t.f.Path, URL: t.url, Offset: noOffset, Want: want, Got: got, Err: err, then: tryAgain,
		Hint: "run it again to go on from where it stopped"}
}

// unreachable returns the error of a request without a response.
func (t *transfer) unreachable(err error) error {
	if e := (*Error)(nil); errors.As(err, &e) { // from checkRedirect
		return e
	}
	// Drop method and address, which Error names too.
	if u := (*url.Error)(nil); errors.As(err, &u) {
		err = u.Err
	}
	e := t.retryError("an answer", "", err)
	if dns := (*net.DNSError)(nil); errors.As(err, &dns) && dns.IsNotFound {
		e.then = nextMirror // the host will be unknown again
	}
	return e
}
