package fetch

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/ansatz-lab/ansatz/internal/parallel"
)

// mostRedirects is the largest number of redirects of a request.
const mostRedirects = 10

// defaultClient returns a client without an overall time limit, since a file may take days. [Options].Stall bounds the
// time without a byte.
func defaultClient() *http.Client {
	return &http.Client{Transport: &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         (&net.Dialer{Timeout: 30 * time.Second}).DialContext,
		ForceAttemptHTTP2:   true,
		TLSHandshakeTimeout: 20 * time.Second,
		// With keep-alive, bytes that a server sends beyond the announced length would be taken for the next response.
		// And the next request seldom comes soon.
		DisableKeepAlives:      true,
		MaxResponseHeaderBytes: 256 << 10,
	}}
}

// clientFor returns the client, with this package's rules for redirects applied before its own.
func (g *getter) clientFor(f File) *http.Client {
	c := *g.Client
	own := c.CheckRedirect
	c.CheckRedirect = func(req *http.Request, via []*http.Request) error {
		if err := checkRedirect(f, req, via); err != nil || own == nil {
			return err
		}
		return own(req, via)
	}
	return &c
}

func checkRedirect(f File, req *http.Request, via []*http.Request) error {
	fault := func(want, got string) error {
		return &Error{Path: f.Path, URL: via[0].URL.String(), Offset: noOffset, Want: want, Got: got,
			Hint: "get it by hand, or report its new address"}
	}
	if len(via) > mostRedirects {
		return fault(fmt.Sprintf("at most %d redirects", mostRedirects), "more")
	}
	if !isWeb(req.URL) {
		return fault("a redirect to http or https", fmt.Sprintf("one to %q", req.URL.Scheme))
	}
	if last := via[len(via)-1].URL; last.Scheme == "https" && req.URL.Scheme == "http" && !f.checked() {
		return fault("a redirect to https, since no digest of the file is known", "one to http")
	}
	return nil
}

// clock is the source of time, which tests replace.
type clock interface {
	Now() time.Time
	Sleep(context.Context, time.Duration) error // returns the context's error if the context ends first
	AfterFunc(time.Duration, func()) timer
}

type timer interface {
	Reset(time.Duration) bool
	Stop() bool
}

type trueClock struct{}

func (trueClock) Now() time.Time { return time.Now() }

func (trueClock) Sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (trueClock) AfterFunc(d time.Duration, f func()) timer { return time.AfterFunc(d, f) }

// inParallel calls do with 0 to n-1, up to atOnce calls at a time, until one fails or ctx ends. It returns the first
// error.
func inParallel(ctx context.Context, n, atOnce int, do func(int) error) error {
	return parallel.Run(ctx, atOnce, n, nil, func(int) (func(context.Context, int) error, error) {
		return func(_ context.Context, i int) error { return do(i) }, nil
	})
}
