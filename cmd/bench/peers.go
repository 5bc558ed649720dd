package main

import (
	"context"
	"embed"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// peersFS holds the programs that do the same work in PyTorch.
//
//go:embed peers/*.py
var peersFS embed.FS

// unpack writes PyTorch's programs into a folder.
func (b *bench) unpack(dir string) error {
	b.peers = dir
	files, err := fs.Glob(peersFS, "peers/*.py")
	if err != nil {
		return err
	}
	for _, name := range files {
		text, err := peersFS.ReadFile(name)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(name)), text, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// peer runs one of PyTorch's programs, and reads the JSON that it prints.
func (b *bench) peer(ctx context.Context, v any, name string, args ...string) error {
	return jsonOf(ctx, v, b.python, append([]string{filepath.Join(b.peers, name)}, args...)...)
}

// seconds is the field of the printed JSON that has the time of the work, without the start of the program.
type seconds struct{ Seconds float64 }

// times holds the seconds of each run of the same work: by ansatz, by its whole command, and by PyTorch.
type times struct{ ours, whole, peer []float64 }

// inTurn runs a command of ansatz and a program of PyTorch in turn. The function ours reads the seconds of the work from
// the JSON that the command prints; nil reads the field seconds.
func (b *bench) inTurn(ctx context.Context, command, peer []string, ours func([]byte) (float64, error)) (t times, err error) {
	if ours == nil {
		ours = func(out []byte) (float64, error) {
			var s seconds
			return decoded(&s, out, func() float64 { return s.Seconds })
		}
	}
	for range b.runs {
		var p seconds
		if err := b.peer(ctx, &p, peer[0], peer[1:]...); err != nil {
			return t, err
		}
		start := time.Now()
		out, err := output(ctx, b.ansatz, append(command, "--json", "--quiet")...)
		if err != nil {
			return t, err
		}
		t.whole = append(t.whole, time.Since(start).Seconds())
		own, err := ours(out)
		if err != nil {
			return t, err
		}
		t.ours, t.peer = append(t.ours, own), append(t.peer, p.Seconds)
	}
	return t, nil
}
