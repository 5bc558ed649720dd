package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
)

// errStalled is the cause of a connection's end that we dropped.
var errStalled = errors.New("the connection has stalled")

// transfer is one request and its answer.
type transfer struct {
	*getter
	f   File
	url string
	p   *part
}

// transfer asks for what is missing and appends it. It returns nil when the
// part is whole, as far as one can tell from its size.
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
		return t.again("an answer", fmt.Sprintf("not a byte for %v", g.Stall), nil)
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

// request asks for all, or for what is missing if there is a way to tell that
// it is of the same content.
func (t *transfer) request(ctx context.Context) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, t.url, nil)
	if err != nil {
		return nil, t.fault("an address", "", err)
	}
	req.Header.Set("User-Agent", "ansatz")
	// Asked for nothing, the transport would ask for gzip, inflate it and lose
	// count of the bytes.
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

// receive appends the body; total is the size that the part then has, 0 when
// unknown.
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
			return t.again(fmt.Sprintf("%d bytes", max(total, t.f.Bytes)), fmt.Sprintf("an end after %d", t.p.size),
				err)
		}
	}
}

// received judges the size at the end of a body.
func (t *transfer) received(total int64) error {
	size := t.p.size
	switch want := t.f.Bytes; {
	case total > 0 && size > total:
		return t.discard("%d bytes", total, fmt.Sprint(size))
	case total > 0 && size < total:
		return t.again(fmt.Sprintf("%d bytes", total), fmt.Sprintf("an end after %d", size), nil)
	case want > 0 && size != want:
		return t.discard("%d bytes", want, fmt.Sprint(size))
	}
	return nil
}

// total returns the size of the whole file as far as it is known, else 0.
func (t *transfer) total() int64 { return orElse(t.f.Bytes, t.p.from.Bytes) }

// limit returns how much may come at most.
func (t *transfer) limit() int64 {
	if t.f.Bytes > 0 {
		return min(t.f.Bytes, t.MaxBytes)
	}
	return t.MaxBytes
}

// discard removes what cannot be the beginning of the right file.
func (t *transfer) discard(want string, bytes int64, got string) error {
	if err := t.p.restart(); err != nil {
		return err
	}
	return t.fault(fmt.Sprintf(want, bytes), got, nil)
}

// fault is an error for which another address is the only remedy.
func (t *transfer) fault(want, got string, err error) *Error {
	return &Error{Path: t.f.Path, URL: t.url, Offset: noOffset, Want: want, Got: got, Err: err,
		Hint: "get it by hand, or see whether its publisher has moved or replaced it"}
}

// again is an error that may pass.
func (t *transfer) again(want, got string, err error) *Error {
	return &Error{Path: t.f.Path, URL: t.url, Offset: noOffset, Want: want, Got: got, Err: err, then: tryAgain,
		Hint: "run it again to go on from where it stopped"}
}

// unreachable is the error of a request without an answer.
func (t *transfer) unreachable(err error) error {
	if e := (*Error)(nil); errors.As(err, &e) { // of a redirect
		return e
	}
	// Its other fields are ours already.
	if u := (*url.Error)(nil); errors.As(err, &u) {
		err = u.Err
	}
	e := t.again("an answer", "", err)
	if dns := (*net.DNSError)(nil); errors.As(err, &dns) && dns.IsNotFound {
		e.then = nextMirror // asking again will not make the host known
	}
	return e
}
