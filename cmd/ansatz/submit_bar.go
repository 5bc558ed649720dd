package main

import (
	"fmt"
	"time"

	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/shard"
)

// unitBar is a line on a terminal with a bar over the units of a plan. It shows the time left, at the rate
// so far.
type unitBar struct {
	app   *app
	on    bool
	width func() int
	start time.Time
	begun int // units that were complete then
	drawn bool
}

func (a *app) unitBar(plan *shard.Plan) *unitBar {
	return &unitBar{
		app: a, on: a.terminal() && !a.quiet, width: func() int { return terminalWidth(a.err) },
		start: time.Now(), begun: shard.StatusOf(plan, a.out).Whole,
	}
}

// draw draws the line.
func (b *unitBar) draw(s *shard.Status, now time.Time) {
	if b.on {
		fmt.Fprint(b.app.err, "\r\x1b[2K"+b.line(s, now, b.width()-1))
		b.drawn = true
	}
}

// line returns the line, at most width characters long.
func (b *unitBar) line(s *shard.Status, now time.Time, width int) string {
	text := ""
	if made := s.Whole - b.begun; made > 0 {
		left := now.Sub(b.start).Seconds() / float64(made) * float64(s.Units-s.Whole)
		text = record.FormatDuration(left) + " left"
	}
	return barLine(fmt.Sprintf("%d of %d units", s.Whole, s.Units), float64(s.Whole)/float64(s.Units), text, width)
}

// print clears the line and calls write, which writes to the terminal.
func (b *unitBar) print(write func()) {
	if b.drawn {
		fmt.Fprint(b.app.err, "\r\x1b[J")
		b.drawn = false
	}
	write()
}

// close clears the line; nothing is drawn after it.
func (b *unitBar) close() {
	b.print(func() {})
	b.on = false
}
