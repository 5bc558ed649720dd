package fetch

import (
	"context"
	"errors"
	"fmt"
	"time"
)

const (
	// enough is the progress in bytes after which the count of tries restarts.
	enough = 1 << 20

	firstWait = time.Second // doubled with every try
	mostWait  = time.Minute

	// patience is the longest wait that a server may ask for.
	patience = 5 * time.Minute
)

// download fetches f from one of its addresses and gives it its name.
func (g *getter) download(ctx context.Context, f File) (_ *Result, err error) {
	p, err := openPart(ctx, g.path(f.Path), f)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	url, err := g.tryMirrors(ctx, f, p)
	if err != nil {
		return nil, err
	}
	if err := p.finish(); err != nil {
		return nil, err
	}
	by, _, _ := p.sums.judge(f)
	s := Source{Path: f.Path, Bytes: p.size, SHA256: p.sums.sum(), Into: f.Into}
	return &Result{Source: s, URL: url, Check: by}, nil
}

// tryMirrors tries all addresses in order, and returns the one that completed the file.
func (g *getter) tryMirrors(ctx context.Context, f File, p *part) (string, error) {
	if len(f.URLs) == 0 {
		return "", &Error{Path: f.Path, Offset: noOffset, Want: "the file", Got: "no address to fetch it from",
			Hint: "get it by hand and put it at " + g.path(f.Path)}
	}
	var failed attempts
	for _, url := range f.URLs {
		err := g.tryMirror(ctx, f, url, p)
		if err == nil {
			return url, nil
		}
		if ctx.Err() != nil {
			return "", interrupted(f, ctx.Err())
		}
		if then, _ := nextStep(err); then == stop {
			return "", err
		}
		g.note(f, brief(err))
		failed = append(failed, err)
	}
	if len(failed) == 1 {
		return "", failed[0]
	}
	return "", &Error{Path: f.Path, Offset: noOffset, Want: "the file from one of its addresses",
		Got: fmt.Sprintf("%d that failed", len(failed)), Err: failed,
		Hint: "\ntry again later, or get it by hand and put it at " + g.path(f.Path)}
}

// tryMirror transfers from one address, and retries while that may help, until the part is complete and right. The count
// of tries restarts only when the part is longer than ever before, so the retries end.
func (g *getter) tryMirror(ctx context.Context, f File, url string, p *part) error {
	longest := p.size
	for tries := 1; ; tries++ {
		err := g.transfer(ctx, f, url, p)
		if err == nil {
			if err = g.check(f, url, p); err == nil {
				return nil
			}
		}
		if p.size >= longest+enough {
			tries, longest = 1, p.size
		}
		then, wait := nextStep(err)
		if then != tryAgain || tries >= g.Tries || ctx.Err() != nil {
			return err
		}
		wait = max(wait, min(firstWait<<min(tries-1, 10), mostWait))
		g.note(f, fmt.Sprintf("%s; trying again in %v", brief(err), wait))
		if err := g.clock.Sleep(ctx, wait); err != nil {
			return err
		}
	}
}

// check compares the complete part with its digest, and empties a wrong one. If the part came in several pieces, they may
// belong to different versions of the file; then a download in one piece may be right.
func (g *getter) check(f File, url string, p *part) error {
	_, want, got := p.sums.judge(f)
	if want == got {
		return nil
	}
	e := &Error{Path: f.Path, URL: url, Offset: noOffset, Want: want, Got: got,
		Hint: "the file was damaged in transit or its publisher has replaced it: try again later, or get it by hand " +
			"and check it"}
	if p.pieced {
		e.then = tryAgain
	}
	if err := p.restart(); err != nil {
		return err
	}
	return e
}
